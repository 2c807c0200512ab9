"""The evening clock goes on through lost heads and cards: every roll is judged by when it was made."""

from math import floor
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pi_bunco.game import facts
from pi_bunco.log.entry import MAX_INT, ReplicaClaim
from pi_bunco.log.journal import SCHEMA
from pi_bunco.runtime.store import connect
from pi_bunco.table import effects
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.log_exchange import LogExchange
from services.hall import BUNCO, ONE, Hall, HeadNode
from services.in_a_round import broker_restarts, forget, forget_signals, in_a_round, points, recovered

__all__ = ["in_a_round"]


def begins_without_an_evening(hall: Hall) -> None:
    """A new card, no table there, and a broker that keeps nothing."""
    for table in hall.tables.values():
        hall.cut(table)
    hall.lose_head()
    hall.network.retained.clear()
    assert recovered(hall) == []


def test_the_evening_clock_goes_on_however_long_a_new_card_reads_and_links_break(hall: Hall) -> None:
    """A roll of a round that began by the old clock must not be later than a bell by the new one."""
    hall.wait(30_000)
    began = hall.head.referee.log.began
    hall.lose_head()
    hall.kill(hall.tables[3])  # so that the head waits
    hall.later(1000, lambda: broker_restarts(hall))  # tables come again before they can measure the clock
    recovered(hall)
    assert hall.head.referee.log.began == pytest.approx(began, abs=100)


def test_the_evening_clock_goes_on_at_a_head_that_had_begun_without_an_evening(hall: Hall) -> None:
    hall.wait(30_000)
    began = hall.head.referee.log.began
    begins_without_an_evening(hall)
    for table in hall.tables.values():
        hall.heal(table)
    hall.wait(1000)
    assert hall.head.referee.log.entries
    assert hall.head.referee.log.began == pytest.approx(began, abs=100)


def test_one_table_cannot_put_the_evening_clock_forward(hall: Hall) -> None:
    """Item 8: after a reboot the middle one of the tables' times counts, and none that is absurd."""
    last = hall.head.referee.log.last_t
    hall.kill(hall.head)
    broker_restarts(hall)
    hall.boot = "boot2"
    status = messages.Status("online", "mad", "1", "b", 1, 2**31, clock=hall.head.referee.log.clock)
    hall.kill(hall.tables[3])
    hall.says(3, "status", status, retain=True)
    recovered(hall)
    t = hall.head.referee.log.t(hall.clock.now())
    assert last <= t < last + 60_000


def test_a_head_whose_machine_was_off_asks_for_the_time_although_its_journal_is_whole(hall: Hall) -> None:
    hall.wait(30_000)
    began = hall.head.referee.log.began
    hall.kill(hall.head)
    hall.boot = "boot2"
    recovered(hall)
    assert hall.head.referee.log.began == pytest.approx(began, abs=100)


def test_what_a_table_knows_of_the_bell_condemns_no_roll_that_was_made_before(hall: Hall) -> None:
    """Item 15: `bell_seen` overtakes a roll of the time before; the roll counts, for its own time."""
    hall.do("round_end")
    hall.wait(500)
    round_ = hall.evening.round
    assert round_ is not None
    assert round_.bell is not None
    evening, before = hall.evening, points(hall)[2][0]
    topic = topics.up("home", "table3", "fact")
    late: list[tuple[facts.TableFact, int]] = [
        (facts.SawBell(round_.bell.t), round_.bell.t + 400),
        (facts.Rolled((1, 3, 4), source="dice"), round_.bell.t - 72),
    ]
    for seq, (fact, t) in enumerate(late, 1):
        one = messages.Envelope(1, evening.id, "late", seq, 1, evening.epoch, t, 1.0, t, "b", fact)
        hall.network.publish(Publish(topic, one, 1))
    hall.wait(200)
    assert points(hall)[2][0] == before + 1


def test_a_roll_whose_time_has_not_come_yet_is_not_condemned_by_it(hall: Hall) -> None:
    """The head lost the clock: a table that was away has measured one that is ahead of it."""
    hall.kill(hall.tables[3])
    hall.do("round_end")
    hall.wait(500)
    evening, before = hall.evening, points(hall)[2][0]
    t = hall.head.referee.log.t(hall.clock.now()) + 700
    fact = facts.Rolled((1, 3, 4), source="dice")
    one = messages.Envelope(1, evening.id, "ahead", 1, 1, evening.epoch, t, 1.0, t, "b", fact)
    hall.says(3, "fact", one)
    hall.wait(200)
    assert points(hall)[2][0] == before + 1


@pytest.mark.parametrize("restarts", [False, True])
def test_rolls_by_a_clock_that_the_head_has_lost_are_not_condemned_by_it(hall: Hall, restarts: bool) -> None:
    """All else was off for long; one table played on, by a clock that stood still for the others."""
    away, before = hall.tables[3], points(hall)[2][0]
    hall.cut(away)
    for node in (hall.head, hall.tables[1], hall.tables[2]):
        hall.kill(node)
    hall.network.retained.clear()
    hall.boot = "boot2"
    hall.wait(60_000)
    hall.start_table(1)
    hall.start_table(2)
    recovered(hall)
    hall.wait(5000)
    away.throw(ONE)
    hall.wait(5000)
    hall.do("round_end")
    hall.wait(100_000)  # what it rolled is not to come by any clock
    if restarts:
        hall.kill(hall.head)
        hall.heal(away)
        hall.start_head()
    else:
        hall.heal(away)
    hall.until(lambda: not hall.head.referee.catch_up.pending)
    hall.wait(500)
    assert points(hall)[2][0] == before + 1
    away.throw(ONE)  # after the bell, by the clock of the others
    hall.wait(300)
    assert points(hall)[2][0] == before + 1


def test_old_birth_message_is_no_time(hall: Hall) -> None:
    """The broker keeps births from when tables came, two of which are away without its knowing."""
    hall.wait(30_000)
    began = hall.head.referee.log.began
    for number, table in hall.tables.items():
        topic = topics.up("home", f"table{number}", "status")
        birth = msgspec.json.decode(hall.network.retained[topic], type=messages.Status)
        hall.network.retained[topic] = msgspec.json.encode(replace(birth, t=1))
        if number > 1:
            hall.network.drop(table, will=False)
    hall.lose_head()
    recovered(hall)
    assert hall.head.referee.log.began == pytest.approx(began, abs=100)


def test_tables_that_were_started_again_know_the_evening_clock(hall: Hall) -> None:
    hall.wait(30_000)
    began = hall.head.referee.log.began
    hall.kill(hall.head)
    for number, table in hall.tables.items():
        hall.kill(table)
        hall.start_table(number)
    hall.lose_head()
    recovered(hall)
    assert hall.head.referee.log.began == pytest.approx(began, abs=100)


def test_the_next_head_knows_how_clocks_are_apart_though_the_table_that_told_so_is_gone(hall: Hall) -> None:
    """Trace: a roll after the bell counted, for the tables that had met both heads had lost their power."""
    link = messages.BootOffset("boot0", "boot1", 1000, 1, 0)
    hall.says(2, "clock", messages.ClockRequest(0, (link,)))
    hall.says(3, "clock", messages.ClockRequest(0, (link,)))
    hall.wait(500)
    hall.kill(hall.head)
    recovered(hall)
    assert link in hall.head.referee._links


def test_a_head_without_an_evening_tells_no_clock(hall: Hall) -> None:
    """A table that asks before its replica is read would take the time since the head came for it."""
    hall.wait(30_000)
    began = hall.head.referee.log.began
    begins_without_an_evening(hall)
    requests: list[messages.LogRequest] = []

    def silent(_log: LogExchange, request: messages.LogRequest) -> list[Any]:
        requests.append(request)
        return []

    with pytest.MonkeyPatch.context() as slow:
        slow.setattr(LogExchange, "requested", silent)
        hall.heal(hall.tables[1])
        hall.wait(500)
    for request in requests:
        for effect in hall.tables[1].controller._log.requested(request):
            hall.tables[1].perform(effect)
    hall.wait(1000)
    assert hall.head.referee.log.began == pytest.approx(began, abs=100)
    clock = hall.tables[1].controller._uplink.evening_clock(hall.clock.now())
    assert clock is not None
    assert clock[0] == pytest.approx(hall.clock.now() - began, abs=100)


def reborn(hall: Hall, *ahead: int, clock: messages.ClockName | None = None) -> float:
    """Time by which the clock of a head whose machine was off leads its log, behind births so far ahead.

    They tell of the time by the log's `clock`, or by this one.
    """
    for table in hall.tables.values():
        hall.kill(table)
    hall.kill(hall.head)
    hall.network.retained.clear()
    hall.boot = "boot2"
    last, clock = hall.head.referee.log.last_t, clock or hall.head.referee.log.clock
    hall.start_head()
    for number, ms in enumerate(ahead, 1):
        birth = messages.Status("online", f"s{number}", "1", "b", 1, last + ms, clock=clock)
        hall.says(number, "status", birth, retain=True)
    hall.until(lambda: not hall.head.referee.catch_up.pending, 120_000)
    return hall.head.referee.log.since - last


HOURS_11 = 11 * 3_600_000


def test_alone_a_table_sets_the_clock_no_further_than_log_and_uptime_go(hall: Hall) -> None:
    """Trace: round open; all off; the head's machine and table 3 alone are back, its birth 11 h ahead.

    It closed a timed round and rang.
    """
    assert reborn(hall, HOURS_11) <= hall.clock.now()


def test_of_two_tables_the_lower_clock_counts(hall: Hall) -> None:
    assert reborn(hall, HOURS_11, 60_000) < 120_000


def test_of_three_tables_the_middle_clock_counts(hall: Hall) -> None:
    assert 50_000 < reborn(hall, HOURS_11, 60_000, 0) < 120_000


def test_what_tables_tell_by_a_clock_that_the_log_has_left_is_no_time(hall: Hall) -> None:
    """Trace: a head's clock goes on behind its log, further back; only tables that missed that tell the time.

    By the next clock, ahead of that one, what they had made before its close seemed to be behind that.
    """
    assert reborn(hall, 60_000, 60_000, clock=("boot0", 0)) == 1


def test_the_log_says_by_which_machine_the_evening_clock_goes(hall: Hall) -> None:
    opening = hall.head.referee.log.entries[0].decoded()
    assert isinstance(opening, facts.EveningOpen)
    assert opening.boot == "boot1"
    hall.wait(0.7)
    reborn(hall, 60_000, 60_000)
    hall.wait(200)
    log = hall.head.referee.log
    (clock,) = (one.decoded() for one in log.entries if isinstance(one.decoded(), facts.ClockSet))
    assert isinstance(clock, facts.ClockSet)
    assert clock.boot == "boot2"
    assert clock.up - clock.t == floor(log.began)  # whoever starts again in this boot has the same clock


def test_a_bell_whose_roll_a_killed_head_did_not_write_ends_the_round_for_all(hall: Hall) -> None:
    """Trace: the head rings for table 1's roll and is killed; table 1 is silent, and table 2 rolls on.

    What must hold: what was made after a bell that sounded does not count, whenever its reason comes.
    """
    hall.cut(hall.tables[1])
    hall.tables[1].throw(BUNCO)
    hall.wait(50)
    evening = hall.evening
    hall.rung[f"{evening.id}:{evening.epoch}:end"] = hall.clock.now()
    hall.kill(hall.head)
    recovered(hall)
    before = points(hall)
    hall.wait(2000)
    hall.tables[2].throw(ONE)
    hall.wait(2000)
    assert points(hall) == before
    hall.heal(hall.tables[1])
    hall.wait(1000)
    counted = [entry.decoded() for entry in hall.head.referee.log.entries]
    assert [fact.dice for fact in counted if isinstance(fact, facts.Roll) and fact.table == 1][-1] == BUNCO
    assert len(hall.rings) == len(set(hall.rings))


def test_a_bell_whose_roll_was_not_written_sounds_once_though_the_next_head_loses_its_power(
    hall: Hall,
) -> None:
    """Trace: the head rings and is killed; the next one reads the log when its machine loses its power.

    What must hold: what sounded is on disk before anything is decided, so that no later boot sounds it again.
    """
    hall.cut(hall.tables[1])
    hall.tables[1].throw(BUNCO)
    hall.wait(50)
    evening = hall.evening
    end = f"{evening.id}:{evening.epoch}:end"
    hall.rung[end] = hall.clock.now()
    hall.rings.append(end)
    hall.kill(hall.head)
    hall.head = HeadNode(hall, hall.auto_confirm)  # the broker is not there
    hall.head.tick()
    hall.wait(100)
    hall.kill(hall.head)
    hall.rung.clear()
    hall.boot = "boot2"
    recovered(hall)
    hall.heal(hall.tables[1])
    hall.wait(12_000)
    assert any(isinstance(one.decoded(), facts.BellRang) for one in hall.head.referee.log.entries)
    assert hall.rings.count(end) == 1


def test_the_clock_of_a_next_boot_begins_behind_a_bell_that_no_log_has(hall: Hall) -> None:
    """Trace: as before, and no table knows the time any more: the clock began before the bell, and what was
    thrown behind that counted.
    """
    hall.wait(2000)
    hall.rung[f"{hall.evening.id}:{hall.evening.epoch}:end"] = hall.clock.now()
    rang = hall.head.referee.log.t(hall.clock.now())
    hall.kill(hall.head)
    hall.head = HeadNode(hall, hall.auto_confirm)
    hall.head.tick()
    hall.wait(100)
    hall.rung.clear()
    reborn(hall)
    hall.wait(200)
    log = hall.head.referee.log
    (close,) = (one.decoded() for one in log.entries if isinstance(one.decoded(), facts.RoundClose))
    assert close.t == rang < log.since


def test_a_bell_that_a_head_without_its_log_knew_of_has_its_time_by_the_log_that_is_found(hall: Hall) -> None:
    """Trace: a head rings and is killed; the next one has lost the log, and then its machine the power.

    The log that was found then told of no end, and the round went on behind a bell that everybody had heard.
    """
    end, now = f"{hall.evening.id}:{hall.evening.epoch}:end", hall.clock.now()
    rang = hall.head.referee.log.t(now)
    hall.lose_head()
    hall.boot, hall.rung[end] = "boot1", now
    hall.head = HeadNode(hall, hall.auto_confirm)
    hall.head.tick()
    hall.wait(100)
    hall.kill(hall.head)
    hall.rung.clear()
    hall.boot = "boot2"
    closings = [fact for one in recovered(hall) if isinstance(fact := one.decoded(), facts.RoundClose)]
    assert [fact.t for fact in closings] == [rang]


def test_a_bell_that_sounded_before_its_clock_was_on_disk_is_not_before_the_rolls_of_the_log(
    hall: Hall,
) -> None:
    """Trace: the head's machine boots, its head rings and is killed before the log says by which it goes;
    the next one begins the clock behind the log, and the bell had sounded before that.
    """
    end = f"{hall.evening.id}:{hall.evening.epoch}:end"
    hall.rung[end] = hall.clock.now()
    hall.wait(1000)
    reborn(hall, 0)
    hall.wait(200)
    log = hall.head.referee.log
    (close,) = (one.decoded() for one in log.entries if isinstance(one.decoded(), facts.RoundClose))
    assert close.t == log.since
    assert [one.decoded().t for one in log.entries] == sorted(one.decoded().t for one in log.entries)


def test_what_was_thrown_behind_a_bell_of_this_boot_is_behind_it_though_no_log_has_its_clock(
    hall: Hall,
) -> None:
    """Trace: the head's machine boots, its head rings and is killed before the log says by which it goes.
    The clock of the next one began as that started, 3 s later: what was thrown between was made by the bell.
    """
    hall.kill(hall.head)
    hall.boot = "boot2"
    before = [sum(of) for of in points(hall)]
    hall.wait(1000)
    hall.tables[2].throw(ONE)
    hall.wait(1000)
    hall.rung[f"{hall.evening.id}:{hall.evening.epoch}:end"] = hall.clock.now()
    hall.wait(1000)
    hall.tables[3].throw(ONE)
    hall.wait(2000)
    recovered(hall)
    hall.wait(500)
    assert [sum(of) for of in points(hall)] == [before[0], before[1] + 1, before[2]]


@pytest.mark.parametrize("late", [False, True])
def test_what_was_thrown_behind_a_bell_is_behind_it_though_only_its_heads_note_tells_of_the_clock(
    hall: Hall, late: bool
) -> None:
    """Trace: the head's machine boots, and its head rings and is killed before a card has by which clock; the
    next one reads the log when its machine loses its power. By no clock of the log was there any bell.

    Nor by that of a table that comes `late`, who alone has the round.
    """
    hall.kill(hall.head)
    before, length = [sum(of) for of in points(hall)], len(hall.log)
    hall.boot = "boot2"
    with pytest.MonkeyPatch.context() as slow:
        slow.setattr(hall, "disk", lambda *_: None)
        recovered(hall)
        hall.wait(500)  # tables have compared its clock
    hall.cut(hall.tables[2])
    hall.tables[2].throw(ONE)
    hall.wait(500)
    hall.rung[f"{hall.evening.id}:{hall.evening.epoch}:end"] = hall.clock.now()
    hall.kill(hall.head)
    hall.wait(500)
    hall.tables[3].throw(ONE)
    hall.wait(500)
    hall.head = HeadNode(hall, hall.auto_confirm)  # the broker is not there
    hall.head.tick()
    hall.wait(100)
    hall.kill(hall.head)
    hall.network.retained.clear()
    hall.boot = "boot1"
    for table in list(hall.tables.values()):
        forget(table, length)
    if late:
        hall.kill(hall.tables[3])
        for number in (1, 2):
            forget(hall.tables[number], 2)
        connection = connect(hall.folder / "journal.db", SCHEMA)
        connection.execute("DELETE FROM facts WHERE n > 2")
        connection.close()
    hall.rung.clear()
    hall.boot = "boot3"
    recovered(hall)
    hall.wait(500)
    if late:
        assert hall.evening.round is None
        hall.boot = "boot1"
        hall.start_table(3)
        hall.wait(1000)
    assert [sum(of) for of in points(hall)] == [before[0], before[1] + 1, before[2]]


@pytest.mark.parametrize("noted", [False, True], ids=["told by two tables", "noted"])
def test_what_was_thrown_before_a_bell_is_before_it_though_nothing_is_left_of_the_clock_of_that(
    hall: Hall, noted: bool
) -> None:
    """Trace: a table that was cut off threw, then all others lost their power. The next head's clock went on
    behind its log, 14 s further back; it rang, and power was gone again before a card had that clock. By the
    clock before, which was all that the one after it knew, the throw was behind the bell.
    """
    before, length, away = sum(points(hall)[2]), len(hall.log), hall.tables[3]
    hall.cut(away)
    hall.wait(15_000)
    away.throw(ONE)
    hall.wait(5000)
    for node in (hall.head, hall.tables[1], hall.tables[2]):
        hall.kill(node)
    hall.network.retained.clear()
    hall.boot, hall.auto_confirm = "boot2", 60_000
    hall.start_head()
    with pytest.MonkeyPatch.context() as slow:
        disk = hall.disk
        slow.setattr(hall, "disk", lambda card, node: None if node is hall.head else disk(card, node))
        for number in (1, 2):
            hall.start_table(number)
        hall.until(lambda: not hall.head.referee.catch_up.pending)
        hall.wait(3000)
        hall.tables[1].throw(BUNCO)
        hall.wait(500)
        hall.kill(hall.head)
    if noted:
        hall.head = HeadNode(hall, hall.auto_confirm)  # the broker is not there
        hall.head.tick()
        hall.wait(100)
        hall.kill(hall.head)
    hall.network.retained.clear()
    hall.rung.clear()
    hall.boot = "boot3"
    for number in (1, 2):
        forget(hall.tables[number], length)
        if noted:
            hall.kill(hall.tables[number])
    recovered(hall)
    hall.wait(1000)
    hall.heal(away)
    hall.wait(3000)
    assert sum(points(hall)[2]) == before + 1
    away.throw(ONE)
    hall.wait(500)
    assert sum(points(hall)[2]) == before + 1
    assert len(hall.rings) == len(set(hall.rings)) == 2


def ends_and_is_forgotten(hall: Hall) -> int:
    """Table 1 rings and table 3, which is cut off like table 2, throws on; then the head loses power, note
    and the end of its journal. The time of the bell.
    """
    length = len(hall.log)
    for number in (2, 3):
        hall.cut(hall.tables[number])
    hall.wait(1000)
    hall.tables[1].throw(BUNCO)
    hall.wait(1000)
    (rang,) = (fact.t for one in hall.log if isinstance(fact := one.decoded(), facts.BellRang))
    hall.tables[3].throw(ONE)
    hall.wait(500)
    hall.kill(hall.head)
    hall.kill(hall.tables[1])
    connection = connect(hall.folder / "journal.db", SCHEMA)
    connection.execute("DELETE FROM facts WHERE n > ?", (length,))
    connection.close()
    forget_signals(hall)
    hall.network.retained.clear()
    hall.boot, hall.auto_confirm = "boot2", 60_000
    return rang


def test_what_was_thrown_behind_a_bell_is_behind_it_though_one_table_alone_tells_of_that(hall: Hall) -> None:
    """Trace: the card of head and head table had lied and lost the bell; another table, which was cut off,
    threw on. The next clock began before that bell, and all that was made behind its start stood with it.
    """
    before, length = sum(points(hall)[2]), len(hall.log)
    rang = ends_and_is_forgotten(hall)
    forget(hall.tables[1], length)
    recovered(hall)
    hall.wait(1000)
    hall.heal(hall.tables[3])
    hall.wait(3000)
    assert sum(points(hall)[2]) == before
    bells = [one.decoded().t for one in hall.log if isinstance(one.decoded(), facts.BellRang)]
    assert bells == [rang]
    assert len(hall.rings) == len(set(hall.rings)) == 2


@pytest.mark.parametrize("again", ["", "table", "head"])
def test_what_was_thrown_behind_a_bell_is_behind_it_though_its_table_tells_of_that_late(
    hall: Hall, again: str
) -> None:
    """Trace: as before, and the next clock had begun when the one table came: bell and throws stood at its
    start, by which nobody could tell them apart. So they did once the table had told of the bell `again`, by
    the clock of now, for it had been cut off, and once the head was killed, too.
    """
    before, length = sum(points(hall)[2]), len(hall.log)
    ends_and_is_forgotten(hall)
    recovered(hall)
    since = hall.head.referee.log.since
    forget(hall.tables[1], length)
    hall.wait(3000)
    if again:
        hall.cut(hall.tables[1])
        hall.wait(500)
        hall.heal(hall.tables[1])
        hall.wait(1000)
    if again == "head":
        hall.kill(hall.head)
        hall.start_head()
        hall.wait(5000)
    hall.heal(hall.tables[3])
    hall.wait(3000)
    bells = [one.decoded().t for one in hall.log if isinstance(one.decoded(), facts.BellRang)]
    assert bells == [since]
    assert sum(points(hall)[2]) == before


def test_one_table_tells_a_head_that_rang_of_no_bell_before_that_and_of_no_time_to_come(hall: Hall) -> None:
    """Trace: a throw stood at the start of a clock, before the bell that rang then; a table that lies told of
    a bell of the round by the clock before, ahead of that throw.
    """
    before, log = sum(points(hall)[2]), hall.head.referee.log
    hall.cut(hall.tables[3])
    hall.wait(15_000)
    hall.tables[3].throw(ONE)
    clock, lie = log.clock, log.last_t + 5000
    for node in (hall.head, hall.tables[1], hall.tables[2]):
        hall.kill(node)
    hall.network.retained.clear()
    hall.boot, hall.auto_confirm = "boot2", 60_000
    hall.start_table(1)
    hall.start_head()
    birth = messages.Status(
        "online", "s2", "1", "b", 1, replica=ReplicaClaim(log.evening.id, 1, 0, 1, log.entries[0].mac),
        bell=lie, bell_clock=clock,
    )  # fmt: skip
    hall.until(lambda: not hall.head.referee.catch_up.pending, 120_000)
    hall.says(2, "status", birth)
    hall.tables[1].throw(BUNCO)
    hall.wait(500)
    hall.heal(hall.tables[3])
    hall.wait(3000)
    log = hall.head.referee.log
    assert log.heard_t[2] == lie
    (told,) = (fact for one in hall.log if isinstance(fact := one.decoded(), facts.Roll) and fact.head_up)
    assert told.head_up
    assert told.head_up[1] > lie
    assert sum(points(hall)[2]) == before + 1
    assert log.t_then(2, "boot2", MAX_INT, hall.clock.now()) == log.t(hall.clock.now())


def test_what_a_head_took_before_the_log_with_its_bell_came_has_its_time_by_that_log(hall: Hall) -> None:
    """Trace: likewise, and the next head heard the table that had thrown on, and then the one that had the
    bell in its log: the throw stood at the start of a clock that this log has not, and counted.
    """
    before = sum(points(hall)[2])
    rang = ends_and_is_forgotten(hall)
    recovered(hall)
    hall.heal(hall.tables[3])
    hall.wait(3000)
    assert sum(points(hall)[2]) == before + 1
    hall.start_table(1)
    hall.wait(5000)
    assert sum(points(hall)[2]) == before
    bells = [one.decoded().t for one in hall.log if isinstance(one.decoded(), facts.BellRang)]
    assert bells == [rang]
    (told,) = (fact for one in hall.log if isinstance(fact := one.decoded(), facts.Roll) and fact.head_up)
    assert told.t > rang
    assert told.head_up
    assert told.head_up[0] == "boot1"


def test_what_a_table_made_behind_a_bell_is_behind_it_by_a_clock_that_began_before_that_too(
    hall: Hall,
) -> None:
    """Trace: head and head table lose their power as the bell sounds, 20 s behind the last fact on a card.
    The head comes back where no table is, and its clock goes on behind that fact: the bell is still to come
    by it, and what table 2 had thrown half a second behind the bell counted, as no time of this clock.
    """
    hall.wait(20_000)
    table, before = hall.tables[2], points(hall)[1:]
    perform = table.perform
    unasked = effects.ReportUntil  # its dice are slow to say that they have no more
    table.perform = lambda effect: None if isinstance(effect, unasked) else perform(effect)  # type: ignore[method-assign]
    hall.tables[1].throw(BUNCO)
    hall.wait(3)
    rang = hall.head.referee.log.last_t
    for node in (hall.head, hall.tables[1]):
        hall.kill(node)
    hall.rung.clear()
    hall.boot = "boot2"
    hall.wait(500)
    table.throw(ONE)
    hall.wait(200)
    for number in (2, 3):
        hall.cut(hall.tables[number])
    hall.network.retained.clear()
    recovered(hall)
    hall.auto_confirm = 60_000
    hall.wait(4000)
    assert hall.head.referee.log.t(hall.clock.now()) < rang
    for number in (2, 3):
        hall.heal(hall.tables[number])
    hall.wait(500)
    round_ = hall.evening.running
    assert round_.bell
    assert [list(one.points) for one in round_.tables[1:]] == before
