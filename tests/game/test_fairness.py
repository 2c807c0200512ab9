"""The fair-dice test: exact probabilities, no false alarm on fair dice, an alarm for a loaded one."""

from random import Random

import pytest

from pi_bunco.game.fairness import fairness, of_counts, probability, tail
from pi_bunco.words.results import ENGLISH_RESULTS


@pytest.mark.parametrize(
    ("x", "p"), [(0.0, 1.0), (4.351, 0.5), (9.236, 0.1), (11.070, 0.05), (15.086, 0.01), (20.515, 0.001)]
)
def test_the_tail_is_that_of_printed_tables(x: float, p: float) -> None:
    assert tail(x) == pytest.approx(p, rel=2e-3)


def test_even_counts_are_as_likely_as_can_be() -> None:
    assert probability([10] * 6) == 1.0


def test_faces_are_counted_die_by_die() -> None:
    counted = fairness([(1, 2, 3), (1, 6, 3)])
    assert counted.faces == ((2, 0, 0, 0, 0, 0), (0, 1, 0, 0, 0, 1), (0, 0, 2, 0, 0, 0))
    assert ENGLISH_RESULTS.fair(counted) == "2 throws are too few to say whether the dice are fair."


def test_fair_dice_give_no_alarm_more_often_than_announced() -> None:
    random = Random(7)
    alarms = 0
    for _ in range(300):
        counted = fairness([random.choices(range(1, 7), k=3) for _ in range(120)])
        alarms += bool(counted.biased)
    assert alarms <= 3  # 0.3 are expected


def test_a_loaded_die_is_named() -> None:
    counted = of_counts([[100] * 6, [60, 60, 60, 60, 60, 300], [100] * 6])
    assert counted.biased == (2,)
    assert ENGLISH_RESULTS.fair(counted).startswith(
        "Look at die 2: in 600 throws fair dice fall so unevenly once in "
    )
    assert ENGLISH_RESULTS.fair(of_counts([[100] * 6] * 3)) == "No sign of bias in 600 throws."
