"""The link to the broker: paho-mqtt in a thread of its own that only fills a queue, and never gives up.

Each attempt to connect gets a paho client of its own. So the will can carry the session, and nothing that
was left inside paho when a link broke is ever delivered later: what must arrive is resent from the outbox.
"""

import random
import threading
import time
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.gate import LIMIT
from pi_bunco.wire.session import (
    QUEUED,
    Connected,
    Disconnected,
    Event,
    Plan,
    Put,
    Received,
    Session,
    Will,
)
from pi_bunco.wire.topics import WireError

__all__ = [
    "QUEUED",
    "Client",
    "Connected",
    "Disconnected",
    "Event",
    "Put",
    "Received",
    "Will",
    "reconnect_delay",
]

KEEPALIVE = 4  # s; paho and brokers notice a dead peer after at most twice that and a little
JOIN = 1.5  # s
STEADY = 10.0  # s that a link must last before the next back-off begins small again


class Client:
    """A node's link to the broker, made and renewed in a thread of its own.

    `put` gets the events, from that thread: between `Connected` and `Disconnected` what came in. `will` makes
    the will of a session. `elsewhere` says where else the broker may be: every second attempt goes there.
    """

    def __init__(
        self,
        address: BrokerAddress,
        node: str,
        put: Put,
        subscriptions: Sequence[str],
        will: Callable[[str], Will] | None = None,
        keepalive: int = KEEPALIVE,
        elsewhere: Callable[[], BrokerAddress | None] = lambda: None,
    ) -> None:
        self._plan = Plan(address, node, tuple(subscriptions), will, keepalive, elsewhere)
        self._put = put
        self._link: _Link | None = None

    @property
    def session(self) -> str | None:
        """The session that is connected now, None while offline."""
        session = self._link.session if self._link else None
        return session.id if session and session.ready else None

    @property
    def alive(self) -> bool:
        """Whether the link's thread lives, if there is to be one; a broker that is absent does not end it."""
        return self._link is None or self._link.alive

    def start(self) -> None:
        """Starts to connect and returns at once; a broker that is absent is waited for."""
        if self._link is None:
            self._link = _Link(self._plan, self._put)

    def publish(self, topic: str, payload: bytes, *, qos: int = 0, retain: bool = False) -> bool:
        """Hands a message to the link; False, and nothing is kept, while offline or when the link is jammed.

        `WireError` if the payload is larger than the wire allows.
        """
        if len(payload) > LIMIT:
            raise WireError(f"{topic}: {len(payload)} bytes are too many; at most {LIMIT} may be sent")
        session = self._link.session if self._link else None
        return session is not None and session.publish(topic, payload, qos, retain)

    def rebuild(self) -> None:
        """Throws the link away, whatever state its thread is in, and begins a new one."""
        if self._link is None:
            return
        was_connected = self.session is not None
        self._link.abandon()
        if was_connected:
            self._put(Disconnected("The link to the broker is made anew."))
        self._link = _Link(self._plan, self._put)

    def close(self) -> None:
        """Sends what is under way, says farewell (so no will), and ends; no event comes after it."""
        if self._link is None:
            return
        self._link.abandon()
        self._link.join(JOIN)
        self._link = None


def reconnect_delay(failures: int, chance: float) -> float:
    """Seconds to wait after so many failures in a row: 0.25 doubling to 5, less up to half by `chance`.

    The chance (0 to 1) keeps the tables of a hall, cut off all at once, from coming back all at once.
    """
    return min(0.25 * 2.0 ** min(failures, 10), 5.0) * (1 - chance / 2)


class _Link:
    """One thread that makes session after session until it is abandoned."""

    def __init__(self, plan: Plan, put: Put) -> None:
        self.session: Session | None = None
        self._plan = plan
        self._put = put
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"mqtt-{plan.node}", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def abandon(self) -> None:
        self._ended.set()
        if self.session:
            self.session.hang_up()

    def join(self, seconds: float) -> None:
        if threading.current_thread() is not self._thread:
            self._thread.join(seconds)

    def _run(self) -> None:
        failures, told = 0, set[str]()
        while not self._ended.is_set():
            began = time.monotonic()
            self.session = session = Session(self._planned(failures), self._put, self._ended)
            session.serve()
            was_ready, session.ready = session.ready, False
            told = set() if was_ready else told
            if session.why not in told:
                session.tell(Disconnected(session.why))
            told.add(session.why)
            failures = 0 if was_ready and time.monotonic() - began > STEADY else failures + 1
            self._ended.wait(reconnect_delay(failures, random.random()))

    def _planned(self, failures: int) -> Plan:
        other = self._plan.elsewhere() if failures % 2 else None
        return replace(self._plan, address=other) if other else self._plan
