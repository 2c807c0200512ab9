"""Exact odds of a rule set: how long a turn and a round last, and who rings the bell. Pure, no simulation.

A party is what `end.points_by` counts for: one of two teams, or one of four players. The parties take turns
in a circle and share nothing but the number of laps, so that the rolls they need just add up: a polynomial
holds the chance of n rolls at x^n, and the polynomials of the parties are multiplied.

One party's rolls come in two kinds, those that end a turn and those after which it goes on. How many of
either there were is all that matters: the orders they can come in are counted by Pascal's triangle, and
whether the total is still below `end.points` does not depend on the order.

The time limit is left out: at which roll the time is over depends on how fast people are.
"""

import struct
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import accumulate, count, pairwise, zip_longest
from math import ceil, gcd, log, sqrt
from operator import add, mul

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.rules.patterns import BUNCO, score
from pi_bunco.rules.ruleset import RoundEnd, RuleSet
from pi_bunco.rules.wiped import RollKind, TurnOdds, turns

PACE = 5.0  # seconds from one roll of a table to its next: 50 rolls take about 4 minutes
TABLES = 3  # that roll at the same time, where any of them may ring: the twelve players of the sheets

ALL, BUNCOS = 216, 1  # ways that three dice can fall, and of these a Bunco
PERCENTILES = 0.05, 0.5, 0.95
TINY = 1e-17  # a chance that is left out
LONGEST = 20_000  # rolls of a table in which it rings as good as surely, or not by dice
SURE = 1 - 1e-9

Polynomial = list[float]  # the chance of n rolls at index n
Ways = tuple[tuple[RollKind, int], ...]  # the kinds of rolls of a round, and the ways that each can fall


class BellOdds(Struct, frozen=True):
    """Rolls of one table up to and with the bell roll (mean, standard deviation, percentiles); who rings.

    `us_rings` is the chance that it is the team that rolls first, `bunco_rings` that the bell roll is three
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
        ways[RollKind(one.points, one.goes_on, one.bell, one.wipe, one.kind == BUNCO)] += 1
    ending = sum(times for kind, times in ways.items() if not kind.goes_on)
    points = sum(times * kind.points for kind, times in ways.items())
    rolls = tuple(sorted(ways.items(), key=lambda item: item[0].points))
    bell = _bell(rolls, rules.end)
    if bell and rules.begins != "A":
        bell = replace(bell, us_rings=0.5)
    return Odds(points / ending, ALL / ending, bell)


def in_words(rolls: float) -> str:
    """The length of a number of rolls, as a host would say it: `about 50 rolls, 4 minutes`."""
    number = round(rolls)
    return f"about {number} roll{'s' * (number != 1)}, {_duration(rolls * PACE)}"


def _duration(seconds: float) -> str:
    if seconds < 57.5:
        return f"{max(5 * round(seconds / 5), 5)} seconds"
    halves = round(seconds / 30)
    minutes = halves / 2 if halves < 20 else round(seconds / 60)
    return f"{minutes:g} minute{'s' * (minutes != 1)}"


@cache
def _bell(rolls: Ways, end: RoundEnd) -> BellOdds | None:
    tables = TABLES if end.tables == "any" else 1
    if end.points is not None:
        us, them, bunco = _rings(rolls, end.points, end.points_by == "player")
        return _summary(us, them, bunco, tables) if sum(us) + sum(them) > SURE else None
    return _by_roll_alone(rolls, tables) if any(kind.rings for kind, _ in rolls) else None


def _by_roll_alone(rolls: Ways, tables: int) -> BellOdds:
    """The closed form where no points ring: every roll is alike."""
    ringing = sum(ways for kind, ways in rolls if kind.rings)
    ending = sum(ways for kind, ways in rolls if not kind.goes_on and not kind.rings)
    buncos = sum(ways for kind, ways in rolls if kind.bunco and kind.rings)
    quiet = Fraction(ALL - ringing, ALL) ** tables
    ring = 1 - quiet
    # A roll that does not ring passes the dice to the other team with this chance; US has the first one.
    passes = Fraction(ending, ALL - ringing) if ringing < ALL else Fraction(0)
    us = (1 + ring / (1 - quiet * (1 - 2 * passes))) / 2
    p5, p50, p95 = (ceil(log(1 - share) / log(quiet)) if quiet else 1 for share in PERCENTILES)
    return BellOdds(
        float(1 / ring), sqrt(quiet) / float(ring), p5, p50, p95, float(us), float(Fraction(buncos, ringing))
    )


def _rings(rolls: Ways, limit: int, by_player: bool) -> tuple[Polynomial, Polynomial, Polynomial]:
    """The chance that US rings, that THEM rings, and that a Bunco does, by the roll of the table."""
    us: Polynomial = []
    them: Polynomial = []
    bunco: Polynomial = []
    followed = any(kind.wipe != "none" or kind.stays for kind, _ in rolls)
    parties = 4 if by_player and not followed else 2
    chances = [(ways / ALL, kind) for kind, ways in rolls]
    turns_ = turns(chances, limit, by_player) if followed else _laps(rolls, limit)
    for turn, lap in enumerate(turns_):
        first, then = lap.before, lap.after  # the other team's, where US rings, and where THEM does
        if parties == 4:
            # With b for before and a for after, A rings while the others are at bbb, B abb, C aab, D aaa.
            squares = _plus(_times(first, first), _times(then, then))
            first, then = _times(first, squares), _times(then, squares)
        start = parties * turn + 1
        _place(us, start, _times(first, lap.rings))
        _place(them, start, _times(then, lap.rings))
        _place(bunco, start, _times(_plus(first, then), lap.buncos))
        if sum(lap.after) ** parties < TINY or start > LONGEST:
            break
    return us, them, bunco


def _laps(rolls: Ways, limit: int) -> Iterator[TurnOdds]:
    """Lap after lap of one party, without end."""
    ending = sum(ways for kind, ways in rolls if not kind.goes_on)
    step = gcd(*(kind.points for kind, _ in rolls if not kind.goes_on)) or limit
    below, spared = _below(rolls, limit, step)
    ends = ending / ALL
    goes_on = 1 - ends
    # The points of rolls that end a turn and do not ring, in steps, with their chances among those that do.
    passing = [
        (kind.points // step, ways / ending) for kind, ways in rolls if not (kind.goes_on or kind.rings)
    ]
    passed = [1.0]  # the chance of 0, 1, 2... steps by the rolls that ended a turn
    paths = [goes_on**scored for scored in range(len(below))]
    before, quiet = [1.0], _mixed(passed, below)
    while True:
        still_spared = _mixed(passed, spared)
        passed = _one_more(passed, passing, -(-limit // step))
        still_quiet = _mixed(passed, below)
        ended = [ends * path for path in paths]
        after = list(map(mul, ended, still_quiet))
        rings = [
            path * max(now - goes_on * scores - ends * passes, 0.0)
            for path, now, scores, passes in zip(paths, quiet, [*quiet[1:], 0.0], still_quiet, strict=True)
        ]
        buncos = [
            path * BUNCOS / ALL * (now - kept)
            for path, now, kept in zip(paths, quiet, still_spared, strict=True)
        ]
        yield TurnOdds(before, [0.0, *after], rings, buncos)
        paths = list(accumulate(ended, lambda path, one: path * goes_on + one))
        before, quiet = after, still_quiet


def _below(rolls: Ways, limit: int, step: int) -> tuple[list[list[float]], list[list[float]]]:
    """The chances that nobody rang, and that a Bunco now would not: [rolls that scored][steps that ended]."""
    bunco = next(kind for kind, _ in rolls if kind.bunco)
    unhurt = 0 if bunco.rings else max(limit - bunco.points, 0)
    below, spared = [], []
    for row in _totals(rolls, limit):
        cumulated = list(accumulate(row))
        below.append(cumulated[::-step])
        spared.append(cumulated[:unhurt][::-step])
    return below, spared


def _totals(rolls: Ways, limit: int) -> Iterator[list[float]]:
    """The chance of each total below `limit` after 0, 1, 2... rolls that scored, while it is possible."""
    scoring = sum(ways for kind, ways in rolls if kind.goes_on)
    row = [1.0] + [0.0] * (limit - 1)
    while sum(row) > TINY:
        yield row
        following = [0.0] * limit
        for kind, ways in rolls:
            if kind.goes_on and not kind.rings:
                chance = ways / scoring
                following[kind.points :] = map(add, following[kind.points :], [chance * one for one in row])
        row = following


def _mixed(minis: list[float], columns: list[list[float]]) -> list[float]:
    return [sum(map(mul, minis, column)) for column in columns]


def _one_more(passed: list[float], passing: list[tuple[int, float]], most: int) -> list[float]:
    """The distribution `passed` after one more roll that ended a turn; below `most` steps."""
    grown = [0.0] * (len(passed) + max((steps for steps, _ in passing), default=0))
    for steps, chance in passing:
        for had, one in enumerate(passed):
            grown[had + steps] += chance * one
    del grown[most:]
    while grown and grown[-1] < TINY:
        grown.pop()
    return grown


def _times(one: Polynomial, other: Polynomial) -> Polynomial:
    """The product of polynomials as one product of two integers (Kronecker), with 2^-56 as the last place."""
    one_low, one_words = _words(one)
    other_low, other_words = _words(other)
    size = len(one_words) + len(other_words)
    product = (_packed(one_words) * _packed(other_words)).to_bytes(8 * size, "little")
    high_words = struct.unpack(f"<{size}Q", product)[1:-2:2]
    return [0.0] * (one_low + other_low) + [word / 2**56 for word in high_words]


def _words(polynomial: Polynomial) -> tuple[int, list[int]]:
    """The lowest power that matters, and the coefficients from it on, each with a word of room behind it."""
    words = [int(coefficient * 2**60) for coefficient in polynomial]
    places = [place for place, word in enumerate(words) if word]
    if not places:
        return 0, []
    low, high = places[0], places[-1] + 1
    spread = [0] * (2 * (high - low))
    spread[::2] = words[low:high]
    return low, spread


def _packed(words: list[int]) -> int:
    return int.from_bytes(struct.pack(f"<{len(words)}Q", *words), "little")


def _plus(one: Polynomial, other: Polynomial) -> Polynomial:
    return [a + b for a, b in zip_longest(one, other, fillvalue=0.0)]


def _place(total: Polynomial, start: int, part: Polynomial) -> None:
    """Adds x^`start` times `part` to `total`."""
    total.extend([0.0] * (start + len(part) - len(total)))
    total[start : start + len(part)] = map(add, total[start:], part)


def _summary(us: Polynomial, them: Polynomial, bunco: Polynomial, tables: int) -> BellOdds:
    """The bell of `tables` alike tables, the earliest of theirs."""
    ringing = _plus(us, them)
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
