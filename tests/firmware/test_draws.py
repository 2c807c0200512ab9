"""The draw is fair: exactly where it can be counted, and by chi-square where it can only be measured."""

import math
import os
from collections.abc import Callable, Sequence

import pytest

from firmware.draws import pairs
from firmware.toolchain import MICROPYTHON, output

DRAWS = 1_000_000
SURELY_UNFAIR = 1e-9


def p_value(counts: Sequence[int]) -> float:
    """The probability that fair dice are at least this uneven, for an even number of counts.

    The upper tail of chi-square with an odd number of degrees of freedom (Abramowitz and Stegun 26.4.4).
    """
    expected = sum(counts) / len(counts)
    x = sum((count - expected) ** 2 for count in counts) / expected
    term, total = 1.0, 0.0
    for odd in range(3, len(counts) + 1, 2):
        total += term
        term *= x / odd
    return math.erfc(math.sqrt(x / 2)) + math.sqrt(2 * x / math.pi) * math.exp(-x / 2) * total


def faces(counts: Sequence[int]) -> list[int]:
    """The number of times that each face came, of the counts of pairs."""
    return [sum(counts[6 * face : 6 * face + 6]) + sum(counts[face::6]) for face in range(6)]


def on_micropython(draws: int) -> list[int]:
    return [int(count) for count in output([MICROPYTHON, "-m", "firmware.draws", str(draws)]).split()]


@pytest.mark.parametrize("drawn", [pairs, pytest.param(on_micropython, marks=pytest.mark.process)])
def test_a_million_draws_show_no_bias(drawn: Callable[[int], list[int]]) -> None:
    counts = drawn(DRAWS)
    assert sum(counts) == DRAWS // 2
    assert p_value(faces(counts)) > SURELY_UNFAIR
    assert p_value(counts) > SURELY_UNFAIR, "a face depends on the one before"


def test_a_draw_by_remainder_would_be_found_out() -> None:
    data = [byte % 6 for byte in os.urandom(DRAWS)]
    assert p_value([data.count(face) for face in range(6)]) < SURELY_UNFAIR


def test_a_draw_that_remembers_would_be_found_out() -> None:
    counts = [DRAWS // 72] * 36
    for pair, more in ((0, 800), (1, -800), (6, -800), (7, 800)):
        counts[pair] += more
    assert p_value(faces(counts)) == pytest.approx(1)
    assert p_value(counts) < SURELY_UNFAIR


@pytest.mark.parametrize(("x", "p"), [(11.0705, 0.05), (15.0863, 0.01), (0.5543, 0.99)])
def test_the_p_value_is_the_one_of_the_tables(x: float, p: float) -> None:
    shift = math.sqrt(x * 1e6 / 2)
    counts = [1e6 + shift, 1e6 - shift, *[1e6] * 4]
    assert p_value(counts) == pytest.approx(p, rel=1e-3)  # type: ignore[arg-type]
