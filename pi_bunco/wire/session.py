"""One connection to the broker, from CONNECT to its end, with a paho client of its own; and what it tells."""

import contextlib
import logging
import secrets
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable
from typing import Any, ParamSpec

import paho.mqtt.client as mqtt
from msgspec import Struct
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.reasoncodes import ReasonCode

from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.gate import Received

log = logging.getLogger(__name__)
P = ParamSpec("P")

LISTEN_S = 0.5  # that one turn of the network loop waits for traffic
FLUSH_S = 0.2  # for the last messages
FAREWELL_S = 1.0  # for the broker to read the farewell and hang up
CONNECT_WITHIN_S = 4.0
READ_BYTES = 4096
RETAIN_FLAG = 1  # of a PUBLISH packet's flags (MQTT 3.1.1, section 3.3.1.3)
MAX_QUEUED = 10_000  # QoS 1 messages that may be under way to the broker


class Connected(Struct, frozen=True):
    """The broker took us and every subscription; `session` is new for each link.

    `at` is the numeric address, HOST:PORT, at which the broker was reached; empty for a unix socket.
    """

    session: str
    at: str = ""


class Disconnected(Struct, frozen=True):
    """The link broke, or could not be made for a reason not told yet; `why` is a sentence for a host."""

    why: str


class Will(Struct, frozen=True):
    """A message that the broker publishes, retained and at QoS 1, when the link ends without a farewell."""

    topic: str
    payload: bytes


SessionEvent = Connected | Disconnected | Received
PutEvent = Callable[[SessionEvent], object]


class LinkPlan(Struct, frozen=True):
    """The plan of every connection of a node; the address alone differs."""

    address: BrokerAddress
    node: str
    client_id: str
    subscriptions: tuple[str, ...]
    will: Callable[[str], Will] | None
    keepalive: int
    elsewhere: Callable[[], BrokerAddress | None]


def _guarded(callback: Callable[P, object]) -> Callable[P, None]:
    """Logs an exception in a callback, which would end paho's loop (paho.mqtt.python#365), and goes on."""

    def call(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            callback(*args, **kwargs)
        except Exception:
            log.exception("a callback of the MQTT link failed; the link goes on")

    return call


class _Paho(mqtt.Client):
    """A paho client for a bell that must not wait: the shortest way from the socket, and back to it.

    `came` gets each message, all of which come at QoS 0, and `has_read` is called when paho is done with what
    it read. Whoever publishes writes at once, in turn: two at a time would mix their packets. A link that
    fails is the loop's to end, and what it loses is said again by who said it: of a message that is under way
    its number is kept alone, of which paho itself makes 2 kB.
    """

    def __init__(
        self, came: Callable[[Received], object], has_read: Callable[[], object], *args: Any, **more: Any
    ) -> None:
        super().__init__(*args, **more)
        self._came = came
        self._has_read = has_read
        self._ahead = b""
        self._writing = threading.Lock()
        self._publishing = False
        self._under_way: set[int] = set()
        self._nobody_asks = mqtt.MQTTMessageInfo(0)

    def send(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        """Has a message written with all that waits; False where too many are under way to the broker."""
        if qos and len(self._under_way) >= MAX_QUEUED:
            return False
        number = self._mid_generate() if qos else 0
        if qos:
            self._under_way.add(number)
        result = self._send_publish(number, topic.encode(), payload, qos, retain, info=self._nobody_asks)
        return result == MQTTErrorCode.MQTT_ERR_SUCCESS

    def _handle_pubackcomp(self, _cmd: str) -> MQTTErrorCode:
        """Takes the broker's word that it has a message."""
        self._under_way.discard(int.from_bytes(self._in_packet["packet"][:2], "big"))
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    def loop_read(self, max_packets: int = 1) -> MQTTErrorCode:
        """Reads what came, and has it taken."""
        while True:
            result = super().loop_read(max_packets)
            self._has_read()
            if result or not self._ahead:
                return result

    def _sock_recv(self, bufsize: int) -> bytes:
        """As much of what came; paho itself asks the system four times for each message."""
        ahead = self._ahead or super()._sock_recv(max(bufsize, READ_BYTES))
        self._ahead = ahead[bufsize:]
        return ahead[:bufsize]

    def _handle_publish(self) -> MQTTErrorCode:
        """Takes a message; paho looks for filters and a log before it hands one over."""
        packet = self._in_packet["packet"]
        end = 2 + int.from_bytes(packet[:2], "big")
        topic, payload = packet[2:end].decode("utf-8", "replace"), bytes(packet[end:])
        self._came(Received(topic, payload, bool(self._in_packet["command"] & RETAIN_FLAG)))
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    def loop_write(self) -> MQTTErrorCode:
        """Writes what waits, as far as the socket takes it."""
        with self._writing:
            return super().loop_write()

    def write_now(self) -> None:
        """Writes what waits, outside of the loop."""
        with self._writing:
            self._publishing = True
            super().loop_write()
            self._publishing = False

    def _sock_send(self, buf: bytes | bytearray) -> int:
        try:
            return super()._sock_send(buf)
        except OSError as error:
            if self._publishing:
                raise BlockingIOError from error
            raise


class Session:
    """One connection; `id` is its name, `ready` whether it is subscribed, `why` the reason for its end.

    `began` is when it was subscribed (s of `time.monotonic`), None until then; `refused` is whether the
    broker does not want this node.
    """

    def __init__(self, plan: LinkPlan, put: PutEvent, ended: threading.Event) -> None:
        self.id = secrets.token_hex(4)
        self.ready = self.refused = False
        self.began: float | None = None
        self.why = ""
        self._jammed = False
        self._plan = plan
        self._put = _guarded(put)
        self._ended = ended
        self._came: list[SessionEvent] = []
        self._waking: socket.socket | None = None
        self._thread = threading.get_ident()
        self._paho: _Paho | None = None

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
        """Hands a message to paho; False while the session is not ready, or jammed."""
        paho = self._paho
        if paho is None or not self.ready:
            return False
        sent = paho.send(topic, payload, qos, retain)
        if threading.get_ident() == self._thread or not isinstance(paho.socket(), ssl.SSLSocket):
            paho.write_now()  # TLS is for one thread at a time
        if paho.want_write():
            self._wake()
        if not sent and not self._jammed:
            log.warning("The link to the broker is jammed; messages are dropped, %s first.", topic)
        self._jammed = not sent
        return sent

    def hang_up(self) -> None:
        """Says farewell, which also wakes the loop from its wait."""
        if paho := self._paho:
            paho.disconnect()
            self._wake()

    def _wake(self) -> None:
        """Ends the loop's wait for traffic."""
        with contextlib.suppress(OSError):  # it is woken already, or has ended
            if waking := self._waking:
                waking.send(b".")

    def tell(self, event: SessionEvent) -> None:
        """Passes the event on, unless nobody wants any more."""
        if not self._ended.is_set():
            self._put(event)

    def _reached(self) -> _Paho | None:
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

    def _made(self) -> _Paho:
        plan, place = self._plan, self._plan.address
        paho = _Paho(
            self._came.append,
            self._has_read,
            CallbackAPIVersion.VERSION2,
            client_id=plan.client_id,
            clean_session=True,
            protocol=mqtt.MQTTv311,
            transport="unix" if place.unix else "tcp",
            reconnect_on_failure=False,
        )
        paho.connect_timeout = CONNECT_WITHIN_S
        paho.username_pw_set(place.user, place.password)
        if tls := place.tls():
            paho.tls_set_context(tls)
        if plan.will:
            will = plan.will(self.id)
            paho.will_set(will.topic, will.payload, qos=1, retain=True)
        paho.on_connect = _guarded(self._on_connect)
        paho.on_subscribe = _guarded(self._on_subscribe)
        paho.on_disconnect = _guarded(self._on_disconnect)
        paho.on_socket_open = _guarded(_without_delay)
        paho.on_socket_close = _guarded(_farewell)
        # Without this one paho itself writes from whatever thread publishes, TLS too.
        paho.on_socket_register_write = lambda *_: None
        return paho

    def _work(self, paho: mqtt.Client) -> None:
        """Reads, and writes what could not be written at once; paho's own loop wakes whenever one does.

        It also takes no file above 1,023 (select(2)), and a page with a thousand phones has more.
        """
        result = mqtt.MQTT_ERR_SUCCESS
        woken, self._waking = socket.socketpair()
        with woken, self._waking, selectors.DefaultSelector() as selector:
            self._waking.setblocking(False)
            selector.register(woken, selectors.EVENT_READ)
            events = 0
            while result == mqtt.MQTT_ERR_SUCCESS and (link := paho.socket()):
                wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if paho.want_write() else 0)
                if wanted != events:
                    (selector.modify if events else selector.register)(link, wanted)
                    events = wanted
                unread = isinstance(link, ssl.SSLSocket) and link.pending()
                ready = {key.fileobj: mask for key, mask in selector.select(0 if unread else LISTEN_S)}
                if woken in ready:
                    woken.recv(READ_BYTES)
                came = ready.get(link, 0)
                if came & selectors.EVENT_READ or unread:
                    result = paho.loop_read()
                if result == mqtt.MQTT_ERR_SUCCESS and (came & selectors.EVENT_WRITE or woken in ready):
                    result = paho.loop_write()
                result = result or paho.loop_misc()
                if self._ended.is_set():
                    paho.disconnect()
                    paho.loop(FLUSH_S)
                    return

    def _note(self, why: str) -> None:
        self.why = self.why or why

    def _on_connect(self, paho: mqtt.Client, _data: Any, _flags: Any, reason: ReasonCode, _more: Any) -> None:
        if reason.is_failure:
            self.refused = True
            words = str(reason).lower()
            self._note(f"The broker at {self._plan.address} refuses {self._plan.node}: {words}.")
        elif self._plan.subscriptions:
            # QoS 0: over one TCP connection nothing is lost by it, and what a link loses is said again. With
            # QoS 1 nats-server drops a message at times when another node comes or goes (seen in 1 of 500).
            paho.subscribe([(one, 0) for one in self._plan.subscriptions])
        else:
            self._open(paho)

    def _on_subscribe(
        self, paho: mqtt.Client, _data: Any, _mid: int, reasons: list[ReasonCode], _more: Any
    ) -> None:
        answers = zip(self._plan.subscriptions, reasons, strict=True)
        if refused := [topic for topic, reason in answers if reason.is_failure]:
            self.refused = True
            self._note(f"The broker does not let {self._plan.node} read {', '.join(refused)}.")
            paho.disconnect()
        else:
            self._open(paho)

    def _open(self, paho: mqtt.Client) -> None:
        self.ready = True
        self.began = time.monotonic()
        self._came.insert(0, Connected(self.id, _peer(paho.socket())))

    def _has_read(self) -> None:
        """Tells what came, behind that the broker took us: retained messages may overtake the SUBACK."""
        if self.ready:
            came = self._came.copy()
            self._came.clear()
            for event in came:
                self.tell(event)

    def _on_disconnect(
        self, _paho: mqtt.Client, _data: Any, _flags: Any, reason: ReasonCode, _more: Any
    ) -> None:
        if reason == "Keep alive timeout":
            self._note(f"The broker at {self._plan.address} does not answer.")


def _is_unix(link: Any) -> bool:
    """True for a unix socket, which Windows has none of in Python."""
    return bool(link.family == getattr(socket, "AF_UNIX", None))


def _without_delay(_paho: mqtt.Client, _data: Any, link: Any) -> None:
    if not _is_unix(link):
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _farewell(_paho: mqtt.Client, _data: Any, link: Any) -> None:
    """Half-closes, and reads on until the broker has hung up: then it has read all, the DISCONNECT too.

    A socket that is closed with something unread resets the connection. The broker fails at its next
    PUBACK, reads no further and publishes the will of a node that said farewell (seen in 1 of 40).
    """
    until = time.monotonic() + FAREWELL_S
    with contextlib.suppress(OSError):
        link.shutdown(socket.SHUT_WR)
        while (left := until - time.monotonic()) > 0:
            link.settimeout(left)
            if not link.recv(4096):
                return


def _peer(link: Any) -> str:
    """Numeric address at the other end, HOST:PORT; empty for a unix socket and for a link that broke."""
    try:
        if link is None or _is_unix(link):
            return ""
        host, port, *_ = link.getpeername()
    except OSError:
        return ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
