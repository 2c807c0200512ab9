"""Whether there is another head at the broker: asked before a head says that it is one."""

import logging
import secrets
import time

from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Connected, Disconnected, Publish
from pi_bunco.wire.messages import Answer, Command, HeadStatus
from pi_bunco.wire.topics import PROBE
from pi_bunco.wire.visit import Incoming, Visit, visit

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
    subscriptions = [topics.everyone(hall, "head"), topics.down(hall, node, "answer")]
    with visit(address, node, subscriptions) as there:
        if not _linked(there):
            return None
        there.say(Publish(topics.up(hall, node, "command"), Command(node, "who"), 1))
        found = _answered(there, TELL)
        if isinstance(found, Answer):  # nats can leave out who is head
            return HeadStatus("online", "")
        if found is None or found.state != "online":
            return None
        # A broker with a memory tells of heads from before a power cut: one that is there answers anything.
        match _answered(there, ANSWER):
            case Answer() | HeadStatus(state="online"):
                return found
            case _:
                return None


def _linked(there: Visit) -> bool:
    """Whether the broker took us, however busy it is."""
    event = there.next(time.monotonic() + LINK) or Disconnected("The broker does not answer.")
    if isinstance(event, Disconnected):
        log.warning("Whether there is another head cannot be asked: %s", event.why)
    return isinstance(event, Connected)


def _answered(there: Visit, seconds: float) -> HeadStatus | Answer | None:
    """What a head says within so many seconds; None if there is nothing, or the link breaks."""
    end = time.monotonic() + seconds
    while isinstance(event := there.next(end), Incoming):
        if isinstance(event.message, HeadStatus | Answer):
            return event.message
    return None
