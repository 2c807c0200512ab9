"""A host's commands as types: every argument is checked, and all that is wrong is said in sentences."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.wire import commands
from pi_bunco.wire.arguments import ArgumentError, arguments
from pi_bunco.wire.commands import COMMANDS

PROTOCOL = {
    "evening_open": "rules overrides players sets seed groups name pot replace",
    "seats_draw": "guests",
    "seats_set": "tables teams",
    "round_start": "bypass",
    "round_end": "",
    "pause": "minutes",
    "resume": "",
    "pace": "move_s play_s warn_s wait_s end_in_s",
    "steer": "to",
    "bypass": "table",
    "restore": "table",
    "decide": "table winner",
    "undo": "table n tie",
    "turn": "table seat rolls",
    "begins": "table seat",
    "bell_void": "roll",
    "round_cancel": "",
    "reopen": "table",
    "hand": "table allowed",
    "confirm": "table",
    "substitute": "out in",
    "arrive": "player",
    "leave": "player",
    "silence": "minutes",
    "bell_test": "",
    "light": "table",
    "branch": "table",
    "go_on": "",
    "tally": "table cards",
    "evening_close": "unfinished",
    "evening_reopen": "",
    "name_delete": "names pseudonym",
    "prize": "for to tie place group",
    "paid": "player paid",
    "rolloff": "for dice group table tie place",
    "stage": "",
}
"""wire/README.md."""


def test_the_commands_are_those_of_the_protocol() -> None:
    found = {name: " ".join(kind.__struct_encode_fields__) for name, kind in COMMANDS.items()}
    assert found == PROTOCOL


def test_every_command_has_a_word_and_a_help_of_its_own() -> None:
    for texts in ({kind.word for kind in COMMANDS.values()}, {kind.help for kind in COMMANDS.values()}):
        assert len(texts) == len(COMMANDS)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("round_end", {"tabel": 1}, "round_end has no argument tabel; it takes none."),
    ("round_en", {}, "There is no command round_en; did you mean round_end?"),
    ("turn", {"table": 1, "seat": "A", "rols": 1}, "turn has no argument rols; did you mean rolls?"),
    ("turn", {"table": 1, "seat": "A", "roll": 3}, "turn has no argument roll; did you mean rolls?"),
    ("bypass", {}, "bypass needs table: a whole number from 1 to 1000."),
    ("bypass", {"table": True}, "bypass: table should be a whole number from 1 to 1000, not true."),
    ("decide", {"table": 1, "winner": "ME"}, "decide: winner should be THEM, US, A, B, C or D, not ME."),
    ("hand", {"table": 1, "allowed": 1}, "hand: allowed should be true or false, not 1."),
    (
        "seats_set",
        {"tables": [["Ann", "Bob", "Cat"]]},
        "seats_set: tables no. 1 should be a list of 4 names, not a list of 3. "
        "An empty chair is a ghost's: name it, such as Ghost 1.",
    ),
    (
        "tally",
        {"table": 1, "cards": [{"points": 1}, {"points": 1}, {"points": 1}, {"points": -1}]},
        "tally: points of cards no. 4 should be a whole number from 0 to 9999, not -1.",
    ),
    (
        "evening_open",
        {"players": ["Ann"], "groups": [[1], ["x"]]},
        "evening_open: groups no. 2 no. 1 should be a whole number from 1 to 1000, not x.",
    ),
    (
        "rolloff",
        {"for": "wins", "dice": {"Ann": [5], " ": [3]}},
        "rolloff: name of dice should be a name of visible letters, without control characters,"
        " at most 80 characters, not ' '.",
    ),
    (
        "evening_open",
        {"players": ["Ann"], "overrides": [1]},
        "evening_open: overrides should be an object of names and their values, at most 64, not a list of 1.",
    ),
]


@pytest.mark.parametrize(("command", "args", "sentence"), WRONG)
def test_a_wrong_argument_is_named(command: str, args: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        arguments(command, args)
    assert caught.value.problems == (sentence,)


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(ArgumentError) as caught:
        arguments("evening_open", {"players": ["Ann", "", "\x1b[31m", "x" * 81], "pot": 60, "set": 1})
    assert [problem.partition(" should")[0] for problem in caught.value.problems] == [
        "evening_open has no argument set; did you mean sets?",
        "evening_open: players no. 2",
        "evening_open: players no. 3",
        "evening_open: players no. 4",
        "evening_open: pot",
    ]
    assert "\x1b" not in str(caught.value)


def test_each_wrong_seat_of_a_tally_and_each_wrong_group_is_named() -> None:
    cards = [{"points": 1}, {"points": -1}, {"points": 1}, {"point": 1}]
    with pytest.raises(ArgumentError) as caught:
        arguments("tally", {"table": 1, "cards": cards})
    assert [problem.partition(" should")[0] for problem in caught.value.problems] == [
        "tally: points of cards no. 2",
        "tally: cards no. 4",
    ]
    with pytest.raises(ArgumentError) as caught:
        arguments("evening_open", {"players": [], "groups": [[1], ["x"], 3]})
    assert [problem.partition(" should")[0] for problem in caught.value.problems] == [
        "evening_open: groups no. 2 no. 1",
        "evening_open: groups no. 3",
    ]


def test_a_prize_goes_to_one_or_to_several() -> None:
    for to in ("Ann", ["Ann", "Bob"]):
        args = arguments("prize", {"for": "buncos", "to": to})
        assert isinstance(args, commands.AwardPrize)
        assert args.category == "buncos"


def test_the_longest_names_of_1200_players_fit_into_one_command() -> None:
    players = tuple(f"{n:04}{'🎲' * 76}" for n in range(1200))
    assert isinstance(arguments("evening_open", {"players": list(players)}), commands.OpenEvening)
    assert len(msgspec.json.encode(commands.OpenEvening(players=players))) < 384 * 1024


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=90),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(sorted({key for names in PROTOCOL.values() for key in names.split()})) | st.text()


@given(command=st.sampled_from(sorted(COMMANDS)), args=st.dictionaries(keys, plain, max_size=4))
def test_any_arguments_are_taken_or_refused_in_printable_sentences(
    command: str, args: dict[str, Any]
) -> None:
    problems: tuple[str, ...] | None = None
    try:
        arguments(command, args)
    except ArgumentError as error:
        problems = error.problems
    assert problems is None or (problems and all(problem.isprintable() for problem in problems))
