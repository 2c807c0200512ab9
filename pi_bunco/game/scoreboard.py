"""The scoreboard of an evening (`all/score`): what everybody may see of it, as one value."""

from collections.abc import Mapping

from pi_bunco.game.board import Board, TableBoard, TableState
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Roll
from pi_bunco.game.rolloffs import awaited
from pi_bunco.game.table import FINAL, SEATS, Doing, Table
from pi_bunco.rules import title


def scoreboard(evening: Evening, last: Mapping[int, tuple[int, Roll]]) -> Board:
    """The scoreboard of `evening`; `last` has each table's latest roll behind its number in the log.

    What is waited for the evening does not know.
    """
    round_, rules = evening.round, evening.rules
    tables = round_.tables if round_ else ()
    return Board(
        rules=rules.preset if rules else None,
        name=title(rules) if rules else None,
        state=evening.state,
        epoch=evening.epoch,
        set=round_.set if round_ else None,
        round=round_.place if round_ else None,
        face=round_.target if round_ else None,
        rounds_played=len(evening.rounds),
        rounds=evening.rounds_in_all,
        bell=round_.bell if round_ else None,
        tables=tuple(_table(table, last.get(table.number)) for table in tables),
        next_seating=None if evening.seating is None else tuple(evening.seating),
        standings={
            name: (card.wins, card.losses, card.buncos, card.minis, card.points)
            for name, card in evening.standings.items()
        },
        traveler=evening.traveler,
        waiting=(),
        stage=evening.tournament.stage if evening.tournament else None,
        next_stage=evening.tournament.next if evening.tournament and not evening.closed else None,
        rolling=tuple(one for k in range(1, evening.tables + 1) if (one := awaited(evening, k))),
    )


def _table(table: Table, latest: tuple[int, Roll] | None) -> TableBoard:
    n, last = latest or (None, None)
    return TableBoard(
        table=table.number,
        seats=table.seats,
        points=tuple(table.points),
        turn=None if table.phase == FINAL or table.done else SEATS[table.seat],
        rolls=table.rolls,
        state=_STATES[table.doing],
        winner=table.winning,
        last=(last.dice or last.call) if last else None,
        n=n,
        marks=(sum(table.buncos), sum(table.minis)),
    )


_STATES: dict[Doing, TableState] = {
    "rolling": "playing",
    "finishing": "playing",
    "done": "done",
    "roll_off": "rolloff",
    "one_die": "rolloff",
    "final": "final",
}
