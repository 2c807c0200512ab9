"""The object of `replay --json`, from the lines of a log."""

import json
from collections.abc import Iterable
from typing import Any

from game.independent.evening import Evening
from game.independent.prizes import results
from game.independent.rounds import Round
from game.independent.standings import standings as added_up

NOTHING: dict[str, Any] = {
    "rules": None, "state": "setup", "rounds": [], "next_seating": None, "standings": {}, "traveler": None,
    "results": None, "stage": None, "tournament": None,
}  # fmt: skip


def replayed(lines: Iterable[str]) -> dict[str, Any]:
    """Plays a log from its first line to its last."""
    evening: Evening | None = None
    ignored = []
    for number, line in enumerate(lines, 1):
        fact = json.loads(line)
        if evening is None and fact["kind"] == "evening":
            evening = Evening(fact)
        elif evening is None or fact["kind"] == "evening" or not evening.take(fact, number):
            ignored.append(number)
    return ({**NOTHING} if evening is None else _report(evening)) | {"ignored": ignored}


def _report(evening: Evening) -> dict[str, Any]:
    standings = added_up(evening.people, evening.finished)
    ranking = _ranking(evening, standings)
    return {
        "rules": evening.fact["rules"],
        "state": evening.state(),
        "rounds": [_round(round_) for round_ in evening.finished],
        "next_seating": evening.seating,
        "standings": standings,
        "ranking": ranking,
        "traveler": traveler(evening),
        "results": results(evening, standings, ranking) if evening.state() == "finished" else None,
        "stage": evening.stages and evening.stages.stage,
        "tournament": _tournament(evening),
    }


def _tournament(evening: Evening) -> dict[str, Any] | None:
    stages = evening.stages
    if stages is None:
        return None
    return {
        "next": stages.next(),
        "semi_final": [vars(chair) for chair in stages.semi],
        "final": [vars(chair) for chair in stages.final],
        "ties": [
            {
                "purpose": tie.by,
                "group": tie.group,
                "players": tie.among,
                "thrown": {name: [face] for name, face in tie.faces.items()},
            }
            for tie in stages.ties
        ],
        "order": [chair.player for chair in stages.order],
        "throws": stages.thrown,
    }


def _round(round_: Round) -> dict[str, Any]:
    bell = round_.bell
    return {
        "set": round_.set,
        "round": round_.place,
        "bell": bell and {"t": bell.t, "by": bell.by, "player": bell.player},
        "tables": [
            {
                "table": table.number,
                "seats": table.seats,
                "points": table.now().totals(),
                "winner": table.now().winner,
                "rolloffs": table.now().rolloffs,
                "ignored": table.ignored,
                "cards": [
                    {"player": name, **{key: card[key] for key in ("points", "buncos", "minis")}}
                    for name, card in zip(table.seats, table.cards(), strict=True)
                ],
            }
            for table in round_.tables
        ],
    }


def _ranking(evening: Evening, standings: dict[str, dict[str, int]]) -> list[list[str]]:
    def key(name: str) -> list[int]:
        return [-standings[name]["points" if by == "score" else by] for by in evening.rules["champion"]]

    levels: dict[tuple[int, ...], list[str]] = {}
    for name in sorted(standings, key=key):
        levels.setdefault(tuple(key(name)), []).append(name)
    return [sorted(names) for names in levels.values()]


def traveler(evening: Evening) -> str | None:
    """Who has the bag: the last in log order among the rolls that count and hand it on."""
    what = evening.rules["traveling"]
    if what is None:
        return None
    if evening.rules["traveling_nth"]:
        return _nth(evening, what, evening.rules["traveling_nth"])
    last: tuple[int, int, int] | None = None
    for round_ in [*evening.finished, *([evening.running] if evening.running else [])]:
        for table in round_.tables:
            for at, (line, seat, roll) in enumerate(table.now().bag):
                card = table.card_of(line, seat)
                if card is None or not (roll.kind == what or roll.triple == what):
                    continue
                last = max(last or (0, 0, 0), (line, at, round_.persons[table.seats[card]]))
    return None if last is None else evening.people.names[last[2]]


def _nth(evening: Evening, what: Any, nth: int) -> str | None:
    """Who has the bag where only the nth such roll of a round hands it on; paper says nothing of that."""
    holder = None
    for round_ in [*evening.finished, *([evening.running] if evening.running else [])]:
        rolls = []
        for table in round_.tables:
            now = table.now()
            paper = now.tallied.line if now.tallied else 0
            rolls += [
                (line, table, table.card_of(line, seat))
                for line, seat, roll in now.bag
                if line > paper and what in (roll.kind, roll.triple)
            ]
        rolls.sort(key=lambda roll: roll[0])
        if len(rolls) >= nth:
            _, table, card = rolls[nth - 1]
            if card is not None:
                holder = evening.people.names[round_.persons[table.seats[card]]]
    return holder
