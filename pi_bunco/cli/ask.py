"""Asking the head: one command and its answer, or the standing of the evening, in lines or as JSON."""

import argparse
import os
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from pi_bunco.cli.parser import argument, print_json
from pi_bunco.cli.serve import BROKER_SETTINGS, add_settings, settled
from pi_bunco.config import ConfigError
from pi_bunco.errors import BuncoError
from pi_bunco.game.board import Board, TableBoard
from pi_bunco.game.contest import Awaited
from pi_bunco.game.reasons import SOUGHT, STAGE_WORDS
from pi_bunco.reason import N_, Coded
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Connected, Disconnected, Publish, Visit, visit
from pi_bunco.wire.gate import Delivered, encode
from pi_bunco.wire.messages import Answer, BoardMessage, Command, HeadStatus, RoundInfo
from pi_bunco.words.catalogue import language, texts
from pi_bunco.words.sentences import Sentences, received
from pi_bunco.words.terms import Terms

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
    import pi_bunco.head.outcomes  # what is not declared here is told in English
    import pi_bunco.table.reasons  # noqa: F401

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


_STATES = {
    "round_open": N_("the round is running"),
    "after_bell": N_("the bell has rung"),
    "between_rounds": N_("between two rounds"),
    "break": N_("a break"),
    "finished": N_("the evening is over"),
}
_DOES = {
    "playing": N_("plays"),
    "final": N_("is done"),
    "done": N_("waits for OK"),
    "rolloff": N_("rolls off"),
}
_LISTS = {
    "standings": N_("standings"),
    "next_seating": N_("next seating"),
    "tables": N_("tables"),
    "waiting": N_("waiting"),
}
"""Parts that the scoreboard of a large hall has no room for."""


def show_standing(options: argparse.Namespace, wait: float) -> int:
    """Asks for the standing and prints it; `BuncoError` if no head tells within `wait` seconds."""
    standing = look(place(options), wait)
    if options.json:
        print_json({"head": standing.head, "round": standing.round, "score": standing.score})
    else:
        print("\n".join(StandingWords(texts(language())).lines(standing)))
    return 0


class StandingWords(Terms):
    """The standing of the evening in one language, line by line."""

    def lines(self, standing: Standing) -> Iterator[str]:
        """The evening and its tables, and then all that it waits for."""
        assert standing.head is not None
        assert standing.score is not None
        _, board = self._, standing.score.board
        if board.rules is None:
            yield _("No evening is open.")
        else:
            yield self._evening(board)
            yield from map(self.table, board.tables)
            yield from map(self._awaited, board.rolling)
            yield from self._seats(board)
            yield from self._leaders(board)
        waiting = zip(board.waiting_at, in_language(board.waiting, board.reasons), strict=False)
        # Without an evening the rest says what is waited for.
        yield from (text for table, text in waiting if table or board.rules is not None)
        if board.left_out:  # one message has no room for all of a large hall
            lists = ", ".join(_(_LISTS.get(name, name)) for name in board.left_out)
            yield _("The hall is too large to list here: %(lists)s. The host's page shows all.") % {
                "lists": lists
            }
        yield from in_language(standing.head.faults, standing.head.reasons)
        values = {"host": standing.head.host or _("there"), "version": standing.head.version}
        yield _("The head is %(host)s, version %(version)s.") % values

    def _evening(self, board: Board) -> str:
        _ = self._
        found = [self.rules(board.name)] if board.name else []
        found += [_(STAGE_WORDS[board.stage])] if board.stage else []
        if board.round:
            values = {"set": board.set, "round": board.round, "face": board.face}
            found.append(_("set %(set)s, round %(round)s, target %(face)s") % values)
        played = _("%(n)s of %(of)s rounds played") % {"n": board.rounds_played, "of": board.rounds}
        return f"{', '.join(found)}: {self._state(board)}; {played}."

    def _state(self, board: Board) -> str:
        if board.state != "setup":
            return self._(_STATES[board.state])
        return self._("everybody has a seat") if board.next_seating else self._("the seats are not drawn yet")

    def table(self, table: TableBoard) -> str:
        """Points and doing of a table of a running round."""
        values = {"table": table.table, "score": self._score(table), "doing": self._doing(table)}
        line = self._("Table %(table)s: %(score)s; %(doing)s") % values
        if table.last is None:
            return f"{line}."
        roll = table.last if isinstance(table.last, str) else "-".join(map(str, table.last))
        return f"{line}, {self._('last roll %(roll)s (no. %(n)s)') % {'roll': roll, 'n': table.n}}."

    def _score(self, table: TableBoard) -> str:
        """Points in words: of two pairs, of each player, or of the whole table."""
        (a, b, c, d), points = table.seats, table.points
        sides = {1: [[a, b, c, d]], 2: [[a, c], [b, d]], 4: [[a], [b], [c], [d]]}[len(points)]
        return ", ".join(f"{self.names(side)} {had}" for side, had in zip(sides, points, strict=True))

    def _doing(self, table: TableBoard) -> str:
        if table.winner:
            return self._("%(winner)s wins") % {"winner": table.winner}
        if table.turn and table.state == "playing":
            return self._("%(name)s's turn") % {"name": table.seats["ABCD".index(table.turn)]}
        return self._(_DOES[table.state])

    def _awaited(self, awaited: Awaited) -> str:
        text = self.ngettext(
            "Table %(table)s: %(names)s to roll one die for %(purpose)s.",
            "Table %(table)s: %(names)s to roll %(n)s dice for %(purpose)s.",
            awaited.dice,
        )
        purpose = self._(SOUGHT.get(awaited.purpose, awaited.purpose))
        names = ", ".join(awaited.players)
        return text % {"table": awaited.table, "names": names, "n": awaited.dice, "purpose": purpose}

    def _seats(self, board: Board) -> Iterator[str]:
        """The seats, while no round shows them."""
        if board.tables or board.state == "finished":
            return
        for number, names in enumerate(board.next_seating or (), 1):
            seated = (f"{seat} {name}" for seat, name in zip("ABCD", names, strict=True))
            yield self._("Table %(table)s: %(seated)s.") % {"table": number, "seated": ", ".join(seated)}

    def _leaders(self, board: Board) -> Iterator[str]:
        """The three best of wins and of Buncos, once there are any."""
        for prize, column in (("wins", 0), ("buncos", 2)):
            best = sorted(board.standings.items(), key=lambda card: -card[1][column])[:3]
            if named := [f"{name} {card[column]}" for name, card in best if card[column]]:
                yield f"{self.prize(prize)}: {', '.join(named)}."
        if board.traveler:
            yield self._("%(name)s holds the traveling bag.") % {"name": board.traveler}
