"""The command `pi-bunco rules`."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import MEMORY
from pi_bunco.cli import main
from pi_bunco.cli.rules import toml
from pi_bunco.rules import PRESETS, override, preset
from pi_bunco.rules.load import dimensions, read
from pi_bunco.rules.odds import odds
from pi_bunco.words.rules_in_words import MEANINGS
from rules import arbitrary


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["rules", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["rules", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def line(text: str, start: str) -> str:
    """The one line that begins with `start`, with single spaces."""
    (found,) = [one for one in text.splitlines() if one.split()[:1] == [start]]
    return " ".join(found.split())


def test_the_list_has_every_preset(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys)
    for name in PRESETS:
        assert str(preset(name).description) in line(out, name)
        assert preset(name).source in out
    assert "about 50 rolls, 4 minutes" in line(out, "tournament")
    assert "about 77 rolls, 6.5 minutes" in line(out, "gong")
    assert "about 50 rolls, 4 minutes to" in line(out, "classic")
    assert "about 10 rolls, 50 seconds" in out


def test_one_rule_set_has_every_dimension_and_the_odds(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "gong")
    for key in dimensions():
        assert MEANINGS[key] in line(out, key)
    assert line(out, "end.points") == f"end.points 21 {MEANINGS['end.points']}"
    assert "score, wins, losses, buncos, minis" in line(out, "card")
    assert "40 % most Buncos" in line(out, "prizes")
    assert "lowest score: the doormat" in out
    assert line(out, "1-6") == "1-6 about 77 rolls, 6.5 minutes 12-127 1.21 1.73 51.1% 35.5%"
    assert "*" not in out


def test_faces_that_count_their_value_have_a_row_each(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "classic")
    assert "about 50 rolls, 4 minutes" in line(out, "1")
    assert "about 10 rolls, 50 seconds" in line(out, "6")


def test_what_differs_from_the_preset_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "gong", "--set", "end.points=30", "--set", "end.points_by=team")
    assert line(out, "end.points") == f"end.points 30 {MEANINGS['end.points']}"
    assert [one.strip() for one in out.splitlines() if "*" in one] == ["* gong: 21", "* gong: player"]


def test_a_round_without_points_says_how_long_it_lasts(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "mybunco")
    assert "No points end a round, so that it lasts 216 head rolls on average, until a Bunco." in out
    assert "--set end.points=21" in out
    assert "No points" not in printed(capsys, "mybunco", "--set", "end.points=21")


def test_a_round_without_any_bell_by_dice(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "mybunco", "--set", "end.bunco=false", "--set", "end.minutes=10")
    assert "no bell by dice" in line(out, "1")
    assert "Nothing that is rolled rings the bell: the host does." in out
    assert "A round is over after 10 minutes at the latest" in out


def test_a_bell_from_any_table_is_for_three(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "bonko", "--set", "end.tables=any")
    assert "the odds are those of 3 tables that roll at the same pace" in out


def test_brackets_in_an_award_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    award = '[{for = "wins", award = "[red]wine[/red] :boom:"}]'
    assert "most wins: [red]wine[/red] :boom:" in printed(capsys, "gong", "--set", f"prizes={award}")


@pytest.mark.parametrize("name", PRESETS)
def test_json_of_one_rule_set(capsys: pytest.CaptureFixture[str], name: str) -> None:
    found = json.loads(printed(capsys, name, "--json"))
    rules = preset(name)
    assert (found["rules"], found["preset"], found["changed"]) == (name, name, [])
    assert (found["source"], found["description"]) == (rules.source, rules.description)
    assert list(found["dimensions"]) == list(dimensions())
    assert override(preset("bonko"), found["dimensions"]) == override(
        preset("bonko"), {key: rules.dimension(key) for key in dimensions()}
    )
    assert list(found["faces"]) == ["1", "2", "3", "4", "5", "6"]
    for face, expected in found["faces"].items():
        chances = odds(rules, int(face))
        assert chances.bell is not None
        assert expected == {
            "rolls_to_bell": {key: getattr(chances.bell, key) for key in ("mean", "sd", "p5", "p50", "p95")},
            "points_per_turn": chances.points_per_turn,
            "rolls_per_turn": chances.rolls_per_turn,
            "us_rings": chances.bell.us_rings,
            "bunco_rings": chances.bell.bunco_rings,
        }


def test_json_of_a_changed_rule_set(capsys: pytest.CaptureFixture[str]) -> None:
    settings = ("--set", "end.points=none", "--set", "end.bunco=false", "--set", "traveling=false")
    found = json.loads(printed(capsys, "bonko", *settings, "--json"))
    assert found["changed"] == ["end.points", "end.bunco", "traveling"]
    assert found["dimensions"]["end.points"] is None
    assert found["faces"]["3"] == {
        "rolls_to_bell": None,
        "points_per_turn": pytest.approx(151 / 120),
        "rolls_per_turn": 1.8,
        "us_rings": None,
        "bunco_rings": None,
    }


@pytest.mark.long
def test_json_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(printed(capsys, "--json"))
    assert [one["rules"] for one in found["presets"]] == list(PRESETS)
    assert found["presets"][3] == json.loads(printed(capsys, "gong", "--json"))


def test_a_file_of_the_hosts_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('preset = "gong"\n[end]\npoints = 30\n')
    found = json.loads(printed(capsys, str(path), "--set", "end.points_by=team", "--json"))
    assert (found["rules"], found["preset"]) == (str(path), "gong")
    assert found["changed"] == ["end.points", "end.points_by"]
    assert "* gong: 21" in printed(capsys, str(path))


@pytest.mark.parametrize("name", PRESETS)
def test_a_printed_file_reads_back(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    path = tmp_path / "house.toml"
    path.write_text(printed(capsys, name, "--toml"), "utf-8")
    assert read(path) == preset(name)
    path.write_text(printed(capsys, name, "--toml", "--set", "end.points=30", "--set", "card=[]"), "utf-8")
    assert read(path) == override(preset(name), {"end.points": 30, "card": []})


@given(st.sampled_from(PRESETS), arbitrary.overrides)
def test_any_printed_file_reads_back(name: str, overrides: dict[str, Any]) -> None:
    rules = override(preset(name), overrides)
    with TemporaryDirectory(dir=MEMORY) as folder:
        path = Path(folder, "house.toml")
        path.write_text(toml(rules), "utf-8", newline="")
        assert read(path) == rules


def test_a_printed_file_explains_every_dimension() -> None:
    text = toml(preset("gong"))
    assert set(MEANINGS) == set(dimensions())
    for meaning in MEANINGS.values():
        assert f"\n# {meaning}\n#   " in text
    assert 'a whole number from 1 to 999 or "none"\npoints = 21' in text
    assert text.splitlines()[2:5] == [
        "# what to start from",
        "#   mybunco or tournament or classic or gong or bonko",
        'preset = "gong"',
    ]


def test_all_mistakes_are_reported_together(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text('preset = "gong"\nafter_bell = "go"\n[end]\npoint = 30\n')
    assert refused(capsys, str(path)) == (
        f'pi-bunco rules: {path}: after_bell = "go" is not allowed; '
        'it must be "finish_lap", "finish_turn", "first_lap" or "stop"\n'
        f"{path}: end.point is not a dimension; did you mean end.points?\n"
    )
