"""Whether another process uses this node's name at the broker; time is a parameter (s).

MQTT 3.1.1 lets a broker have one connection of a client id: the later one ends the earlier one, without a
word, as does a broker that is started again. Two nodes of one name would throw each other out for ever. The
sure sign is on the node's own status topic: what stands there was said in a session of another process
although this process has said something there before.
"""

import msgspec
from msgspec import Struct

WINDOW = 90.0
"""For so many seconds another process counts as there."""
STEADY = 10.0
"""Seconds after which a connection counts as undisturbed: who had one was here first."""
WAIT = 30.0
"""Seconds that the later process leaves the name to the earlier one."""


class StatusWord(Struct):
    """What any status says, and no more of it."""

    state: str = ""
    session: str = ""


class Takeovers:
    """Knows the sessions of this process, and so those of another.

    Who had an undisturbed connection comes back at once; who had none yet is the later one, and waits.
    """

    def __init__(self, steady: float = STEADY, wait: float = WAIT) -> None:
        self._steady_s = steady
        self._wait_s = wait
        self._sessions: set[str] = set()
        self._first = True
        self._seen_at: float | None = None
        self._earlier = False

    def connected(self, session: str) -> None:
        """The broker took this node."""
        self._first = not self._sessions
        self._sessions.add(session)

    def status(self, payload: bytes, now: float) -> None:
        """Somebody said this on the node's own status topic, now or while it was away.

        Whose session the first one of this process sees was before it, and its will may come late; who stops
        in order takes nothing.
        """
        try:
            found = msgspec.json.decode(payload, type=StatusWord)
        except (msgspec.MsgspecError, UnicodeError):
            return
        if self._first:
            self._sessions.add(found.session)
        elif found.state != "stopped" and found.session not in self._sessions:
            self._seen_at = now

    def ended(self, lasted: float) -> None:
        """A connection ended that lasted so many seconds."""
        self._earlier = self._earlier or lasted >= self._steady_s

    def shared(self, now: float) -> bool:
        """Whether another process uses the name."""
        return self._seen_at is not None and now - self._seen_at < WINDOW

    def wait(self, now: float) -> float:
        """Seconds to leave the name to another process; 0 where it is this node's own."""
        return 0.0 if self._earlier or not self.shared(now) else self._wait_s
