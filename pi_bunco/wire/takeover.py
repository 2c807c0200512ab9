"""Whether another process uses this node's name at the broker; time is a parameter (s).

MQTT 3.1.1 lets a broker have one connection of a client id: the later one ends the earlier one, without a
word. Two nodes of one name would throw each other out for ever. What can be seen of it: the broker ends a
connection that worked, and takes the next one at once. A broker that was restarted is away in between.
"""

WINDOW = 90.0
"""Two takeovers within so many seconds are no accident."""
STEADY = 10.0
"""Seconds after which a connection counts as undisturbed: who had one was here first."""
WAIT = 30.0
"""Seconds that the later process leaves the name to the earlier one."""


class Takeovers:
    """Counts the takeovers of one node's connections.

    Who had an undisturbed connection comes back at once; who had none yet is the later one, and waits.
    """

    def __init__(self, steady: float = STEADY, wait: float = WAIT) -> None:
        self._steady_s = steady
        self._wait_s = wait
        self._times: list[float] = []
        self._cut_off_at: float | None = None
        self._earlier = False

    def connected(self, now: float) -> None:
        """The broker took this node; if it had cut it off just before, that was a takeover."""
        if self._cut_off_at is not None:
            self._times = [*self._recent(now), self._cut_off_at]
        self._cut_off_at = None

    def ended(self, began: float, now: float, by_broker: bool) -> None:
        """A connection that was taken at `began` ended."""
        self._earlier = self._earlier or now - began >= self._steady_s
        self._cut_off_at = now if by_broker else None

    def not_reached(self) -> None:
        """The broker was not there, so it may have ended the last connection for its own reasons."""
        self._cut_off_at = None

    def shared(self, now: float) -> bool:
        """Whether another process seems to use the name."""
        return len(self._recent(now)) + (self._cut_off_at is not None) >= 2

    def wait(self, now: float) -> float:
        """Seconds to leave the name to another process; 0 where it is this node's own."""
        if self._earlier or not self.shared(now):
            return 0.0
        return self._wait_s

    def _recent(self, now: float) -> list[float]:
        return [time for time in self._times if now - time < WINDOW]
