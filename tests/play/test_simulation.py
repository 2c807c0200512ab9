from math import sqrt
from random import Random
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.errors import BuncoError
from pi_bunco.play.simulation import Simulation, Sum, Sums
from pi_bunco.rules import PRESETS, RuleSet, override, preset
from pi_bunco.rules.odds import odds
from thorough import times

ROLLS = max(times(150_000), 30_000)
"""The rough number of rolls for each rule set, in a quarter of a second at most."""


SILENT = [{"when": "...", "points": 0, "bell": False}]
NO_SCORE = [{"when": when, "points": 0} for when in ("f..", "ff.", "fff")]


def total(simulation: Simulation, evenings: int, processes: int = 1) -> Sums:
    return sum(simulation.parts(evenings, processes), Sums())


def near(found: Sum, exact: float) -> None:
    """Fails where the mean is more than four standard errors from `exact`."""
    assert found.mean is not None
    assert found.error is not None
    assert abs(found.mean - exact) <= 4 * found.error + 1e-9


def agrees(rules: RuleSet, players: int) -> None:
    """Plays evenings with about `ROLLS` rolls and compares all that odds say of the bell."""
    length = sum(bell.mean for face in range(1, 7) if (bell := odds(rules, face).bell)) * rules.evening.sets
    simulation = Simulation(rules, players, seed=1)
    sums = total(simulation, int(ROLLS / length / simulation.tables))
    for number, face in enumerate(sums.faces, 1):
        bell = simulation.bell(number)
        assert bell is not None
        semi_final = 1 if rules.tournament else 0
        assert face.rolls_to_bell.count == sums.evenings * (rules.evening.sets + semi_final)
        near(face.rolls_to_bell, bell.mean)
        near(face.us_rings, bell.us_rings)
        near(face.bunco_rings, bell.bunco_rings)


@pytest.mark.parametrize("name", PRESETS)
def test_the_means_of_every_rule_set_and_face_are_the_exact_ones(name: str) -> None:
    agrees(preset(name), players=4)


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("bonko", {"end.tables": "any"}),
        ("mybunco", {"end.points": 21, "end.bunco": False}),
        ("gong", {"end.points_by": "team"}),
        ("bonko", {"scoring.wipe": 6, "after_bell": "first_lap"}),
        ("classic", {"scoring.wipe": 1, "scoring.wipe_ends": True, "after_bell_head": "stop"}),
    ],
)
def test_so_are_those_of_other_readings(name: str, overrides: dict[str, object]) -> None:
    agrees(override(preset(name), overrides), players=12)


@pytest.mark.process
def test_the_same_seed_gives_the_same_sums_on_one_core_and_on_two() -> None:
    simulation = Simulation(preset("gong"), players=10, seed=7)
    alone = total(simulation, 54)
    assert total(simulation, 54, processes=2) == alone
    assert total(Simulation(preset("gong"), players=10, seed=8), 54) != alone


def test_every_part_begins_where_the_last_one_ended() -> None:
    simulation = Simulation(preset("classic"), players=4, seed=7)
    first, second, *_ = simulation.parts(150, 1)
    assert first + second == simulation.chunk(range(first.evenings + second.evenings))


@pytest.mark.parametrize(
    ("players", "overrides", "why"),
    [
        (3, {}, "at least 4 players are needed, not 3"),
        (-1, {}, "at least 4 players are needed, not 0"),
        (5, {"ghosts": False}, "5 players do not fill the tables and ghosts are not allowed"),
        (4, {"end.points": "none", "end.bunco": False}, "no dice ring the bell under these rules"),
        (4, {"rolls": SILENT, "tie.method": "one_die"}, "no dice ring the bell under these rules"),
        (4, {"rolls": NO_SCORE, "tie.method": "session"}, "no throw breaks a tie in the round of face 1"),
    ],
)
def test_rules_and_players_that_cannot_be_played_are_refused(
    players: int, overrides: dict[str, object], why: str
) -> None:
    with pytest.raises(BuncoError, match=why):
        Simulation(override(preset("gong"), overrides), players, 1).check()


def test_no_odds_are_shown_where_they_are_of_something_else() -> None:
    timed = override(preset("gong"), {"end.minutes": 5})
    shared = override(preset("gong"), {"end.tables": "any"})
    assert Simulation(timed, 12, 1).bell(1) is None
    assert Simulation(shared, 16, 1).bell(1) is None
    assert Simulation(shared, 12, 1).bell(1) == odds(shared, 1).bell


@given(st.lists(st.integers(0, 10_000), min_size=2), st.data())
def test_a_sum_is_the_same_however_it_is_split(values: list[int], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(values)))
    whole = Sum.of(values[:at]) + Sum.of(values[at:])
    assert whole == Sum.of(values)
    assert whole.mean == pytest.approx(mean(values))
    assert whole.error == pytest.approx(stdev(values) / sqrt(len(values)))


def test_mean_needs_one_value_and_error_two() -> None:
    assert (Sum().mean, Sum().error) == (None, None)
    assert (Sum.of([3]).mean, Sum.of([3]).error) == (3, None)


def test_the_standard_error_is_honest() -> None:
    """Of many short simulations about 19 in 20 are within two standard errors."""
    exact = odds(preset("bonko"), 1).bell
    assert exact is not None
    errors = [
        Simulation(preset("bonko"), 4, Random(seed).getrandbits(64)).chunk(range(8)).faces[0].rolls_to_bell
        for seed in range(60)
    ]
    near_enough = sum(abs((one.mean or 0) - exact.mean) <= 2 * (one.error or 0) for one in errors)
    assert 50 <= near_enough <= 60
