"""RULES.md, Mending: a round is cancelled, a table reopened."""

from typing import Any

import pytest

from game.evenings import Play


def test_a_cancelled_round_never_happened() -> None:
    play = Play("bonko").round()
    before = play.report()
    play.open()
    play.roll(1, "B")
    assert play.report()["traveler"] == before["next_seating"][0][0]
    assert play.say("round_cancel") is None
    assert play.report() == before
    assert (play.open().running.set, play.running.target) == (1, 2)


def test_reopen_until_the_next_round_opens() -> None:
    play = Play("bonko").round()
    assert play.say("reopen", table=1) is None
    assert (play.phase(1), play.phase(2), play.evening.state) == ("playing", "final", "round_open")
    play.say("decide", table=1, winner="THEM")
    play.open()
    assert play.say("reopen", table=1) == "table 1 has no result to reopen"


def test_reopen_works_the_moves_out_again() -> None:
    play = Play("classic").round("US", "US")
    assert play.seating() == ["aceg", "fhbd"]
    play.say("reopen", table=1)
    assert play.seating() == ["abcd", "efgh"]
    play.say("decide", table=1, winner="THEM")
    assert play.seating() == ["bdeg", "fhac"]
    assert play.report()["standings"]["a"]["losses"] == 1


def test_reopen_for_undo() -> None:
    play = Play("bonko").open()
    play.roll(2, "1")
    play.close()
    play.say("confirm", table=2)
    play.decide("US")
    assert play.say("reopen", table=2) is None
    assert play.say("undo", table=2) is None
    assert play.roll(2, ".") is None
    play.say("confirm", table=2)
    assert play.phase(2) == "roll-off"


def test_reopen_of_a_roll_off_goes_back_into_it() -> None:
    play = Play("classic").open().close()
    play.say("confirm", table=2)
    play.say("faceoff", table=2, dice=[1, 2])
    play.decide("US")
    play.say("reopen", table=2)
    assert (play.phase(2), play.table(2).rolloffs) == ("roll-off", 1)


def test_the_last_round_can_be_reopened() -> None:
    play = Play("bonko", evening__sets=1)
    for _ in range(6):
        play.round()
    assert play.say("reopen", table=1) is None
    play.say("decide", table=1, winner="US")
    assert play.evening.state == "finished"


def test_reopen_after_people_changed_keeps_the_changes() -> None:
    play = Play("classic", ["abcd", "efg1"]).round()
    play.say("leave", player="b")
    play.say("arrive", player="z")
    play.substitute("e", "y")
    before = play.report()
    play.say("reopen", table=1)
    play.say("decide", table=1, winner="US")
    assert play.report() == before


@pytest.mark.parametrize("change", ["leave", "arrive", "substitute"])
def test_cancel_of_a_reopened_round_keeps_people_in_their_seats(change: str) -> None:
    play = Play("bonko", ["abcd", "efg1"]).round()
    fields: dict[str, dict[str, Any]] = {
        "substitute": {"out": "a", "in": "z"},
        "leave": {"player": "a"},
        "arrive": {"player": "z"},
    }
    play.say(change, **fields[change])
    play.say("reopen", table=1)
    play.say("round_cancel")
    play.round()
    seated = sorted(name for table in play.report()["next_seating"] for name in table)
    assert seated == sorted([*play.evening.people.present, *play.evening.people.ghosts])


def test_reopen_and_the_same_result_gives_the_same_seats_after_ghosts_changed() -> None:
    play = Play("classic").round()
    assert play.seating() == ["aceg", "fhbd"]
    play.say("leave", player="a")
    play.say("leave", player="e")
    play.say("arrive", player="z")
    assert play.seating() == ["zcg2", "fhbd"]
    play.say("reopen", table=1)
    play.say("decide", table=1, winner="US")
    assert play.seating() == ["zcg2", "fhbd"]


def test_reopen_and_the_same_result_leaves_a_break_as_it_was() -> None:
    play = Play("bonko").round()
    play.say("pause", minutes=10)
    play.say("reopen", table=1)
    play.say("decide", table=1, winner="US")
    assert play.evening.state == "break"


def test_cancel_brings_back_the_break() -> None:
    play = Play("bonko").round()
    play.say("pause", minutes=10)
    play.open().say("round_cancel")
    assert play.evening.state == "break"
