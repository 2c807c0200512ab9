"""Rulings of RULES.md, and its corners: each worked out from the text, one test for each ruling."""

from typing import Any

import pytest

from game.evenings import Play, names
from game.independent.comparing import compared
from pi_bunco.game.round import EndBell

MISS, TWO = [1, 2, 3], [1, 1, 3]
"""Throws of the first round of a set."""


def paper(*points: int, buncos: tuple[int, ...] = (), minis: tuple[int, ...] = ()) -> list[dict[str, int]]:
    """Cards of seats A to D; `buncos` and `minis` are the seats (0-3) that have one."""
    return [
        {"points": value, "buncos": int(seat in buncos), "minis": int(seat in minis)}
        for seat, value in enumerate(points)
    ]


# The bell.


def test_no_round_while_a_table_has_nobody_but_ghosts() -> None:
    play = Play("bonko", ["abcd", "e123"]).round()
    assert play.say("leave", player="e") is None
    why = play.say("round_open")
    assert why is not None
    assert "nobody but ghosts" in why


def test_the_bell_without_a_bell_fact_is_at_the_ringing_facts_own_time() -> None:
    """The roll takes the time of the undone one over, the bell does not."""
    play = Play("bonko").open()
    play.roll(1, "1", 5000)
    play.say("undo", 6000, table=1)
    play.roll(1, "B", 9000)
    assert play.bell.t == 9000
    assert play.roll(2, "1", 8900) is None


def test_a_bell_of_a_table_whose_clock_is_ahead_is_at_that_clock() -> None:
    play = Play("bonko").open()
    play.roll(1, "1", 9000)
    play.roll(1, "B", 8000)
    assert play.bell.t == 9000


def test_all_rolls_are_counted_again_although_one_of_them_rings() -> None:
    play = Play("bonko", end__points=4).open()
    play.roll(1, "2.11.")  # US 2, THEM 2
    assert play.say("turn", 20_000, table=1, seat="C", rolls=3) is None
    assert (play.table(1).points, play.bell) == ([4, 0], EndBell(20_000, "points", "c"))
    assert play.table(1).seat == 3  # the miss passed the dice on


def test_only_a_table_that_may_ring_rings_by_a_recount() -> None:
    play = Play("bonko", end__points=2).open()
    play.roll(2, "1.1")
    play.say("turn", table=2, seat="A", rolls=1)
    assert (play.table(2).points, play.running.bell) == ([2, 0], None)


# Undo after the bell.


def test_after_the_bell_only_a_roll_by_hand_takes_an_undone_time() -> None:
    play = Play("bonko").open()
    play.roll(1, "1")
    play.roll(2, "1", 5000)
    play.roll(1, "B", 6000)
    play.say("undo", table=2)
    assert play.say("roll", 9000, table=2, dice=TWO) == "table 2 is done for this round"
    assert play.say("roll", 9500, table=2, call="two") is None
    assert play.table(2).points == [2, 0]


def test_the_replacement_of_a_counted_roll_counts_whatever_its_time() -> None:
    """The bell fact says an earlier time than the undone roll had."""
    play = Play("bonko").open()
    play.roll(2, "1", 5000)
    play.roll(1, "B", 6000)
    play.say("bell", 4000)
    play.say("undo", table=2)
    assert play.say("roll", 9500, table=2, call="two") is None


def test_a_throw_that_counts_after_the_bell_replaces_an_undone_roll_with_its_own_time() -> None:
    play = Play("classic").open()
    play.roll(1, "1", 5000)
    play.roll(1, "B", 6000)
    play.say("undo", table=1)
    assert play.say("roll", 9000, table=1, dice=TWO) is None  # a's turn goes on, so that it counts
    assert play.table(1).undone == []
    assert play.table(1).entries[-1][1] == 9000


def test_roller_of_a_replaced_ringing_roll_rang() -> None:
    play = Play("classic").open()
    play.roll(1, "1.1", 5000)
    play.roll(1, "B", 6000)
    assert play.bell.player == "b"
    play.say("undo", table=1)
    assert play.bell.player == "b"
    play.say("turn", table=1, seat="C")
    assert play.roll(1, "1") is None
    assert play.bell == EndBell(6000, "bunco", "c")


def test_whatever_replaced_the_ringing_roll_is_the_ringing_roll_from_then_on() -> None:
    play = Play("classic").open()
    play.roll(1, "1.1B")
    play.say("undo", table=1)
    play.roll(1, "2")
    assert play.say("turn", table=1, seat="D", rolls=1) is None
    assert play.bell.player == "d"


def test_under_stop_another_turn_may_be_said_of_the_ringing_roll() -> None:
    play = Play("bonko").open()
    play.roll(1, "1.B")
    assert play.say("turn", table=1, seat="C") == "table 1 is done for this round"
    assert play.say("turn", table=1, seat="C", rolls=1) is None
    assert (play.table(1).points, play.bell.player) == ([22, 0], "c")


def test_a_done_table_takes_another_turn_while_an_undone_roll_of_before_the_bell_waits() -> None:
    play = Play("bonko").open()
    play.roll(2, "1")
    play.roll(1, "B")
    assert play.say("turn", table=2, seat="C") is not None
    play.say("undo", table=2)
    assert play.say("turn", table=2, seat="C") is None


def test_a_roll_in_a_roll_off_takes_over_no_time() -> None:
    play = Play("bonko").open()
    play.roll(1, "1")
    play.close()
    play.say("undo", table=1)
    play.say("confirm", table=1)
    assert play.phase(1) == "roll-off"
    assert play.roll(1, "2") is None
    assert (play.phase(1), len(play.table(1).undone)) == ("roll-off", 1)


# Roll-offs, voids and reopening.


def test_a_roll_made_before_the_bell_closes_a_roll_off_and_replaces_nothing() -> None:
    play = Play("bonko").open()
    play.roll(2, "1", 1500)
    play.roll(1, "B", 3000)
    play.say("undo", table=2)
    play.say("confirm", table=2)
    assert play.phase(2) == "roll-off"
    assert play.say("roll", 2500, table=2, dice=TWO) is None
    assert (play.phase(2), play.table(2).points, len(play.table(2).undone)) == ("playing", [2, 0], 1)


def test_winner_auto_asks_for_the_points_that_are_there_at_the_ok() -> None:
    play = Play("gong", scoring__wipe=6).open()
    play.roll(2, "2" * 11 + "w.1.")
    play.close().say("confirm", table=2)
    assert (play.table(2).points, play.table(2).winner) == ([0, 1], 1)


def test_pause_bypass_restore_and_hand_are_never_ignored() -> None:
    play = Play().open()
    for kind, fields in (
        ("pause", {"minutes": 5}),
        ("bypass", {"table": 2}),
        ("restore", {"table": 1}),
        ("hand", {"table": 2, "allowed": True}),
    ):
        assert play.say(kind, **fields) is None
    assert play.evening.state == "round_open"
    play.decide("US", "US")
    assert play.evening.state == "between_rounds"


# People.


def test_a_substitute_takes_exactly_that_seat_also_beside_three_ghosts() -> None:
    play = Play("bonko", ["abcd", "e123"])
    assert play.substitute("e", "z") is None
    assert play.seating() == ["abcd", "z123"]


def test_c_and_d_change_places_only_where_no_two_ghosts_share_a_team_then() -> None:
    play = Play("bonko", ["abcd", "1e2f"])
    assert play.seating() == ["abcd", "1ef2"]
    play.say("leave", player="f")
    assert play.seating() == ["abcd", "1e32"]  # three ghosts: nobody moves


def test_an_evening_closed_in_a_round_leaves_it_out_and_the_bag_where_it_is() -> None:
    play = Play("bonko").open()
    play.roll(2, "B")
    play.say("evening_close")
    assert (play.report()["rounds"], play.evening.traveler) == ([], "e")


# Cancelled rounds. `compared` asks the second engine too.


def test_a_reopened_round_that_is_cancelled_leaves_the_break_that_its_opening_ended() -> None:
    play = Play("bonko").say_all("pause", "round_open").decide("US", "US").open()
    play.say_all("round_cancel", ("reopen", 2), "round_cancel")
    assert (play.evening.state, compared(play.lines)) == ("break", [])


def test_chairs_set_since_a_cancelled_round_stay_when_the_round_before_is_final_again() -> None:
    play = Play("gong").round().round()
    play.say("seating", tables=[names("acbd"), names("hgfe")])
    play.say_all(("reopen", 1), "round_cancel", ("reopen", 1))
    play.say("decide", table=1, winner="THEM")
    assert (play.seating(), compared(play.lines)) == (["acbd", "hgfe"], [])


@pytest.mark.parametrize("change", ["leave", "arrive"])
def test_people_who_changed_since_a_cancelled_round_stay_when_the_round_before_is_final_again(
    change: str,
) -> None:
    play = Play("gong", ["abcd", "efg1"]).round().round()
    play.say(change, player={"leave": "b", "arrive": "z"}[change])
    play.say_all(("reopen", 1), "round_cancel", ("reopen", 1), ("reopen", 2))
    play.decide("US", "THEM")
    here = {*play.evening.people.present, *play.evening.people.ghosts}
    assert {name for table in play.evening.seating or () for name in table} == here
    assert compared(play.lines) == []


# A score on paper.


def test_a_tie_on_paper_rolls_off_and_only_a_new_one_changes_it() -> None:
    play = Play("bonko").open()
    play.roll(1, "B")
    assert play.say("tally", table=2, cards=paper(1, 2, 3, 2)) is None
    assert play.roll(2, "1", play.t + 1) is not None
    assert play.say("turn", table=2, seat="A") is not None
    play.say("confirm", table=2)
    assert play.phase(2) == "roll-off"
    assert play.say("tally", table=2, cards=paper(5, 0, 0, 0)) is None
    assert (play.phase(2), play.table(2).points, play.table(2).rolloffs) == ("playing", [5, 0], 0)


def test_a_roll_of_before_the_bell_counts_on_top_of_the_paper() -> None:
    play = Play("bonko").open()
    play.roll(1, "B", 9000)
    play.say("tally", table=2, cards=paper(5, 0, 0, 0))
    assert play.roll(2, "2", 8000) is None
    assert (play.table(2).points, play.table(2).done) == ([7, 0], True)


def test_a_ghosts_marks_on_paper_are_dropped_but_its_bunco_wins() -> None:
    play = Play("gong", ["abcd", "e1gh"]).open()
    play.roll(1, "B")
    play.say("tally", table=2, cards=paper(9, 1, 0, 0, buncos=(1,), minis=(1,)))
    table = play.table(2)
    assert (table.buncos, table.minis) == ([0] * 4, [0] * 4)
    play.say("confirm", table=2)
    assert table.winner == 1


@pytest.mark.parametrize(("traveling", "holder"), [("bunco", "g"), ("mini", None), (3, None)])
def test_the_bag_goes_by_paper_only_for_buncos(traveling: Any, holder: str | None) -> None:
    play = Play("bonko", ["abcd", "efg1"], traveling=traveling).open().close()
    play.say("tally", table=2, cards=paper(0, 0, 0, 0, buncos=(1, 2, 3), minis=(0,)))
    assert play.evening.traveler == holder
