"""The teams of an evening in which each table is one."""

from msgspec import Struct

from pi_bunco.game.cards import Card, plain, ranking, totals
from pi_bunco.game.evening import Evening


class TeamRow(Struct, frozen=True):
    """A team's line: its place, equal ones share it, and the sums of its cards by their marks."""

    name: str
    place: int
    marks: dict[str, int]


def teams(evening: Evening) -> tuple[TeamRow, ...]:
    """The teams from first to last, by all that was rolled at their tables; none under other rules."""
    rules = evening.rules
    if rules is None or rules.team != "table":
        return ()
    summed: dict[int, Card] = {}
    for round_ in evening.rounds:
        of_round = totals([round_])
        for table in round_.tables:
            for seat, name in enumerate(table.seats):
                if not table.ghosts[seat]:
                    card = of_round[round_.cards[name]]
                    summed[table.number] = summed.get(table.number, Card()).plus(card)
    named = {name_of(evening, number): card for number, card in sorted(summed.items())}
    rows: list[TeamRow] = []
    for level in ranking(named, rules.champion):
        place = len(rows) + 1
        rows += [TeamRow(name, place, plain(named[name], rules.words)) for name in level]
    return tuple(rows)


def name_of(evening: Evening, table: int) -> str:
    """The name of the team at `table`."""
    return evening.teams[table - 1] if table <= len(evening.teams) else f"Table {table}"
