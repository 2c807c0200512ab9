"""The evening by the clock, from its facts alone: when the next step is due, and when all is over."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from game.evenings import Play
from pi_bunco.game.pace import Forecast, Steering, TimedPhase, forecast, gently, phase, steered

SECOND = 1000
BY_CLOCK: dict[str, Any] = {"play_s": 180, "move_s": 120, "warn_s": 30}


def paced(play: Play, **fields: Any) -> Play:
    play.say("pace", **(BY_CLOCK | fields))
    return play


def steer(play: Play, to: Steering) -> bool:
    play.t += SECOND
    fact = steered(play.evening, to, play.t, "ann")
    if fact is not None:
        play.log.append(fact)
        play.evening.keep_pace(fact)
    return fact is not None


def test_nothing_is_timed_without_a_pace() -> None:
    play = Play()
    assert phase(play.evening) is None
    assert phase(play.open().evening) is None
    assert forecast(play.evening, play.t) is None


def test_a_round_of_the_rules_own_length_ends_without_a_pace() -> None:
    play = Play(end__minutes=2).open()
    assert phase(play.evening) == TimedPhase("end", play.t, play.t + 120 * SECOND)


def test_round_and_moves_follow_one_another() -> None:
    play = paced(Play())
    assert phase(play.evening) == TimedPhase("start", play.t, play.t + 120 * SECOND)
    play.open()
    opened = play.t
    assert phase(play.evening) == TimedPhase("end", opened, opened + 180 * SECOND)
    play.close()
    bell = play.t
    assert phase(play.evening) == TimedPhase("start", bell, bell + 120 * SECOND)
    play.decide("US", "US")
    assert phase(play.evening) == TimedPhase("start", bell, bell + 120 * SECOND)


def test_the_shorter_of_the_rules_and_the_hosts_time_ends_a_round() -> None:
    play = paced(Play(end__minutes=2)).open()
    assert phase(play.evening) == TimedPhase("end", play.t, play.t + 120 * SECOND)


def test_everybody_has_the_time_of_the_warning_to_move_however_late_a_table_was() -> None:
    play = paced(Play()).open().close()
    play.t += 119 * SECOND
    play.decide("US", "US")
    found = phase(play.evening)
    assert found is not None
    assert found.ends == play.t + 30 * SECOND


def test_time_to_move_runs_after_the_hosts_decision_too() -> None:
    """The host skips the wait, or lets the clock go on, while a table still plays."""
    play = paced(Play()).open().close()
    bell = play.t
    assert steer(play, "skip")
    play.t += 60 * SECOND
    play.decide("US", "US")
    assert phase(play.evening) == TimedPhase("start", bell, play.t + 30 * SECOND)
    assert steer(play, "skip")
    assert phase(play.evening) == TimedPhase("start", bell, play.t)


def test_everybody_has_the_time_of_the_warning_to_move_when_seats_come_late() -> None:
    play = paced(Play())
    play.t += 500 * SECOND
    assert play.say("seating", tables=[list("abcd"), list("efgh")]) is None
    found = phase(play.evening)
    assert found is not None
    assert found.ends == play.t + 30 * SECOND


def test_a_round_waits_while_its_bell_was_false() -> None:
    play = paced(Play()).open()
    opened = play.t
    play.close()
    play.say("bell_void", play.t + 60 * SECOND)
    assert phase(play.evening) == TimedPhase("end", opened + 60 * SECOND, opened + 240 * SECOND)


def test_a_break_ends_when_it_was_said_to() -> None:
    play = paced(Play()).round()
    play.say("pause", minutes=10)
    assert phase(play.evening) == TimedPhase("start", play.t, play.t + 600 * SECOND)
    play.say("pause")
    play.evening.break_minutes = None
    assert phase(play.evening) is None


def test_a_clock_that_is_stopped_keeps_what_was_left_and_goes_on_with_it() -> None:
    play = paced(Play()).open()
    opened = play.t
    play.t += 59 * SECOND
    assert steer(play, "hold")
    assert phase(play.evening) == TimedPhase("end", opened, None, 120 * SECOND)
    assert not steer(play, "hold")
    play.t += 600 * SECOND
    assert steer(play, "minute")
    assert phase(play.evening) == TimedPhase("end", opened, None, 180 * SECOND)
    assert steer(play, "go")
    assert phase(play.evening) == TimedPhase("end", opened, play.t + 180 * SECOND)
    assert not steer(play, "go")


def test_a_clock_that_is_stopped_stays_so_in_what_follows() -> None:
    play = paced(Play()).open()
    assert steer(play, "hold")
    play.close()
    assert phase(play.evening) == TimedPhase("start", play.t, None, 120 * SECOND)


def test_a_step_is_taken_now_or_a_minute_later() -> None:
    play = paced(Play()).open()
    due = play.t + 180 * SECOND
    assert steer(play, "minute")
    assert phase(play.evening) == TimedPhase("end", due - 180 * SECOND, due + 60 * SECOND)
    assert steer(play, "skip")
    assert phase(play.evening) == TimedPhase("end", due - 180 * SECOND, play.t)
    play.close()
    assert phase(play.evening) == TimedPhase("start", play.t, play.t + 120 * SECOND)


def test_the_clock_can_be_left_off() -> None:
    play = paced(Play()).open()
    assert steer(play, "off")
    assert phase(play.evening) is None
    assert not steer(play, "off")
    assert not steer(play, "skip")


def test_a_round_of_the_rules_own_length_is_held_and_goes_on_without_a_pace() -> None:
    play = Play(end__minutes=2).open()
    opened = play.t
    play.t += 59 * SECOND
    assert steer(play, "hold")
    assert phase(play.evening) == TimedPhase("end", opened, None, 60 * SECOND)
    assert steer(play, "go")
    assert phase(play.evening) == TimedPhase("end", opened, play.t + 60 * SECOND)


def test_a_clock_that_is_left_off_while_it_is_stopped_does_not_startle_anybody() -> None:
    play = paced(Play(end__minutes=2)).open()
    assert steer(play, "hold")
    play.t += 600 * SECOND
    assert steer(play, "off")
    found = phase(play.evening)
    assert found is not None
    assert found.ends == play.t + 30 * SECOND


def test_a_pace_that_is_set_late_does_not_startle_anybody() -> None:
    play = Play().open()
    play.t += 500 * SECOND
    play.say("pace", **BY_CLOCK)
    assert play.evening.pace is not None
    assert gently(play.evening, play.evening.pace).due == play.t + 30 * SECOND


def test_a_cancelled_round_gives_the_time_to_move_again() -> None:
    play = paced(Play()).open()
    play.say("round_cancel")
    assert phase(play.evening) == TimedPhase("start", play.t, play.t + 120 * SECOND)


def test_a_closed_evening_is_timed_again_when_it_goes_on() -> None:
    play = paced(Play()).round()
    play.say("evening_close")
    assert phase(play.evening) is None
    play.say("evening_reopen", play.t + 3600 * SECOND)
    assert phase(play.evening) == TimedPhase("start", play.t, play.t + 120 * SECOND)


@pytest.mark.parametrize(
    ("wished_s", "expected"),
    [
        (7200, Forecast(1_023_000)),
        (1020, Forecast(1_023_000)),
        (1000, Forecast(1_023_000, 20_000, 116, 5)),
        (500, Forecast(1_023_000, 520_000, None, 3)),
    ],
)
def test_the_plan_says_what_helps_an_evening_that_takes_too_long(wished_s: int, expected: Forecast) -> None:
    """Six rounds of a minute, five moves of two, and a minute to the first start: 1,020 s from 3 s on."""
    play = Play(evening__sets=1)
    play.say("pace", play_s=60, move_s=120, end_by=(3 + wished_s) * SECOND, due=63 * SECOND)
    assert forecast(play.evening, play.t) == expected


def test_the_plan_of_a_running_evening_counts_what_is_still_to_come() -> None:
    play = Play(evening__sets=2, evening__break_after=1, evening__break_minutes=10)
    play.say("pace", play_s=60, move_s=120)
    for _ in range(5):
        play.round()
    play.open()
    found = forecast(play.evening, play.t)
    assert found == Forecast(play.t + (60 + 600 + 60 + 5 * (120 + 60)) * SECOND)


def test_the_plan_of_a_tournament_counts_its_semi_final_and_the_break_before_it() -> None:
    play = Play("tournament", evening__sets=1, evening__break_minutes=45)
    paced(play, play_s=60)
    found, start = forecast(play.evening, play.t), play.t + 120 * SECOND
    assert found == Forecast(start + (12 * 60 + 2 * 5 * 120 + 45 * 60) * SECOND)


@given(
    st.integers(1, 3),
    st.none() | st.integers(1, 3),
    st.integers(1, 30),
    st.integers(10, 300),
    st.integers(10, 300),
)
def test_the_plan_is_exact_at_every_step_where_no_table_is_late(
    sets: int, break_after: int | None, break_minutes: int, play_s: int, move_s: int
) -> None:
    rests: dict[str, Any] = (
        {"evening__break_after": break_after, "evening__break_minutes": break_minutes} if break_after else {}
    )
    play = Play(evening__sets=sets, evening__faces=[1, 2], **rests)
    paced(play, play_s=play_s, move_s=move_s, warn_s=0)
    found = [forecast(play.evening, play.t)]
    while timed := phase(play.evening):
        assert timed.ends is not None
        if timed.step == "start":
            assert play.say("round_open", timed.ends) is None
        else:
            assert play.say("round_close", timed.ends) is None
            found.append(forecast(play.evening, play.t))
            for table in (1, 2):
                assert play.say("decide", play.t, table=table, winner="US") is None
        found.append(forecast(play.evening, play.t))
    assert play.evening.over
    assert found == [*[Forecast(play.t)] * (len(found) - 1), None]


def test_a_round_whose_bell_has_rung_is_one_of_those_that_are_proposed() -> None:
    play = paced(Play(evening__sets=1), play_s=60).round().open()
    play.say("round_close")
    pace = play.evening.pace
    assert pace is not None
    play.evening.keep_pace(replace(pace, end_by=play.t + 300 * SECOND))
    found = forecast(play.evening, play.t)
    assert found is not None
    assert found.rounds == 3  # the next ends after 180 s, the one after it after 360 s


@given(st.integers(0, 40), st.integers(0, 9))
def test_the_rounds_that_are_proposed_end_in_time_and_no_more_do(minutes: int, begun: int) -> None:
    play = paced(
        Play(evening__sets=2, evening__break_after=1, evening__break_minutes=7, evening__faces=[1, 2, 3])
    )
    for _ in range(begun // 2):
        play.round()
    if begun % 2:
        play.open()
    pace = play.evening.pace
    assert pace is not None
    end_by, before = play.t + minutes * 60 * SECOND, len(play.evening.rounds)
    play.evening.keep_pace(replace(pace, end_by=end_by))
    found = forecast(play.evening, play.t)
    assert found is not None
    if not found.late:
        assert found.ends <= end_by
        return
    ends = [play.t] * before
    while timed := phase(play.evening):
        assert timed.ends is not None
        play.say("round_open" if timed.step == "start" else "round_close", max(timed.ends, play.t))
        if timed.step == "end":
            ends.append(play.t)
            for table in (1, 2):
                play.say("decide", play.t, table=table, winner="US")
    assert found.rounds == (sum(end <= end_by for end in ends) or None)


@given(st.lists(st.sampled_from(["hold", "go", "skip", "minute"]), max_size=12), st.integers(0, 200))
def test_whatever_the_host_says_to_the_clock_it_has_one_next_step(words: list[Steering], waits: int) -> None:
    play = paced(Play()).open()
    for word in words:
        before = phase(play.evening)
        play.t += waits * SECOND
        taken = steer(play, word)
        after = phase(play.evening)
        assert before is not None
        assert after is not None
        assert (after.ends is None) == (after.left is not None)
        assert taken or after == before
        assert after.ends is None or not taken or after.ends >= play.t
