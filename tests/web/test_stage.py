"""A tournament between its rounds: who qualified, who rolls where, the final, the grand prize."""

from typing import Any

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.board.model import GrandPrize, StageScene
from pi_bunco.web.pages.board.page import shown_scoreboard
from pi_bunco.web.pages.phone_table.model import shown_phone
from pi_bunco.web.pages.phone_table.page import head_command
from pi_bunco.web.pages.player.page import shown_player
from pi_bunco.web.pages.shared.model import Finale
from pi_bunco.web.pages.table.page import shown_table
from pi_bunco.web.site.evening_now import PhonePlay
from pi_bunco.web.site.page import Context
from pi_bunco.web.site.reasons import RolloffNeedsFaces
from web.nights import Night, tournament


def scene(night: Night) -> StageScene:
    shown = shown_scoreboard(night.evening_now()).scene
    assert isinstance(shown, StageScene)
    return shown


def rolled(night: Night, **dice: int) -> None:
    fields: dict[str, Any] = {
        "for": "buncos",
        "group": 1,
        "dice": {name: [face] for name, face in dice.items()},
    }
    assert night.say("rolloff", **fields) is None


def html(night: Night, lang: str = "en") -> str:
    return TEMPLATES.render(shown_scoreboard(night.evening_now(9000)), Context(lang=lang))


def test_the_scoreboard_says_who_qualified_and_with_what() -> None:
    shown = scene(tournament(24))
    assert (shown.stage, shown.groups) == ("qualification", 2)
    assert shown.ends is not None
    assert shown.ends.at == "19:26"
    assert [(place.by, place.group) for place in shown.places] == [
        ("wins", 1), ("buncos", 1), ("wins", 2), ("buncos", 2),
    ]  # fmt: skip
    assert all(place.name and place.count for place in shown.places)
    assert not shown.rolls
    for text in ("Group 2", f"{shown.places[0].count} wins", "Who is in the semi-final?"):
        assert text in html(tournament(24))


def test_a_tie_for_a_place_names_the_table_and_who_rolls() -> None:
    night = tournament(24, tied=True)
    (roll,) = scene(night).rolls
    assert (roll.table, roll.purpose, roll.dice, roll.group) == (1, "buncos", 1, 1)
    assert [one.name for one in roll.now] == ["Kay", "Xenia"]
    rolled(night, Kay=4)
    (roll,) = scene(night).rolls
    assert [(one.name, one.faces, one.now) for one in roll.people] == [
        ("Kay", (4,), False),
        ("Xenia", (), True),
    ]
    assert roll.undo
    rolled(night, Xenia=4)
    assert scene(night).rolls[0].again
    assert "Level again" in html(night)
    assert shown_table(night.evening_now(), 1).roll == scene(night).rolls[0]
    assert shown_table(night.evening_now(), 4).roll is None


def test_a_players_page_says_how_the_tournament_goes_on() -> None:
    def place(night: Night, name: str) -> tuple[str, bool]:
        me = shown_player(night.evening_now(), name).me
        assert me is not None
        return me.place, me.roll is not None

    tied = tournament(24, tied=True)
    assert [place(tied, name) for name in ("Kay", "Uma", "Bob")] == [
        ("waits", True),
        ("semi_final", False),
        ("out", False),
    ]
    final = tournament(24).to("final")
    assert [place(final, name) for name in ("Quinn", "Bob")] == [("final", True), ("out", False)]


def test_the_final_shows_every_throw_until_the_first_triple() -> None:
    shown = scene(tournament(24).to("final").final(7))
    assert shown.table is not None
    assert shown.table.turn is not None
    assert (shown.thrown, len(shown.throws), shown.throws[0].faces) == (7, 5, (2, 3, 5))
    order = [chair.call for chair in shown.table.chairs]
    after = order[(order.index(shown.throws[0].call) + 1) % 4]
    assert shown.table.turn.call == after
    won = tournament(24).to("final").final(9, (5, 5, 5))
    grand = shown_scoreboard(won.evening_now()).scene
    assert isinstance(grand, GrandPrize)
    assert (grand.face, grand.throws) == (5, 9)
    end = shown_scoreboard(won.to("done").evening_now()).scene
    assert isinstance(end, Finale)
    assert (end.grand, end.grand_face) == (grand.name, 5)


def test_the_semi_final_is_no_fourth_set() -> None:
    night = tournament(24).to("semi_final").rounds(1)
    assert "Next: the semi-final, round 2, twos" in html(night)
    night.say("pause", minutes=10)
    assert "with the semi-final, round 2, twos" in html(night)
    assert "mit" not in html(night, "de").split("Weiter um")[1][:30]


def test_a_tie_for_a_prize_names_the_table_on_every_page() -> None:
    night = Night(12, rules="gong", prize_tie="one_die").draw().rounds(12)
    shown = shown_scoreboard(night.evening_now()).scene
    assert isinstance(shown, Finale)
    roll = next(prize.roll for prize in shown.prizes if prize.roll)
    assert "Roll at table 1." in html(night)
    me = shown_player(night.evening_now(), roll.people[0].name).me
    assert me is not None
    assert me.roll == shown_table(night.evening_now(), 1).roll == roll
    assert shown_phone(night.evening_now(), 1, PhonePlay(None)).roll == roll


@pytest.mark.parametrize(
    ("form", "asked"),
    [
        ({"tap": "unroll"}, ("undo", {"table": 1})),
        ({"tap": "turn", "seat": "C"}, ("turn", {"table": 1, "seat": "C"})),
        (
            {"tap": "rolloff", "for": "wins", "group": "2"}
            | {"who1": "A", "die1": "3", "who2": "B", "die2": "5"},
            ("rolloff", {"table": 1, "for": "wins", "dice": {"A": [3], "B": [5]}, "group": 2}),
        ),
        (
            {"tap": "rolloff", "for": "final", "who1": "Ann", "die1": "3", "die2": "5", "die3": "1"},
            ("rolloff", {"table": 1, "for": "final", "dice": {"Ann": [3, 5, 1]}}),
        ),
    ],
)  # fmt: skip
def test_a_phone_asks_the_head_for_what_is_rolled_between_rounds(
    form: dict[str, str], asked: tuple[str, object]
) -> None:
    assert head_command(1, form) == asked


def test_a_roll_without_its_dice_is_refused() -> None:
    for form in (
        {"tap": "rolloff", "who1": "Ann"},
        {"tap": "rolloff", "who1": "Ann", "die1": "7"},
        {"tap": "rolloff", "who1": "A", "who2": "B", "who3": "C", "die1": "2"},
    ):
        assert head_command(1, form) == RolloffNeedsFaces()
