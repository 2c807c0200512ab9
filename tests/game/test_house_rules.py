"""House rules change the play at a table: wipes, other bells, ghosts' marks, the bag, faces and moves."""

from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.errors import RulesError
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
def test_marks_of_a_ghosts_turn_follow_ghost_marks(marks: str, buncos: list[int]) -> None:
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
def test_rolls_that_hand_the_bag_on(traveling: Any, rolls: list[list[int]], holder: str | None) -> None:
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


def test_winners_round_is_the_mirror_of_losers_round() -> None:
    play = Play("bonko", ["abcd", "efgh", "ijkl"], move__tables="winners_round").round("US", "THEM", "US")
    assert play.evening.seating == [("b", "d", "f", "h"), ("e", "g", "i", "k"), ("j", "l", "a", "c")]
    one = Play("bonko", ["abcd"], move__tables="winners_round").round("THEM")
    assert one.evening.seating == [("b", "d", "a", "c")]


def test_in_a_chain_everybody_goes_one_chair_on_in_the_group_and_nobody_keeps_a_partner() -> None:
    play = Play("bonko", ["abcd", "efgh"], move__tables="chain").round()
    assert play.evening.seating == [("g", "a", "d", "b"), ("c", "e", "h", "f")]
    groups = Play.of([list("abcd"), list("efgh")], move__tables="chain", groups=[[1], [2]]).round()
    assert groups.evening.seating == [("c", "a", "d", "b"), ("g", "e", "h", "f")]


def test_with_partners_nobody_has_a_partner_twice_however_a_round_is_reopened() -> None:
    play = Play("bonko", ["abcd", "efgh"], move__tables="partners", evening__sets=2)
    had: set[frozenset[str]] = set()
    for number in range(7):
        for a, b, c, d in play.evening.seating or []:
            had |= {frozenset((a, c)), frozenset((b, d))}
        assert len(had) == 4 * (number + 1)
        play.round()
        play.say("reopen", table=1)
        play.decide("THEM")
    assert play.evening.seating == [("a", "b", "c", "d"), ("e", "f", "g", "h")]


def tied(method: str, letters: str = "") -> Play:
    """Equal points at the only table after `letters`, the bell, and the OK."""
    play = Play("bonko", ["abcd"], tie__method=method, after_bell="stop").open()
    play.roll(1, letters)
    return play.close().say_all(("confirm", 1))


def test_one_roll_gives_each_seat_a_single_roll_until_they_differ() -> None:
    play = tied("one_roll")
    table = play.running.tables[0]
    play.roll(1, "2m.2")  # d makes it 2:2 (a mini is a miss)
    assert (table.points, table.rolloffs, table.seat) == ([2, 2], 2, 0)
    play.roll(1, "1...")
    assert play.evening.rounds[0].tables[0].winner == 0


def test_no_chance_gives_a_turn_to_whoever_had_none_then_one_roll_each() -> None:
    play = tied("no_chance", "1.1.")  # a and b have rolled
    table = play.running.tables[0]
    assert table.seat == 2
    play.roll(1, "11.")
    assert (table.points, table.seat) == ([3, 1], 3)
    play.roll(1, "2.")
    assert (table.points, table.rolloffs, table.seat) == ([3, 3], 2, 0)
    play.roll(1, "1")
    assert table.seat == 1
    play.roll(1, "...")
    assert play.evening.rounds[0].tables[0].winner == 0


def test_no_chance_without_anybody_who_lacks_one_is_one_roll_each() -> None:
    table = tied("no_chance", "....").running.tables[0]
    assert (table.seat, table.one_roll) == (0, True)


def test_only_the_second_bunco_of_a_round_takes_the_bag() -> None:
    quiet: dict[str, Any] = {"end__bunco": False, "end__points": None}
    play = Play("bonko", traveling="bunco", traveling_nth=2, **quiet).open()
    travelers = []
    for table, letters in ((2, "B"), (1, ".B"), (1, "B.B")):
        play.roll(table, letters)
        travelers.append(play.evening.traveler)
    assert travelers == [None, "b", "b"]
    play.say("undo", table=1)
    play.say("undo", table=2)  # b's second one is the second now
    assert play.evening.traveler == "b"


def test_seconds_are_a_time_limit_of_their_own() -> None:
    rules = override(preset("bonko"), {"end.minutes": 5})
    assert override(rules, {"end.seconds": 90}).end.limit_s == 90
    assert override(override(rules, {"end.seconds": 90}), {"end.minutes": 2}).end.limit_s == 120
    with pytest.raises(RulesError, match="in minutes or in seconds"):
        override(rules, {"end.seconds": 90, "end.minutes": 2})
