"""Whether there is another head at the broker: asked before a head says that it is one."""

import logging
import queue
import secrets

from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Connected, Disconnected, Received
from pi_bunco.wire.gate import decode
from pi_bunco.wire.messages import Answer, Command, HeadStatus
from pi_bunco.wire.publish import Publish, send
from pi_bunco.wire.topics import PROBE, WireError

log = logging.getLogger(__name__)

LINK = 5.0  # s that a broker has to take us; one that cannot be reached is known at once
TELL = 0.2  # s that a broker which took us has to tell who is head
ANSWER = 3.0  # s that a head which is there has to answer


def other_head(address: BrokerAddress, hall: str) -> HeadStatus | None:
    """Who else is head at this broker; None too if the broker cannot be asked now."""
    if address.user == topics.HEAD:
        log.warning("Whether there is another head is not asked: the user %s may be in use.", address.user)
        return None
    # Where there are accounts the client id is the user's name; where there are none, nobody's may be taken.
    node = PROBE if address.user == PROBE else f"{PROBE}-{secrets.token_hex(4)}"
    events: queue.SimpleQueue[object] = queue.SimpleQueue()
    probe = Client(
        address, node, events.put, [topics.everyone(hall, "head"), topics.down(hall, node, "answer")]
    )
    probe.start()
    try:
        found = _said(events, TELL) if _linked(events) else None
        if not isinstance(found, HeadStatus) or found.state != "online":
            return None
        # A broker with a memory tells of heads from before a power cut: one that is there answers anything.
        send(probe, Publish(topics.up(hall, node, "command"), Command(node, "who"), 1))
        match _said(events, ANSWER):
            case Answer() | HeadStatus(state="online"):
                return found
            case _:
                return None
    finally:
        probe.close()


def _linked(events: "queue.SimpleQueue[object]") -> bool:
    """Whether the broker took us, however busy it is."""
    try:
        event = events.get(timeout=LINK)
    except queue.Empty:
        event = Disconnected("The broker does not answer.")
    if isinstance(event, Disconnected):
        log.warning("Whether there is another head cannot be asked: %s", event.why)
    return isinstance(event, Connected)


def _said(events: "queue.SimpleQueue[object]", seconds: float) -> HeadStatus | Answer | None:
    try:
        while True:
            event = events.get(timeout=seconds)
            if isinstance(event, Received):
                try:
                    message = decode(event.topic, event.payload, event.retained)
                except WireError:
                    continue
                if isinstance(message, HeadStatus | Answer):
                    return message
            else:  # the link broke
                return None
    except queue.Empty:
        return None
