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
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import accumulate, count, pairwise, zip_longest
from math import ceil, log, sqrt
from operator import add, mul

from msgspec import Struct

from pi_bunco.rules.ruleset import RoundEnd, RuleSet
from pi_bunco.rules.wiped import BellCondition, Rolls, TurnOdds, turns

PACE = 5.0  # seconds from one roll of a table to its next: 50 rolls take about 4 minutes
TABLES = 3  # that roll at the same time, where any of them may ring: the twelve players of the sheets

# Of the 216 ways that three dice can fall (RULES.md, Probabilities).
ALL, MISS, ONE, TWO, MINI, BUNCO = 216, 120, 75, 15, 5, 1
PERCENTILES = 0.05, 0.5, 0.95
TINY = 1e-17  # a chance that is left out

Polynomial = list[float]  # the chance of n rolls at index n


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
    """Expectations of a round of one target face; `bell` is None where dice alone never ring it.

    Turns are counted as if no bell cut them short.
    """

    points_per_turn: float
    rolls_per_turn: float
    bell: BellOdds | None


class _Worth(Struct, frozen=True):
    """The points of a roll, and whether a turn ends with a mini (always where it scores nothing).

    `wipes` are the ways that wipe the points out, of those of a mini.
    """

    match: int
    mini: int
    bunco: int
    mini_ends: bool
    wipes: int = 0
    wipe_ends: bool = False

    @property
    def minis(self) -> int:
        """Number of the 216 ways that are a mini that wipes nothing."""
        return MINI - self.wipes

    @property
    def ending(self) -> int:
        """Number of the 216 ways that end a turn."""
        return MISS + self.minis * self.mini_ends + self.wipes * self.wipe_ends

    def scoring(self) -> list[tuple[int, int]]:
        """Ways and points of every roll after which the turn goes on, the Bunco last."""
        mini = [] if self.mini_ends else [(MINI, self.mini)]
        return [(ONE, self.match), (TWO, 2 * self.match), *mini, (BUNCO, self.bunco)]


def odds(rules: RuleSet, face: int) -> Odds:
    """The exact odds of a round with the target `face` (1-6).

    The points of a turn are those that it scores: what a wipe takes is not taken off.

    Where `end.tables` is `any`, three tables are taken to roll at the same pace, so that the bell is the
    earliest of three independent ones; of two that would ring with the same roll the lower table's counts,
    as in the log. The rolls are those of one table.
    """
    scoring = rules.scoring
    worth = _Worth(
        match=face if scoring.match == "face" else 1,
        mini=scoring.mini,
        bunco=scoring.bunco,
        mini_ends=rules.turn.mini_ends or not scoring.mini,
        wipes=scoring.wipe not in (None, face),
        wipe_ends=scoring.wipe_ends,
    )
    points = (ONE + 2 * TWO) * worth.match + worth.minis * worth.mini + BUNCO * worth.bunco
    return Odds(points / worth.ending, ALL / worth.ending, _bell(worth, rules.end))


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
def _bell(worth: _Worth, end: RoundEnd) -> BellOdds | None:
    tables = TABLES if end.tables == "any" else 1
    if end.points is not None:
        return _summary(*_rings(worth, end), tables)
    return _bunco_alone(worth.ending, tables) if end.bunco else None


def _bunco_alone(ending: int, tables: int) -> BellOdds:
    """The closed form where nothing but a Bunco rings: every roll is alike."""
    quiet = Fraction(ALL - BUNCO, ALL) ** tables
    ring = 1 - quiet
    # A roll that does not ring passes the dice to the other team with this chance; US has the first one.
    passes = Fraction(ending, ALL - BUNCO)
    us = (1 + ring / (1 - quiet * (1 - 2 * passes))) / 2
    p5, p50, p95 = (ceil(log(1 - share) / log(quiet)) for share in PERCENTILES)
    return BellOdds(float(1 / ring), sqrt(quiet) / float(ring), p5, p50, p95, float(us), 1.0)


def _rings(worth: _Worth, end: RoundEnd) -> tuple[Polynomial, Polynomial, Polynomial]:
    """The chance that US rings, that THEM rings, and that a Bunco does, by the roll of the table."""
    us: Polynomial = []
    them: Polynomial = []
    bunco: Polynomial = []
    parties = 4 if end.points_by == "player" and not worth.wipes else 2
    for turn, lap in enumerate(_wiped(worth, end) if worth.wipes else _laps(worth, end)):
        first, then = lap.before, lap.after  # the other team's, where US rings, and where THEM does
        if parties == 4:
            # With b for before and a for after, A rings while the others are at bbb, B abb, C aab, D aaa.
            squares = _plus(_times(first, first), _times(then, then))
            first, then = _times(first, squares), _times(then, squares)
        start = parties * turn + 1
        _place(us, start, _times(first, lap.rings))
        _place(them, start, _times(then, lap.rings))
        _place(bunco, start, _times(_plus(first, then), lap.buncos))
        if sum(lap.after) ** parties < TINY:
            break
    return us, them, bunco


def _wiped(worth: _Worth, end: RoundEnd) -> Iterator[TurnOdds]:
    """Turn after turn of a team, without end: a wipe takes both players' points."""
    rolls = Rolls(
        MISS / ALL,
        worth.wipes / ALL,
        worth.wipe_ends,
        (
            (ONE / ALL, worth.match, True, False),
            (TWO / ALL, 2 * worth.match, True, False),
            (worth.minis / ALL, worth.mini, not worth.mini_ends, False),
            (BUNCO / ALL, worth.bunco, True, True),
        ),
    )
    return turns(rolls, BellCondition(end.points or 0, end.points_by == "player", end.bunco))


def _laps(worth: _Worth, end: RoundEnd) -> Iterator[TurnOdds]:
    """Lap after lap of one party, without end."""
    below, spared = _below(worth, end)
    ends = worth.ending / ALL
    goes_on = 1 - ends
    mini = MINI / worth.ending if worth.mini_ends and worth.mini else 0.0
    minis = [1.0]  # the chance of 0, 1, 2... minis among the rolls that ended a turn
    paths = [goes_on**scored for scored in range(len(below))]
    before, quiet = [1.0], _mixed(minis, below)
    while True:
        still_spared = _mixed(minis, spared)
        minis = _one_more(minis, mini)
        still_quiet = _mixed(minis, below)
        ended = [ends * path for path in paths]
        after = list(map(mul, ended, still_quiet))
        rings = [
            path * max(now - goes_on * scores - ends * passes, 0.0)
            for path, now, scores, passes in zip(paths, quiet, [*quiet[1:], 0.0], still_quiet, strict=True)
        ]
        buncos = [
            path * BUNCO / ALL * (now - kept)
            for path, now, kept in zip(paths, quiet, still_spared, strict=True)
        ]
        yield TurnOdds(before, [0.0, *after], rings, buncos)
        paths = list(accumulate(ended, lambda path, one: path * goes_on + one))
        before, quiet = after, still_quiet


def _below(worth: _Worth, end: RoundEnd) -> tuple[list[list[float]], list[list[float]]]:
    """The chances that nobody rang, and that a Bunco now would not: [rolls that scored][minis that ended]."""
    limit = end.points or 0
    step = worth.mini if worth.mini_ends and worth.mini else limit
    unhurt = 0 if end.bunco else max(limit - worth.bunco, 0)
    below, spared = [], []
    for row in _totals(worth, limit, end.bunco):
        cumulated = list(accumulate(row))
        below.append(cumulated[::-step])
        spared.append(cumulated[:unhurt][::-step])
    return below, spared


def _totals(worth: _Worth, limit: int, bunco_rings: bool) -> Iterator[list[float]]:
    """The chance of each total below `limit` after 0, 1, 2... rolls that scored, while it is possible."""
    scoring = worth.scoring()
    quiet = scoring[:-1] if bunco_rings else scoring
    row = [1.0] + [0.0] * (limit - 1)
    while sum(row) > TINY:
        yield row
        following = [0.0] * limit
        for ways, points in quiet:
            chance = ways / (ALL - worth.ending)
            following[points:] = map(add, following[points:], [chance * one for one in row])
        row = following


def _mixed(minis: list[float], columns: list[list[float]]) -> list[float]:
    return [sum(map(mul, minis, column)) for column in columns]


def _one_more(minis: list[float], chance: float) -> list[float]:
    """The distribution `minis` after one more roll that ended a turn."""
    grown = [
        (1 - chance) * same + chance * fewer for same, fewer in zip([*minis, 0.0], [0.0, *minis], strict=True)
    ]
    while grown[-1] < TINY:
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
