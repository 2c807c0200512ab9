"""The schedules of `move.tables = "partners"`: whist tournaments, and what other numbers have of that."""

from collections import Counter
from itertools import combinations

import pytest

from pi_bunco.rules.partners import next_chairs

WHIST = [4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48]
OTHERS = [60, 100]


def tables(chairs: int) -> list[list[list[int]]]:
    """The tables in each of n - 1 rounds, person k on chair k in the first."""
    following, seated, rounds = next_chairs(chairs), list(range(chairs)), []
    for _ in range(chairs - 1):
        rounds.append([seated[first : first + 4] for first in range(0, chairs, 4)])
        moved = seated[:]
        for chair, person in enumerate(seated):
            moved[following[chair]] = person
        seated = moved
    assert seated == list(range(chairs))  # and it begins again
    return rounds


def partners(chairs: int) -> Counter[frozenset[int]]:
    pairs = (pair for one in tables(chairs) for a, b, c, d in one for pair in ((a, c), (b, d)))
    return Counter(map(frozenset, pairs))


def opponents(chairs: int) -> Counter[frozenset[int]]:
    pairs = (
        pair for one in tables(chairs) for a, b, c, d in one for pair in ((a, b), (a, d), (c, b), (c, d))
    )
    return Counter(map(frozenset, pairs))


def everybody(chairs: int) -> set[frozenset[int]]:
    return set(map(frozenset, combinations(range(chairs), 2)))


@pytest.mark.parametrize("chairs", [*WHIST, *OTHERS])
def test_everybody_has_everybody_as_a_partner_once(chairs: int) -> None:
    assert partners(chairs) == dict.fromkeys(everybody(chairs), 1)


@pytest.mark.parametrize("chairs", WHIST)
def test_everybody_meets_everybody_twice_as_an_opponent(chairs: int) -> None:
    assert opponents(chairs) == dict.fromkeys(everybody(chairs), 2)


@pytest.mark.parametrize("chairs", OTHERS)
def test_of_other_numbers_nobody_meets_anybody_more_than_eight_times(chairs: int) -> None:
    found = opponents(chairs)
    assert sum(found.values()) == 2 * len(everybody(chairs))
    assert max(found.values()) <= 8
