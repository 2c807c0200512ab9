"""Asking the head: one command and its answer, or the standing of the evening."""

import argparse
import os
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from pi_bunco.cli.serve import BROKER_SETTINGS, add_settings, settled
from pi_bunco.config import ConfigError
from pi_bunco.errors import BuncoError
from pi_bunco.reason import Coded
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Connected, Disconnected, Publish, Visit, visit
from pi_bunco.wire.gate import Delivered, encode
from pi_bunco.wire.messages import Answer, BoardMessage, Command, HeadStatus, RoundInfo
from pi_bunco.words.catalogue import language
from pi_bunco.words.sentences import Sentences, received

HEAD_ANSWERS_WITHIN_S = 5.0
RECONNECT_AFTER_S = 2.0
"""Seconds after which the link is made anew: nats can leave out what it begins to keep as somebody comes."""


class NoAnswer(BuncoError, TimeoutError):
    """The head did not answer in time; the text says why, as far as that is known."""


class HeadPlace(Struct, frozen=True):
    """The broker and hall of a head, and the node to go there as."""

    address: BrokerAddress
    hall: str
    node: str


def add_connection(parser: argparse.ArgumentParser) -> None:
    """The options for the broker, the account there, and the time to wait."""
    group = parser.add_argument_group("connection")
    add_settings(group, *BROKER_SETTINGS)
    group.add_argument(
        "--wait",
        type=float,
        default=argparse.SUPPRESS,
        metavar="SECONDS",
        help=f"for an answer (default {HEAD_ANSWERS_WITHIN_S:g})",
    )


def place(options: argparse.Namespace) -> HeadPlace:
    """The head to ask, and the account to ask as; `ConfigError`."""
    about = {key: value for key, value in vars(options).items() if key in (*BROKER_SETTINGS, "config")}
    config = settled(argparse.Namespace(**about), "broker.address")  # `dice` is what a host's players rolled
    node = config.broker.user or topics.HOST_CLI
    address = config.address(node)
    if config.broker.secrets and address.password is None and os.geteuid() != 0:
        raise ConfigError([f"the host's password in {config.broker.secrets} is for root alone: use sudo"])
    return HeadPlace(address, config.hall, node)


def in_language(english: Sequence[str], coded: Sequence[Coded]) -> list[str]:
    """The sentences of the head in the language of this terminal."""
    lang = language()
    if lang == "en":
        return list(english)
    sentences = Sentences(lang, page=False)
    return [sentences.of(reason) for reason in received(english, coded)]


class Standing(Struct):
    """The messages that have come so far about the evening, and the answer."""

    head: HeadStatus | None = None
    round: RoundInfo | None = None
    score: BoardMessage | None = None
    answer: Answer | None = None

    @property
    def online(self) -> bool:
        """True while there is a head."""
        return self.head is not None and self.head.state == "online"

    @property
    def whole(self) -> bool:
        """True if all is of one moment; the scoreboard comes a little later than the rest."""
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
    """The standing of the evening; `NoAnswer` if no head tells within `seconds`."""
    return _talk(place, None, lambda standing: standing.whole, seconds)


def _talk(
    place: HeadPlace, command: Command | None, enough: Callable[[Standing], bool], seconds: float
) -> Standing:
    standing, end = Standing(), time.monotonic() + seconds
    again = time.monotonic() + RECONNECT_AFTER_S
    # The answers, and what is kept for all; nats takes no more than four.
    everyone = [topics.everyone(place.hall, leaf) for leaf in (topics.HEAD, "round", "score")]
    with visit(
        place.address, place.node, [topics.down(place.hall, place.node, "answer"), *everyone]
    ) as there:
        while not enough(standing):
            event = there.next(min(end, again))
            if event is not None:
                _take(standing, event, command)
                from_head = isinstance(event, Delivered) and isinstance(event.message, HeadStatus)
                if command and from_head and standing.online:
                    # To every head that turns up: it does nothing twice.
                    there.say(Publish(topics.up(place.hall, place.node, "command"), command, 1))
            elif time.monotonic() >= end:
                raise NoAnswer(f"No head answers at {place.address}: {_why(there, standing)}")
            else:
                again = time.monotonic() + RECONNECT_AFTER_S
                if there.connected:
                    there.reconnect()
    return standing


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
