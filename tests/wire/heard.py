"""What was said last under a topic."""

from collections.abc import Callable
from typing import TypeVar

from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Received
from pi_bunco.wire.gate import decode
from wire.nodes import node

M = TypeVar("M")


def latest(broker: Broker, topic: str, kind: type[M], wanted: Callable[[M], bool]) -> M:
    """The first message that is as wanted."""
    with node(broker, "host-listener", topic) as listening:
        while True:
            event = listening.next()
            if isinstance(event, Received):
                message = decode(event.topic, event.payload, event.retained)
                if isinstance(message, kind) and wanted(message):
                    return message
