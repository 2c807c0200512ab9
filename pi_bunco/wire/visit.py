"""A short visit to the broker: connect, say something, hear what there is to hear, and leave.

The services have links that never end; the host's commands, doctor and a head that looks for another one
only visit.
"""

import queue
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Connected, Disconnected, Publish, delivering, send
from pi_bunco.wire.gate import Delivered, Undelivered

VisitEvent = Connected | Disconnected | Delivered | Undelivered


class Visit:
    """A visit, told one event at a time."""

    def __init__(self, client: Client, events: "queue.SimpleQueue[VisitEvent]") -> None:
        self._client = client
        self._events = events
        self.connected = False
        self.trouble = ""
        """Why there is no link, a sentence; empty before the first attempt and while there is one."""

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
        self._client.rebuild()


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
