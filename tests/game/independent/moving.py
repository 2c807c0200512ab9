"""Who sits where in the next round."""

import tomllib
from pathlib import Path

import pi_bunco

Seats = list[str]
PARTNERS = Path(pi_bunco.__file__).parent / "rules" / "partners.toml"


def is_ghost(name: str) -> bool:
    """Whether this is a seat without a person."""
    return name.startswith("Ghost ")


def moved(tables: list[Seats], winners: list[str], how: str) -> list[Seats]:
    """The tables of one group after a round."""
    if how == "stay":
        return [ghosts_apart([a, d, b, c]) for a, b, c, d in tables]
    if how == "chain":
        return [ghosts_apart(seats) for seats in _chain(tables)]
    if how == "partners":
        return _partners(tables)
    last = len(tables) - 1
    first: list[list[list[str]]] = [[] for _ in tables]
    second: list[list[list[str]]] = [[] for _ in tables]
    for at, (seats, winner) in enumerate(zip(tables, winners, strict=True)):
        us, them = [seats[0], seats[2]], [seats[1], seats[3]]
        won, lost = (us, them) if winner == "US" else (them, us)
        won_to, lost_to = _targets(at, last, how)
        _sit(lost, at, lost_to, first, second)
        _sit(won, at, won_to, first, second)
    return [
        ghosts_apart([one[0], one[1], two[0], two[1]])
        for one, two in (_pairs(one, two) for one, two in zip(first, second, strict=True))
    ]


def _chain(tables: list[Seats]) -> list[Seats]:
    """Everybody takes the chair of who is next in the row A, B, D, C, table after table."""
    row = [seats[at] for seats in tables for at in (0, 1, 3, 2)]
    row = [row[-1], *row[:-1]]
    quads = [row[at : at + 4] for at in range(0, len(row), 4)]
    return [[a, b, c, d] for a, b, d, c in quads]


def _partners(tables: list[Seats]) -> list[Seats]:
    """The schedule, one round on: whoever has number x sits where x is in the tables of the round after."""
    schedule = tomllib.loads(PARTNERS.read_text("utf-8"))[str(4 * len(tables))]
    names = {
        number: name
        for numbers, seats in zip(schedule, tables, strict=True)
        for number, name in zip(numbers, seats, strict=True)
    }
    others = 4 * len(tables) - 1
    # A number x of the table list stands for person x + 1 in the next round; the last number is itself.
    return [[names[x] if x == others else names[(x + 1) % others] for x in numbers] for numbers in schedule]


def _targets(at: int, last: int, how: str) -> tuple[int, int]:
    """Where winners and losers of a table go."""
    if how == "winners_round":
        return last if at == 0 else at - 1, at
    if how == "losers_round":
        return at, 0 if at == last else at + 1
    up = max(at - 1, 0)
    if how == "losers_to_last":
        return up, last if at == 0 else at
    return up, min(at + 1, last)


def _sit(
    pair: list[str], at: int, to: int, first: list[list[list[str]]], second: list[list[list[str]]]
) -> None:
    if at == to:
        first[to].insert(0, pair)
    elif to > at and to != len(first) - 1:
        first[to].append(pair)
    else:
        second[to].append(pair)


def _pairs(first: list[list[str]], second: list[list[str]]) -> tuple[list[str], list[str]]:
    one, two = [*first, *second]
    return one, two


def ghosts_apart(seats: Seats) -> Seats:
    """C and D change places where that leaves no two ghosts in a team."""
    a, b, c, d = seats
    return [a, b, d, c] if _share(seats) and not _share([a, b, d, c]) else seats


def _share(seats: Seats) -> bool:
    a, b, c, d = (is_ghost(name) for name in seats)
    return (a and c) or (b and d)
