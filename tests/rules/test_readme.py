"""The README of the rules names what is there: dimensions with their values, files, prizes, its example."""

import re
import tomllib
from pathlib import Path
from typing import get_args

from pi_bunco.rules import override, preset
from pi_bunco.rules.load import allowed, dimensions
from pi_bunco.rules.ruleset import Category
from pi_bunco.words.rules_in_words import MEANINGS

FOLDER = Path(__file__).parents[2] / "pi_bunco" / "rules"
README = (FOLDER / "README.md").read_text("utf-8")
DIMENSIONS = README[README.index("## Dimensions") : README.index("**After the bell.**")]
ROWS = dict(re.findall(r"^\| `([a-z_.]+)` \| (.+) \|$", DIMENSIONS, re.MULTILINE))


def test_every_dimension_is_there_with_what_it_may_be_and_means() -> None:
    assert list(ROWS) == list(dimensions())
    for key, row in ROWS.items():
        lists = {"prizes": "a list of prizes, see below", "rolls": "a list of patterns, see below"}
        lists["bonus"] = "a list of things and points"
        values = lists.get(key) or allowed(key)
        assert row == f"{values} | {MEANINGS[key]}"


def test_every_file_that_it_names_is_there() -> None:
    places = [FOLDER, FOLDER.parent / "game"]
    for name in re.findall(r"`([a-z_]+(?:\.py|/))`", README):
        assert any((place / name).exists() for place in places), name


def test_it_names_every_kind_of_prize() -> None:
    text = README[README.index("**A prize**") : README.index("and has a `percent`")]
    assert set(re.findall(r"`([a-z_]+)`", text)) - {"for"} == set(get_args(Category))


def test_its_file_of_a_host_can_be_read() -> None:
    found = re.search(r"```toml\n(.*?)```", README, re.DOTALL)
    assert found is not None
    table = tomllib.loads(found[1])
    assert override(preset(table.pop("preset")), table).name == "Friday rules"
