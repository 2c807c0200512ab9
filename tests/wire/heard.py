"""The message that came last under a topic."""

import contextlib
import queue
from collections.abc import Callable
from typing import TypeVar

from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Received
from pi_bunco.wire.gate import decode
from wire.nodes import WAIT, node

M = TypeVar("M")
SILENCE = 3.0  # s


def latest(broker: Broker, topic: str, kind: type[M], wanted: Callable[[M], bool]) -> M:
    """The first message that is as wanted."""
    for _ in range(int(WAIT / SILENCE)):  # nats may not tell what it begins to keep as somebody comes
        with node(broker, "host-listener", topic) as listening, contextlib.suppress(queue.Empty):
            while True:
                event = listening.events.get(timeout=SILENCE)
                if isinstance(event, Received):
                    message = decode(event.topic, event.payload, event.retained)
                    if isinstance(message, kind) and wanted(message):
                        return message
    raise AssertionError(f"no such message under {topic}")
