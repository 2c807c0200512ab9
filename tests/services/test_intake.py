"""Facts of tables: in order, once, and bounded, whatever a mad table or a stolen card sends."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_bunco.devices.protocols import Throw, ThrowMark
from pi_bunco.game import facts
from pi_bunco.game.facts import Rolled, SawBell, UndoPressed, kind_of
from pi_bunco.head.effects import Ring
from pi_bunco.head.intake import MAX_BEHIND_GAP, ClockJudge, Reorder
from pi_bunco.head.reasons import CameAfterTheClose, RoundAhead
from pi_bunco.log.entry import Origin
from pi_bunco.log.journal import asides, latest
from pi_bunco.log.records import StrayFact
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Ack, Envelope, LogRequest, Upto
from services.hall import BUNCO, DISK, LATENCY, ONE, Hall, TableNode
from services.in_a_round import points


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    hall = Hall(tmp_path, 2)
    hall.open(8)
    return hall


def answered(hall: Hall, table: int) -> int:
    return sum(topic.endswith(f"table{table}/down/log") for _, topic, _ in hall.network.sent)


def test_facts_that_nobody_understands_are_told_once_a_minute(hall: Hall) -> None:
    evening = hall.evening.id
    before = len(hall.warnings)
    for seq in range(1, 51):
        fact = Rolled((7, 7, 7), source="dice")
        hall.says(2, "fact", Envelope(1, evening, "mad", seq, 1, 0, 1, 1.0, 1, "b", fact))
    hall.wait(1000)
    assert len(hall.warnings) == before + 1
    assert len(asides(hall.head.journal.path)) == 50


def test_a_replica_that_asks_without_end_is_answered_four_times_a_second(hall: Hall) -> None:
    request, before = LogRequest(hall.evening.id, 1), answered(hall, 2)
    for _ in range(100):
        hall.says(2, "log_request", request)
    hall.wait(100)
    assert answered(hall, 2) == before + 4
    hall.wait(1000)
    hall.says(2, "log_request", request)
    hall.wait(100)
    assert answered(hall, 2) == before + 5


def test_a_table_that_keeps_no_replica_is_sent_none(hall: Hall) -> None:
    hall.says(6, "log_request", LogRequest(hall.evening.id, 1))
    hall.wait(100)
    assert answered(hall, 6) == 0


def envelope(stream: str, seq: int) -> Envelope:
    return Envelope(1, "e1", stream, seq, 1, 1, None, None, 0, "b", UndoPressed())


def taken(reorder: Reorder, table: int, sent: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    ready = [one for place in sent for one in reorder.take(table, envelope(*place))]
    return [(one.stream, one.seq) for one in ready]


def waiting(reorder: Reorder) -> int:
    return sum(len(one) for one in reorder._behind.values())


def test_a_table_that_draws_stream_after_stream_fills_no_memory() -> None:
    reorder = Reorder()
    assert taken(reorder, 7, ((f"s{n}", 5) for n in range(3 * MAX_BEHIND_GAP))) == []
    assert waiting(reorder) == MAX_BEHIND_GAP
    assert taken(reorder, 7, [("s0", n) for n in (1, 2, 3, 4)]) == [("s0", n) for n in (1, 2, 3, 4, 5)]
    assert taken(reorder, 2, [("t", 2), ("t", 1)]) == [("t", 1), ("t", 2)]
    assert all(key[0] == 7 for key in reorder._behind)


def test_a_stream_waits_for_the_end_of_the_one_that_it_comes_after() -> None:
    reorder = Reorder()
    first = replace(envelope("b", 1), after=Upto("a", 2))
    assert reorder.take(1, first) == []
    assert taken(reorder, 1, [("b", 2), ("a", 1)]) == [("a", 1)]
    assert taken(reorder, 1, [("a", 2)]) == [("a", 2), ("b", 1), ("b", 2)]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9)), max_size=60))
def test_every_fact_comes_once_and_in_order(sent: list[tuple[str, int]]) -> None:
    found = taken(Reorder(), 1, sent)
    for stream in "ab":
        places = [seq for name, seq in found if name == stream]
        assert places == list(range(1, len(places) + 1))


def test_a_throw_that_the_head_has_and_the_table_has_not_counts_once(tmp_path: Path) -> None:
    """The table dies after the head's receipt and before its own commit; the box says the throw again."""
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(1000)
    table = hall.tables[2]
    table.throw(ONE, ThrowMark("a7c1", 6))
    hall.wait(DISK / 2)  # the head has it in memory, nobody on a disk
    hall.kill(table)
    hall.wait(1000)
    again = hall.start_table(2)
    hall.wait(500)
    again.throw(ONE, ThrowMark("a7c1", 6))
    again.throw(ONE, ThrowMark("a7c1", 12))
    hall.wait(1000)
    rolls = [entry for entry in hall.head.referee.log.entries if isinstance(entry.decoded(), facts.Roll)]
    assert [entry.origin.mark for entry in rolls if entry.origin] == [("a7c1", 6), ("a7c1", 12)]
    round_ = hall.evening.round
    assert round_ is not None
    assert round_.tables[1].points == [2, 0]
    assert len(again.outbox) == 0
    assert "US 2" in again.lights.message


def test_the_bell_of_a_table_with_a_backlog_comes_three_round_trips_behind_its_link(tmp_path: Path) -> None:
    """Trace: table 1 is cut; three starts of its service with 20 misses each; a Bunco; the link heals.

    Earlier streams went one fact a round trip: the bell came 11.4 s behind the link.
    """
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(2000)
    hall.network.drop(hall.tables[1])
    for _ in range(3):
        hall.kill(hall.tables[1])
        table = hall.tables[1] = TableNode(hall, 1, None)
        for _ in range(20):
            hall.wait(50)
            now = hall.clock.now()
            table.receive(Throw((2, 3, 4), now - 10, now))
        hall.wait(2 * DISK)
    table.receive(Throw((1, 1, 1), hall.clock.now() - 10, hall.clock.now()))
    hall.wait(5000)
    healed = hall.clock.time
    table.start()
    hall.until(lambda: len(hall.rings) == 2, 20_000)
    assert hall.clock.time - healed <= 3 * 2 * LATENCY


def test_rolls_of_before_the_close_that_come_behind_it_count_when_the_evening_is_opened_again(
    tmp_path: Path,
) -> None:
    """Trace: round open; table 2 is cut and throws three times; the host closes the evening, table 2 throws
    once more; the link heals; the host opens the evening again.

    They were logged as "the evening is closed" and stayed ignored.
    """
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(2000)
    table = hall.tables[2]
    hall.cut(table)
    for seq in range(3):
        table.throw(ONE, ThrowMark("a7c1", seq))
        hall.wait(500)
    hall.do("evening_close", unfinished=True)
    hall.wait(500)
    table.throw(ONE, ThrowMark("a7c1", 3))
    hall.heal(table)
    hall.wait(4000)
    assert CameAfterTheClose(2, 4 - 1) in hall.head.referee._look_for_faults()
    assert len(table.outbox) == 4
    hall.do("evening_reopen")
    hall.wait(5000)
    round_ = hall.evening.round
    assert round_ is not None
    assert round_.tables[1].points == [3, 0]
    assert len(table.outbox) == 0
    last = hall.head.referee.log.entries[-1]
    assert (last.origin and last.origin.seq, last.plain()["while_closed"]) == (4, True)
    assert hall.head.referee._look_for_faults() == ()


@pytest.mark.parametrize("late", [0.0, 3000.0, None])
def test_what_was_thrown_behind_the_close_does_not_count_though_the_clock_of_that_was_lost(
    tmp_path: Path, late: float | None
) -> None:
    """Trace: the host closes the evening, and all but table 2, which was cut off and throws on, lose their
    power. The next clock began 1 ms behind the close, where the throw stood then: it may have been of before,
    and counted behind the reopening. Of one that may be too `late` that is so.
    """
    hall = Hall(tmp_path, 2)
    hall.boot = "pi2"
    hall.kill(hall.tables[2])
    table = hall.start_table(2)
    hall.boot = "boot1"
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(2000)
    hall.cut(table)
    hall.do("evening_close", unfinished=True)
    hall.wait(500)
    now = hall.clock.now()
    table.receive(Throw(ONE, now - 300, now, None, late))
    hall.wait(500)
    hall.kill(hall.head)
    hall.kill(hall.tables[1])
    hall.network.retained.clear()
    hall.boot = "boot2"
    hall.start_head()
    hall.start_table(1)
    hall.wait(5000)
    hall.do("evening_reopen")
    hall.heal(table)
    hall.wait(5000)
    (roll,) = (fact for one in hall.log if isinstance(fact := one.decoded(), facts.Roll))
    assert (roll.t, bool(roll.head_up)) == (hall.head.referee.log.since, late == 0)
    assert bool(roll.while_closed) == (late == 0)


def test_a_roll_of_before_the_close_that_waits_behind_a_gap_stays_at_its_table_too(tmp_path: Path) -> None:
    """Trace: a roll came before what its table had noted of the bell, then the host closed the evening: when
    the note came, the roll was entered behind the close, and ignored.
    """
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(2000)
    log = hall.head.referee.log
    t, before = log.t(hall.clock.now()), log.evening.round and sum(log.evening.round.tables[1].points)
    hall.do("round_end")
    hall.wait(100)

    def tells(seq: int, told: facts.SawBell | Rolled) -> None:
        hall.says(2, "fact", Envelope(1, hall.evening.id, "x", seq, 1, 1, t, 1.0, t, "b", told))
        hall.wait(100)

    roll = Rolled(ONE, source="dice")
    tells(2, roll)
    hall.do("evening_close", unfinished=True)
    tells(1, facts.SawBell(bell=t + 1))
    tells(2, roll)
    assert CameAfterTheClose(2, 1) in hall.head.referee._look_for_faults()
    hall.do("evening_reopen")
    tells(2, roll)
    assert log.evening.round is not None
    assert sum(log.evening.round.tables[1].points) == (before or 0) + 1


@pytest.mark.parametrize("err", [None, 150.0, 50.0])
@pytest.mark.parametrize("closed", [True, False], ids=["while it is closed", "when it is open again"])
@pytest.mark.parametrize("again", [True, False], ids=["closed twice", "closed once"])
def test_only_what_surely_was_made_while_the_evening_was_closed_does_not_count(
    tmp_path: Path, err: float | None, closed: bool, again: bool
) -> None:
    """Trace: a head loses its power and comes back with a close and a reopening in its log; a throw of the
    time without a head had a time within them, and was set aside. Trace: the evening is closed once more, the
    card loses what was set aside of the first time, and it was entered behind later throws of its table.
    """
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(100)
    log = hall.head.referee.log
    hall.do("evening_close", unfinished=True)
    hall.wait(200)
    t = log.t(hall.clock.now()) - 100
    one = Envelope(1, log.evening.id, "x", 1, 1, 1, t, err, t, "b", Rolled(ONE, source="dice"))
    if closed:
        hall.says(2, "fact", one)
        hall.wait(100)
    hall.do("evening_reopen")
    if again:
        hall.wait(200)
        hall.do("evening_close", unfinished=True)
        hall.wait(200)
        hall.do("evening_reopen")
    hall.says(2, "fact", one)
    hall.wait(1000)
    kept = [entry for entry in log.entries if entry.origin and entry.origin.stream == "x"]
    points = log.evening.round.tables[1].points if log.evening.round else None
    sure = err == 50.0
    assert points == ([0, 0] if sure else [1, 0])
    assert [entry.plain().get("while_closed", False) for entry in kept] == [sure]


@pytest.mark.parametrize(
    ("t", "err", "judged"),
    [
        (1200, 250.0, 1200),
        (1200, 251.0, 1000),
        (1200, None, 1000),
        (None, None, 1000),
        (1300, 299.0, 1300),
        (1300, 300.0, 1000),
        (900, 600.0, 900),
    ],
)
def test_a_doubtful_time_is_by_the_bell_unless_all_that_it_can_be_is_behind_that(
    t: int | None, err: float | None, judged: int
) -> None:
    """The bell rang at 1000, and the table has not told that it knows."""
    one = replace(envelope("s", 1), t=t, err=err)
    assert ClockJudge().t(2, one, 2000, 1000, {}) == judged
    assert ClockJudge().t(2, one, 2000, 1000, {2: 1}) == (2000 if t is None else t)


@pytest.mark.parametrize("mute", ["", "the relay is stuck"])
def test_a_roll_that_rings_is_entered_behind_its_ring_and_before_its_bell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mute: str
) -> None:
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(100)
    log, at_ring = hall.head.referee.log, list[facts.Fact]()

    def perform(effect: Any, carry_out: Any = hall.head.perform) -> Any:
        if isinstance(effect, Ring):
            at_ring.append(log.entries[-1].decoded())
        return carry_out(effect)

    monkeypatch.setattr(hall.head, "perform", perform)
    hall.mute = mute
    hall.roll(1, 1, 1, 1)
    hall.wait(1000)
    assert [type(fact) for fact in at_ring] == [facts.RoundOpen]
    entered = [entry.decoded() for entry in latest(hall.head.journal.path)]
    behind = [type(fact) for fact in entered[[type(fact) for fact in entered].index(facts.Roll) :]]
    assert behind[0] == facts.Roll
    assert (facts.BellRang in behind[:2]) == (not mute)


def test_the_roll_that_rings_is_acknowledged_before_what_came_behind_it(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(100)
    evening, t = hall.evening, round(hall.clock.now())
    for seq, dice in ((2, ONE), (1, BUNCO)):
        fact = Rolled(dice, source="dice")
        hall.says(1, "fact", Envelope(1, evening.id, "a", seq, 1, evening.epoch, t, 1.0, 1, "b", fact))
    hall.wait(100)
    acks = [payload for _, topic, payload in hall.network.sent if topic.endswith("table1/down/ack")]
    assert encode(Ack(evening.id, "a", 1, 0)) in acks


def test_what_waits_behind_a_round_that_is_missing_does_not_hide_that_it_is(hall: Hall) -> None:
    """Table 2 played round 3, which the head lost, and then went on in a stream of round 0."""
    evening = hall.evening.id
    lost = Envelope(1, evening, "a", 1, 1, 3, 1, 1.0, 1, "b", UndoPressed())
    later = Envelope(1, evening, "c", 1, 1, 0, 2, 1.0, 2, "b", UndoPressed(), after=Upto("a", 1))
    for one in (lost, later):
        hall.says(2, "fact", one)
        hall.wait(500)
    assert RoundAhead(2, 3, 0) in hall.head.referee._look_for_faults()


def test_a_head_says_how_far_it_has_the_stream_that_another_one_comes_after(hall: Hall) -> None:
    """Trace: a head's card lost the end of a stream, and a broker the birth of the table that had sent it."""
    fact = Envelope(1, hall.evening.id, "b", 1, 1, 0, 1, 1.0, 1, "b", UndoPressed(), after=Upto("a", 2))
    hall.says(2, "fact", fact)
    hall.wait(500)
    acks = [payload for _, topic, payload in hall.network.sent if topic.endswith("table2/down/ack")]
    assert encode(Ack(hall.evening.id, "a", 0, 0)) in acks


@pytest.mark.parametrize("restart", [False, True])
def test_what_is_of_another_evening_is_set_aside_and_not_received(hall: Hall, restart: bool) -> None:
    """Trace: a head whose key was spoiled had no evening, then its host chose the one of the tables, and a
    throw that rang there had rung for nobody.
    """
    fact = Envelope(1, "other", "a", 1, 1, 1, 1, 1.0, 1, "b", Rolled(BUNCO, source="dice"))
    hall.says(2, "fact", fact)
    hall.wait(500)
    if restart:
        hall.kill(hall.head)
        hall.start_head()
        hall.wait(2000)
        hall.says(2, "fact", fact)
        hall.wait(500)
    acks = [payload for _, topic, payload in hall.network.sent if topic.endswith("table2/down/ack")]
    assert encode(Ack("other", "a", 0, 1)) == acks[-1]


def test_what_was_set_aside_before_its_log_came_commits_nothing_of_that(hall: Hall) -> None:
    """The card was slow: it had the aside when the log had been found, which lacks the fact."""
    intake, evening = hall.head.referee._intake, hall.evening.id
    intake.on_disk([StrayFact(evening, Origin(2, "a", 5), {"kind": "undo"})])
    intake.take(2, Envelope(1, evening, "a", 1, 1, 0, 1, 1.0, 1, "b", UndoPressed()), hall.clock.now())
    assert intake.ack(2, evening, "a").message == Ack(evening, "a", 1, 0)


def second_round(hall: Hall) -> None:
    """A round is opened and cancelled, and the next one is running."""
    hall.do("round_start")
    hall.wait(100)
    hall.do("round_cancel")
    hall.wait(500)
    hall.do("round_start")
    hall.wait(500)


@pytest.mark.parametrize("guessed", [True, False])
def test_what_a_table_guesses_to_be_of_the_round_before_is_of_the_running_one_if_made_in_it(
    hall: Hall, guessed: bool
) -> None:
    """Trace: a round was opened and dice thrown; the table was killed before its slow card had the round,
    and heard no head when it was back: it told its box's throw as of the round that it knew.
    """
    second_round(hall)
    log = hall.head.referee.log
    opened_t, epoch = log.opened_t or 0, log.evening.epoch
    for seq, t in enumerate((opened_t + 5, opened_t + 200), 1):
        fact = Rolled(ONE, source="dice")
        one = Envelope(1, log.evening.id, "x", seq, 1, epoch - 1, t, 10.0, t, "b", fact, guessed=guessed)
        hall.says(2, "fact", one)
    hall.wait(1000)
    told = [entry.plain()["epoch"] for entry in log.entries if entry.origin and entry.origin.stream == "x"]
    assert told == [epoch - 1, epoch if guessed else epoch - 1]


def test_what_a_table_throws_before_a_head_told_it_of_a_round_is_a_guess_too(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trace: a table's slow card had not the round that was opened, and the head lost power. The table was
    started again, and what was thrown there without a head was of the round of its card, for sure.
    """
    hall.do("round_start")
    hall.wait(500)
    table, disk = hall.tables[2], hall.disk
    monkeypatch.setattr(hall, "disk", lambda card, node: None if node is table else disk(card, node))
    hall.do("round_cancel")
    hall.do("round_start")
    hall.wait(500)
    hall.kill(hall.head)
    hall.kill(table)
    hall.wait(500)
    hall.start_table(2).throw(ONE)
    hall.wait(500)
    hall.start_head()
    hall.wait(5000)
    (roll,) = (fact for one in hall.log if isinstance(fact := one.decoded(), facts.Roll))
    assert (roll.epoch, roll.guessed is None) == (hall.evening.epoch, False)


def test_what_a_table_guesses_is_of_the_running_round_if_its_box_numbered_it_behind_one_of_that(
    hall: Hall,
) -> None:
    """Trace: the table's card was full as the round was opened; the head had one throw of it and lost its
    power, the table was killed with the next in its box, and no clock told any more when that was made.
    """
    second_round(hall)
    log, fact = hall.head.referee.log, Rolled(ONE, source="dice")
    opened_t, epoch = log.opened_t or 0, log.evening.epoch
    sure = Envelope(1, log.evening.id, "x", 1, 1, epoch, opened_t + 5, 1.0, 1, "b", fact, mark=("box", 7))
    hall.says(2, "fact", sure)
    for seq, mark in enumerate((("box", 6), ("box", 8), ("another", 9)), 1):
        guess = replace(sure, stream="y", seq=seq, epoch=epoch - 1, err=9e3, mark=mark, guessed=True)
        hall.says(2, "fact", guess)
    hall.wait(1000)
    told = [entry.plain()["epoch"] for entry in log.entries if entry.origin and entry.origin.stream == "y"]
    assert told == [epoch - 1, epoch, epoch - 1]


@pytest.mark.parametrize(
    ("boot", "made", "counts"), [("head", 20, True), ("head", 300, False), ("b", 300, True)]
)
def test_what_the_heads_own_machine_made_has_its_time_by_its_clock_though_its_table_hears_nothing(
    hall: Hall, boot: str, made: int, counts: bool
) -> None:
    """Trace: the table beside the head heard nothing for 9 s and sent its throws without a time: they counted
    as made by the bell, though the head alone had the clock of that boot.
    """
    hall.do("round_start")
    hall.wait(100)
    log = hall.head.referee.log
    name, began = log.clock or ("", 0)
    hall.kill(hall.tables[2])
    hall.wait(100)
    hall.do("round_end")
    hall.wait(400)
    bell = log.evening.round and log.evening.round.bell
    assert bell
    before, up = points(hall)[1], bell.t + began - 100 + made
    made_by = name if boot == "head" else boot
    fact = Rolled(ONE, source="dice")
    hall.says(
        2, "fact", Envelope(1, log.evening.id, "x", 1, 1, log.evening.epoch, None, 0.0, up, made_by, fact)
    )
    hall.wait(100)
    assert (points(hall)[1] != before) == counts


def test_a_throw_behind_an_end_that_its_table_alone_heard_waits_for_the_end_of_the_round(hall: Hall) -> None:
    """Trace: a head's card and power lost the bell, and one table alone knew of it: it threw on, as did the
    others; its throws counted.
    """
    hall.do("round_start")
    hall.wait(100)
    hall.kill(hall.tables[2])
    log = hall.head.referee.log
    log._open_since = -1  # another boot was head as the round was opened
    epoch, t = log.evening.epoch, log.t(hall.clock.now())
    roll, seen = Rolled(ONE, source="dice"), SawBell(t - 1)
    envelopes = [
        Envelope(1, log.evening.id, "x", 1, 1, epoch, t - 5, 1.0, t, "b", roll),
        Envelope(1, log.evening.id, "x", 2, 1, epoch, t, 1.0, t, "b", seen),
        Envelope(1, log.evening.id, "x", 3, 1, epoch, t + 2, 1.0, t, "b", roll),
    ]

    def told() -> list[str]:
        return [kind_of(one.decoded()) for one in log.entries if one.origin and one.origin.stream == "x"]

    for one in envelopes:
        hall.says(2, "fact", one)
    hall.wait(100)
    assert told() == ["roll", "bell_seen"]
    hall.do("round_end")
    hall.wait(500)
    hall.says(2, "fact", envelopes[-1])
    hall.wait(100)
    assert told() == ["roll", "bell_seen", "roll"]
    bell = log.evening.round and log.evening.round.bell
    assert bell
    assert log.entries[-1].decoded().t == bell.t + 1
