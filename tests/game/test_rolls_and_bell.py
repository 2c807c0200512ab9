"""RULES.md, One roll and The bell, up to the moment when it rings."""

from typing import Any

import pytest

from game.evenings import Play


@pytest.mark.parametrize(("rules", "points"), [("bonko", [1, 2, 5, 21, 0]), ("classic", [3, 6, 5, 21, 0])])
def test_what_each_roll_is_worth_in_round_three(rules: str, points: list[int]) -> None:
    play = Play(rules, end__bunco=False).round().round().open()
    seen = []
    for letter in "12mB.":
        before = play.table(2).points[0]
        play.roll(2, letter)
        seen.append(play.table(2).points[0] - before)
    assert seen == points


def test_three_of_another_face_are_a_mini_and_of_the_target_a_bunco() -> None:
    play = Play("bonko").open()
    play.say("roll", table=2, dice=[4, 4, 4])
    play.say("roll", table=2, dice=[1, 1, 1])
    assert (play.table(2).minis[0], play.table(2).buncos[0], play.table(2).points) == (1, 1, [26, 0])


@pytest.mark.parametrize(("rules", "seat"), [("bonko", "A"), ("gong", "B")])
def test_a_mini_ends_the_turn_only_where_the_rules_say_so(rules: str, seat: str) -> None:
    play = Play(rules).open()
    play.roll(2, "m")
    assert play.seat(2) == seat


def test_a_mini_that_is_worth_nothing_scores_nothing_and_ends_the_turn() -> None:
    play = Play("bonko", scoring__mini=0).open()
    play.roll(2, "m")
    assert (play.seat(2), play.table(2).minis[0]) == ("B", 1)


def test_a_bunco_never_ends_a_turn_by_itself() -> None:
    play = Play("gong").open()
    play.roll(2, "B")
    assert play.seat(2) == "A"


def test_a_ghost_scores_for_its_team_but_gets_no_mark() -> None:
    play = Play("gong", ["abcd", "1fgh"]).open()
    play.roll(2, "1B")
    play.close().decide("US", "US")
    card = play.report()["rounds"][0]["tables"][1]["cards"][0]
    assert card == {"player": "Ghost 1", "points": 22, "buncos": 0, "minis": 0}
    assert play.report()["rounds"][0]["tables"][1]["points"] == [22, 0]


def test_the_partner_of_who_rolled_a_bunco_gets_no_mark() -> None:
    play = Play("bonko").open()
    play.roll(2, "B.")
    assert play.table(2).buncos == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("rules", "changed", "quiet", "ringing", "by", "player"),
    [
        pytest.param("bonko", {"end__points": 3}, "2..", "1", "points", "c", id="points of a team"),
        pytest.param("gong", {"end__points": 3}, "2..2", "..1", "points", "a", id="points of a player"),
        pytest.param("bonko", {}, "", "B", "bunco", "a", id="Bunco that reaches the points"),
        pytest.param("bonko", {"end__bunco": False}, "", "B", "points", "a", id="Bunco that rings nothing"),
        pytest.param("mybunco", {}, "mmmmm2", "B", "bunco", "a", id="no points"),
        pytest.param("bonko", {"seats": ["1bcd", "efgh"]}, "", "B", "bunco", "Ghost 1", id="ghost"),
    ],
)
def test_the_roll_that_rings(
    rules: str, changed: dict[str, Any], quiet: str, ringing: str, by: str, player: str
) -> None:
    play = Play(rules, **changed).open()
    play.roll(1, quiet)
    assert play.evening.state == "round_open"
    play.roll(1, ringing)
    assert play.report()["state"] == "after_bell"
    assert (play.bell.by, play.bell.player) == (by, player)


@pytest.mark.parametrize(("tables", "state"), [("head", "round_open"), ("any", "after_bell")])
def test_which_tables_ring(tables: str, state: str) -> None:
    play = Play("bonko", end__tables=tables).open()
    play.roll(2, "B")
    assert play.evening.state == state


def test_a_points_bell_needs_a_roll_that_scores_of_the_rollers_team() -> None:
    """After a voided bell US has its points still, but only a roll of US that scores rings again."""
    play = Play("bonko", end__points=2).open()
    play.roll(1, "2")
    play.say("bell_void")
    play.roll(1, ".1..")
    assert play.evening.state == "round_open"
    play.roll(1, ".1")
    assert play.evening.state == "after_bell"
