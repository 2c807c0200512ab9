"""Were the dice fair? Faces counted, and Pearson's chi-squared test with its exact probability."""

from collections.abc import Iterable, Sequence
from math import erfc, exp, pi, sqrt

from msgspec import Struct

ALARM_CHANCE = 0.001
"""A die whose counts are less likely than this with fair dice is worth a look."""
MIN_THROWS = 60
"""With fewer throws the test says nothing: ten of each face are expected."""


class Fairness(Struct, frozen=True):
    """Throws: `faces[die][face - 1]` counts, and how likely fair dice spread at least that far.

    `likely` is a probability for each die, None with fewer than `MIN_THROWS` throws.
    """

    throws: int
    faces: tuple[tuple[int, ...], ...]
    likely: tuple[float | None, ...]

    @property
    def biased(self) -> tuple[int, ...]:
        """The numbers of the dice (from 1) that are hardly fair; the alarm allows for testing several."""
        limit = ALARM_CHANCE / max(len(self.faces), 1)
        return tuple(die for die, p in enumerate(self.likely, 1) if p is not None and p < limit)


def fairness(throws: Iterable[Sequence[int]]) -> Fairness:
    """Counts the faces of each die; the dice of a throw are told apart by their place in it."""
    counts = [[0] * 6 for _ in range(3)]
    for dice in throws:
        for die, face in enumerate(dice):
            counts[die][face - 1] += 1
    return of_counts(counts)


def of_counts(counts: Sequence[Sequence[int]]) -> Fairness:
    """The same for faces that are counted already, die by die."""
    likely = tuple(probability(die) if sum(die) >= MIN_THROWS else None for die in counts)
    return Fairness(max(map(sum, counts), default=0), tuple(map(tuple, counts)), likely)


def probability(counts: Sequence[int]) -> float:
    """Probability that six faces of a fair die differ at least as much as `counts` (chi-squared, df = 5)."""
    expected = sum(counts) / 6
    return tail(sum((count - expected) ** 2 for count in counts) / expected)


def tail(x: float) -> float:
    """The probability that a chi-squared variable of five degrees of freedom is at least `x`."""
    return erfc(sqrt(x / 2)) + sqrt(2 * x / pi) * exp(-x / 2) * (1 + x / 3)
