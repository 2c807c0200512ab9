"""RULES.md, Mending: undo, turn, decide, a void bell."""

import pytest

from game.evenings import Play
from pi_bunco.game.round import EndBell

MODES = ["stop", "finish_turn", "finish_lap"]


def test_undo_takes_back_points_marks_and_turn() -> None:
    play = Play("bonko").open()
    play.roll(2, "1B")
    play.say("undo", table=2)
    assert (play.table(2).points, play.table(2).buncos, play.seat(2)) == ([1, 0], [0] * 4, "A")
    play.roll(2, ".")
    play.say("undo", table=2)
    assert play.seat(2) == "A"


def test_undo_leaves_a_bell_rung() -> None:
    play = Play("bonko").open()
    play.roll(1, "B")
    play.say("undo", table=1)
    assert (play.evening.state, play.table(1).points) == ("after_bell", [0, 0])


def test_undo_closes_the_roll_off_that_was_opened_since() -> None:
    play = Play("bonko").open()
    play.roll(2, ".")
    play.close()
    play.say("confirm", table=2)
    play.say("undo", table=2)
    assert (play.phase(2), play.table(2).rolloffs, play.seat(2)) == ("playing", 0, "A")


def test_undo_takes_back_roll_off_rolls_first() -> None:
    play = Play("bonko").open()
    play.roll(2, ".")
    play.close()
    play.say("confirm", table=2)
    play.roll(2, "1")
    play.say("undo", table=2)
    assert (play.phase(2), play.table(2).points) == ("roll-off", [0, 0])


def test_undo_takes_the_bag_back() -> None:
    play = Play("bonko").open()
    play.roll(2, "B.")
    play.roll(1, "B")
    assert play.report()["traveler"] == "a"
    play.say("undo", table=1)
    assert play.report()["traveler"] == "e"
    play.say("undo", table=2)
    play.say("undo", table=2)
    assert play.report()["traveler"] is None


def test_undo_needs_a_roll_of_this_round_and_no_result() -> None:
    play = Play("bonko").open()
    assert play.say("undo", table=2) == "table 2 has no roll to take back"
    play.roll(2, "1")
    play.say("decide", table=2, winner="US")
    assert play.say("undo", table=2) == "table 2's result is final; reopen it first"


@pytest.mark.parametrize("mode", MODES)
def test_a_correction_after_the_bell_counts_once_for_each_roll_undone(mode: str) -> None:
    play = Play("bonko", after_bell=mode).open()
    play.roll(2, "....", 3000)
    play.say("round_close", 9000)
    play.say("undo", table=2)
    play.say("undo", table=2)
    assert play.roll(2, "..") is None
    assert play.table(2).done
    assert play.roll(2, "1") == "table 2 is done for this round"


def test_rolls_after_undoing_take_the_undone_times_oldest_first() -> None:
    play = Play("bonko").open()
    for t in (1000, 2000, 3000):
        play.roll(2, ".", t)
    play.say("undo", table=2)
    play.say("undo", table=2)
    play.roll(2, "...", 50_000)
    assert [entry[1] for entry in play.table(2).entries] == [1000, 2000, 3000, 50_000]


def test_a_roll_counted_before_the_bell_but_made_later_can_be_corrected_too() -> None:
    play = Play("bonko").open()
    play.roll(2, "1", 9500)
    play.say("round_close", 9000)
    play.say("undo", table=2)
    assert play.roll(2, "2", 12_000) is None


def test_undo_after_the_bell_lets_the_turn_go_on_again() -> None:
    play = Play("classic").open()
    play.roll(2, "1")
    play.close()
    play.roll(2, ".")
    assert play.table(2).done
    play.say("undo", table=2)
    assert not play.table(2).done
    assert play.roll(2, "1.") is None


def test_turn_makes_it_that_seats_turn() -> None:
    play = Play("bonko").open()
    assert play.say("turn", table=2, seat="C") is None
    play.roll(2, "1")
    assert play.table(2).seat_points == [0, 0, 1, 0]


def test_turn_counts_the_last_rolls_again_as_that_seats() -> None:
    play = Play("bonko").open()
    play.roll(2, ".12")
    assert play.say("turn", table=2, seat="C", rolls=2) is None
    assert (play.table(2).seat_points, play.table(2).points, play.seat(2)) == ([0, 0, 3, 0], [3, 0], "C")


def test_turn_takes_the_mark_and_the_bag_along() -> None:
    play = Play("bonko").open()
    play.roll(2, ".B")
    play.say("turn", table=2, seat="D", rolls=1)
    assert (play.table(2).buncos, play.report()["traveler"]) == ([0, 0, 0, 1], "h")


def test_turn_cannot_move_more_rolls_than_there_are() -> None:
    play = Play("bonko").open()
    play.roll(2, "11")
    assert play.say("turn", table=2, seat="C", rolls=3) is not None
    assert play.table(2).points == [2, 0]


def test_turn_moves_no_rolls_of_the_round_before() -> None:
    play = Play("bonko").open()
    play.roll(2, "11")
    play.decide("US", "US").open()
    assert play.say("turn", table=2, seat="C", rolls=1) is not None


def test_turn_is_refused_where_rolls_do_not_count() -> None:
    play = Play("bonko").open().close()
    assert play.say("turn", table=2, seat="C") == "table 2 is done for this round"
    play.say("confirm", table=2)
    assert play.say("turn", table=2, seat="C") == "table 2 is in a roll-off"
    play.say("decide", table=2, winner="US")
    assert play.say("turn", table=2, seat="C") == "table 2's result is final"


def test_a_new_turn_after_the_bell_has_no_roll_that_scored() -> None:
    play = Play("classic").open()
    play.roll(2, "1")
    play.close()
    assert play.say("turn", table=2, seat="B") is None
    assert play.table(2).done


def test_a_roll_that_is_counted_again_rings_at_the_time_of_the_turn() -> None:
    play = Play("bonko", end__points=4).open()
    play.roll(1, "2.2")
    play.say("turn", t=9000, table=1, seat="C", rolls=1)
    assert (play.table(1).points, play.evening.state) == ([4, 0], "after_bell")
    assert play.running.bell == EndBell(9000, "points", "c")


def test_decide_is_final_whatever_the_points() -> None:
    play = Play("bonko").open()
    play.roll(2, "22")
    play.say("decide", table=2, winner="THEM")
    assert play.table(2).winner == 1
    assert play.say("decide", table=2, winner="US") == "table 2's result is final; reopen it first"


def test_bell_void_opens_the_round_again_and_what_was_ignored_stays_so() -> None:
    play = Play("bonko").open()
    play.roll(2, "1")
    play.close()
    play.roll(2, "2")
    assert play.say("bell_void") is None
    assert (play.evening.state, play.table(2).points, play.table(2).ignored) == ("round_open", [1, 0], 1)
    assert play.roll(2, "2") is None


def test_bell_void_takes_confirmed_results_and_roll_offs_back() -> None:
    play = Play("bonko").open()
    play.roll(2, "1")
    play.close()
    play.say("confirm", table=1)
    play.say("confirm", table=2)
    play.say("bell_void")
    assert (play.phase(1), play.phase(2), play.table(1).rolloffs) == ("playing", "playing", 0)


def test_bell_void_leaves_the_hosts_word() -> None:
    play = Play("bonko").open().close()
    play.say("decide", table=2, winner="US")
    play.say("bell_void")
    assert play.phase(2) == "final"


def test_no_roll_off_is_open_in_a_round_whose_bell_was_void() -> None:
    play = Play("bonko").open().close()
    play.say("confirm", table=1)
    play.say("decide", table=1, winner="US")
    play.say("bell_void")
    assert play.say("reopen", table=1) is None
    assert play.phase(1) == "playing"


def test_a_refused_faceoff_costs_no_late_roll() -> None:
    play = Play("classic").open()
    play.say("round_close", 9000)
    assert play.say("faceoff", 9500, table=2, dice=[3, 4]) is not None
    assert play.roll(2, "1", 8000) is None


def test_reopen_brings_back_a_correction_that_was_due() -> None:
    play = Play("bonko").open()
    play.roll(2, "1", 2000)
    play.say("round_close", 9000)
    play.roll(2, "..", 8000)
    play.say("undo", table=2)
    play.say("confirm", table=2)
    assert play.say("reopen", table=2) is None
    assert play.roll(2, "1") is None


def test_turn_counts_after_the_bell_while_a_correction_is_due() -> None:
    play = Play("bonko").open()
    play.roll(2, "1")
    play.close()
    play.say("undo", table=2)
    assert play.say("turn", table=2, seat="B") is None
    play.roll(2, "1")
    assert play.table(2).seat_points == [0, 1, 0, 0]


def test_an_undone_roll_of_a_roll_off_leaves_no_time_behind() -> None:
    play = Play("bonko").open()
    play.roll(2, ".")
    play.close()
    play.say("confirm", table=2)
    play.roll(2, "1")
    play.say("undo", table=2)
    play.say("undo", table=2)
    assert play.roll(2, ".") is None
    assert play.roll(2, ".") == "table 2 is done for this round"
