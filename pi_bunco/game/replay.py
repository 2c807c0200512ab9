"""An evening log played again, and what comes of it as one plain object (wire/README.md)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from pi_bunco.errors import FactError, LogError
from pi_bunco.game import codec, facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import results
from pi_bunco.game.round import Round
from pi_bunco.game.score_cards import plain, ranking
from pi_bunco.game.table import Table
from pi_bunco.game.tournament import Tournament
from pi_bunco.reason import Reason
from pi_bunco.rules import title

MAX_LINE_BYTES = 512 * 1024
"""Bytes of a line: an evening of 1,200 players with long names has less."""


class Replay(Struct, frozen=True):
    """The evening that a log makes, and what in the log changed nothing: its line (from 1) and why."""

    evening: Evening
    ignored: list[tuple[int, Reason]]
    log: Sequence[facts.Fact] = ()


def read(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, facts.Fact]]:
    """The facts of a log with their line numbers; blank lines are passed over.

    Raises `LogError`, which names `name`, the line and what was expected.
    """
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE_BYTES:
            raise LogError(f"{name}, line {number}: more than {MAX_LINE_BYTES} bytes are no fact")
        if line.strip():
            try:
                yield number, codec.decode(line)
            except FactError as error:
                raise LogError(f"{name}, line {number}: {error}") from error


def replay(lines: Iterable[bytes], name: str) -> Replay:
    """The evening of the log `name`; raises `LogError`, also for facts of which none opens an evening."""
    evening = Evening()
    ignored, log = [], []
    for number, fact in read(lines, name):
        log.append(fact)
        try:
            why = apply(evening, fact)
        except FactError as error:
            raise LogError(f"{name}, line {number}: {error}") from error
        if why is not None:
            ignored.append((number, why))
    if evening.rules is None and ignored:
        first = ignored[0][0]
        raise LogError(f"{name}, line {first}: a log begins with the fact evening, and there is none")
    return Replay(evening, ignored, log)


def report(replay: Replay) -> dict[str, Any]:
    """Everything that a replay says, ready for JSON."""
    ignored = [{"line": line, "why": why.english()} for line, why in replay.ignored]
    return evening_report(replay.evening) | {"ignored": ignored}


def evening_report(evening: Evening) -> dict[str, Any]:
    """The state of `evening`: finished rounds, next seating, standings and results."""
    rules, standings = evening.rules, evening.standings
    return {
        "rules": rules.preset if rules else None,
        "name": title(rules) if rules else None,
        "state": evening.state,
        "rounds": [_round(round_) for round_ in evening.rounds],
        "next_seating": evening.seating,
        "standings": {name: plain(card, rules.words if rules else ()) for name, card in standings.items()},
        "traveler": evening.traveler,
        "ranking": ranking(standings, rules.champion) if rules else [],
        "stage": evening.tournament.stage if evening.tournament else None,
        "tournament": _tournament(evening.tournament),
        "results": msgspec.to_builtins(results(evening)),
    }


_TIE = ("purpose", "players", "dice", "lowest", "group", "thrown", "goes")
"""The fields of an open tie of a tournament in a replay."""


def _tournament(tournament: Tournament | None) -> dict[str, Any] | None:
    """Places with their players, ties that are rolled for, and the order of the final table."""
    if tournament is None:
        return None
    return {
        "next": tournament.next,
        "semi_final": msgspec.to_builtins(tournament.places),
        "final": msgspec.to_builtins(tournament.finalists),
        "ties": [{key: getattr(tie, key) for key in _TIE} for tie in tournament.contests],
        "order": [place.player for place in tournament.order],
        "throws": tournament.throws,
    }


def _round(round_: Round) -> dict[str, Any]:
    return {
        "set": round_.set,
        "round": round_.place,
        "face": round_.target,
        "bell": msgspec.to_builtins(round_.bell),
        "tables": [_table(table) for table in round_.tables],
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "table": table.number,
        "seats": table.seats,
        "points": table.points,
        "winner": table.winning,
        "rolloffs": table.rolloffs,
        "ignored": table.ignored,
        "cards": [
            {
                "player": name,
                "points": table.seat_points[seat],
                "buncos": table.buncos[seat],
                "minis": table.minis[seat],
            }
            for seat, name in enumerate(table.seats)
        ],
    }
