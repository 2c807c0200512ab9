"""Nodes for the tests: a client whose events can be waited for."""

import contextlib
import os
import queue
import signal
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Client, Connected, Disconnected, Received, SessionEvent, Will

WAIT = 60.0  # s; only a broken test waits that long
PATIENT = 60  # s that a broker waits for a word of a test that the machine has no time for
E = TypeVar("E", Connected, Disconnected, Received)


class Node:
    """A client and the queue that it fills."""

    def __init__(self, client: Client, events: "queue.SimpleQueue[SessionEvent]") -> None:
        self.client = client
        self.events = events

    def next(self) -> SessionEvent:
        return self.events.get(timeout=WAIT)

    def expect(self, kind: type[E]) -> E:
        """The next event, which must be of that kind."""
        event = self.next()
        assert isinstance(event, kind), event
        return event

    def back(self) -> Connected:
        """The next link; what kept it from being made at once may be told before."""
        while not isinstance(event := self.next(), Connected):
            assert isinstance(event, Disconnected), event
        return event

    def idle(self) -> bool:
        return self.events.empty()


def freeze(broker: Broker) -> None:
    """Stops the broker's process, as if its machine hung; returns when all its threads stand still."""
    os.kill(broker.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, broker.pid, os.WSTOPPED)


def packet(said: BinaryIO) -> bytes:
    """The body of a short MQTT packet."""
    _, length = said.read(2)
    return said.read(length)


@contextlib.contextmanager
def node(
    where: Broker | BrokerAddress,
    name: str = "table1",
    *subscriptions: str,
    will: Callable[[str], Will] | None = None,
    keepalive: int = PATIENT,
    put: Callable[[SessionEvent], object] | None = None,
) -> Iterator[Node]:
    """A started node; `put` sees each event before the queue does."""
    address = where if isinstance(where, BrokerAddress) else BrokerAddress.parse(where.address)
    events: queue.SimpleQueue[SessionEvent] = queue.SimpleQueue()

    def take(event: SessionEvent) -> None:
        if put:
            put(event)
        events.put(event)

    client = Client(address, name, take, subscriptions, will, keepalive)
    client.start()
    try:
        yield Node(client, events)
    finally:
        client.close()
