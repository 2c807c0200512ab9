"""Chairs of the next round: persons are numbers from 0, a ghost `Ghost k` is the number -k."""

import tomllib
from functools import cache
from pathlib import Path

import pi_bunco

Chairs = list[int]
"""Seats A, B, C, D of one table."""
PARTNERS = Path(pi_bunco.__file__).parent / "rules" / "partners.toml"
CHAIN = (0, 1, 3, 2)
"""The seats of a table in the order of the chain: A, B, D, C."""


def ghosts_apart(chairs: Chairs) -> Chairs:
    """The table with C and D changed where that splits two ghosts of one team and joins no others."""
    a, b, c, d = chairs
    together = (a < 0 and c < 0) or (b < 0 and d < 0)
    together_then = (a < 0 and d < 0) or (b < 0 and c < 0)
    return [a, b, d, c] if together and not together_then else chairs


def moved(tables: list[Chairs], winners: list[str], how: str) -> list[Chairs]:
    """The chairs of one group after a round that these teams won."""
    if how == "partners":
        return _partners(tables)
    if how == "chain":
        return [ghosts_apart(table) for table in _chain(tables)]
    if how == "stay":
        return [ghosts_apart([a, d, b, c]) for a, b, c, d in tables]
    return [ghosts_apart([*first, *second]) for first, second in _pairs(tables, winners, how)]


def alone(tables: list[Chairs], how: str) -> list[Chairs]:
    """The chairs of one group where nobody has a partner: ghosts may sit anywhere."""
    if how == "partners":
        return _partners(tables)
    return _chain(tables) if how == "chain" else [[a, d, b, c] for a, b, c, d in tables]


def _pairs(tables: list[Chairs], winners: list[str], how: str) -> list[tuple[Chairs, Chairs]]:
    """Per table the pair that takes A and B, and the one that takes C and D."""
    won = [
        table[0::2] if winner == "US" else table[1::2] for table, winner in zip(tables, winners, strict=True)
    ]
    gone = [
        table[1::2] if winner == "US" else table[0::2] for table, winner in zip(tables, winners, strict=True)
    ]
    count, last = len(tables), len(tables) - 1
    if count == 1:
        return [(won[0], gone[0])]
    if how == "losers_round":
        return [(won[at], gone[at - 1]) for at in range(count)]
    if how == "winners_round":
        return [(gone[at], won[(at + 1) % count]) for at in range(count)]
    top = (won[0], won[1])
    if how == "losers_to_last":
        between = [(gone[at], won[at + 1]) for at in range(1, last)]
        return [top, *between, (gone[last], gone[0])]
    between = [(gone[at - 1], won[at + 1]) for at in range(1, last)]
    return [top, *between, (gone[last], gone[last - 1])]


def _chain(tables: list[Chairs]) -> list[Chairs]:
    places = [(table, seat) for table in range(len(tables)) for seat in CHAIN]
    then = [list(table) for table in tables]
    for (table, seat), (next_table, next_seat) in zip(places, [*places[1:], places[0]], strict=True):
        then[next_table][next_seat] = tables[table][seat]
    return then


@cache
def _schedule(chairs: int) -> list[list[int]] | None:
    found: list[list[int]] | None = tomllib.loads(PARTNERS.read_text("utf-8")).get(str(chairs))
    return found


def _partners(tables: list[Chairs]) -> list[Chairs]:
    """The next chairs by the schedule: the person on chair x goes to where x - 1 sits."""
    chairs = 4 * len(tables)
    schedule = _schedule(chairs)
    if schedule is None:
        raise ValueError(f"partners.toml has no schedule for {chairs} chairs")
    sits = {number: person for numbers, table in zip(schedule, tables, strict=True)
            for number, person in zip(numbers, table, strict=True)}  # fmt: skip
    from_ = {
        number: number if number == chairs - 1 else (number + 1) % (chairs - 1) for number in range(chairs)
    }
    return [[sits[from_[number]] for number in numbers] for numbers in schedule]
