"""The link to the broker: paho-mqtt in a thread of its own that only fills a queue, and never gives up.

Each attempt to connect gets a paho client of its own. So the will can carry the session, and nothing that
was left inside paho when a link broke is ever delivered later: what must arrive is resent from the outbox.
"""

import logging
import queue
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct
from msgspec.structs import replace
from paho.mqtt.client import topic_matches_sub

from pi_bunco.runtime.loop import Health
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.gate import Delivered, Undelivered, delivery, encode, limit_at
from pi_bunco.wire.gate import Received as Received
from pi_bunco.wire.messages import Payload
from pi_bunco.wire.session import MAX_QUEUED as MAX_QUEUED
from pi_bunco.wire.session import Connected as Connected
from pi_bunco.wire.session import Disconnected as Disconnected
from pi_bunco.wire.session import LinkPlan, PutEvent, Session
from pi_bunco.wire.session import SessionEvent as SessionEvent
from pi_bunco.wire.session import Will as Will
from pi_bunco.wire.takeover import STEADY_LINK_S, Takeovers, watched
from pi_bunco.wire.topics import WireError

log = logging.getLogger(__name__)

KEEPALIVE_S = 4
"""Seconds; paho and brokers notice a dead peer after at most twice that and a little."""
JOIN_S = 1.5
RETRY_WITHIN_S = 0.5
"""Seconds between two attempts at most, while the broker is away."""
REFUSED_RETRY_S = 5.0
"""Seconds until a broker is asked again that does not want this node."""


NAME_HEALTH = "name"
"""Health of a node's name: another machine may use it too."""


class Publish(Struct, frozen=True):
    """`message` for `topic`; None takes a retained message away."""

    topic: str
    message: Payload | None
    qos: int = 0
    retain: bool = False


class Client:
    """A node's link to the broker, made and renewed in a thread of its own.

    `put` gets the events, from that thread: between `Connected` and `Disconnected` what came in. The next
    link begins when it has returned: who decides in it names no session but that of the link that it
    speaks over, whose will would else mean nothing. `will` makes the will of a session; its topic is where
    another process of this name shows. Where the broker is not found at its address, it is looked for where
    it was reached last, which `elsewhere` says, and then at the address's other places, in turn; a link that
    breaks is made again where it was. The client id is `{hall}-{node}`, so that two halls can share a broker,
    or `node` without a hall; a broker with accounts takes the user's name instead.
    """

    def __init__(
        self,
        address: BrokerAddress,
        node: str,
        put: PutEvent,
        subscriptions: Sequence[str],
        will: Callable[[str], Will] | None = None,
        keepalive: int = KEEPALIVE_S,
        elsewhere: Callable[[], BrokerAddress | None] = lambda: None,
        hall: str = "",
        takeovers: Takeovers | None = None,
    ) -> None:
        id = f"{hall}-{node}" if hall else node
        self._takeovers = takeovers or Takeovers()
        if will:
            status = will("").topic
            subscribed = any(topic_matches_sub(one, status) for one in subscriptions)
            put = watched(put, status, subscribed, self._takeovers)
            subscriptions = subscriptions if subscribed else (*subscriptions, status)
        self._plan = LinkPlan(address, node, id, tuple(subscriptions), will, keepalive, elsewhere)
        self._put = put
        self._link: _Link | None = None
        self._conflict = ""

    @property
    def session(self) -> str | None:
        """The session that is connected now, None while offline."""
        session = self._link.session if self._link else None
        return session.id if session and session.ready else None

    @property
    def alive(self) -> bool:
        """The link's thread lives, if there is to be one; a broker that is absent does not end it."""
        return self._link is None or self._link.alive

    @property
    def conflict(self) -> str:
        """A sentence if another process uses this node's name at the broker, else empty."""
        now = time.monotonic()
        if not self._takeovers.shared(now):
            return ""
        place, node = self._plan.address, self._plan.node
        taken = f"Another machine is {node} at the broker {place} too"
        if self._takeovers.wait(now):
            return f"{taken}, and was first: this one waits. Give one of them another name or number."
        return f"{taken}: it is thrown out whenever it comes. Give it another name or number."

    def health(self) -> Health | None:
        """The conflict, or that there is none any more, if that changed since this was asked last."""
        before, self._conflict = self._conflict, self.conflict
        return (
            None
            if self._conflict == before
            else Health((self._conflict,) if self._conflict else (), NAME_HEALTH)
        )

    def start(self) -> None:
        """Starts to connect and returns at once; a broker that is absent is waited for."""
        if self._link is None:
            self._link = _Link(self._plan, self._put, self._takeovers)

    def publish(self, topic: str, payload: bytes, *, qos: int = 0, retain: bool = False) -> bool:
        """Hands a message to the link; False, and nothing is kept, while offline or when the link is jammed.

        `WireError` if the payload is larger than the wire allows.
        """
        if len(payload) > (limit := limit_at(topic)):
            raise WireError(f"{topic}: {len(payload)} bytes are too many; at most {limit} may be sent")
        session = self._link.session if self._link else None
        return session is not None and session.publish(topic, payload, qos, retain)

    def rebuild(self) -> Disconnected | None:
        """Throws the link away, whatever state its thread is in, and begins a new one; whether one ended."""
        if self._link is None:
            return None
        was_connected = self.session is not None
        self._link.abandon()
        self._link = _Link(self._plan, self._put, self._takeovers)
        return Disconnected("The link to the broker is made anew.") if was_connected else None

    def close(self) -> None:
        """Sends what is under way, says farewell (so no will), and ends; no event comes after it."""
        if self._link is None:
            return
        self._link.abandon()
        self._link.join(JOIN_S)
        self._link = None


def send(client: Client, publish: Publish) -> bool:
    """Hands the message to the link; False while offline. One that is too large is logged and dropped."""
    try:
        payload = b"" if publish.message is None else encode(publish.message)
    except WireError as error:
        log.error("%s is not published: %s", publish.topic, error)
        return False
    return client.publish(publish.topic, payload, qos=publish.qos, retain=publish.retain)


def reconnect_delay(failures: int, chance: float, most: float = RETRY_WITHIN_S) -> float:
    """Seconds to wait after that many failures in a row: 0.1 doubling to `most`, less up to half by `chance`.

    The chance (0 to 1) keeps the tables of a hall, cut off all at once, from coming back all at once. A
    ringing roll waits for the way back of its table and of the head, so it is a short one.
    """
    return min(0.1 * 2.0 ** min(failures, 10), most) * (1 - chance / 2)


class _Link:
    """One thread that makes session after session until it is abandoned."""

    def __init__(self, plan: LinkPlan, put: PutEvent, takeovers: Takeovers) -> None:
        self.session: Session | None = None
        self._plan = plan
        self._put = put
        self._takeovers = takeovers
        self._found: BrokerAddress | None = None
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
        failures, attempt, reported = 0, 0, set[str]()
        while not self._ended.is_set():
            plan = replace(self._plan, address=self._place(attempt))
            self.session = session = Session(plan, self._put, self._ended)
            self._takeovers.connecting(session.id)
            session.serve()
            was_ready, session.ready = session.ready, False
            lasted = 0.0 if session.began is None else time.monotonic() - session.began
            attempt += 1
            if was_ready:
                self._found, attempt = plan.address, 0
            self._takeovers.ended(lasted)
            reported = set() if was_ready else reported
            if session.why not in reported:
                session.tell(Disconnected(session.why))
            reported.add(session.why)
            failures = 0 if lasted > STEADY_LINK_S else failures + 1
            most = REFUSED_RETRY_S if session.refused else RETRY_WITHIN_S
            wait = self._takeovers.wait(time.monotonic())
            self._ended.wait(wait + reconnect_delay(failures, random.random(), most))

    def _place(self, attempt: int) -> BrokerAddress:
        """Place of the broker for this attempt after the last link, 0 for the first."""
        first, *others = self._plan.address.places()
        if attempt == 0:
            return self._found or first
        places = [self._found, first, self._plan.elsewhere(), *others]
        known = dict.fromkeys(place for place in places if place)
        return list(known)[attempt % len(known)]


def delivering(
    put: Callable[[Connected | Disconnected | Delivered | Undelivered], object],
    deliver: Callable[[Delivered | Undelivered], object] | None = None,
) -> PutEvent:
    """Decodes once what comes, before it is put where it is decided upon.

    `deliver` gets what the broker sent, where the link waits for room; all else never waits.
    """
    deliver = deliver or put

    def take(event: SessionEvent) -> None:
        if isinstance(event, Received):
            deliver(delivery(event))
        else:
            put(event)

    return take


# A short visit of a host's command, doctor, or a head that looks for another: connect, say something,
# hear what there is to hear, and leave.

VisitEvent = Connected | Disconnected | Delivered | Undelivered


class Visit:
    """A visit, told one event at a time."""

    def __init__(self, client: Client, events: "queue.SimpleQueue[VisitEvent]") -> None:
        self._client = client
        self._events = events
        self.connected = False
        self.trouble = ""
        """A sentence why there is no link; empty before the first attempt and while there is one."""

    def next(self, end: float) -> Connected | Disconnected | Delivered | None:
        """The next event, None if there is none until `end` (s of `time.monotonic`); rubbish is skipped."""
        while True:
            try:
                event = self._events.get(timeout=max(end - time.monotonic(), 0.0))
            except queue.Empty:
                return None
            match event:
                case Connected():
                    self.connected, self.trouble = True, ""
                    return event
                case Disconnected(why):
                    self.connected, self.trouble = False, why
                    return event
                case Delivered():
                    return event

    def say(self, publish: Publish) -> bool:
        """Publishes something; False while there is no link."""
        return send(self._client, publish)

    def reconnect(self) -> None:
        """Makes the link anew, so that the broker sends again what it keeps."""
        if gone := self._client.rebuild():
            self.connected, self.trouble = False, gone.why


@contextmanager
def visit(address: BrokerAddress, name: str, subscriptions: Sequence[str]) -> Iterator[Visit]:
    """Visits the broker as `name`, with a client id of its own where the broker leaves that to the client.

    Two visitors of one name at a time would throw each other out, had they the same id.
    """
    events: queue.SimpleQueue[VisitEvent] = queue.SimpleQueue()
    client = Client(
        address, name, delivering(events.put), subscriptions, hall=f"visitor-{secrets.token_hex(4)}"
    )
    client.start()
    try:
        yield Visit(client, events)
    finally:
        client.close()
