"""A head can be lost at any point of an evening, not only in a round."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pi_bunco.sim.players import Habits
from services.evidence import check
from services.hall import Hall
from services.lost import entries, rebuild

PEOPLE = Habits(think=700, tumble=300, ok=1000)


def ended(hall: Hall) -> bool:
    round_ = hall.head.referee.ledger.evening.round
    return round_ is not None and round_.bell is not None


def rolling_off(hall: Hall) -> bool:
    round_ = hall.head.referee.ledger.evening.round
    return round_ is not None and any(table.rolloffs for table in round_.tables)


def off_or_over(hall: Hall, played: int) -> bool:
    return rolling_off(hall) or len(hall.head.referee.ledger.evening.rounds) > played


def setup(hall: Hall) -> None:
    hall.do("evening_open", rules="bonko", players=[f"P{n}" for n in range(12)], seed=1, overrides={})


def seated(hall: Hall) -> None:
    hall.open(12, "bonko")


def between(hall: Hall) -> None:
    hall.open(12, "bonko")
    hall.play_round()


def after_bell(hall: Hall) -> None:
    hall.open(12, "classic")
    hall.do("round_start")
    hall.until(lambda: ended(hall))


def roll_off(hall: Hall) -> None:
    hall.open(12, "classic")
    while not rolling_off(hall):
        hall.do("round_start")
        played = len(hall.head.referee.ledger.evening.rounds)
        hall.until(partial(off_or_over, hall, played))


def paused(hall: Hall) -> None:
    hall.open(12, "bonko")
    hall.play_round()
    hall.do("pause", minutes=15)


def finished(hall: Hall) -> None:
    hall.open(12, "bonko", **{"evening.sets": 1})
    for _ in range(6):
        hall.play_round()


def closed(hall: Hall) -> None:
    between(hall)
    hall.do("evening_close")


@pytest.mark.parametrize(
    "reach",
    [setup, seated, between, after_bell, roll_off, paused, finished, closed],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("away", [0, 8000])
def test_everything_is_as_it_was(tmp_path: Path, reach: Callable[[Hall], None], away: float) -> None:
    hall = Hall(tmp_path, 3, PEOPLE, auto_confirm=5000)
    reach(hall)
    hall.wait(20)
    ledger = hall.head.referee.ledger
    before = entries(hall.lose_head())
    state, rings = ledger.evening.state, list(hall.rings)
    hall.wait(away)
    assert rebuild(hall) == before
    ledger = hall.head.referee.ledger
    assert ledger.evening.state == state
    hall.wait(30_000)
    assert hall.rings == rings
    if state == "break":
        hall.do("resume")
    if state not in ("setup", "finished") and reach is not closed:
        hall.until(lambda: ledger.evening.round is None)
        hall.wait(2000)
        hall.play_round()
        check(hall)
    hall.close()
