"""A little of `python -m chaos`, and that its ledger sees what must not be."""

from pathlib import Path

import pytest

from logs import entry
from pi_bunco.game import facts
from pi_bunco.log.entry import Entry, Origin

from . import night
from ._evening import Setting, play
from ._ledger import Verdict, examined
from ._seats import Thrown

THROWS = [Thrown(1, ("b1", 6 * n), (1, 1, n), 1000.0 * n, True) for n in (1, 2)]
RANG = {"1:start": [0.0], "1:end": [2010.0]}


def logged(*throws: Thrown) -> list[Entry]:
    log = [entry("e", 1, facts.RoundOpen(t=0, epoch=1))]
    for throw in throws:
        n, origin = len(log) + 1, Origin(throw.table, "s", len(log), throw.mark)
        log.append(entry("e", n, facts.Roll(int(throw.settled), 1, throw.faces, epoch=1), origin))
    return [*log, entry("e", len(log) + 1, facts.BellRang(2010, 1))]


def verdict(log: list[Entry], rang: dict[str, list[float]] = RANG) -> Verdict:
    return examined(log, {}, THROWS, rang, lambda _: [])


def test_correct_evening_raises_no_complaint() -> None:
    found = verdict(logged(*THROWS))
    assert (found.lost, found.double, found.bells, found.worst_ms) == (0, 0, 1, 10.0)
    assert not found.complaints
    assert not found.late


def test_a_missing_and_a_repeated_throw_are_seen() -> None:
    assert verdict(logged(THROWS[1])).lost == 1
    assert verdict(logged(*THROWS, THROWS[1])).double == 1


@pytest.mark.parametrize("end", [[], [2010.0, 2500.0]])
def test_a_bell_that_does_not_sound_once_is_seen(end: list[float]) -> None:
    assert verdict(logged(*THROWS), RANG | {"1:end": end}).complaints == [f"1:end sounded {len(end)} times"]


def test_a_late_bell_and_a_roll_judged_as_after_it_are_seen() -> None:
    assert len(verdict(logged(*THROWS), RANG | {"1:end": [3500.0]}).late) == 1
    late = [*logged(*THROWS)[:-1], entry("e", 4, facts.BellRang(1500, 1))]
    assert len(verdict(late, RANG | {"1:end": [2210.0]}).complaints) == 1


@pytest.mark.long
@pytest.mark.process
@pytest.mark.broker
@pytest.mark.system("mosquitto")
def test_an_evening_of_trouble_loses_and_doubles_nothing(tmp_path: Path) -> None:
    found = play(Setting("bonko", "mosquitto", seed=3, kills=3, gap=600.0, points=4), tmp_path)
    assert found.complaints == []
    assert found.kills >= 3
    assert found.throws > 0


@pytest.mark.long
@pytest.mark.process
@pytest.mark.broker
@pytest.mark.system("mosquitto")
def test_a_night_by_the_clock_goes_on_through_kills_by_itself(tmp_path: Path) -> None:
    found, _ = night.play(night.Plan(tables=3, kills=3, seed=1, faces=(1,)), tmp_path)
    assert found.complaints == []
    assert found.kills >= 3
    assert found.throws > 0
