"""Rule sets from presets, files and overrides: what they hold, and every mistake at once."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.errors import RulesError
from pi_bunco.rules import PRESETS, Prize, load, override, preset, title
from pi_bunco.rules.load import allowed, changes, dimensions, parse_setting, parse_settings, read
from rules import arbitrary

# RULES.md, "Dimensions and presets": what every preset says, in the order of PRESETS.
TABLE: dict[str, tuple[Any, Any, Any, Any, Any]] = {
    "team": ("pairs",) * 5,
    "scoring.match": ("face", "one", "face", "one", "one"),
    "scoring.bunco": (21, 21, 21, 21, 21),
    "scoring.mini": (5, 5, 5, 5, 5),
    "scoring.wipe": (None,) * 5,
    "scoring.wipe_ends": (False,) * 5,
    "turn.mini_ends": (False, False, False, True, False),
    "end.points": (None, 21, 21, 21, 21),
    "end.points_by": ("team", "team", "team", "player", "team"),
    "end.bunco": (True, True, True, True, True),
    "end.tables": ("head", "head", "head", "head", "head"),
    "end.minutes": (None, None, None, None, None),
    "end.seconds": (None, None, None, None, None),
    "after_bell": ("finish_turn", "finish_lap", "finish_turn", "stop", "stop"),
    "after_bell_head": (None,) * 5,
    "winner.auto": (False, False, False, True, False),
    "tie.method": ("session", "one_die", "one_die", "lap", "session"),
    "move.tables": ("losers_to_last", "down_one", "down_one", "losers_to_last", "stay"),
    "evening.sets": (4, 3, 2, 2, 2),
    "evening.faces": ((1, 2, 3, 4, 5, 6),) * 5,
    "evening.break_after": (2, 3, None, None, None),
    "evening.break_minutes": (15, 45, None, None, None),
    "prize_tie": ("split", "one_die", "one_die", "ask", "split"),
    "begins": ("A",) * 5,
    "ghost_turn": ("partner",) * 5,
    "prize_once": (False, False, False, False, False),
    "stake": (None,) * 5,
    "keep": (None,) * 5,
    "holds": ((),) * 5,
    "bonus": ((),) * 5,
    "traveling": (None, None, None, None, "bunco"),
    "traveling_nth": (None, None, None, None, None),
    "ghosts": (True, True, True, True, True),
    "ghost_marks": ("nobody",) * 5,
    "tournament": (False, True, False, False, False),
    "signal.start": ("bell", "horn", "bell", "bell", "bell"),
    "signal.end": ("bell", "bell+horn", "bell", "bell", "bell"),
}
CARDS = {
    "mybunco": ("wins", "losses", "buncos", "minis"),
    "gong": ("score", "wins", "losses", "buncos", "minis"),
}
CHAMPIONS = {"tournament": ("wins", "buncos"), "gong": ("buncos", "wins", "score")}


def problems(action: Any, *arguments: Any) -> tuple[str, ...]:
    with pytest.raises(RulesError) as caught:
        action(*arguments)
    return caught.value.problems


@pytest.mark.parametrize("place", range(5))
def test_presets_are_the_published_ones(place: int) -> None:
    rules = preset(PRESETS[place])
    assert rules.rolls == ()
    lists = {"rolls", "card", "champion", "prizes", "name", "description"}
    assert {key: rules.dimension(key) for key in dimensions() if key not in lists} == {
        key: values[place] for key, values in TABLE.items()
    }
    assert (rules.preset, rules.name, title(rules)) == (PRESETS[place], None, PRESETS[place])
    assert rules.card == CARDS.get(rules.preset, ("wins", "losses", "buncos"))
    assert rules.champion == CHAMPIONS.get(rules.preset, ("buncos", "wins"))


def test_presets_name_their_sources() -> None:
    assert [preset(name).source[:4] for name in PRESETS] == ["000_", "001_", "002_", "003_", "004_"]


def test_prizes_of_the_presets() -> None:
    assert preset("mybunco").prizes == ()
    assert preset("tournament").prizes == (Prize("grand_prize"),)
    assert [prize.category for prize in preset("bonko").prizes] == ["buncos", "wins", "losses", "traveling"]
    assert [prize.percent for prize in preset("gong").prizes] == [40, 20, 15, 15, 10, None]


def test_an_unknown_preset_names_the_nearest() -> None:
    assert problems(preset, "bonk") == ('there is no rule set "bonk"; did you mean bonko?',)
    assert all(name in problems(preset, "x")[0] for name in PRESETS)


def test_overrides_nest_or_not() -> None:
    flat = override(preset("gong"), {"end.points_by": "team", "end.points": "none"})
    assert flat == override(preset("gong"), {"end": {"points_by": "team", "points": None}})
    assert (flat.end.points_by, flat.end.points) == ("team", None)


@given(st.sampled_from(PRESETS), arbitrary.overrides)
def test_changes_are_the_way_from_the_preset(name: str, overrides: dict[str, Any]) -> None:
    base = preset(name)
    rules = override(base, overrides)
    assert override(base, changes(rules, base)) == rules
    assert set(changes(rules, base)) <= set(overrides)
    assert changes(base, base) == {}


def test_a_description_outlives_another_name_but_no_other_change() -> None:
    gong = preset("gong")
    assert override(gong, {"name": "Ours"}).description == gong.description
    assert override(gong, {"end.points": 30}).description is None


def test_every_mistake_is_named_at_once() -> None:
    found = problems(
        override,
        preset("gong"),
        {
            "end.point": 5,
            "scoring": {"mini": -1, "match": "two"},
            "points": 3,
            "traveling": 7,
            "end.minutes": 5.0,
        },
    )
    assert found == (
        "end.point is not a dimension; did you mean end.points?",
        "scoring.mini = -1 is not allowed; it must be a whole number from 0 to 999",
        'scoring.match = "two" is not allowed; it must be "face" or "one"',
        "points is not a dimension; did you mean end.points?",
        'traveling = 7 is not allowed; it must be a whole number from 1 to 6, "bunco", "mini" or "none"',
        'end.minutes = 5.0 is not allowed; it must be a whole number from 1 to 999 or "none"',
    )


@pytest.mark.parametrize(
    ("value", "shown"), [(float("nan"), "nan"), (2**70, str(2**70)), ("\udcff", "\udcff"), ([[]], "[[]]")]
)
def test_strange_values_are_shown_as_they_are(value: Any, shown: str) -> None:
    (found,) = problems(override, preset("gong"), {"end.tables": value})
    assert found == f'end.tables = {shown} is not allowed; it must be "any" or "head"'


@pytest.mark.parametrize("key", list(dimensions()))
def test_every_dimension_refuses_a_wrong_value_with_what_it_may_be(key: str) -> None:
    (found,) = problems(override, preset("gong"), {key: "per\x1bhaps"})
    assert found == f'{key} = "per\\u001bhaps" is not allowed; it must be {allowed(key)}'


def test_percentages_add_up() -> None:
    prizes = [{"for": "wins", "percent": 60}, {"for": "losses", "percent": 30}]
    (found,) = problems(override, preset("bonko"), {"prizes": prizes})
    assert found == "prizes: the percentages add up to 90, they must add up to 100"
    assert override(preset("bonko"), {"prizes": [*prizes, {"for": "lowest_score", "percent": 10}]})
    assert override(preset("gong"), {"prizes": "none"}).prizes == ()


def test_amounts_come_before_percentages_and_are_kept_as_text() -> None:
    prizes = [{"for": "first_bunco", "amount": 5}, {"for": "last_bunco", "amount": "2.50"}]
    rest = {"for": "wins", "percent": 100}
    rules = override(preset("bonko"), {"prizes": [*prizes, rest]})
    assert [(one.amount, one.percent) for one in rules.prizes] == [("5", None), ("2.50", None), (None, 100)]
    (found,) = problems(override, preset("bonko"), {"prizes": [{**rest, "amount": 1}]})
    assert found == "prizes: each has a percentage or an amount, not both"
    for amount in (-1, float("nan"), True, "five", "1,50"):
        assert problems(override, preset("bonko"), {"prizes": [{"for": "wins", "amount": amount}]})


def test_prizes_of_earlier_logs_are_read() -> None:
    former = [{"category": "most wins", "percent": 60}, {"category": "lowest score", "percent": 40}]
    prizes = override(preset("bonko"), {"prizes": former}).prizes
    assert prizes == (Prize("wins", 60), Prize("lowest_score", 40))


def test_a_prize_of_an_unknown_kind() -> None:
    (found,) = problems(override, preset("bonko"), {"prizes": [{"for": "most beer"}]})
    assert '"most beer"' in found
    assert '"buncos"' in found


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("end.points=30", ("end.points", 30)),
        (" end.points = 30 ", ("end.points", 30)),
        ("end.points=none", ("end.points", "none")),
        ("end.points_by=team", ("end.points_by", "team")),
        ('end.points_by="team"', ("end.points_by", "team")),
        ("traveling=true", ("traveling", True)),
        ('card=["wins"]', ("card", ["wins"])),
        ("end={points = 3}", ("end", {"points": 3})),
        ("end.points=", ("end.points", "")),
        ("signal.end=bell+horn", ("signal.end", "bell+horn")),
        ("end.points=1\nend.minutes=2", ("end.points", "1\nend.minutes=2")),
        ("a=b=c", ("a", "b=c")),
    ],
)
def test_settings(text: str, setting: tuple[str, Any]) -> None:
    assert parse_setting(text) == setting


def test_settings_that_are_none_are_all_named() -> None:
    found = problems(parse_settings, ["end.points", "end.points=3", "=3"])
    assert [text.split()[0] for text in found] == ["'end.points'", "'=3'"]
    assert parse_settings(["end.points=3", "end.points=4"]) == {"end.points": 4}


def test_deeply_nested_settings_stay_words() -> None:
    assert parse_setting(f"card={'[' * 9999}") == ("card", "[" * 9999)


def house(folder: Path, text: str) -> Path:
    path = folder / "house.toml"
    path.write_text(text)
    return path


def test_a_file_starts_from_its_preset(tmp_path: Path) -> None:
    path = house(tmp_path, 'preset = "bonko"\ntraveling = false\n[end]\npoints = 30\nminutes = "none"\n')
    assert read(path) == override(preset("bonko"), {"traveling": False, "end.points": 30})
    assert load(str(path), {"end.points": 40}).end.points == 40
    assert load("bonko", {"end.points": 40}).end.points == 40


def test_all_that_is_wrong_in_a_file_is_named(tmp_path: Path) -> None:
    path = house(tmp_path, 'preset = "gnog"\nafter_bel = "stop"\n[end]\npoints = 0\n')
    assert problems(read, path) == (
        f'{path}: there is no rule set "gnog" to start from; did you mean gong?',
        f"{path}: after_bel is not a dimension; did you mean after_bell?",
        f'{path}: end.points = 0 is not allowed; it must be a whole number from 1 to 999 or "none"',
    )


def test_a_file_under_which_a_tie_never_ends_is_refused(tmp_path: Path) -> None:
    text = 'preset = "gong"\ntie.method = "lap"\n[[rolls]]\nwhen = "..."\npoints = 5\nturn = "pass"\n'
    path = house(tmp_path, text)
    why = f"{path}: tie.method: no throw breaks a tie in the round of 1s; let one_die do it"
    assert problems(read, path) == (why,)


@pytest.mark.parametrize("text", ["", "preset = 5\n", "preset = []\n"])
def test_a_file_without_a_preset(tmp_path: Path, text: str) -> None:
    (found,) = problems(read, house(tmp_path, text))
    assert "the key preset must name the rule set to start from: mybunco, tournament" in found


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert problems(load, str(missing)) == (f"{missing} cannot be read: No such file or directory",)
