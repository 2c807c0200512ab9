"""Values against the keys that are declared: all that is wrong at once, with the way on."""

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct

from pi_bunco import config, validator
from pi_bunco.errors import ProblemsError
from pi_bunco.rules.load import allowed, dimensions
from pi_bunco.validator import Declared, closest, expected, nearest
from pi_bunco.wire.arguments import describe, fields
from pi_bunco.wire.commands import COMMANDS


class Lamp(Struct):
    colour: Literal["red", "green"]
    watts: Annotated[int, Meta(ge=1, le=60)] | None
    on: bool


class House(Struct):
    lamp: Lamp
    name: Annotated[str, Meta(max_length=8)]
    wires: Annotated[dict[str, Any], Meta(description="a table for each wire")]


TYPES = dict(validator.keys(House))
HOUSE = Declared("a key", TYPES, lambda key: expected(TYPES[key], {}))


def test_the_keys_of_a_struct_are_in_its_order_and_nest() -> None:
    assert list(TYPES) == ["lamp.colour", "lamp.watts", "lamp.on", "name", "wires"]
    values = {"lamp.on": True, "name": "home"}
    assert validator.nested(values) == {"lamp": {"on": True}, "name": "home"}
    assert validator.flat(validator.nested(values), TYPES) == values


def test_what_is_declared_as_a_table_stays_one_and_no_table_is_dropped_in_silence() -> None:
    table = {"wires": {"a": {"b": 1}}, "lamp": {"on": {"x": 1}}, "lampe": {}, "name": {}}
    assert validator.flat(table, TYPES) == {
        "wires": {"a": {"b": 1}},
        "lamp.on": {"x": 1},
        "lampe": {},
        "name": {},
    }
    assert validator.flat({"lamp": {}}, TYPES) == {}


def test_every_mistake_is_told_with_place_value_and_mend() -> None:
    given = {"lamp.colour": "blue", "lamp.watts": 0, "lamp.no": 1, "name": "far too long", "lamp.on": True}
    values, problems = HOUSE.check(given, "house.toml: ")
    assert values == {"lamp.on": True}
    assert [one.english() for one in problems] == [
        'house.toml: lamp.colour = "blue" is not allowed; it must be "green" or "red"',
        'house.toml: lamp.watts = 0 is not allowed; it must be a whole number from 1 to 60 or "none"',
        "house.toml: lamp.no is not a key; did you mean lamp.on?",
        'house.toml: name = "far too long" is not allowed; it must be a text of at most 8 characters',
    ]


def test_numbers_of_a_command_line_are_texts() -> None:
    assert HOUSE.check({"lamp.watts": "40"}, strict=False) == ({"lamp.watts": 40}, [])
    assert HOUSE.check({"lamp.watts": "40"})[1]


def test_a_description_says_what_a_value_is() -> None:
    (problem,) = HOUSE.check({"wires": 1})[1]
    assert problem.english() == "wires = 1 is not allowed; it must be a table for each wire"


def test_a_long_value_is_cut() -> None:
    (problem,) = HOUSE.check({"name": "a" * 100_000})[1]
    assert len(problem.english()) < 300


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("lamp.colur", "lamp.colour"),
        ("colour", "lamp.colour"),
        ("lampe.watts", "lamp.watts"),
        ("house.lamp.on", "lamp.on"),
        ("lamp", "lamp.colour"),
        ("nam", "name"),
        ("zzz", None),
    ],
)
def test_the_key_that_is_meant(word: str, meant: str | None) -> None:
    assert closest(word, TYPES) == meant
    assert nearest(word, TYPES) == (f"did you mean {meant}?" if meant else f"there are {', '.join(TYPES)}")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a = ", "is no TOML: Invalid value (at end of document)"),
        (b"a = " + b"[" * 9999, "is no TOML: brackets within brackets, far too many"),
        (b"\xff", "is no text in UTF-8"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, content: bytes | None, why: str) -> None:
    file = tmp_path / "a.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ProblemsError) as caught:
        validator.read(file)
    assert caught.value.problems == (f"{file} {why}",)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbfa = 1")
    assert validator.read(tmp_path / "a.toml") == {"a": 1}


def test_every_setting_dimension_and_argument_has_words() -> None:
    phrases = [config.meaning(key) for key in config.settings()]
    phrases += [allowed(key) for key in dimensions()]
    phrases += [describe(one.type) for kind in COMMANDS.values() for one in fields(kind).values()]
    assert len(phrases) > 80
    assert not [one for one in phrases if not one or "something else" in one]
