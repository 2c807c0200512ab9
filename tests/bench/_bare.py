"""The least that MQTT costs in Python, to compare with: a bare paho client.

As a program it says on standard output when (ms of the machine's clock) each message came.
"""

import queue
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from pi_bunco.runtime.clock import SystemClock

BARE = "bench/bare"
Take = Callable[[mqtt.Client, Any, mqtt.MQTTMessage], None]


def link(address: str, take: Take, *subscriptions: str) -> mqtt.Client:
    """A client that is connected and subscribed, and takes messages in a thread of its own."""
    granted: queue.SimpleQueue[bool] = queue.SimpleQueue()
    client = mqtt.Client(CallbackAPIVersion.VERSION2)
    client.on_socket_open = _without_delay
    client.on_subscribe = lambda _client, _data, _id, reasons, _more: granted.put(
        not any(reason.is_failure for reason in reasons)
    )
    client.on_message = take
    client.max_inflight_messages_set(0)
    host, _, port = address.rpartition(":")
    client.connect(host, int(port))
    client.subscribe([(one, 0) for one in subscriptions])
    client.loop_start()
    if not granted.get(timeout=10.0):
        raise RuntimeError(f"the broker at {address} does not grant {', '.join(subscriptions)}")
    return client


def part(client: mqtt.Client) -> None:
    """Ends the link; its socket is closed only once the farewell has been sent."""
    gone = threading.Event()
    client.on_disconnect = lambda *_: gone.set()
    client.disconnect()
    gone.wait(10.0)
    client.loop_stop()
    client.on_message = None  # else its sockets wait in a circle for the garbage collector, which complains


def _without_delay(_client: mqtt.Client, _data: object, link: Any) -> None:
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def main() -> None:
    clock = SystemClock()
    ended = threading.Event()
    client = link(sys.argv[1], lambda *_: print(clock.now(), flush=True), BARE)
    client.on_disconnect = lambda *_: ended.set()
    print("ready", flush=True)
    ended.wait()


if __name__ == "__main__":
    main()
