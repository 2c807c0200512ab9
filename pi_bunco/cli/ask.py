"""Asking the head: one command and its answer, or the standing of the evening, in lines or as JSON."""

import argparse
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from pi_bunco.cli.parser import argument, print_json
from pi_bunco.cli.serve import BROKER_SETTINGS, add_settings, settled
from pi_bunco.config import ConfigError
from pi_bunco.errors import BuncoError
from pi_bunco.game.board import Board, TableBoard
from pi_bunco.game.reasons import SOUGHT, STAGE_WORDS
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


class HeadPlace(Struct, frozen=True):
    """The broker and hall of a head, and the node to go there as."""

    address: BrokerAddress
    hall: str
    node: str


def add_connection(parser: argparse.ArgumentParser) -> None:
    """The options for the broker, the account there, and the time to wait."""
    group = parser.add_argument_group("connection")
    add_settings(group, *BROKER_SETTINGS)
    text = f"for an answer (default {HEAD_ANSWERS_WITHIN_S:g})"
    argument(group, "--wait SECONDS", text, type=float, default=argparse.SUPPRESS)


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
    """The head's answer to a command; `BuncoError` if none comes within `seconds` or it is too large."""
    message = Command(secrets.token_hex(8), command, args, place.node)
    encode(message)  # tells what is too much for one message
    standing = _talk(place, message, lambda standing: standing.answer is not None, seconds)
    assert standing.answer is not None
    return standing.answer


def look(place: HeadPlace, seconds: float) -> Standing:
    """The standing of the evening; `BuncoError` if no head tells within `seconds`."""
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
                raise BuncoError(f"No head answers at {place.address}: {_why(there, standing)}")
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


STATES = {
    "round_open": "the round is running",
    "after_bell": "the bell has rung",
    "between_rounds": "between two rounds",
    "break": "a break",
    "finished": "the evening is over",
}
_DOES = {"playing": "plays", "final": "is done", "done": "waits for OK", "rolloff": "rolls off"}


def show_standing(options: argparse.Namespace, wait: float) -> int:
    """Asks for the standing and prints it; `BuncoError` if no head tells within `wait` seconds."""
    standing = look(place(options), wait)
    if options.json:
        print_json({"head": standing.head, "round": standing.round, "score": standing.score})
    else:
        print("\n".join(lines(standing)))
    return 0


def lines(standing: Standing) -> Iterator[str]:
    """The standing of the evening, line by line, and then all that it waits for."""
    assert standing.head is not None
    assert standing.score is not None
    board = standing.score.board
    if board.rules is None:
        yield "No evening is open."
    else:
        round_ = f", set {board.set}, round {board.round}, target {board.face}" if board.round else ""
        stage = f", {STAGE_WORDS[board.stage]}" if board.stage else ""
        played = f"{board.rounds_played} of {board.rounds} rounds played"
        yield f"{board.name}{stage}{round_}: {_state(board)}; {played}."
        yield from table_lines(board.tables)
        for awaited in board.rolling:
            dice = "one die" if awaited.dice == 1 else f"{awaited.dice} dice"
            what = SOUGHT.get(awaited.purpose, awaited.purpose)
            yield f"Table {awaited.table}: {', '.join(awaited.players)} to roll {dice} for {what}."
        yield from _seats(board)
        yield from _leaders(board)
    at_tables = zip(board.waiting_at, board.waiting, strict=False)  # without an evening the rest says that
    yield from board.waiting if board.rules is not None else [text for table, text in at_tables if table]
    if board.left_out:  # one message has no room for all of a large hall
        named = ", ".join(name.replace("_", " ") for name in board.left_out)
        yield f"The hall is too large to list here: {named}. The host's page shows all."
    yield from in_language(standing.head.faults, standing.head.reasons)
    yield f"The head is {standing.head.host or 'there'}, version {standing.head.version}."


def table_lines(tables: Iterable[TableBoard]) -> Iterator[str]:
    """Points and doings of the tables of a running round."""
    for table in tables:
        yield f"Table {table.table}: {_score(table)}; {_doing(table)}{_last(table)}."


def _state(board: Board) -> str:
    if board.state == "setup":
        return "everybody has a seat" if board.next_seating else "the seats are not drawn yet"
    return STATES[board.state]


def _score(table: TableBoard) -> str:
    """Points in words: of two pairs, of each player, or of the whole table."""
    (a, b, c, d), points = table.seats, table.points
    sides = {1: (f"{a}, {b}, {c} and {d}",), 2: (f"{a} and {c}", f"{b} and {d}"), 4: table.seats}[len(points)]
    return ", ".join(f"{side} {had}" for side, had in zip(sides, points, strict=True))


def _doing(table: TableBoard) -> str:
    if table.winner:
        return f"{table.winner} wins"
    if table.turn and table.state == "playing":
        return f"{table.seats['ABCD'.index(table.turn)]}'s turn"
    return _DOES[table.state]


def _last(table: TableBoard) -> str:
    """The latest roll and its number in the log, by which it is undone."""
    if table.last is None:
        return ""
    roll = table.last if isinstance(table.last, str) else "-".join(map(str, table.last))
    return f", last roll {roll} (no. {table.n})"


def _seats(board: Board) -> Iterator[str]:
    """The seats, while no round shows them."""
    if board.tables or board.state == "finished":
        return
    for number, names in enumerate(board.next_seating or (), 1):
        seated = (f"{seat} {name}" for seat, name in zip("ABCD", names, strict=True))
        yield f"Table {number}: {', '.join(seated)}."


def _leaders(board: Board) -> Iterator[str]:
    """The three best of wins and of Buncos, once there are any."""
    columns: dict[str, int] = {"wins": 0, "Buncos": 2}
    for what, column in columns.items():
        best = sorted(board.standings.items(), key=lambda card: -card[1][column])[:3]
        if named := [f"{name} {card[column]}" for name, card in best if card[column]]:
            yield f"Most {what}: {', '.join(named)}."
    if board.traveler:
        yield f"{board.traveler} holds the traveling bag."
