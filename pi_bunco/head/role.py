"""The head role on this machine: one process holds it, by a lock in the folder of its data."""

import contextlib
import logging
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from pi_bunco.errors import BuncoError
from pi_bunco.runtime.files import InUse, locked
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Connected, Disconnected, Publish, Visit, visit
from pi_bunco.wire.gate import Delivered
from pi_bunco.wire.messages import Answer, Command, HeadStatus
from pi_bunco.wire.topics import PROBE

LOCK = "head.lock"


class HeadRuns(BuncoError, RuntimeError):
    """A head service has the bell."""


@contextlib.contextmanager
def without_head(data: Path | None) -> Iterator[None]:
    """Keeps the bell to one process: no head starts with the folder `data` meanwhile.

    `HeadRuns` if one runs there, or may.
    """
    with contextlib.ExitStack() as lock:
        try:
            if data:
                lock.enter_context(locked(data / LOCK, os.O_RDWR))
        except FileNotFoundError:
            pass  # no head has ever been here
        except InUse as error:
            raise HeadRuns(
                f"process {error.process} is head with the data in {data} and has the bell:"
                " use pi-bunco host bell-test"
            ) from error
        except OSError as error:
            raise HeadRuns(
                f"{LOCK} in {data} cannot be opened ({error.strerror}): a head may be running"
            ) from error
        yield


log = logging.getLogger(__name__)

BROKER_WITHIN_S = 5.0  # s that a broker has to take us; one that cannot be reached is known at once
TOLD_WITHIN_S = 0.05  # s that a broker which took us at once has to tell who is head, and a head to answer
ANSWER_WITHIN_S = 3.0  # s that a head which is there has to answer


def other_head(address: BrokerAddress, hall: str) -> HeadStatus | None:
    """The other head at this broker; None too if the broker cannot be asked now."""
    if address.user == topics.HEAD:
        log.warning("Whether there is another head is not asked: the user %s may be in use.", address.user)
        return None
    # Where there are accounts the client id is the user's name; where there are none, nobody's may be taken.
    node = PROBE if address.user == PROBE else f"{PROBE}-{secrets.token_hex(4)}"
    subscriptions = [topics.everyone(hall, "head"), topics.down(hall, node, "answer")]
    began = time.monotonic()
    with visit(address, node, subscriptions) as there:
        if not _linked(there):
            return None
        there.say(Publish(topics.up(hall, node, "command"), Command(node, "who"), 1))
        found = _answered(there, max(TOLD_WITHIN_S, 2 * (time.monotonic() - began)))  # a busy machine is slow
        if isinstance(found, Answer):  # nats can leave out who is head
            return HeadStatus("online", "")
        if found is None or found.state != "online":
            return None
        # A broker with a memory tells of heads from before a power cut: one that is there answers anything.
        match _answered(there, ANSWER_WITHIN_S):
            case Answer() | HeadStatus(state="online"):
                return found
            case _:
                return None


def _linked(there: Visit) -> bool:
    """True if the broker took us, however busy it is."""
    event = there.next(time.monotonic() + BROKER_WITHIN_S) or Disconnected("The broker does not answer.")
    if isinstance(event, Disconnected):
        log.warning("Whether there is another head cannot be asked: %s", event.why)
    return isinstance(event, Connected)


def _answered(there: Visit, seconds: float) -> HeadStatus | Answer | None:
    """A head's word within these seconds; None if there is none, or the link breaks."""
    end = time.monotonic() + seconds
    while isinstance(event := there.next(end), Delivered):
        if isinstance(event.message, HeadStatus | Answer):
            return event.message
    return None
