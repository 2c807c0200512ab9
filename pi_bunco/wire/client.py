"""The link to the broker: paho-mqtt in a thread of its own that only fills a queue, and never gives up.

Each attempt to connect gets a paho client of its own. So the will can carry the session, and nothing that
was left inside paho when a link broke is ever delivered later: what must arrive is resent from the outbox.
"""

import logging
import random
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec

import paho.mqtt.client as mqtt
from msgspec import Struct
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.gate import LIMIT
from pi_bunco.wire.topics import WireError

log = logging.getLogger(__name__)
P = ParamSpec("P")

KEEPALIVE = 4  # s; paho and brokers notice a dead peer after at most twice that and a little
LISTEN = 0.5  # s that one turn of the network loop waits for traffic
FLUSH = 0.2  # s for the last messages and the farewell
JOIN = 1.0  # s
CONNECT_WITHIN = 4.0  # s
STEADY = 10.0  # s that a link must last before the next back-off begins small again
QUEUED = 10_000  # QoS 1 messages that may be under way to the broker


class Connected(Struct, frozen=True):
    """The broker took us and every subscription; `session` is new for each link."""

    session: str


class Disconnected(Struct, frozen=True):
    """The link broke, or could not be made for a reason not told yet; `why` is a sentence for a host."""

    why: str


class Received(Struct, frozen=True):
    """A message came; `retained` if the broker had kept it."""

    topic: str
    payload: bytes
    retained: bool


class Will(Struct, frozen=True):
    """What the broker publishes, retained and at QoS 1, when the link ends without a farewell."""

    topic: str
    payload: bytes


Event = Connected | Disconnected | Received
Put = Callable[[Event], object]


class Client:
    """A node's link to the broker, made and renewed in a thread of its own.

    `put` gets the events, from that thread: between `Connected` and `Disconnected` what came in. `will` makes
    the will of a session.
    """

    def __init__(
        self,
        address: BrokerAddress,
        node: str,
        put: Put,
        subscriptions: Sequence[str],
        will: Callable[[str], Will] | None = None,
        keepalive: int = KEEPALIVE,
    ) -> None:
        self._plan = _Plan(address, node, tuple(subscriptions), will, keepalive)
        self._put = put
        self._link: _Link | None = None

    @property
    def session(self) -> str | None:
        """The session that is connected now, None while offline."""
        session = self._link.session if self._link else None
        return session.id if session and session.ready else None

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


class _Plan(Struct, frozen=True):
    address: BrokerAddress
    node: str
    subscriptions: tuple[str, ...]
    will: Callable[[str], Will] | None
    keepalive: int


class _Link:
    """One thread that makes session after session until it is abandoned."""

    def __init__(self, plan: _Plan, put: Put) -> None:
        self.session: _Session | None = None
        self._plan = plan
        self._put = put
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"mqtt-{plan.node}", daemon=True)
        self._thread.start()

    def abandon(self) -> None:
        self._ended.set()
        if self.session:
            self.session.hang_up()

    def join(self, seconds: float) -> None:
        if threading.current_thread() is not self._thread:
            self._thread.join(seconds)

    def _run(self) -> None:
        failures, told = 0, ""
        while not self._ended.is_set():
            began = time.monotonic()
            self.session = session = _Session(self._plan, self._put, self._ended)
            session.serve()
            was_ready, session.ready = session.ready, False
            if was_ready or session.why != told:
                session.tell(Disconnected(session.why))
            told = session.why
            failures = 0 if was_ready and time.monotonic() - began > STEADY else failures + 1
            self._ended.wait(reconnect_delay(failures, random.random()))


def _guarded(callback: Callable[P, object]) -> Callable[P, None]:
    """An exception in a callback would end paho's loop (paho.mqtt.python#365): log it and go on."""

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            callback(*args, **kwargs)
        except Exception:
            log.exception("a callback of the MQTT link failed; the link goes on")

    return call


class _Session:
    """One connection from CONNECT to its end, with a paho client of its own."""

    def __init__(self, plan: _Plan, put: Put, ended: threading.Event) -> None:
        self.id = secrets.token_hex(4)
        self.ready = False
        self.why = ""
        self._jammed = False
        self._plan = plan
        self._put = _guarded(put)
        self._ended = ended
        self._early: list[Received] = []
        self._paho: mqtt.Client | None = None

    def serve(self) -> None:
        """Connects and works until the session ends; `why` then says for what reason."""
        place = self._plan.address
        try:
            if paho := self._reached():
                self._work(paho)
        except Exception as error:
            log.exception("paho failed; a new link is made")
            self._note(f"The link to the broker at {place} failed: {error}.")
        finally:
            self._paho = None  # nothing else holds it for long, so its sockets close
        self._note(f"The connection to the broker at {place} was lost.")

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        paho = self._paho
        if paho is None or not self.ready:
            return False
        sent = paho.publish(topic, payload, qos, retain).rc == mqtt.MQTT_ERR_SUCCESS
        if not sent and not self._jammed:
            log.warning("The link to the broker is jammed; messages are dropped, %s first.", topic)
        self._jammed = not sent
        return sent

    def hang_up(self) -> None:
        """Says farewell, which also wakes the loop from its wait."""
        if paho := self._paho:
            paho.disconnect()

    def tell(self, event: Event) -> None:
        if not self._ended.is_set():
            self._put(event)

    def _reached(self) -> mqtt.Client | None:
        place = self._plan.address
        try:
            self._paho = self._made()
            self._paho.connect(place.host, place.port, self._plan.keepalive)
        except (OSError, ValueError) as error:
            self._note(
                f"The broker at {place} cannot be reached: {getattr(error, 'strerror', None) or error}."
            )
            return None
        return self._paho

    def _made(self) -> mqtt.Client:
        plan, place = self._plan, self._plan.address
        paho = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=plan.node,
            clean_session=True,
            protocol=mqtt.MQTTv311,
            transport="unix" if place.unix else "tcp",
            reconnect_on_failure=False,
        )
        paho.connect_timeout = CONNECT_WITHIN
        paho.max_inflight_messages_set(0)  # all at once: a window of paho's own would only add delay
        paho.max_queued_messages_set(QUEUED)
        paho.username_pw_set(place.user, place.password)
        if tls := place.tls():
            paho.tls_set_context(tls)
        if plan.will:
            will = plan.will(self.id)
            paho.will_set(will.topic, will.payload, qos=1, retain=True)
        self._listen(paho)
        return paho

    def _listen(self, paho: mqtt.Client) -> None:
        paho.on_connect = _guarded(self._on_connect)
        paho.on_subscribe = _guarded(self._on_subscribe)
        paho.on_message = _guarded(self._on_message)
        paho.on_disconnect = _guarded(self._on_disconnect)
        paho.on_socket_open = _guarded(_without_delay)
        # Without this one paho writes from the thread that publishes, in the midst of the loop's writing.
        paho.on_socket_register_write = _nothing

    def _work(self, paho: mqtt.Client) -> None:
        while paho.loop(LISTEN) == mqtt.MQTT_ERR_SUCCESS:
            if self._ended.is_set():
                paho.disconnect()
                paho.loop(FLUSH)
                return

    def _note(self, why: str) -> None:
        self.why = self.why or why

    def _on_connect(self, paho: mqtt.Client, _data: Any, _flags: Any, reason: ReasonCode, _more: Any) -> None:
        if reason.is_failure:
            words = str(reason).lower()
            self._note(f"The broker at {self._plan.address} refuses {self._plan.node}: {words}.")
        elif self._plan.subscriptions:
            paho.subscribe([(one, 1) for one in self._plan.subscriptions])
        else:
            self._open()

    def _on_subscribe(
        self, paho: mqtt.Client, _data: Any, _mid: int, reasons: list[ReasonCode], _more: Any
    ) -> None:
        asked = zip(self._plan.subscriptions, reasons, strict=True)
        if refused := [topic for topic, reason in asked if reason.is_failure]:
            self._note(f"The broker does not let {self._plan.node} read {', '.join(refused)}.")
            paho.disconnect()
        else:
            self._open()

    def _open(self) -> None:
        self.ready = True
        self.tell(Connected(self.id))
        for message in self._early:
            self.tell(message)
        self._early.clear()

    def _on_message(self, _paho: mqtt.Client, _data: Any, message: mqtt.MQTTMessage) -> None:
        received = Received(message.topic, bytes(message.payload), message.retain)
        if self.ready:
            self.tell(received)
        else:  # retained messages may overtake the SUBACK
            self._early.append(received)

    def _on_disconnect(
        self, _paho: mqtt.Client, _data: Any, _flags: Any, reason: ReasonCode, _more: Any
    ) -> None:
        if reason == "Keep alive timeout":
            self._note(f"The broker at {self._plan.address} does not answer.")


def _without_delay(_paho: mqtt.Client, _data: Any, link: Any) -> None:
    if link.family != socket.AF_UNIX:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _nothing(_paho: mqtt.Client, _data: Any, _link: Any) -> None:
    """Told that there is something to write; the loop is woken by paho itself."""
