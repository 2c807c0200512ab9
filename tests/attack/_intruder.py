"""A client without manners: it says and asks for whatever it wants, as whatever account it has."""

import contextlib
import queue
import socket
import ssl
import struct
from collections.abc import Iterator
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from pi_bunco.wire.address import BrokerAddress

WAIT = 60.0  # s; only a broken test waits that long


class Intruder:
    """A link of its own making; `heard` gets what comes."""

    def __init__(self, address: BrokerAddress, id: str = "", five: bool = False, will: str = "") -> None:
        self.heard: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
        self._news: queue.SimpleQueue[str] = queue.SimpleQueue()
        version = MQTTProtocolVersion.MQTTv5 if five else MQTTProtocolVersion.MQTTv311
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2,
            id or address.user or "x",
            protocol=version,
            transport="unix" if address.unix else "tcp",
            reconnect_on_failure=False,
        )
        self._client.max_inflight_messages_set(0)
        self._client.max_queued_messages_set(0)
        self._client.username_pw_set(address.user, address.password)
        if context := address.tls():
            self._client.tls_set_context(context)
        if will:
            self._client.will_set(will, b"will", 1, retain=True)
        self._client.on_connect = lambda *said: self._news.put("refused" if said[3].is_failure else "in")
        self._client.on_disconnect = lambda *_: self._news.put("out")
        self._client.on_subscribe = lambda *_: self._news.put("subscribed")
        self._client.on_message = lambda _c, _d, message: self.heard.put(
            (message.topic, bytes(message.payload))
        )
        try:
            self._client.connect(address.host, address.port, 60)
        except OSError:
            self._news.put("refused")
        self._client.loop_start()
        self.inside = self._news.get(timeout=WAIT) == "in"

    def say(self, topic: str, payload: bytes, retain: bool = False) -> paho.MQTTMessageInfo:
        """Publishes at QoS 1."""
        return self._client.publish(topic, payload, 1, retain)

    def flush(self, sent: list[paho.MQTTMessageInfo]) -> None:
        """Returns when the broker has looked at all of it, whatever it thought of it."""
        for one in sent:
            if one.rc == paho.MQTT_ERR_SUCCESS:
                one.wait_for_publish(WAIT)

    def ask(self, *topics: str) -> None:
        """Subscribes, one after the other, whether it may or not."""
        for topic in topics:
            self._client.subscribe(topic, 1)
            if self._news.get(timeout=WAIT) == "out":
                return

    @property
    def thrown_out(self) -> bool:
        """True if the broker has ended the link since it was looked at last."""
        with contextlib.suppress(queue.Empty):
            while self._news.get_nowait() != "out":
                pass
            return True
        return False

    def gone(self) -> bool:
        """True if the broker ends the link before long."""
        with contextlib.suppress(queue.Empty):
            return self._news.get(timeout=WAIT) == "out"
        return False

    def break_off(self) -> None:
        """Ends without a farewell, so that a will is due."""
        link: Any = self._client.socket()
        if link is not None:
            with contextlib.suppress(OSError):
                link.shutdown(socket.SHUT_RDWR)
        self._client.loop_stop()

    def leave(self) -> None:
        """Ends politely."""
        self._client.disconnect()
        self._client.loop_stop()

    def all_heard(self) -> list[tuple[str, bytes]]:
        """The messages that came so far."""
        found = []
        with contextlib.suppress(queue.Empty):
            while True:
                found.append(self.heard.get_nowait())
        return found


@contextlib.contextmanager
def intruder(address: BrokerAddress, **more: Any) -> Iterator[Intruder]:
    """One that leaves at the end."""
    one = Intruder(address, **more)
    try:
        yield one
    finally:
        one.leave()


def handshake(port: int, ca: str, newest: ssl.TLSVersion) -> bool:
    """True if the broker takes TLS of that version."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(ca)
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.maximum_version = newest
    try:
        with socket.create_connection(("127.0.0.1", port), WAIT) as link:
            context.wrap_socket(link, server_hostname="pi-bunco-head").close()
    except OSError:
        return False
    return True


def secured(port: int, ca: str) -> ssl.SSLSocket:
    """A bare TLS link to the broker."""
    context = ssl.create_default_context(cafile=ca)
    link = socket.create_connection(("127.0.0.1", port), WAIT)
    return context.wrap_socket(link, server_hostname="pi-bunco-head")


def hello(address: BrokerAddress) -> bytes:
    """The CONNECT of MQTT 3.1.1 of an account."""
    texts = ["raw", address.user or "", address.password or ""]
    body = b"\x00\x04MQTT\x04\xc2\x00\x3c" + b"".join(
        struct.pack(">H", len(text.encode())) + text.encode() for text in texts
    )
    return b"\x10" + bytes([len(body)]) + body
