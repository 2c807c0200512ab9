"""Schedules in which nobody has a partner twice: the chair that everybody goes to after each round.

A round's tables follow from the first by arithmetic: with n players one keeps the chair, and the others are
one number on, modulo n - 1. So all rounds come from one permutation of the chairs, which begins again after
n - 1 of them. `partners.toml` has whist tournaments; for other numbers the partners are as exact, and
opponents as even as a simple rule makes them.
"""

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

SeatNumbers = Sequence[Sequence[int]]


@cache
def next_chairs(chairs: int) -> tuple[int, ...]:
    """The chair of each chair's person in the next round; chairs are 0 to 3 at the first table, and so on."""
    whist = tomllib.loads(Path(__file__).with_name("partners.toml").read_text("utf-8"))
    numbers = [number for table in whist.get(str(chairs)) or _patterned(chairs) for number in table]
    places = {number: chair for chair, number in enumerate(numbers)}
    last = chairs - 1
    return tuple(
        chair if number == last else places[(number - 1) % last] for chair, number in enumerate(numbers)
    )


def _patterned(chairs: int) -> SeatNumbers:
    """Tables of any number: partners are equally far from 0, so that no two pairs are equally far apart.

    A pair's opponents are the pair whose distances from it have come least so far.
    """
    last = chairs - 1
    met = [0] * chairs
    tables = [[last, 1, 0, last - 1]]
    waiting = list(range(2, chairs // 2))
    while waiting:
        one = waiting.pop()
        other = min(waiting, key=lambda i: (met[one - i] + met[_apart(one + i, last)], i))
        waiting.remove(other)
        met[one - other] += 1
        met[_apart(one + other, last)] += 1
        tables.append([one, other, last - one, last - other])
    return tables


def _apart(difference: int, modulus: int) -> int:
    return min(difference % modulus, -difference % modulus)
