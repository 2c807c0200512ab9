"""What the host's commands ask the head: one command and its answer, or how things stand."""

import secrets
import time
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Connected, Disconnected, Publish
from pi_bunco.wire.gate import Delivered, encode
from pi_bunco.wire.messages import Answer, BoardMessage, Command, HeadStatus, RoundInfo
from pi_bunco.wire.visit import Visit, visit

AGAIN = 2.0
"""Seconds after which the link is made anew: nats can leave out what it begins to keep as somebody comes."""


class NoAnswer(BuncoError, TimeoutError):
    """The head did not answer in time; the text says why, as far as that is known."""


class HeadPlace(Struct, frozen=True):
    """Where the head is to be found, and as which node one goes there."""

    address: BrokerAddress
    hall: str
    node: str


class Standing(Struct):
    """What has come so far of how things stand, and the answer."""

    head: HeadStatus | None = None
    round: RoundInfo | None = None
    score: BoardMessage | None = None
    answer: Answer | None = None

    @property
    def online(self) -> bool:
        """Whether there is a head."""
        return self.head is not None and self.head.state == "online"

    @property
    def whole(self) -> bool:
        """Whether what is known is of one moment; the scoreboard comes a little later than the rest."""
        if self.head is None or self.score is None or not self.online:
            return False
        evening, board, round_ = self.head.evening, self.score.board, self.round
        if evening is None or round_ is None:
            return self.score.evening is evening is None
        now = (evening, evening, board.epoch)
        # The board has the state's full name, between_rounds for between.
        return (self.score.evening, round_.evening, round_.epoch) == now and round_.phase in board.state


def ask(place: HeadPlace, command: str, args: dict[str, Any], seconds: float) -> Answer:
    """The head's answer to a command; `NoAnswer` if none comes within `seconds`, `WireError` if too large."""
    asked = Command(secrets.token_hex(8), command, args, place.node)
    encode(asked)  # tells what is too much for one message
    standing = _talk(place, asked, lambda standing: standing.answer is not None, seconds)
    assert standing.answer is not None
    return standing.answer


def look(place: HeadPlace, seconds: float) -> Standing:
    """Where the evening stands; `NoAnswer` if no head tells within `seconds`."""
    return _talk(place, None, lambda standing: standing.whole, seconds)


def _talk(
    place: HeadPlace, command: Command | None, enough: Callable[[Standing], bool], seconds: float
) -> Standing:
    standing, end = Standing(), time.monotonic() + seconds
    again = time.monotonic() + AGAIN
    with visit(place.address, place.node, _subscriptions(place)) as there:
        while not enough(standing):
            event = there.next(min(end, again))
            if event is not None:
                _take(standing, event, command)
                if command and isinstance(event, Delivered) and isinstance(event.message, HeadStatus):
                    _say(there, place, command, standing)
            elif time.monotonic() >= end:
                raise NoAnswer(f"No head answers at {place.address}: {_why(there, standing)}")
            else:
                again = time.monotonic() + AGAIN
                if there.connected:
                    there.reconnect()
    return standing


def _subscriptions(place: HeadPlace) -> list[str]:
    """The answers, and what is kept for all; nats takes no more than four."""
    everyone = [topics.everyone(place.hall, leaf) for leaf in (topics.HEAD, "round", "score")]
    return [topics.down(place.hall, place.node, "answer"), *everyone]


def _take(standing: Standing, event: Connected | Disconnected | Delivered, command: Command | None) -> None:
    match event:
        case Disconnected():
            standing.head = None
        case Delivered(message=HeadStatus() as head):
            standing.head = head
        case Delivered(message=RoundInfo() as round_):
            standing.round = round_
        case Delivered(message=BoardMessage() as score):
            standing.score = score
        case Delivered(message=Answer() as answer) if command and answer.id == command.id:
            standing.answer = answer


def _say(there: Visit, place: HeadPlace, command: Command, standing: Standing) -> None:
    """Says the command to every head that turns up: it does nothing twice."""
    if standing.online:
        there.say(Publish(topics.up(place.hall, place.node, "command"), command, 1))


def _why(there: Visit, standing: Standing) -> str:
    if not there.connected:
        why = there.trouble or "The broker says nothing."
        return f"{why} Is the head's Pi switched on, and this machine in its network?"
    if standing.head is None:
        return "The broker is there, but no head has been; is the hall right, and pi-bunco head running?"
    if standing.online:
        return "It is there, but says nothing about this."
    state = "switched off" if standing.head.state == "stopped" else "lost"
    return f"It is {state}; start it with pi-bunco head."
