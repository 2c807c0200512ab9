"""RULES.md, The bell: what a table may still do when it has rung."""

import pytest

from game.evenings import Play

MODES = ["stop", "finish_turn", "finish_lap"]


def test_stop_counts_nothing_made_after_the_bell() -> None:
    play = Play("bonko").open()
    play.roll(2, "1")
    play.close()
    assert play.roll(2, "1") == "table 2 is done for this round"
    assert play.table(2).points == [1, 0]


@pytest.mark.parametrize("mode", MODES)
def test_a_roll_made_at_the_bell_counts_when_it_comes_late(mode: str) -> None:
    play = Play("bonko", after_bell=mode).open()
    play.say("round_close", 9000)
    assert play.roll(2, "1", 9000) is None
    assert play.table(2).points == [1, 0]


@pytest.mark.parametrize("mode", ["stop", "finish_turn"])
def test_a_roll_made_just_after_the_bell_does_not_count(mode: str) -> None:
    play = Play("bonko", after_bell=mode).open()
    play.say("round_close", 9000)
    assert play.roll(2, "1", 9001) is not None


@pytest.mark.parametrize("method", ["session", "one_die", "lap"])
@pytest.mark.parametrize("mode", MODES)
def test_a_late_roll_closes_the_roll_off_that_is_open(mode: str, method: str) -> None:
    play = Play("bonko", after_bell=mode, tie__method=method).open()
    play.roll(2, "....", 2000)
    play.say("round_close", 9000)
    assert play.say("confirm", table=2) is None
    assert play.phase(2) == "roll-off"
    assert play.roll(2, "1", 8000) is None
    assert (play.phase(2), play.table(2).rolloffs, play.table(2).points) == ("playing", 0, [1, 0])


@pytest.mark.parametrize("mode", MODES)
def test_a_late_roll_does_not_count_at_a_final_table(mode: str) -> None:
    play = Play("bonko", after_bell=mode).open()
    play.say("round_close", 9000)
    play.say("decide", table=2, winner="US")
    assert play.roll(2, "1", 8000) == "table 2's result is final"


def test_a_late_roll_that_scores_lets_the_turn_go_on() -> None:
    play = Play("classic").open()
    play.say("round_close", 9000)
    assert play.table(2).done
    play.roll(2, "1", 8000)
    assert not play.table(2).done
    assert play.roll(2, "1", 9500) is None
    assert play.roll(2, ".", 9600) is None
    assert play.table(2).done


def test_a_late_roll_after_a_complete_lap_starts_another_one() -> None:
    play = Play("tournament").open()
    play.roll(2, "....", 1500)
    play.say("round_close", 9000)
    assert play.table(2).done
    play.roll(2, ".", 8000)
    play.roll(2, "...")
    assert play.table(2).done


def test_time_never_falls_within_a_table() -> None:
    """The second roll says 8000, but came behind one of 9500: it was made after the bell as well."""
    play = Play("bonko", after_bell="finish_lap").open()
    play.say("round_close", 9000)
    play.roll(2, "1", 9500)
    play.roll(2, "1", 8000)
    assert [entry[1] for entry in play.table(2).entries] == [9500, 9500]


def test_time_falls_freely_between_tables() -> None:
    play = Play("bonko").open()
    play.roll(1, "1", 9500)
    play.say("round_close", 9000)
    assert play.roll(2, "1", 8500) is None


def test_rolls_counted_before_the_bell_stay_counted() -> None:
    play = Play("bonko").open()
    play.roll(2, "1", 9500)
    play.say("round_close", 9000)
    assert play.table(2).points == [1, 0]


def test_finish_turn_lets_the_ringer_and_who_scored_go_on() -> None:
    play = Play("classic", ["abcd", "efgh", "ijkl"], end__points=2).open()
    play.roll(2, "1")
    play.roll(3, "1.")
    play.roll(1, "2")
    assert [table.done for table in play.running.tables] == [False, False, True]
    assert play.roll(1, "1.") is None
    assert play.roll(2, "m.") is None
    assert [table.done for table in play.running.tables] == [True, True, True]


def test_finish_turn_knows_no_turn_of_who_holds_the_dice_but_has_not_rolled() -> None:
    play = Play("classic").open()
    play.roll(2, "1.")
    play.close()
    assert play.roll(2, "1") == "table 2 is done for this round"


@pytest.mark.parametrize(
    ("before", "left"), [("", 4), (".", 3), ("..", 2), ("...", 1), ("....", 0), (".....", 3), ("1", 4)]
)
def test_finish_lap_plays_until_d_has_ended_and_a_is_next(before: str, left: int) -> None:
    play = Play("tournament").open()
    play.roll(2, before)
    play.close()
    for _ in range(left):
        assert not play.table(2).done
        assert play.roll(2, ".") is None
    assert play.table(2).done
    assert play.roll(2, ".") == "table 2 is done for this round"


def test_finish_lap_a_skipped_seat_d_had_no_turn() -> None:
    play = Play("tournament").open()
    play.roll(2, "...")
    play.say("turn", table=2, seat="A")
    play.close()
    assert not play.table(2).done
    play.roll(2, "....")
    assert play.table(2).done


def test_finish_lap_a_turn_of_d_that_was_cut_short_counts_as_taken() -> None:
    play = Play("tournament").open()
    play.roll(2, "...1")
    play.say("turn", table=2, seat="A")
    play.close()
    assert play.table(2).done


def test_finish_lap_who_rang_finishes_the_turn_and_then_the_lap() -> None:
    play = Play("tournament").open()
    play.roll(1, ".B")
    assert play.roll(1, "1...") is None
    assert play.table(1).done


@pytest.mark.parametrize("mode", [*MODES, "first_lap"])
@pytest.mark.parametrize("rolls", range(12))
def test_the_last_turn_is_known_before_it_ends(mode: str, rolls: int) -> None:
    play = Play("bonko", after_bell=mode).open()
    for n in range(rolls):
        play.roll(2, "1" if n % 3 == 0 else ".")
    play.close()
    table = play.table(2)
    while not table.done:
        last = table.ends_with_turn
        play.roll(2, "1")
        assert table.ends_with_turn == last or mode == "first_lap"
        last = table.ends_with_turn
        play.roll(2, ".")
        assert table.done == last
    assert not table.ends_with_turn
