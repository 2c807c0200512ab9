"""Epochs and the bell fact of a round, and what the report says of it (wire/README.md)."""

from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.game.evening import Evening
from pi_bunco.game.replay import evening_report


def test_epochs_count_opened_rounds_and_foreign_ones_are_ignored() -> None:
    play = Play("bonko").open()
    play.say("round_cancel")
    play.open()
    assert play.say("roll", table=1, call="one", epoch=1) is not None
    assert play.table(1).ignored == 0
    assert play.say("roll", table=1, call="one", epoch=2) is None
    assert play.say("confirm", table=1, epoch=3) is not None


def test_heard_is_kept_whatever_its_epoch() -> None:
    play = Play("bonko").open()
    assert play.say("bell_seen", table=1, epoch=7) is None


def test_the_bell_sets_its_time_directly_behind_the_roll() -> None:
    play = Play("bonko").open()
    play.roll(1, "B", 5000)
    assert play.say("bell", 5040) is None
    assert (play.bell.t, play.bell.by) == (5040, "bunco")
    assert play.roll(2, "1", 5040) is None
    assert play.roll(2, "1", 5041) is not None


def test_the_bell_sets_its_time_directly_behind_the_hosts_close() -> None:
    play = Play("bonko").open()
    play.say("round_close", 5000, by="time")
    assert play.say("bell", 5040) is None
    assert (play.bell.t, play.bell.by, play.bell.player) == (5040, "time", None)


@pytest.mark.parametrize("between", ["roll", "bell_seen", "bell"])
def test_a_bell_that_is_not_directly_behind_is_ignored(between: str) -> None:
    play = Play("bonko").open()
    play.roll(1, "B", 5000)
    fields: dict[str, dict[str, Any]] = {
        "roll": {"table": 2, "call": "one"},
        "bell_seen": {"table": 2},
        "bell": {},
    }
    play.say(between, 5010, **fields[between])
    t = play.bell.t
    assert play.say("bell", 6000) == "the bell of this round has rung already"
    assert play.bell.t == t


def test_a_void_bell_can_ring_again() -> None:
    play = Play("bonko").open()
    play.roll(1, "B", 5000)
    play.say("bell_void")
    assert play.evening.state == "round_open"
    assert play.say("bell") == "nothing has rung the bell"
    play.roll(1, "B", 9000)
    assert play.say("bell", 9100) is None
    assert (play.bell.t, play.bell.player) == (9100, "a")


def test_the_bell_of_an_undone_roll_still_names_who_rang() -> None:
    play = Play("bonko").open()
    play.roll(1, "B")
    play.say("undo", table=1)
    play.roll(1, ".")
    assert play.bell.player == "a"


def test_ignored_rolls_are_counted_where_they_happened() -> None:
    play = Play("bonko").open()
    play.roll(2, "1.")
    play.close()
    play.roll(2, "11")
    play.say("undo", table=2)
    play.say("roll", table=2, call="one", epoch=9)
    play.decide("US", "US")
    play.roll(2, "1")
    assert [table["ignored"] for table in play.report()["rounds"][0]["tables"]] == [0, 2]


def test_the_report_before_and_during_the_first_round() -> None:
    assert evening_report(Evening())["next_seating"] is None
    play = Play("bonko").open()
    assert play.report()["rounds"] == []
    assert play.report()["next_seating"] == [tuple("abcd"), tuple("efgh")]
    play.roll(1, "B")
    assert play.report()["standings"]["a"]["buncos"] == 0
    assert play.report()["traveler"] == "a"


def test_no_bag_travels_where_the_rules_have_none() -> None:
    play = Play("classic").open()
    play.roll(1, "B")
    assert play.report()["traveler"] is None
