"""Exact odds of a rule set: how long a turn and a round last, and who rings the bell. Pure, no simulation.

A party is what `end.points_by` counts for: one of two teams, one of four players, or a table that is a
team. The parties take turns in a circle and share nothing but the number of laps, so that the rolls they
need just add up: a polynomial holds the chance of n rolls at x^n, and the polynomials of the parties are
multiplied.

Where a roll wipes out points of a whole team, the parties are the teams, whoever's points count (`turns`).

The time limit is left out: at which roll the time is over depends on how fast people are.
"""

from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import accumulate, count, pairwise, zip_longest
from math import ceil, log, sqrt
from operator import add, mul

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.rules.patterns import BUNCO, score
from pi_bunco.rules.ruleset import RoundEnd, RuleSet
from pi_bunco.rules.turns import (
    CERTAIN,
    WAYS_OF_THREE_DICE,
    Packed,
    RollKind,
    Ways,
    coefficients,
    times,
    turns,
)

ROLL_S = 5.0  # seconds from one roll of a table to its next: 50 rolls take about 4 minutes
TABLES = 3  # that roll at the same time, where any of them may ring: the twelve players of the sheets

PERCENTILES = 0.05, 0.5, 0.95
TINY_CHANCE = 1e-17  # a chance that is left out
MAX_ROLLS = 20_000  # rolls of a table in which it rings as good as surely, or not by dice
SURE_CHANCE = 1 - 1e-9

Polynomial = list[float]  # the chance of n rolls at index n


class BellOdds(Struct, frozen=True):
    """Rolls of one table up to and with the bell roll (mean, standard deviation, percentiles); who rings.

    `us_rings` is the chance that it is the side that rolls first, `bunco_rings` that the bell roll is three
    of the target, whether it rings by `end.bunco` or by its points.
    """

    mean: float
    sd: float
    p5: int
    p50: int
    p95: int
    us_rings: float
    bunco_rings: float


class Odds(Struct, frozen=True):
    """Expectations of a round of one target face; `bell` is None where dice alone never or hardly ring it.

    Turns are counted as if no bell cut them short.
    """

    points_per_turn: float
    rolls_per_turn: float
    bell: BellOdds | None


def odds(rules: RuleSet, face: int) -> Odds:
    """The exact odds of a round with the target `face` (1-6).

    The points of a turn are those that it scores: what a wipe takes is not taken off. What must be called
    out is.

    Where `end.tables` is `any`, three tables are taken to roll at the same pace, so that the bell is the
    earliest of three independent ones; of two that would ring with the same roll the lower table's counts,
    as in the log. The rolls are those of one table.
    """
    scoring = score(rules, face)
    ways: Counter[RollKind] = Counter()
    for outcome in scoring.outcomes.values():
        one = scoring.in_full(outcome)
        wipe = "team" if one.wipe == "seat" and rules.team == "none" else one.wipe
        ways[RollKind(one.points, one.goes_on, one.bell, wipe, one.kind == BUNCO)] += 1
    ending = sum(times for kind, times in ways.items() if not kind.goes_on)
    points = sum(times * kind.points for kind, times in ways.items())
    rolls = tuple(sorted(ways.items(), key=lambda item: item[0].points))
    sides = rules.side_bits + 1
    bell = _bell(rolls, rules.end, sides)
    if bell and rules.begins != "A":
        bell = replace(bell, us_rings=1 / sides)
    return Odds(points / ending, WAYS_OF_THREE_DICE / ending, bell)


def in_words(rolls: float) -> str:
    """The length of a number of rolls, as a host would say it: `about 50 rolls, 4 minutes`."""
    number = round(rolls)
    return f"about {number} roll{'s' * (number != 1)}, {_duration(rolls * ROLL_S)}"


def _duration(seconds: float) -> str:
    if seconds < 57.5:
        return f"{max(5 * round(seconds / 5), 5)} seconds"
    halves = round(seconds / 30)
    minutes = halves / 2 if halves < 20 else round(seconds / 60)
    return f"{minutes:g} minute{'s' * (minutes != 1)}"


@cache
def _bell(rolls: Ways, end: RoundEnd, sides: int) -> BellOdds | None:
    tables = TABLES if end.tables == "any" else 1
    if end.points is not None and any(kind.points for kind, _ in rolls):
        us, them, bunco = _rings(rolls, end.points, end.points_by == "player" and sides == 2, sides)
        return _summary(us, them, bunco, tables) if sum(us) + sum(them) > SURE_CHANCE else None
    return _by_roll_alone(rolls, tables, sides) if any(kind.rings for kind, _ in rolls) else None


def _by_roll_alone(rolls: Ways, tables: int, sides: int) -> BellOdds:
    """The closed form where no points ring: every roll is alike."""
    ringing = sum(ways for kind, ways in rolls if kind.rings)
    ending = sum(ways for kind, ways in rolls if not kind.goes_on and not kind.rings)
    buncos = sum(ways for kind, ways in rolls if kind.bunco and kind.rings)
    quiet = Fraction(WAYS_OF_THREE_DICE - ringing, WAYS_OF_THREE_DICE) ** tables
    ring = 1 - quiet
    # A roll that does not ring passes the dice to the next side with this chance; US has the first one. Whose
    # they are after n rolls is a sum of powers, one for each root of 1 (by the sides).
    passes = Fraction(ending, WAYS_OF_THREE_DICE - ringing) if ringing < WAYS_OF_THREE_DICE else Fraction(0)
    us = Fraction(1)
    if sides > 1:
        us += ring / (1 - quiet * (1 - 2 * passes))
    if sides == 4:
        real, imaginary = 1 - quiet * (1 - passes), quiet * passes
        us += 2 * ring * real / (real**2 + imaginary**2)
    us /= sides
    p5, p50, p95 = (ceil(log(1 - share) / log(quiet)) if quiet else 1 for share in PERCENTILES)
    return BellOdds(
        float(1 / ring), sqrt(quiet) / float(ring), p5, p50, p95, float(us), float(Fraction(buncos, ringing))
    )


def _rings(rolls: Ways, limit: int, by_player: bool, sides: int) -> tuple[Polynomial, Polynomial, Polynomial]:
    """The chance that US rings, that another side rings, and that a Bunco does, by the roll of the table."""
    us: Polynomial = []
    them: Polynomial = []
    bunco: Polynomial = []
    parties = 4 if by_player and all(kind.wipe == "none" for kind, _ in rolls) else sides
    for turn, lap in enumerate(turns(rolls, limit, by_player and parties == 2)):
        first, then = _others(lap.before, lap.after, parties, sides)
        start = parties * turn + 1
        _place(us, start, times(first, lap.rings))
        _place(them, start, times(then, lap.rings))
        _place(bunco, start, times(first + then, lap.buncos))
        if sum(coefficients(lap.after)) ** parties < TINY_CHANCE or start > MAX_ROLLS:
            break
    return us, them, bunco


def _others(b: Packed, a: Packed, parties: int, sides: int) -> tuple[Packed, Packed]:
    """The other parties, where US rings and where another side does: b is before a turn, a after it."""
    if parties == 1:
        return CERTAIN, 0
    if parties == 2:
        return b, a
    # A rings while the others are at bbb, B abb, C aab, D aaa.
    squares = times(b, b) + times(a, a)
    if sides == 2:
        return times(b, squares), times(a, squares)
    return times(b, times(b, b)), times(a, squares + times(a, b))


def _place(total: Polynomial, start: int, packed: Packed) -> None:
    """Adds x^`start` times `packed` to `total`."""
    part = coefficients(packed)
    total.extend([0.0] * (start + len(part) - len(total)))
    total[start : start + len(part)] = map(add, total[start:], part)


def _summary(us: Polynomial, them: Polynomial, bunco: Polynomial, tables: int) -> BellOdds:
    """The bell of `tables` alike tables, the earliest of theirs."""
    ringing = [one + other for one, other in zip_longest(us, them, fillvalue=0.0)]
    left = [1.0, *(1.0 - rung for rung in accumulate(ringing))]
    # What a table's own bell counts for: the tables below it must ring later, those above not earlier.
    alone = [
        sum(after**lower * before ** (tables - 1 - lower) for lower in range(tables))
        for before, after in pairwise(left)
    ]
    chances = list(map(mul, ringing, alone))
    mean = sum(map(mul, chances, count()))
    variance = sum(chance * (roll - mean) ** 2 for roll, chance in enumerate(chances))
    rung = list(accumulate(chances))
    p5, p50, p95 = (bisect_left(rung, share) for share in PERCENTILES)
    return BellOdds(mean, sqrt(variance), p5, p50, p95, sum(map(mul, us, alone)), sum(map(mul, bunco, alone)))
