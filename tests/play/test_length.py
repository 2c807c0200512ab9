"""The length of an evening: by the odds, by the simulator, and as a host is warned of it."""

import json
from typing import Any, get_args

import pytest

from pi_bunco.cli import main
from pi_bunco.play.lengths import LONGEST_MIN, Range, estimate, hours, length, mend, set_rolls, set_seconds
from pi_bunco.play.simulation import Simulation, Sums
from pi_bunco.rules import PRESETS, override, preset
from pi_bunco.rules.length import break_minutes, evening_minutes, still_minutes
from pi_bunco.rules.odds import ROLL_S, odds
from pi_bunco.rules.ruleset import PlayAfterBell
from pi_bunco.web.pages.host.prepare.page import minutes as prepared
from thorough import times


@pytest.mark.parametrize("name", PRESETS)
def test_an_evening_lasts_at_least_until_its_bells(name: str) -> None:
    rules, found = preset(name), estimate(preset(name))
    assert found is not None
    bells = [bell.mean for face in range(1, 7) if (bell := odds(rules, face).bell)]
    assert found.rolls.mean > 0.8 * sum(bells) * rules.evening.sets
    assert found.rolls.p10 < found.rolls.mean < found.rolls.p90
    rest = found.minutes.mean - found.rolls.mean * ROLL_S / 60
    assert rest == pytest.approx(still_minutes(rules))
    assert found.winners >= (1 if rules.prizes and name != "tournament" else 0)


@pytest.mark.parametrize(("name", "minutes"), [("mybunco", 495), ("gong", 101), ("classic", 47)])
def test_every_page_and_command_says_the_same_length(name: str, minutes: int) -> None:
    """Worked out by hand: rounds times rolls to the bell times 5 s, two minutes a round, the break."""
    rules = preset(name)
    found = estimate(rules)
    assert found is not None
    assert round(found.minutes.mean) == round(evening_minutes(rules)) == prepared(rules) == minutes
    played = length(rules, Simulation(rules, 12, seed=2).chunk(range(times(60))))
    assert played is not None
    assert played.minutes.mean == pytest.approx(evening_minutes(rules), rel=0.1)  # by chance, a few evenings


@pytest.mark.parametrize("how", get_args(PlayAfterBell))
def test_a_demo_has_a_pace_however_a_round_ends(how: PlayAfterBell) -> None:
    rules = override(preset("bonko"), {"after_bell": how})
    assert 6 * 49.8 < set_rolls(rules) < set_seconds(rules)


def test_endless_tie_has_no_length() -> None:
    nothing = [{"when": when, "points": 0} for when in ("f..", "ff.", "fff")]
    assert estimate(override(preset("bonko"), {"rolls": nothing})) is None


def test_a_tournament_has_a_semi_final_and_a_final() -> None:
    rules = preset("tournament")
    assert evening_minutes(rules) == pytest.approx(24 * (49.859753 * 5 / 60 + 2) + 45 + 3, abs=0.01)


def test_the_range_has_eight_of_ten_evenings() -> None:
    sums = Sums(evenings=100, lengths=dict.fromkeys(range(1, 101), 1))
    found = length(preset("bonko"), sums)
    assert found is not None
    assert found.rolls == Range(50.5, 10, 90)


def test_few_evenings_have_the_range_of_a_normal_distribution() -> None:
    found = length(preset("bonko"), Sums(evenings=3, lengths={90: 1, 100: 1, 110: 1}))
    assert found is not None
    assert found.rolls.p10 == pytest.approx(87.184)
    assert found.rolls.p90 == pytest.approx(112.816)


def test_sums_of_parts_are_those_of_the_whole() -> None:
    simulation = Simulation(preset("gong"), players=8, seed=3)
    one, other = simulation.chunk(range(2)), simulation.chunk(range(2, 4))
    assert one + other == simulation.chunk(range(4))
    assert sum((one + other).lengths.values()) == 4


@pytest.mark.parametrize(
    ("name", "overrides", "said"),
    [
        ("mybunco", {}, "--set end.points=21"),
        ("bonko", {"evening.sets": 9}, "--set evening.sets="),
        ("bonko", {}, None),
    ],
)
def test_a_long_evening_is_warned_of_with_what_mends_it(name: str, overrides: Any, said: str | None) -> None:
    rules = override(preset(name), overrides)
    found = estimate(rules)
    assert found is not None
    warning = mend(rules, found)
    assert (warning is None) == (found.minutes.mean <= LONGEST_MIN) == (said is None)
    assert warning is None or said is None or said in warning


def test_an_evening_beyond_all_measure_has_no_estimate() -> None:
    assert estimate(override(preset("mybunco"), {"evening.sets": 99})) is None
    assert estimate(override(preset("bonko"), {"end.points": "none", "end.bunco": False})) is None


def test_the_break_counts_only_where_the_evening_goes_on() -> None:
    assert break_minutes(preset("mybunco")) == 15
    assert break_minutes(override(preset("mybunco"), {"evening.sets": 2})) == 0
    assert break_minutes(preset("tournament")) == 45
    assert hours(59.6) == "1 h 00 min"


@pytest.mark.parametrize(
    ("overrides", "minutes"),
    [
        ({"evening.sets": 2}, 45),
        ({"evening.sets": 4}, 90),
        ({"evening.break_after": "none"}, 45),
        ({"evening.break_minutes": "none"}, 0),
    ],
)
def test_a_tournament_has_a_break_before_its_semi_final(overrides: dict[str, Any], minutes: int) -> None:
    assert break_minutes(override(preset("tournament"), overrides)) == minutes


@pytest.mark.parametrize("command", [["rules", "bonko"], ["simulate", "--rules", "bonko", "--evenings", "3"]])
def test_both_commands_tell_it(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 0
    assert "An evening lasts about" in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["evening"]["minutes"]["mean"] > 10
