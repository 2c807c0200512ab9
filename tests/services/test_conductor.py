"""The clock starts and ends rounds, through the same gate as the host, whatever is killed meanwhile."""

import queue
from math import inf
from pathlib import Path
from typing import Any

import pytest

from pi_bunco.game import facts
from pi_bunco.game.pace import phase
from pi_bunco.play.players import Habits
from pi_bunco.runtime.loop import IDLE_TICK_EVERY_MS, LoopInbox, Stop, Tick, run
from services.hall import ONE, Hall
from services.in_a_round import broker_restarts, forget_signals, recovered

TICK_S = 0.2
"""A step comes within a few ticks of its time."""


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """Three tables of people; only the clock ends a round."""
    hall = Hall(tmp_path, 3, Habits(), auto_confirm=5000)
    hall.open(12, "bonko", **{"end.bunco": False, "end.points": 999})
    return hall


def playing(hall: Hall) -> bool:
    """A round is running."""
    return hall.evening.round is not None


def signals(hall: Hall) -> list[tuple[str, float]]:
    """Starts and bells of all rounds with their evening times in seconds."""
    entries = [entry.decoded() for entry in hall.head.referee.log.entries]
    kinds = {facts.RoundOpen: "start", facts.RoundClose: "end"}
    return [(kinds[type(one)], one.t / 1000) for one in entries if type(one) in kinds]


def test_rounds_start_and_end_by_the_clock_with_nobody_at_a_key(hall: Hall) -> None:
    hall.do("pace", play_s=60, move_s=40)
    set_at = hall.head.referee.log.t(hall.clock.now()) / 1000
    hall.until(lambda: len(hall.evening.rounds) == 2)
    found = signals(hall)
    assert [what for what, _ in found] == ["start", "end"] * 2
    assert found[0][1] == pytest.approx(set_at + 40, abs=TICK_S)
    for (_, start), (_, end) in zip(found[::2], found[1::2], strict=True):
        assert end - start == pytest.approx(60, abs=TICK_S)
    for (_, end), (_, start) in zip(found[1::2], found[2::2], strict=False):
        assert start - end == pytest.approx(40, abs=TICK_S)
    assert len(hall.rings) == len(set(hall.rings)) == 4


def test_the_clock_that_is_stopped_starts_and_ends_nothing(hall: Hall) -> None:
    hall.do("pace", play_s=60, move_s=60)
    hall.until(lambda: playing(hall))
    hall.wait(30_000)
    answer = hall.ask("steer", to="hold")
    assert answer.after == (
        "The clock is stopped with 0:30 left; nothing starts or ends until you let it go on.",
    )
    hall.wait(100_000)
    assert hall.evening.state == "round_open"
    hall.do("steer", to="go")
    hall.wait(29_000)
    assert hall.evening.state == "round_open"
    hall.wait(2_000)
    assert hall.evening.state == "after_bell"


def test_a_table_that_is_away_is_waited_for_as_long_as_the_host_chose(hall: Hall) -> None:
    hall.do("pace", play_s=60, move_s=60, wait_s=90)
    hall.kill(hall.tables[3])
    hall.wait(145_000)
    assert not playing(hall)
    hall.wait(10_000)
    assert playing(hall)
    assert hall.evening.bypassed == {3}


def test_a_table_that_the_clock_left_out_is_waited_for_again_once_it_is_back(hall: Hall) -> None:
    hall.do("pace", play_s=60, move_s=60, wait_s=20)
    hall.do("bypass", table=2)
    hall.kill(hall.tables[3])
    hall.until(lambda: playing(hall))
    hall.start_table(3)
    hall.wait(5_000)
    assert hall.evening.bypassed == {2, 3}  # in the round it stays as it was
    hall.until(lambda: len(hall.evening.rounds) == 1)
    hall.wait(1_000)
    assert hall.evening.bypassed == {2}  # the host's word stands
    hall.kill(hall.head)
    hall.kill(hall.tables[3])
    hall.wait(2_000)
    recovered(hall)
    hall.until(lambda: playing(hall))
    assert hall.evening.bypassed == {2, 3}


def test_a_table_left_out_that_is_back_while_the_evening_is_closed_is_waited_for_later(
    hall: Hall,
) -> None:
    hall.do("pace", play_s=60, move_s=60, wait_s=20)
    hall.kill(hall.tables[3])
    hall.until(lambda: playing(hall))
    hall.do("evening_close", unfinished=True)
    hall.start_table(3)
    hall.wait(5_000)
    assert hall.evening.bypassed == {3}
    hall.do("evening_reopen")
    hall.do("round_cancel")
    hall.wait(1_000)
    assert not hall.evening.bypassed


def test_a_table_that_was_left_out_and_plays_no_more_is_not_waited_for(hall: Hall) -> None:
    hall.do("pace", play_s=60, move_s=60, wait_s=20)
    hall.kill(hall.tables[3])
    hall.until(lambda: playing(hall))
    hall.do("round_cancel")
    for player in range(1, 5):
        hall.do("leave", player=f"P{player}")
    hall.do("seats_draw")
    assert hall.evening.tables == 2
    hall.start_table(3)
    hall.wait(5_000)
    assert hall.evening.bypassed == {3}


def test_without_a_word_on_it_the_round_waits_until_the_table_is_there(hall: Hall) -> None:
    hall.do("pace", play_s=60, move_s=60)
    hall.kill(hall.tables[3])
    hall.wait(200_000)
    assert not playing(hall)
    hall.start_table(3)
    hall.wait(3_000)
    assert playing(hall)
    assert not hall.evening.bypassed


def test_a_head_that_was_killed_goes_on_where_the_clock_was(hall: Hall) -> None:
    """Trace: killed in the round and in the time to move; the next head hears no table at first."""
    hall.do("pace", play_s=80, move_s=70, wait_s=0)
    for _ in range(3):
        now_playing = playing(hall)
        hall.until(lambda: playing(hall) != now_playing)  # noqa: B023 (is done with here)
        hall.wait(20_000)
        hall.kill(hall.head)
        hall.wait(2_000)
        recovered(hall)
    hall.until(lambda: len(hall.evening.rounds) == 2)
    found = signals(hall)
    assert [what for what, _ in found] == ["start", "end"] * 2
    assert found[1][1] - found[0][1] == pytest.approx(80, abs=3)
    assert found[2][1] - found[1][1] == pytest.approx(70, abs=3)
    assert not hall.evening.bypassed
    assert len(hall.rings) == len(set(hall.rings)) == 4


def test_a_head_that_comes_back_when_a_round_is_due_starts_it_with_every_table(hall: Hall) -> None:
    hall.do("pace", play_s=80, move_s=70, wait_s=0)
    hall.wait(68_000)
    hall.kill(hall.head)
    hall.wait(10_000)
    recovered(hall)
    hall.until(lambda: playing(hall), 10_000)
    assert not hall.evening.bypassed


def test_nothing_is_skipped_while_a_table_is_unfinished(hall: Hall) -> None:
    hall.do("pace", play_s=60, move_s=60)
    hall.do("round_start")
    hall.do("round_end")
    before = len(hall.head.referee.log.entries)
    refused = hall.ask("steer", to="skip")
    assert not refused.done
    assert refused.why[0] == "Set 1, round 1 is not over yet."
    assert len(hall.head.referee.log.entries) == before


def test_the_clock_is_told_of_what_helps_an_evening_that_takes_too_long(hall: Hall) -> None:
    answer = hall.ask("pace", play_s=60, move_s=120, end_in_s=1800)
    assert any("to move it ends in time" in one for one in answer.after)
    answer = hall.ask("pace", play_s=60, move_s=120, end_in_s=200)
    assert answer.after[-1].endswith("too late; closed after 1 round it ends in time.")
    answer = hall.ask("pace", play_s=60, move_s=120, end_in_s=100)
    assert answer.after[-1].endswith(" too late.")
    assert not hall.ask("steer", to="go").done
    assert hall.ask("steer", to="off").done
    refused = hall.ask("steer", to="skip")
    assert refused.why == ("The clock times nothing now.",)
    assert [way.command for way in refused.ways] == ["pace"]


class IdleInbox(LoopInbox):
    """The inbox of a head to which nothing comes for `ms` of the hall's time; counts the wakes."""

    def __init__(self, hall: Hall, ms: float) -> None:
        super().__init__()
        self._hall, self._end, self.wakes = hall, hall.clock.now() + ms, 0

    def get(self, block: bool = True, timeout: float | None = None) -> object:
        """After `timeout` seconds `queue.Empty`, in the end a `Stop`."""
        self._hall.wait((timeout or 0.0) * 1000)
        if self._hall.clock.now() >= self._end:
            return Stop()
        self.wakes += 1
        raise queue.Empty


def idle_wakes(hall: Hall, ms: float, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of times that the head wakes by itself in `ms`, in the loop of its service."""
    head, receive = hall.head, hall.head.receive
    monkeypatch.setattr(head, "receive", lambda one: None if isinstance(one, Tick) else receive(one))
    inbox = IdleInbox(hall, ms)
    clock: Any = hall.clock
    step, due = head.referee.step, head.referee.conductor.due
    run(inbox, clock, step, head.perform, idle_tick_ms=IDLE_TICK_EVERY_MS, next_due=due)
    return inbox.wakes


def step_at(hall: Hall) -> int:
    """The evening time of the clock's next step (ms)."""
    timed = phase(hall.evening)
    assert timed is not None
    assert timed.ends is not None
    return timed.ends


def test_rounds_start_and_end_at_their_very_moments_though_the_head_is_idle(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall.do("pace", play_s=61, move_s=60)
    hall.wait(37)
    start = step_at(hall)
    wakes = idle_wakes(hall, 130_000, monkeypatch)
    assert signals(hall) == [("start", start / 1000), ("end", (start + 61_000) / 1000)]
    assert wakes <= 130_000 / IDLE_TICK_EVERY_MS + 2


def test_an_idle_head_that_waits_for_a_table_wakes_no_oftener(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall.do("pace", play_s=60, move_s=60)
    hall.kill(hall.tables[3])
    hall.wait(70_000)
    assert hall.head.referee.log.t(hall.clock.now()) > step_at(hall)
    assert idle_wakes(hall, 60_000, monkeypatch) == 60_000 / IDLE_TICK_EVERY_MS


def test_an_idle_head_without_a_clock_wakes_no_oftener(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    assert idle_wakes(hall, 60_000, monkeypatch) == 60_000 / IDLE_TICK_EVERY_MS


def test_nothing_falls_due_where_nothing_is_timed_or_the_clock_is_stopped(hall: Hall) -> None:
    conductor, log = hall.head.referee.conductor, hall.head.referee.log
    assert conductor.due() == inf
    hall.do("pace", play_s=60, move_s=60)
    log.began_at(log.began + 0.3)  # as after a reboot, whose clock counts parts of a ms
    assert log.t(conductor.due()) == step_at(hall)
    assert log.t(conductor.due() - 1) < step_at(hall)
    hall.do("steer", to="hold")
    assert conductor.due() == inf


def test_a_round_that_the_rules_time_falls_due_without_a_pace(hall: Hall) -> None:
    hall.open(12, "bonko", **{"end.bunco": False, "end.points": 999, "end.seconds": 45})
    hall.do("round_start")
    log = hall.head.referee.log
    assert hall.head.referee.conductor.due() == log.began + step_at(hall)
    hall.wait(46_000)
    assert [what for what, _ in signals(hall)] == ["start", "end"]


@pytest.mark.parametrize("killed", [False, True])
def test_a_round_whose_start_sounds_late_is_as_long_as_any(hall: Hall, killed: bool) -> None:
    """Trace: a head opens a round and is killed before its start sounds; the next one rings it late.

    The round ended by the time of its entry: people heard ten seconds less of it. So it did where the next
    one was killed as it rang.
    """
    hall.do("pace", play_s=60, move_s=60)
    hall.do("round_start")
    start = f"{hall.evening.id}:{hall.evening.epoch}:start"
    hall.kill(hall.head)
    forget_signals(hall)
    hall.wait(10_000)
    hall.start_head()
    hall.until(lambda: start in hall.rings[1:], 3000)
    rang = hall.head.referee.log.t(hall.rung[start])
    if killed:
        hall.kill(hall.head)
        hall.wait(2000)
        hall.start_head()
    hall.wait(3000)
    assert hall.rings.count(start) == 2
    assert step_at(hall) - rang == pytest.approx(60_000, abs=10)


@pytest.mark.parametrize("rolled", [False, True])
def test_a_start_sounds_late_whatever_was_entered_behind_it_but_a_roll(tmp_path: Path, rolled: bool) -> None:
    """Trace: an OK of the round before came while the round was on its way to disk, and the head was killed.

    Nobody heard the round begin. So it was in every round where the head draws who begins.
    """
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko", begins="drawn")
    hall.do("round_start")
    assert isinstance(hall.head.referee.log.entries[-1].decoded(), facts.Begins)
    if rolled:
        hall.roll(2, 1, 3, 4)
    start = f"{hall.evening.id}:{hall.evening.epoch}:start"
    hall.kill(hall.head)
    forget_signals(hall)
    hall.start_head()
    hall.wait(3000)
    assert (hall.rung[start] > 0) == (not rolled)
    hall.close()


@pytest.mark.parametrize("told", [False, True])
def test_a_start_that_lost_its_power_before_it_sounded_sounds_where_no_table_knows_of_the_round(
    hall: Hall, told: bool
) -> None:
    """Trace: a head stood still while its card wrote the round, then its machine lost power: nobody heard."""
    for table in () if told else hall.tables.values():
        hall.network.drop(table, will=False)
    hall.do("round_start")
    start = f"{hall.evening.id}:{hall.evening.epoch}:start"
    hall.wait(200)
    hall.kill(hall.head)
    forget_signals(hall)
    hall.boot = "boot2"
    broker_restarts(hall)
    recovered(hall)
    hall.wait(1000)
    assert (hall.rung[start] > 0) == (not told)


@pytest.mark.parametrize("again", ["bell", "result"])
def test_a_table_has_its_time_for_an_ok_anew_after_a_false_bell_and_once_its_result_is_reopened(
    tmp_path: Path, again: str
) -> None:
    hall = Hall(tmp_path, 3, auto_confirm=5000)
    hall.open(12, "bonko")
    hall.do("round_start")
    hall.wait(3000)
    for number in (1, 2, 3):
        hall.tables[number].throw(ONE)
    hall.do("round_end")
    hall.wait(2000)
    if again == "bell":
        hall.do("bell_void")
        hall.wait(10_000)
        hall.do("round_end")
    else:
        hall.until(lambda: len(hall.evening.rounds) == 1)
        hall.wait(10_000)
        hall.do("reopen", table=3)
    hall.wait(4000)
    assert hall.evening.state == "after_bell"
    hall.wait(2000)
    assert len(hall.evening.rounds) == 1
