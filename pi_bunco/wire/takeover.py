"""Another process that uses this node's name at the broker, and which of the two leaves it to the other."""

import time
from collections import deque

import msgspec
from msgspec import Struct

from pi_bunco.wire.gate import Received
from pi_bunco.wire.session import Connected, PutEvent, SessionEvent

STEADY_LINK_S = 10.0
"""Seconds after which a link is undisturbed: its node was here first, and back-off begins small again."""
SHARED_FOR_S = 90.0
"""Seconds that another process of this node's name counts as there."""
NAME_LEFT_FOR_S = 30.0
"""Seconds that the later process leaves the name to the earlier one."""
MAX_SESSIONS = 1000
"""The newest sessions of this node that are known to be its own."""


class StatusWord(Struct):
    """The fields that any status has."""

    state: str = ""
    session: str = ""


class Takeovers:
    """Finds out that another process uses this node's name at the broker; time is a parameter (s).

    MQTT 3.1.1 lets a broker have one connection of a client id: the later one ends the earlier one, without a
    word, as does a broker that is started again. Two nodes of one name would throw each other out for ever.
    The sure sign stands on the node's own status topic: it was said in a session of another process
    although this process has said something there before. Who had an undisturbed connection comes back at
    once; who had none yet is the later one, and waits.
    """

    def __init__(self, steady_s: float = STEADY_LINK_S, wait_s: float = NAME_LEFT_FOR_S) -> None:
        self._steady_s = steady_s
        self._wait_s = wait_s
        self._sessions = deque[str](maxlen=MAX_SESSIONS)
        self._connections = 0
        self._seen_at: float | None = None
        self._earlier = False

    def connecting(self, session: str) -> None:
        """This node asks the broker to take it; one that hung may do so when the node has long given up."""
        self._sessions.append(session)

    def connected(self, session: str) -> None:
        """The broker took this node."""
        self._connections += 1
        self._sessions.append(session)

    def status(self, payload: bytes, now: float) -> bool:
        """Somebody said this on the node's own status topic, now or while it was away; False if it is none.

        Whose session the first one of this process sees was before it, and its will may come late; who stops
        in order takes nothing.
        """
        try:
            found = msgspec.json.decode(payload, type=StatusWord)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return False
        if self._connections <= 1:
            self._sessions.append(found.session)
        elif found.state != "stopped" and found.session not in self._sessions:
            self._seen_at = now
        return True

    def ended(self, lasted: float) -> None:
        """A connection ended that lasted `lasted` seconds."""
        self._earlier = self._earlier or lasted >= self._steady_s

    def shared(self, now: float) -> bool:
        """Another process uses the name."""
        return self._seen_at is not None and now - self._seen_at < SHARED_FOR_S

    def wait(self, now: float) -> float:
        """Seconds to leave the name to another process; 0 where it is this node's own."""
        return 0.0 if self._earlier or not self.shared(now) else self._wait_s


def watched(put: PutEvent, topic: str, subscribed: bool, takeovers: Takeovers) -> PutEvent:
    """Looks at what is said on the node's own `topic`; its service gets that only if `subscribed`.

    What is malformed it gets too, to be counted like any other.
    """

    def take(event: SessionEvent) -> None:
        known = False
        if isinstance(event, Connected):
            takeovers.connected(event.session)
        elif isinstance(event, Received) and event.topic == topic:
            known = takeovers.status(event.payload, time.monotonic())
        if subscribed or not known:
            put(event)

    return take
