"""What house rules change at a table: wipes, other bells, ghosts' marks, the bag, faces and moves."""

from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.rules import override, preset, title

SIXES = [6, 6, 6]


def test_a_wipe_sets_the_points_of_both_players_to_zero_and_leaves_their_buncos() -> None:
    play = Play("classic", scoring__wipe=6, end__bunco=False, end__points="none").open()
    play.roll(1, "B1.1.2.")
    play.say("roll", table=1, dice=[2, 2, 2])  # a mini of seat D
    play.roll(1, ".")
    assert play.table(1).points == [24, 6]
    play.say("roll", table=1, dice=SIXES)
    table = play.table(1)
    assert (table.points, table.seat_points) == ([0, 6], [0, 1, 0, 5])
    assert (table.buncos, table.minis) == ([1, 0, 0, 0], [0, 0, 0, 1])
    assert (table.seat, table.rolls) == (0, 1)


def test_a_wipe_can_end_the_turn() -> None:
    play = Play("classic", scoring__wipe=6, scoring__wipe_ends=True).open()
    play.roll(1, "1")
    play.say("roll", table=1, dice=SIXES)
    assert (play.table(1).points, play.seat(1)) == ([0, 0], "B")


def test_three_of_the_target_are_a_bunco_although_they_would_wipe() -> None:
    play = Play("bonko", scoring__wipe=1).open()
    assert play.roll(2, "w") == "no three alike wipe the points out in this round"
    assert play.table(2).ignored == 1
    play.say("roll", table=2, dice=[1, 1, 1])
    assert play.table(2).points == [21, 0]


def test_a_team_that_reaches_the_points_again_rings_again_only_without_a_bell() -> None:
    play = Play("bonko", scoring__wipe=6, end__points=2).open()
    play.roll(1, "2")
    assert play.evening.state == "after_bell"
    play.say("bell_void")
    play.roll(1, "w1")
    assert play.evening.state == "round_open"
    play.roll(1, "1")
    assert play.evening.state == "after_bell"


def test_a_wipe_in_a_session_is_a_miss_and_in_a_lap_it_wipes() -> None:
    for method, points in (("session", [2, 0]), ("lap", [0, 0])):
        play = Play("bonko", scoring__wipe=6, tie__method=method, scoring__wipe_ends=True).open().close()
        play.say("confirm", table=1)
        play.roll(1, "2.")
        play.roll(1, ".w")
        assert play.table(1).points == points


def test_a_mini_by_hand_with_a_face_is_three_dice_of_that_face() -> None:
    play = Play("bonko", scoring__wipe=6).open()
    play.roll(2, "1m")
    assert play.table(2).points == [6, 0]
    play.say("roll", table=2, call="mini", face=6)
    assert play.table(2).points == [0, 0]
    play.say("roll", table=2, call="mini", face=1)
    assert play.table(2).points == [21, 0]


def test_every_seat_has_a_turn_before_a_table_is_done() -> None:
    play = Play("classic", after_bell="first_lap").open()
    play.roll(2, "1.1")
    play.roll(1, "....B")
    assert not play.table(1).done  # D has had a turn, a goes on
    play.roll(1, ".")
    assert play.table(1).done
    play.roll(2, "..")
    assert not play.table(2).done
    play.roll(2, "11.")
    assert play.table(2).done
    assert play.roll(2, "1", play.t + 1) == "table 2 is done for this round"


def test_the_head_stops_while_the_others_finish() -> None:
    play = Play("classic", after_bell_head="stop").open()
    play.roll(2, "1")
    play.roll(1, "B")
    assert (play.table(1).done, play.table(2).done) == (True, False)
    every = Play("classic", after_bell_head="stop", end__tables="any").open()
    every.roll(2, "1")
    every.roll(1, "B")
    assert every.table(2).done


@pytest.mark.parametrize(("marks", "buncos"), [("nobody", [0, 0, 0, 0]), ("partner", [0, 0, 1, 0])])
def test_who_gets_the_marks_of_a_ghost(marks: str, buncos: list[int]) -> None:
    play = Play("bonko", ["1bcd", "efgh"], ghost_marks=marks).open()
    play.roll(1, "B")
    table = play.table(1)
    assert (table.buncos, table.seat_points) == (buncos, [21, 0, 0, 0])
    assert play.bell.player == "Ghost 1"
    assert play.evening.traveler == (None if marks == "nobody" else "c")


def test_two_ghosts_in_a_team_have_no_marks() -> None:
    play = Play("bonko", ["abcd", "1e2f"], ghost_marks="partner")
    play.say("leave", player="f")
    play.open().roll(2, "m.m.B")
    assert play.seating()[1] == "1e32"
    assert play.table(2).minis == [0, 1, 0, 0]  # e's own; Ghost 1 and Ghost 3 are one team


@pytest.mark.parametrize(
    ("traveling", "rolls", "holder"),
    [
        ("bunco", [[1, 1, 1]], "e"),
        ("bunco", [[2, 2, 2]], None),
        ("mini", [[2, 2, 2]], "e"),
        ("mini", [[1, 1, 1]], None),
        ("mini", [SIXES], None),
        (1, [[1, 1, 1]], "e"),
        (2, [[2, 2, 2]], "e"),
        (2, [[3, 3, 3]], None),
        (6, [SIXES], "e"),
        (True, [[1, 1, 1]], "e"),
    ],
)
def test_what_hands_the_bag_on(traveling: Any, rolls: list[list[int]], holder: str | None) -> None:
    play = Play("bonko", scoring__wipe=6, traveling=traveling).open()
    for dice in rolls:
        play.say("roll", table=2, dice=dice)
    assert play.evening.traveler == holder


def test_a_mini_by_hand_without_a_face_hands_no_bag_of_a_face_on() -> None:
    play = Play("bonko", traveling=2).open()
    play.roll(2, "m")
    assert play.report()["traveler"] is None
    play.say("roll", table=2, call="mini", face=2)
    assert play.report()["traveler"] == "e"
    play.say("undo", table=2)
    assert play.report()["traveler"] is None


def test_the_faces_of_a_set_are_the_rounds() -> None:
    play = Play("bonko", evening__faces=[2, 5], evening__sets=2, evening__break_after=1)
    assert play.round().round().evening.resting
    play.open()
    assert (play.running.set, play.running.place, play.running.target) == (2, 1, 2)
    play.decide("US", "US").round()
    assert play.evening.state == "finished"
    rounds = [(one["set"], one["round"], one["face"]) for one in play.report()["rounds"]]
    assert rounds == [(1, 1, 2), (1, 2, 5), (2, 1, 2), (2, 2, 5)]


def test_losers_go_on_to_the_next_table_and_winners_stay() -> None:
    play = Play("bonko", ["abcd", "efgh", "ijkl"], move__tables="losers_round").round("US", "THEM", "US")
    assert play.seating() == ["acjl", "fhbd", "ikeg"]
    one = Play("bonko", ["abcd"], move__tables="losers_round").round("THEM")
    assert one.seating() == ["bdac"]


def test_what_the_rules_are_called() -> None:
    play = Play("gong", end__points=11)
    assert (play.report()["rules"], play.report()["name"]) == ("gong", "house rules on gong")
    named = Play("gong", name="Friday rules", end__points=11)
    assert named.report()["name"] == "Friday rules"
    assert title(override(preset("gong"), {"name": "Gong as ever"})) == "Gong as ever"
    assert title(preset("gong")) == "gong"
