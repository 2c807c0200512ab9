"""Two ends of one log become one: the bell of the round keeps its place, and a head that waited goes on."""

from pathlib import Path
from typing import Any, Literal

import pytest
from msgspec import Raw
from msgspec.structs import replace

from logs import chain
from pi_bunco.devices.protocols import Throw
from pi_bunco.game import facts
from pi_bunco.game.facts import Rolled, kind_of
from pi_bunco.head.effects import HeadEffect, Keep, TakeOver
from pi_bunco.head.evening_log import PASSED_OVER
from pi_bunco.log.entry import Entry, Origin, ReplicaClaim
from pi_bunco.log.journal import asides, latest
from pi_bunco.log.recovery import ReplicaFinding, ReplicaReading, of_a_head
from pi_bunco.runtime.loop import turn
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.log_exchange import answer_of
from pi_bunco.wire.messages import BootOffset, Envelope
from services.evidence import check
from services.hall import BUNCO, ONE, Hall, TableNode
from services.in_a_round import (
    begin_again_with_short_replicas,
    broker_restarts,
    end_round,
    forget,
    in_a_round,
    points,
    recovered,
)

__all__ = ["in_a_round"]


def kinds(hall: Hall) -> list[str]:
    return [kind_of(one.decoded()) for one in hall.head.referee.log.entries]


def rolls(hall: Hall, *dice: tuple[int, tuple[int, int, int]]) -> tuple[Entry, ...]:
    """Another end of the log, behind all that the hall has: a table and its dice for each roll of it."""
    log = hall.head.referee.log
    entries = list(log.entries)
    told = [(one.decoded(), one.origin) for one in entries]
    for seq, (table, faces) in enumerate(dice, len(entries)):
        fact = facts.Roll(9000 + seq, table, faces, source="dice", epoch=log.evening.epoch)
        told.append((fact, Origin(table, f"x{table}-{len(dice)}", seq)))
    return tuple(chain(log.evening.id, told, hall.key)[len(entries) :])


def find(hall: Hall, ending: ReplicaFinding) -> list[HeadEffect]:
    """A replica has it; what the head does."""
    referee, effects = hall.head.referee, list[HeadEffect]()

    def step(message: object, now: float):  # type: ignore[no-untyped-def]
        if message is not None:
            return referee.step(message, now)
        effects.extend(referee.catch_up._results([ending], now))
        return effects

    turn(None, hall.clock.now(), step, hall.head.perform)
    return effects


def test_a_head_goes_on_behind_an_end_that_lacks_its_bell(hall: Hall) -> None:
    """The replica was lost between the roll that rang and the bell: nobody waits for it for ever."""
    start = len(hall.head.referee.log.entries) + 1
    find(hall, ReplicaFinding(1, start, rolls(hall, (1, BUNCO)), "better"))
    assert kinds(hall)[start - 1 :] == ["roll", "bell"]
    hall.tables[2].throw(ONE)
    hall.wait(5000)
    assert "confirm" in kinds(hall)
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start"]  # a head that is gone has rung the end


def test_the_bell_of_an_end_that_is_merged_keeps_its_place_and_its_time(hall: Hall) -> None:
    hall.auto_confirm = 60_000
    for _ in range(8):
        hall.tables[3].throw(ONE)
        hall.wait(200)
    begin_again_with_short_replicas(hall)
    hall.tables[1].throw(BUNCO)
    hall.wait(3000)
    (rang,) = (
        one.decoded().t for one in hall.head.referee.log.entries if one.decoded().__class__ is facts.BellRang
    )
    hall.start_table(3)
    hall.wait(3000)
    made = [one.decoded() for one in hall.head.referee.log.entries]
    told = [kind_of(one) for one in made if not isinstance(one, facts.ClockSet)]
    assert told[-14:] == ["roll", "bell", "bell_seen", "bell_seen", *["roll"] * 9, "bell_seen"]
    assert [one.t for one in made if isinstance(one, facts.BellRang)] == [rang]
    assert points(hall)[2] == [9, 0]
    for number in (1, 2, 3):
        hall.do("decide", table=number, winner="US")
    hall.wait(2000)
    check(hall)


def test_a_fact_that_ends_the_round_only_where_two_ends_meet_rings(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 3)
    hall.open(12, "bonko", **{"end.points": 3})
    hall.do("round_start")
    hall.wait(1000)
    start = len(hall.head.referee.log.entries) + 1
    shorter = rolls(hall, (1, ONE), (2, ONE))
    find(hall, ReplicaFinding(1, start, rolls(hall, (1, ONE), (1, ONE), (2, ONE)), "better"))
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start"]
    find(hall, ReplicaFinding(2, start, shorter, "shorter"))
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start", "end"]
    assert kinds(hall)[start - 1 :] == ["roll", "roll", "roll", "roll", "bell", "roll"]


@pytest.mark.parametrize(
    ("ours", "theirs", "sounds"),
    [([1, 1, 2, 2], 1, ["start", "end"]), ([2, 2, 2, 2], 3, ["start"])],
    ids=["only behind ours", "there too"],
)
def test_the_last_fact_of_another_end_sounds_where_it_did_not_ring_there(
    tmp_path: Path, ours: list[int], theirs: int, sounds: list[str]
) -> None:
    """It ended the round only behind ours, and counted as rung: nobody heard the end of that round."""
    hall = Hall(tmp_path, 3)
    hall.open(12, "bonko", **{"end.points": 3})
    hall.do("round_start")
    hall.wait(1000)
    start = len(hall.head.referee.log.entries) + 1
    other = rolls(hall, *[(1, ONE)] * theirs)
    find(hall, ReplicaFinding(1, start, rolls(hall, *[(table, ONE) for table in ours]), "better"))
    find(hall, ReplicaFinding(2, start, other, "shorter"))
    assert kinds(hall)[-1] == "bell"
    assert [id.rpartition(":")[2] for id in hall.rings] == sounds


def test_an_end_that_a_replica_hands_back_unasked_is_entered_once(hall: Hall) -> None:
    """The head's question was lost, and the replica has followed the head's other log since."""
    left = rolls(hall, (2, ONE), (3, ONE))
    hall.tables[1].throw(ONE)
    hall.wait(500)
    scored = [us for us, _ in points(hall)]
    answer = answer_of(messages.LogRequest(hall.evening.id, left[0].n), left)
    for _ in range(2):
        hall.network.publish(Publish(topics.up("home", "table3", "log"), answer, 1))
        hall.wait(500)
    assert [us for us, _ in points(hall)] == [scored[0], scored[1] + 1, scored[2] + 1]


def test_of_a_handed_back_end_with_facts_of_a_head_the_host_is_asked_once(hall: Hall) -> None:
    """Trace: a table had an evening_close, and rolls that no outbox had any more; it took the head's log
    before the head's question came, and nobody was told of them.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    told = [(one.decoded(), one.origin) for one in log.entries]
    rolled = facts.Roll(9000, 2, ONE, source="dice", epoch=log.evening.epoch)
    paused = [*told, (facts.Pause(8000, 5), None), (rolled, Origin(2, "x2", 1))]
    left = chain(log.evening.id, paused, hall.key)[len(told) :]
    for _ in range(3):  # the log is the better one
        hall.tables[1].throw(ONE)
        hall.wait(500)
    scored, warnings = points(hall), len(hall.warnings)
    answer = answer_of(messages.LogRequest(hall.evening.id, left[0].n), left)

    def handed_back() -> None:
        hall.network.publish(Publish(topics.up("home", "table3", "log"), answer, 1))
        hall.wait(500)

    for _ in range(2):
        handed_back()
        assert list(catch_up.recovery.offers) == [3]
    assert points(hall) == scored
    assert len(hall.warnings) == warnings + 1
    for effect in log.record(facts.Branch(9500, 2)):  # another end was chosen
        hall.head.perform(effect)
    handed_back()
    assert points(hall)[1][0] == scored[1][0] + 1


def test_handed_back_end_that_no_head_wrote_is_refused(hall: Hall) -> None:
    left, before = rolls(hall, (2, ONE)), hall.macs()
    hall.tables[1].throw(ONE)
    hall.wait(500)
    for one in (replace(left[0], fact=Raw(b"[]")), replace(left[0], mac="0" * 32)):
        answer = answer_of(messages.LogRequest(hall.evening.id, one.n), [one])
        hall.network.publish(Publish(topics.up("home", "table3", "log"), answer, 1))
        hall.wait(500)
    assert len(hall.macs()) == len(before) + 1


def test_what_another_end_has_of_before_the_close_counts_when_the_evening_is_open_again(hall: Hall) -> None:
    """It was entered behind the close, where it counts nowhere, and its table was told that it is there."""
    start = len(hall.head.referee.log.entries) + 1
    other = rolls(hall, (2, ONE))
    before = points(hall)
    hall.do("evening_close", unfinished=True)
    find(hall, ReplicaFinding(2, start, other, "shorter"))
    hall.wait(500)
    assert "roll" not in kinds(hall)[start - 1 :]
    hall.do("evening_reopen")
    hall.wait(500)
    assert sum(map(sum, points(hall))) == sum(map(sum, before)) + 1
    assert kinds(hall)[-1] == "roll"


def test_what_another_end_has_of_before_the_close_is_no_part_of_the_next_evening(hall: Hall) -> None:
    """It was entered in the log of that one, at its time by the clock of the evening before."""
    start = len(hall.head.referee.log.entries) + 1
    other = rolls(hall, (2, ONE))
    hall.do("evening_close", unfinished=True)
    find(hall, ReplicaFinding(2, start, other, "shorter"))
    hall.wait(500)
    hall.open(12, "bonko")
    hall.wait(500)
    assert kinds(hall) == ["evening", "seating"]


@pytest.mark.parametrize("there", [False, True], ids=["open there", "closed there"])
def test_what_was_made_while_closed_counts_behind_an_end_that_was_open_then(hall: Hall, there: bool) -> None:
    """Trace: two heads parted; one closed the evening, opened it again, and set a throw of that time aside.
    The host chose the other end: the throw had been acknowledged, and was in no log.
    """
    log = hall.head.referee.log
    told = [(one.decoded(), one.origin) for one in log.entries]
    start, before = len(told) + 1, points(hall)
    hall.do("evening_close", unfinished=True)
    hall.wait(200)
    t = log.t(hall.clock.now()) - 100
    hall.do("evening_reopen")
    made = Envelope(1, log.evening.id, "x", 1, 1, 1, t, 50.0, t, "b", Rolled(ONE, source="dice"))
    hall.says(2, "fact", made)
    hall.wait(500)
    assert points(hall) == before
    ours = [(one.decoded(), None) for one in log.entries[start - 1 :] if one.origin is None]
    ending = [*told, *(ours if there else []), (facts.Branch(t, 3), None)]
    entries = tuple(chain(log.evening.id, ending, hall.key)[start - 1 :])
    find(hall, ReplicaFinding(3, start, entries, "better"))
    hall.wait(500)
    assert [one.origin.stream for one in log.entries[start:] if one.origin] == ["x"]
    assert sum(map(sum, points(hall))) == sum(map(sum, before)) + (not there)


def test_tables_know_of_the_close_of_a_shorter_end_that_has_the_bell(hall: Hall) -> None:
    """Trace: cards lost the end of the evening, and people played on; then a table brought it. Those whose
    view was of the longer end that the head left for that went on with the round.
    """
    told, t = [(one.decoded(), one.origin) for one in hall.log], hall.head.referee.log.t(hall.clock.now())
    for _ in range(8):
        hall.tables[2].throw(ONE)
        hall.wait(300)
    left = len(hall.log)
    rang = facts.Roll(t, 1, BUNCO, source="dice", epoch=1), Origin(1, "y", 1)
    other = [*told, rang, (facts.BellRang(t, 1), None), (facts.EveningClose(t + 1), None)]
    entries = tuple(chain(hall.evening.id, other, hall.key)[len(told) :])
    find(hall, ReplicaFinding(3, len(told) + 1, entries, "better"))
    hall.wait(500)
    assert len(hall.log) < left
    assert {table.lights.round for table in hall.tables.values()} == {None}


@pytest.mark.parametrize("waits", [True, False], ids=["made before the close", "made while it was closed"])
@pytest.mark.parametrize("again", [True, False], ids=["head started again", "head not started again"])
def test_a_bunco_that_came_while_the_evening_was_closed_rings_behind_an_end_without_the_close(
    hall: Hall, waits: bool, again: bool
) -> None:
    """Trace: a table that was cut off threw a Bunco, and came back when the evening was closed; then cards
    lost the close. What was thrown before it had waited at its table, and rang. What was thrown behind it was
    in the log that was lost: its table had been told that a head had it, and the round ended without a sound.
    """
    away, had = hall.tables[1], len(hall.log)
    hall.cut(away)
    if waits:
        away.throw(BUNCO)
        hall.wait(300)
    hall.do("evening_close", unfinished=True)
    hall.wait(300)
    if not waits:
        away.throw(BUNCO)
        hall.wait(300)
    hall.heal(away)
    hall.wait(1000)
    assert kinds(hall)[had:] == ["evening_close"] + ["roll"] * (not waits)
    if again:
        hall.kill(hall.head)
        recovered(hall)
        hall.cut(away)
        hall.heal(away)
        hall.wait(1000)
    hall.lose_head()
    broker_restarts(hall)
    for table in tuple(hall.tables.values()):
        forget(table, after=had)
    recovered(hall)
    hall.wait(5000)
    assert kinds(hall)[had:][:3] == ["clock", "roll", "bell"]
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start", "end"]


def test_what_this_head_has_set_aside_and_another_has_entered_is_entered_once(hall: Hall) -> None:
    """The journal took it for a repeat of what was set aside: the head ended, at each start again."""
    log = hall.head.referee.log
    start = len(log.entries) + 1
    (entered,) = other = rolls(hall, (2, ONE))
    place = entered.origin
    assert place is not None
    after = Envelope(1, log.evening.id, place.stream, place.seq, 1, 0, 1, 1.0, 1, "b", Rolled(ONE))
    for seq in range(1, place.seq + 2):  # made in no round
        hall.says(2, "fact", replace(after, seq=seq))
    hall.wait(200)
    assert [one.origin.seq for one in asides(hall.head.journal.path)] == list(range(1, place.seq + 2))
    for _ in range(2):
        find(hall, ReplicaFinding(1, start, other, "shorter"))
        hall.wait(200)
        assert kinds(hall)[start - 1 :] == ["roll"]
    assert [one.origin for one in latest(hall.head.journal.path)][start - 1 :] == [place]
    assert place not in [one.origin for one in asides(hall.head.journal.path)]


def test_a_round_of_which_a_table_has_told_is_not_opened_again_behind_a_late_log(hall: Hall) -> None:
    birth = messages.Status(
        "online", "s", "1", "b", 4, None, (),
        ReplicaClaim(hall.evening.id, 1, 0, 1, "0" * 32),
    )  # fmt: skip
    hall.kill(hall.tables[3])
    hall.says(3, "status", birth, retain=True)
    hall.wait(100)
    start = len(hall.head.referee.log.entries) + 1
    find(hall, ReplicaFinding(1, start, rolls(hall, (2, ONE)), "better"))
    hall.do("round_cancel")
    hall.do("round_start", bypass=[3])
    assert hall.evening.epoch > PASSED_OVER


@pytest.mark.parametrize("again", [False, True], ids=["head plays on", "head started again"])
@pytest.mark.parametrize("ended", [False, True])
def test_the_number_of_a_round_that_sounded_comes_not_again_behind_an_end_without_it(
    hall: Hall, ended: bool, again: bool
) -> None:
    """Trace: the host chose an end that lacks a round, and started that anew: no start sounded, for that had,
    and where its end had sounded the new round was over at once.
    """
    end_round(hall)
    log = hall.head.referee.log
    told, t = [(one.decoded(), one.origin) for one in log.entries], log.t(hall.clock.now())
    start, hall.auto_confirm = len(told) + 1, 60_000
    hall.do("round_start")
    hall.wait(1000)
    left = hall.evening.epoch
    if ended:
        hall.tables[1].throw((2, 2, 2))
        hall.wait(500)
    other = chain(log.evening.id, [*told, (facts.Branch(t, 3), None)], hall.key)
    find(hall, ReplicaFinding(3, start, tuple(other[start - 1 :]), "better"))
    hall.wait(1000)
    if again:
        hall.kill(hall.head)
        recovered(hall)
        hall.wait(1000)
    hall.do("round_start")
    hall.wait(1000)
    assert hall.evening.epoch > left + PASSED_OVER
    assert hall.rings[-1] == f"{hall.evening.id}:{hall.evening.epoch}:start"
    assert hall.evening.round
    assert hall.evening.round.bell is None


def test_the_number_of_a_tie_is_nothing_that_the_host_must_choose(hall: Hall) -> None:
    tie = facts.TieFormed(9000, 1, "buncos", ("Ann", "Bob"), 6, 1)
    word = facts.PrizeDecision(9000, "buncos", "Ann")
    number, said = (chain("e", [(fact, None)], hall.key) for fact in (tie, word))
    assert not of_a_head(number)
    assert of_a_head(said)


def test_what_was_made_before_the_head_was_off_is_before_its_clock_of_now(hall: Hall) -> None:
    """Trace: the head's clock fell back by 13 s, and what one replica had stood behind the bell."""
    log, boot = hall.head.referee.log, hall.head.referee.catch_up._options.boot
    start, since = len(log.entries) + 1, log.t(hall.clock.now())

    def sets_clock(_message: object, _now: float) -> list[HeadEffect]:
        return log.record(facts.ClockSet(since, boot, int(since + log.began)))

    turn(None, hall.clock.now(), sets_clock, hall.head.perform)
    hall.wait(1000)
    hall.do("round_end")
    hall.wait(1000)
    before = points(hall)[1][0]
    other = list(rolls(hall, (2, ONE)))
    made = replace(other[0].decoded(), t=since + 60_000)
    told = [(one.decoded(), one.origin) for one in log.entries[: start - 1]] + [(made, other[0].origin)]
    find(hall, ReplicaFinding(2, start, tuple(chain(log.evening.id, told, hall.key)[-1:]), "shorter"))
    roll = next(one.decoded() for one in log.entries if one.origin == other[0].origin)
    assert (roll.t, points(hall)[1][0]) == (since, before + 1)


@pytest.mark.parametrize("told", [0, 12_000])
def test_a_clock_that_began_before_the_end_that_is_taken_begins_behind_it(hall: Hall, told: int) -> None:
    """Trace: the head began behind a log that lacked 7 s of the clock before, then the host chose the end
    that has them: the log said that its clock had begun before what the other one had judged. Or the tables
    that brought the end told of a later time than it has: what was made behind a bell that came late counted.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    start, now = len(log.entries) + 1, log.t(hall.clock.now())
    entries = [(one.decoded(), one.origin) for one in log.entries]
    last = now + 7000
    entries.append((facts.ClockSet(last, "boot0", last), None))
    catch_up._options = replace(catch_up._options, boot="boot2")
    log.began_at(log.began, now)
    catch_up._clocks = {table: (("boot0", 0), now + told, hall.clock.now()) for table in (2, 3)}
    ending = tuple(chain(log.evening.id, entries, hall.key)[start - 1 :])
    find(hall, ReplicaFinding(2, start, ending, "better"))
    assert log.since == log.t(hall.clock.now()) == max(last + 1, now + told)


@pytest.mark.parametrize("made", [400, 0])
def test_times_by_a_clock_that_began_too_early_go_forward_with_it(hall: Hall, made: int) -> None:
    """Trace: the host reopened the evening, and the head lost its power; it began behind a log that had it
    closed, 3 s further back. The host chose the end that has the reopening: what was thrown by the clock of
    the other one stayed in the time in which the evening was closed, and counted nowhere. What was made
    before that clock began has its start as its time.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    before = points(hall)
    hall.do("evening_close", unfinished=True)
    hall.wait(200)
    told = [(one.decoded(), one.origin) for one in log.entries]
    since = log.t(hall.clock.now())
    told.append((facts.EveningReopen(since + 3000), None))
    catch_up._options = replace(catch_up._options, boot="boot2")
    log.began_at(log.began, since)
    hall.wait(500)
    t = since + made
    hall.says(
        2, "fact", Envelope(1, log.evening.id, "x", 1, 1, 1, t, 50.0, t, "b", Rolled(ONE, source="dice"))
    )
    hall.wait(500)
    assert kinds(hall)[-2:] == ["clock", "roll"]
    now, start = log.t(hall.clock.now()), len(told)
    entries = tuple(chain(log.evening.id, told, hall.key)[start - 1 :])
    find(hall, ReplicaFinding(3, start, entries, "better"))
    (roll,) = (one.decoded() for one in log.entries if one.origin and one.origin.stream == "x")
    assert (roll.t - t, log.t(hall.clock.now()) - now, log.since - since) == (3001, 3001, 3001)
    assert sum(map(sum, points(hall))) == sum(map(sum, before)) + 1


@pytest.mark.parametrize("again", [False, True], ids=["same boot", "boot of before"])
@pytest.mark.parametrize(("ahead", "behind_bell"), [(3000, False), (300, True)])
def test_times_by_a_clock_that_the_end_that_is_taken_began_otherwise_are_by_that(
    hall: Hall, again: bool, ahead: int, behind_bell: bool
) -> None:
    """Trace: a machine's boot began its clock behind two ends of the log, 3 s apart. The host chose one and
    then the other: what was thrown by the clock of the first kept its times, behind the bell of the second.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    told = [(one.decoded(), one.origin) for one in log.entries]
    start, since = len(told) + 1, log.t(hall.clock.now())
    catch_up._options = replace(catch_up._options, boot="boot2")
    log.began_at(log.began, since)
    hall.wait(500)
    t = log.t(hall.clock.now()) - 100
    hall.says(
        2, "fact", Envelope(1, log.evening.id, "x", 1, 1, 1, t, 1.0, t, "b", Rolled(ONE, source="dice"))
    )
    hall.wait(500)
    clock = next(fact for one in log.entries if isinstance(fact := one.decoded(), facts.ClockSet))
    now = log.t(hall.clock.now())
    if again:
        catch_up._options = replace(catch_up._options, boot="boot3")
        log.began_at(log.began, now)
        hall.wait(500)
    told.append((replace(clock, t=clock.t + ahead), None))
    rang = t + ahead + (-50 if behind_bell else 50)
    told.append((facts.Roll(rang, 1, BUNCO, source="dice", epoch=1), Origin(1, "y", 1)))
    told.append((facts.BellRang(rang, 1), None))
    entries = tuple(chain(log.evening.id, told, hall.key)[start - 1 :])
    before = sum(points(hall)[1])
    find(hall, ReplicaFinding(3, start, entries, "better"))
    (roll,) = (one.decoded() for one in log.entries if one.origin and one.origin.stream == "x")
    assert roll.t - t == ahead
    if not again:
        assert log.t(hall.clock.now()) - now == ahead
    assert sum(points(hall)[1]) == before - behind_bell


@pytest.mark.parametrize("compared", [True, False])
def test_what_stands_at_the_start_of_a_clock_that_began_earlier_at_the_end_that_is_taken_is_by_that(
    hall: Hall, compared: bool
) -> None:
    """Trace: the evening was closed, and the head's machine lost its power. The next head opened it again,
    was killed with that on a full card, and its clock began 2 s later: the host chose the end of a replica.
    What was thrown in those 2 s was, by the boot that was off then, of while it was closed.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    before = sum(points(hall)[1])
    boot, up = log.clock_at(log.t(hall.clock.now())) or ("", 0.0)
    hall.do("evening_close", unfinished=True)
    hall.wait(500)
    told = [(one.decoded(), one.origin) for one in log.entries]
    start, since = len(told) + 1, log.t(hall.clock.now())
    told.append((facts.ClockSet(since, "boot2", 1000), None))
    told.append((facts.EveningReopen(since + 100), None))
    hall.wait(2000)
    catch_up._options = replace(catch_up._options, boot="boot2")
    log.began_at(hall.clock.now() - since - 1, since + 1)
    hall.do("evening_reopen")
    hall.wait(500)
    at = int(up) + 1500
    if compared:
        clock = next(fact for one in log.entries if isinstance(fact := one.decoded(), facts.ClockSet))
        assert clock.up
        log.compared("table2", (BootOffset(boot, "boot2", 2000.0 - at, 5.0, float(at)),))
    one = Envelope(1, log.evening.id, "x", 1, 1, 1, since + 1, 9.0, 1, "b", Rolled(ONE, source="dice"))
    hall.says(2, "fact", replace(one, head_up=(boot, at)))
    hall.wait(500)
    find(hall, ReplicaFinding(3, start, tuple(chain(log.evening.id, told, hall.key)[start - 1 :]), "better"))
    (roll,) = (one.decoded() for one in log.entries if one.origin and one.origin.stream == "x")
    assert roll.t == (since + 995 if compared else since + 100)
    assert sum(points(hall)[1]) == before + 1


def says_now(hall: Hall, stream: str) -> None:
    """Table 2 tells of a throw of just now, by the clock that goes."""
    log = hall.head.referee.log
    t = log.t(hall.clock.now())
    hall.says(
        2, "fact", Envelope(1, log.evening.id, stream, 1, 1, 1, t, 0.0, t, "b", Rolled(ONE, source="dice"))
    )
    hall.wait(100)


@pytest.mark.parametrize("rings", ["boot2", "boot3"])
@pytest.mark.parametrize("ahead", [3000, 0])
def test_a_throw_stays_before_or_behind_a_bell_of_the_end_that_is_left(
    hall: Hall, rings: str, ahead: int
) -> None:
    """Trace: a head played on behind one end, its machine booted again behind another, shorter one, and the
    host chose the first and then that. By its clocks the bell of the first lay ahead of now, so that all that
    was thrown behind it counted; a bell of the present boot lay before what had been thrown before it.
    """
    hall.auto_confirm, before = 60_000, sum(points(hall)[1])
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    told = [(one.decoded(), one.origin) for one in log.entries]
    start, clocks = len(told) + 1, log.clocks
    for boot, ms in (("boot2", 5000), ("boot3", 1000)):
        catch_up._options = replace(catch_up._options, boot=boot)
        log.began_at(log.began, log.t(hall.clock.now()))
        log.bell.noted.clear()
        catch_up.rung.clear()
        hall.wait(ms)
        says_now(hall, f"before-{boot}")
        if boot == rings:
            hall.tables[1].throw(BUNCO)
            hall.wait(500)
            says_now(hall, "behind")
    _, first, second = clocks
    told.append((replace(first, t=first.t + ahead), None))
    told.append((replace(second, t=first.t + ahead + 1000), None))
    told.append((facts.Branch(first.t + ahead + 1001, 3), None))
    entries = tuple(chain(log.evening.id, told, hall.key)[start - 1 :])
    find(hall, ReplicaFinding(3, start, entries, "better"))
    says_now(hall, "later")
    (bell,) = (one.decoded().t for one in log.entries if isinstance(one.decoded(), facts.BellRang))
    assert bell <= log.t(hall.clock.now())
    assert sum(points(hall)[1]) == before + (1 if rings == "boot2" else 2)


@pytest.mark.parametrize("ahead", [3000, -3000])
def test_tables_know_by_which_clock_a_bell_was_that_comes_with_another_end(hall: Hall, ahead: int) -> None:
    """Trace: the host chose an end by which the head's clock goes 3 s further back, and which has a bell. A
    table had the view with that before the next answer to its question for the time: what its box had kept
    of a second before the bell was behind it, and in the log its word of the bell was 3 s too early.
    """
    told = [(one.decoded(), one.origin) for one in hall.log]
    hall.kill(hall.head)
    hall.boot, hall.auto_confirm = "boot2", 60_000
    recovered(hall)
    hall.wait(5000)
    log, before, at = hall.head.referee.log, sum(points(hall)[1]), hall.clock.now()
    clock, rang = log.clocks[-1], log.t(at) + 500 - ahead
    hall.wait(3500)
    told += [
        (replace(clock, t=clock.t - ahead), None),
        (facts.Roll(rang, 1, BUNCO, source="dice", epoch=1), Origin(1, "y", 1)),
        (facts.BellRang(rang, 1), None),
        (facts.Branch(rang, 3), None),
    ]
    entries = chain(log.evening.id, told, hall.key)
    find(hall, ReplicaFinding(3, len(told) - 3, tuple(entries[-4:]), "better"))
    hall.wait(50)
    hall.tables[2].receive(Throw(ONE, at - 300, at, None))
    hall.wait(4000)
    seen = [fact.bell for one in hall.log if isinstance(fact := one.decoded(), facts.BellSeen)]
    assert (seen, sum(points(hall)[1])) == ([rang] * 3, before + 1)


@pytest.mark.parametrize("made", [0, 1])
def test_what_was_made_before_a_clock_of_another_end_counts_behind_a_reopening(hall: Hall, made: int) -> None:
    """Trace: a head that lacked the reopening began its clock before it, and was gone; the next one took the
    end that has it. A table that had met neither sent its throws as of the start of the first one's clock.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    before = points(hall)
    hall.do("evening_close", unfinished=True)
    hall.wait(200)
    told, since = [(one.decoded(), one.origin) for one in log.entries], log.t(hall.clock.now())
    told.append((facts.EveningReopen(since + 100, "ann"), None))

    def sets_clock(_message: object, _now: float) -> list[HeadEffect]:
        return log.record(facts.ClockSet(since, "boot1", int(since + log.began)))

    turn(None, hall.clock.now(), sets_clock, hall.head.perform)
    hall.wait(1000)
    catch_up._options = replace(catch_up._options, boot="boot2")
    log.began_at(log.began, log.t(hall.clock.now()))
    t = since + made
    hall.says(
        2, "fact", Envelope(1, log.evening.id, "x", 1, 1, 1, t, 0.0, t, "b", Rolled(ONE, source="dice"))
    )
    hall.wait(500)
    start = len(told)
    find(hall, ReplicaFinding(3, start, tuple(chain(log.evening.id, told, hall.key)[start - 1 :]), "better"))
    (roll,) = (one.decoded() for one in log.entries if one.origin and one.origin.stream == "x")
    assert roll.t - since == (1 if made else 100)
    assert sum(map(sum, points(hall))) == sum(map(sum, before)) + (not made)


@pytest.mark.parametrize(("made", "counts"), [(400, 0), (0, 1)])
def test_what_was_made_before_a_clock_that_began_too_early_was_made_by_the_bell_of_the_other_end(
    hall: Hall, made: int, counts: int
) -> None:
    """Trace: a head that had lost the bell with its card began its clock before that anew. A table that had
    played on without a head sent its throws, all as of the start of that clock, and the head took the end
    that has the bell: they went forward with the clock, behind the bell, and were ignored.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    before = sum(points(hall)[1])
    told, since, epoch = [(one.decoded(), one.origin) for one in log.entries], log.t(hall.clock.now()), 1
    start, rang = len(told) + 1, since + 1000
    told += [
        (facts.Roll(rang, 1, BUNCO, source="dice", epoch=epoch), Origin(1, "x1", 1)),
        (facts.BellRang(rang, epoch), None),
    ]
    catch_up._options = replace(catch_up._options, boot="boot2")
    log.began_at(log.began, since)
    t = since + made
    hall.wait(500)
    hall.says(
        2, "fact", Envelope(1, log.evening.id, "x", 1, 1, 1, t, 50.0, t, "b", Rolled(ONE, source="dice"))
    )
    hall.wait(500)
    find(hall, ReplicaFinding(3, start, tuple(chain(log.evening.id, told, hall.key)[start - 1 :]), "better"))
    assert sum(points(hall)[1]) == before + counts


@pytest.mark.parametrize("rang", ["here", "here, and heard", "there too", "before"])
@pytest.mark.parametrize("late", [True, False], ids=["comes late", "is left"])
def test_what_stands_at_the_start_of_a_clock_that_was_lost_was_made_by_the_bell_of_the_other_end(
    hall: Hall, late: bool, rang: str
) -> None:
    """Trace: likewise, and the machine of the head that had lost the bell booted again before the other end
    was found: what stands at the start of the clock between was behind the bell, whichever end came first.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    before, told = sum(points(hall)[1]), [(one.decoded(), one.origin) for one in log.entries]
    t = log.t(hall.clock.now())
    hall.kill(hall.tables[2])
    bell: list[tuple[facts.Fact, Origin | None]] = [
        (facts.Roll(t + 100, 1, BUNCO, source="dice", epoch=1), Origin(1, "x1", 1)),
        (facts.BellRang(t + 100, 1), None),
    ]
    seen = facts.BellSeen(t + 105, 2 if rang == "here, and heard" else 3, epoch=1), Origin(2, "x", 1)
    there = [
        (facts.ClockSet(t + 200, "lost", t + 200), None),
        (facts.Roll(t + 200, 2, ONE, source="dice", epoch=1), Origin(2, "y", 1)),
    ]
    parts = bell if rang == "before" else []
    here = [seen] if parts else [*bell, seen]
    there = [*bell, *there] if rang == "there too" else there
    hall.wait(1000)
    catch_up._options = replace(catch_up._options, boot="boot2")
    log.began_at(log.began, log.t(hall.clock.now()))
    for end in (here, there) if late else (there, here):
        entries = chain(log.evening.id, [*told, *parts, *end], hall.key)
        behind = tuple(one for one in entries if one.mac not in hall.macs())
        kind: Literal["better", "shorter"] = "shorter" if late and end is there else "better"
        find(hall, ReplicaFinding(3, behind[0].n, behind, kind))
        hall.wait(500)
    assert sum(points(hall)[1]) == before + (rang == "here")


@pytest.mark.parametrize(("made", "heard", "counts"), [(-500, False, 1), (-500, True, 0), (-1500, False, 1)])
def test_what_was_made_behind_the_start_of_a_clock_that_only_the_other_end_has_was_made_by_its_bell(
    hall: Hall, made: int, heard: bool, counts: int
) -> None:
    """Trace: a head whose clock had fallen back by 11 s rang, and card and power lost both. The next one took
    a throw by the clock before, which lay ahead of that bell, then the end that has it: the throw, which was
    made 13 s before the bell, was ignored, with all behind it.
    """
    hall.wait(2000)
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    before = sum(points(hall)[1])
    told, since, epoch = [(one.decoded(), one.origin) for one in log.entries], log.t(hall.clock.now()), 1
    start, began, rang = len(told) + 1, since - 1400, since - 1200
    told += [
        (facts.ClockSet(began, "lost", 1), None),
        (facts.Roll(rang, 1, BUNCO, source="dice", epoch=epoch), Origin(1, "x1", 1)),
        (facts.BellRang(rang, epoch), None),
        *[(facts.BellSeen(rang + 5, 2, epoch=epoch), Origin(2, "x", 1))][:heard],
    ]
    catch_up._options = replace(catch_up._options, boot="boot2")
    log.began_at(log.began, since)
    t, fact = since + made, Rolled(ONE, source="dice")
    hall.wait(500)
    hall.says(2, "fact", Envelope(1, log.evening.id, "y", 1, 1, 1, t, 50.0, t, "b", fact))
    hall.wait(500)
    find(hall, ReplicaFinding(3, start, tuple(chain(log.evening.id, told, hall.key)[start - 1 :]), "better"))
    (roll,) = (one.decoded() for one in log.entries if one.origin and one.origin.stream == "y")
    assert (roll.t, sum(points(hall)[1])) == (min(t, rang + heard), before + counts)


@pytest.mark.parametrize("guessed", [True, False])
@pytest.mark.parametrize(
    ("err", "mark", "by_boot", "counts"),
    [
        (10.0, None, False, True),
        (9e3, None, False, False),
        (9e3, ("box", 8), False, True),
        (9e3, ("box", 6), False, False),
        (9e3, None, True, True),
    ],
    ids=["surely", "perhaps", "numbered behind", "numbered before", "by the head's boot"],
)
def test_what_a_table_guessed_for_a_head_that_lacked_a_round_is_of_that_if_made_in_it(
    hall: Hall, guessed: bool, err: float, mark: tuple[str, int] | None, by_boot: bool, counts: bool
) -> None:
    """Trace: cards of the head and of table 2 lost the opening of a round. The head took what the table's box
    had kept, as of the round before, then the end that has the round: it was none of that.
    """
    log = hall.head.referee.log
    t = log.t(hall.clock.now())
    told = [(one.decoded(), one.origin) for one in log.entries]
    start, sure = len(told) + 1, facts.Roll(t + 30, 2, ONE, source="dice", epoch=2)
    told += [
        (facts.RoundCancel(t + 10, 1), None),
        (facts.RoundOpen(t + 20, epoch=2), None),
        (sure, Origin(2, "sure", 1, ("box", 7))),
    ]
    hall.wait(500)
    fact, made = Rolled(ONE, source="dice"), t + 200
    one = Envelope(1, log.evening.id, "x", 1, 1, 1, made, err, made, "b", fact, mark=mark, guessed=guessed)
    boot, up = log.clock_at(made) or ("", 0.0)
    hall.says(2, "fact", replace(one, head_up=(boot, int(up)) if by_boot else None))
    hall.wait(200)
    assert kinds(hall)[start - 1 :] == ["roll"]
    find(hall, ReplicaFinding(3, start, tuple(chain(log.evening.id, told, hall.key)[start - 1 :]), "better"))
    assert points(hall)[1] == [1 + (guessed and counts), 0]


@pytest.mark.parametrize("ahead", [3000, -1])
def test_a_throw_by_a_clock_that_was_left_comes_again_by_the_one_that_goes_now(
    hall: Hall, ahead: int
) -> None:
    """Trace: the host chose an end in which the evening was closed for a while and opened again. A throw that
    came 8 ms later had its time by the clock of before, in that while: it counted nowhere. One that is
    refused for its clock comes again by the answer to that, not a second later by the next question.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    told = [(one.decoded(), one.origin) for one in log.entries]
    since = log.t(hall.clock.now())
    told.append((facts.ClockSet(since + ahead, "boot0", since + ahead), None))
    catch_up._options = replace(catch_up._options, boot="boot2")
    log.began_at(log.began, since)
    made = log.t(hall.clock.now())
    hall.tables[2].throw(ONE)
    entries = tuple(chain(log.evening.id, told, hall.key)[-1:])
    find(hall, ReplicaFinding(3, len(told), entries, "better"))
    hall.wait(30)
    (roll,) = [fact for one in log.entries[len(told) :] if isinstance(fact := one.decoded(), facts.Roll)]
    assert log.since == max(since, since + ahead) + 1
    assert roll.t == pytest.approx(made + log.since - since, abs=5)


def test_an_end_in_which_the_bell_has_rung_comes_before_a_longer_one(hall: Hall) -> None:
    """Trace: the head's card lost the bell; table 2, which had not heard it, rolled on for a head that knew
    nothing of it, and those rolls counted although they were made after the bell.

    What must hold: what was made after a bell that everybody heard stands behind it.
    """
    log = hall.head.referee.log
    start = len(log.entries) + 1
    told = [(one.decoded(), one.origin) for one in log.entries]
    t = log.t(hall.clock.now())
    epoch = log.evening.epoch
    rung = [
        (facts.Roll(t, 1, BUNCO, source="dice", epoch=epoch), Origin(1, "x1", 1)),
        (facts.BellRang(t, epoch), None),
    ]
    for _ in range(3):
        hall.wait(1000)
        hall.tables[2].throw(ONE)
    hall.wait(1000)
    reading = ReplicaReading(1, log.evening.id, 1, "", 0.0)
    assert all(reading.add(hall.key, one) for one in chain(log.evening.id, [*told, *rung], hall.key))
    before = points(hall)[1][0]
    found = reading.outcome(log.entries)
    assert found is not None
    find(hall, found)
    assert kinds(hall)[start - 1 :] == ["roll", "bell", "roll", "roll", "roll"]
    assert points(hall)[1][0] == before - 3


def test_a_round_of_which_the_end_has_sounded_is_over_by_another_end_too(hall: Hall) -> None:
    """Trace: a head rang, and took an end in which the evening had been closed before: what rang is ignored
    there, and when the evening was open again all that was thrown behind the bell counted.
    """
    log = hall.head.referee.log
    told = [(one.decoded(), one.origin) for one in log.entries]
    start, closed = len(told) + 1, facts.EveningClose(log.t(hall.clock.now()))
    hall.wait(1000)
    hall.tables[1].throw(BUNCO)
    hall.wait(500)
    rang = next(one.decoded().t for one in log.entries if isinstance(one.decoded(), facts.BellRang))
    ending = [*told, (closed, None), (facts.Branch(closed.t, 2), None)]
    find(
        hall, ReplicaFinding(2, start, tuple(chain(log.evening.id, ending, hall.key)[start - 1 :]), "better")
    )
    hall.cut(hall.tables[1])
    hall.heal(hall.tables[1])
    hall.wait(1000)
    hall.do("evening_reopen")
    hall.wait(500)
    (close,) = (one.decoded() for one in log.entries if isinstance(one.decoded(), facts.RoundClose))
    assert close.t == pytest.approx(rang, abs=1)
    assert len(hall.rings) == len(set(hall.rings)) == 2


def test_a_round_of_which_the_end_has_sounded_is_over_though_the_head_that_left_it_loses_its_power(
    hall: Hall,
) -> None:
    """Trace: a head rang, and the host chose an end in which the evening had been closed before; then its
    power was gone, and with it all that told of the bell. When the evening was open again the round went on,
    and rang again.
    """
    log = hall.head.referee.log
    told, t = [(one.decoded(), one.origin) for one in log.entries], log.t(hall.clock.now())
    for number in (2, 3):
        hall.cut(hall.tables[number])
    hall.wait(1000)
    hall.tables[1].throw(BUNCO)
    hall.wait(500)
    hall.kill(hall.tables[1])
    other = [*told, (facts.EveningClose(t), None), (facts.Branch(t, 2), None)]
    has(hall.tables[2], chain(hall.evening.id, other, hall.key))
    hall.until(lambda: hall.evening.closed, 5000)
    hall.wait(500)
    hall.kill(hall.head)
    hall.rung.clear()
    hall.boot, hall.auto_confirm = "boot2", 60_000
    broker_restarts(hall)
    recovered(hall)
    hall.wait(1000)
    hall.do("evening_reopen")
    hall.wait(500)
    assert "bell" in kinds(hall)
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start", "end"]


@pytest.mark.parametrize("closed", [True, False])
def test_a_bell_of_an_end_that_is_left_has_its_time_by_the_clock_of_the_one_that_is_taken(
    hall: Hall, closed: bool
) -> None:
    """Trace: behind where two ends part their clocks went 12 s apart. A bell of the one that was left was put
    where its own clock had it, and what was made before it was ignored.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    told, now = [(one.decoded(), one.origin) for one in log.entries], hall.clock.now()
    start, t = len(told) + 1, log.t(now) + 12_000
    told.append((facts.ClockSet(t, hall.boot, int(now)), None))
    told += [(facts.EveningClose(t + 1), None)] if closed else []
    hall.wait(1000)
    hall.tables[1].throw(BUNCO)
    hall.wait(500)
    rang = next(one.decoded().t for one in log.entries if isinstance(one.decoded(), facts.BellRang))
    catch_up._options = replace(catch_up._options, boot="boot9")  # neither a note nor a clock of before
    log.began_at(log.began, log.t(hall.clock.now()))
    log.bell.noted.clear()
    ending = chain(log.evening.id, told, hall.key)[start - 1 :]
    made = find(hall, ReplicaFinding(2, start, tuple(ending), "better"))
    # a cut between the two leaves the note of a bell that stands in no log any more
    assert [type(one) for one in made if isinstance(one, Keep | TakeOver)] == [Keep, TakeOver]
    if closed:
        hall.do("evening_reopen")
    hall.wait(500)
    (bell,) = (one.decoded() for one in log.entries if isinstance(one.decoded(), facts.BellRang))
    assert bell.t == pytest.approx(rang + 12_000, abs=1)
    assert len(hall.rings) == len(set(hall.rings)) == 2


def test_a_bell_by_a_clock_that_only_the_end_has_that_is_left_ends_its_round_behind_a_reopening(
    hall: Hall,
) -> None:
    """Trace: the head's machine booted again and rang; its log was left for one in which the evening had been
    closed before that. No clock of this told when the bell was, and when the evening was open again the round
    went on.
    """
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    told = [(one.decoded(), one.origin) for one in log.entries]
    start = len(told) + 1
    told.append((facts.EveningClose(log.t(hall.clock.now())), None))
    for boot in ("boot2", "boot3"):
        catch_up._options = replace(catch_up._options, boot=boot)
        log.began_at(log.began, log.t(hall.clock.now()))
        hall.wait(500)
        if boot == "boot2":
            for number in (2, 3):
                hall.cut(hall.tables[number])
            hall.tables[1].throw(BUNCO)
            hall.wait(500)
    rang = next(one.decoded().t for one in log.entries if isinstance(one.decoded(), facts.BellRang))
    log.bell.noted.clear()
    find(hall, ReplicaFinding(2, start, tuple(chain(log.evening.id, told, hall.key)[start - 1 :]), "better"))
    hall.wait(500)
    hall.do("evening_reopen")
    hall.wait(500)
    (bell,) = (one.decoded() for one in log.entries if isinstance(one.decoded(), facts.BellRang))
    assert bell.t == pytest.approx(rang, abs=1)
    assert len(hall.rings) == len(set(hall.rings)) == 2


@pytest.mark.parametrize("ends", ["earlier", "not at all"])
def test_what_was_made_behind_a_bell_stands_behind_it_by_another_end_too(tmp_path: Path, ends: str) -> None:
    """Trace: a head rang, and its host chose an end in which an earlier throw ended the round, or none did:
    all that was thrown between the bell and that choice counted.
    """
    hall = Hall(tmp_path, 3, auto_confirm=60_000)
    hall.open(12, "bonko", **{"end.points": 3})
    hall.do("round_start")
    hall.wait(3000)
    hall.tables[1].throw(ONE)
    hall.wait(500)
    log = hall.head.referee.log
    told, t = [(one.decoded(), one.origin) for one in log.entries], log.t(hall.clock.now())
    there = facts.Roll(t, 1, ONE, epoch=1) if ends == "earlier" else facts.Undo(t, 1, epoch=1)
    hall.cut(hall.tables[2])
    for _ in range(2):
        hall.tables[1].throw(ONE)
        hall.wait(500)
    rang = next(one.decoded().t for one in log.entries if isinstance(one.decoded(), facts.BellRang))
    hall.tables[2].throw(ONE)
    hall.heal(hall.tables[2])
    hall.wait(2000)
    other = chain(log.evening.id, [*told, (there, Origin(1, "x", 1)), (facts.Branch(t, 3), None)], hall.key)
    find(hall, ReplicaFinding(3, len(told) + 1, tuple(other[len(told) :]), "better"))
    hall.wait(500)
    (bell,) = (one.decoded() for one in log.entries if isinstance(one.decoded(), facts.BellRang))
    assert bell.t == pytest.approx(rang, abs=1)
    assert kinds(hall).count("roll") == (5 if ends == "earlier" else 4)
    assert points(hall)[1] == [0, 0]
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start", "end"]


def dies_behind_a_takeover(hall: Hall) -> None:
    """The head is killed as soon as the end that it takes over is on its disk."""
    head, perform = hall.head, hall.head.perform

    def performed(effect: Any) -> Any:
        if head.dead:
            return None
        report = perform(effect)
        if isinstance(effect, TakeOver):
            head.journal.writer.commit()  # type: ignore[attr-defined]
            hall.kill(head)
        return report

    head.perform = performed  # type: ignore[method-assign]
    hall.until(lambda: head.dead, 10_000)


@pytest.mark.parametrize("starts", [False, True], ids=["head plays", "head starts"])
@pytest.mark.parametrize("told", [True, False], ids=["told before", "told later"])
def test_what_was_made_behind_the_bell_of_an_end_is_behind_it_though_the_head_dies_as_it_takes_that(
    hall: Hall, starts: bool, told: bool
) -> None:
    """Trace: a head on a card that lied lacked a bell, by a clock 12 s ahead of its own; a table that had not
    heard it threw. Another table brought the end with the bell. The head was killed when that was on its
    disk, and neither the throw nor its clock was: the next one entered the throw before the bell.
    """
    hall.wait(2000)
    before, other = sum(points(hall)[1]), [(one.decoded(), one.origin) for one in hall.log]
    t = hall.head.referee.log.t(hall.clock.now()) + 12_000
    rang = facts.Roll(t, 1, BUNCO, source="dice", epoch=1), Origin(1, "x", 1)
    other += [(facts.ClockSet(t, "boot0", 1), None), rang, (facts.BellRang(t, 1), None)]
    for node in (hall.tables[3], hall.head):
        hall.kill(node)
    hall.boot, hall.auto_confirm = "boot2", 60_000
    recovered(hall)
    hall.wait(1500)
    if not told:
        hall.cut(hall.tables[2])
    hall.tables[2].throw(ONE)
    hall.wait(500)
    if starts:
        hall.kill(hall.head)
    has(hall.start_table(3), chain(hall.evening.id, other, hall.key))
    if starts:
        hall.start_head()
    dies_behind_a_takeover(hall)
    recovered(hall)
    hall.wait(3000)
    if not told:
        hall.heal(hall.tables[2])
        hall.wait(3000)
    assert [kind_of(fact) for fact, _ in other] == kinds(hall)[: len(other)]
    assert kinds(hall)[len(other) :].count("roll") == 1
    assert sum(points(hall)[1]) == before


@pytest.mark.parametrize("boot", ["boot1", "boot2"])
def test_what_a_replica_hands_back_of_the_end_that_was_left_has_its_time_by_the_clock_of_its_boot(
    hall: Hall, boot: str
) -> None:
    """Trace: as before, and the end with the bell has the evening closed. The throw waited for its reopening
    at its time by the clock that had gone forward; then a replica handed it back, at the time before that.
    """
    hall.wait(2000)
    before, other = sum(points(hall)[1]), [(one.decoded(), one.origin) for one in hall.log]
    t = hall.head.referee.log.t(hall.clock.now()) + 12_000
    rang = facts.Roll(t, 1, BUNCO, source="dice", epoch=1), Origin(1, "x", 1)
    other += [(facts.ClockSet(t, "boot0", 1), None), rang]
    other += [(facts.BellRang(t, 1), None), (facts.EveningClose(t + 10), None)]
    for node in (hall.tables[3], hall.head):
        hall.kill(node)
    hall.boot, hall.auto_confirm = boot, 60_000
    recovered(hall)
    hall.wait(1500)
    hall.tables[2].throw(ONE)
    hall.wait(500)
    hall.kill(hall.tables[2])
    has(hall.start_table(3), chain(hall.evening.id, other, hall.key))
    hall.until(lambda: hall.evening.closed, 5000)
    hall.wait(3000)
    hall.do("evening_reopen")
    hall.wait(1000)
    assert kinds(hall)[len(other) :].count("roll") == 1
    assert sum(points(hall)[1]) == before


def has(table: TableNode, entries: list[Entry]) -> None:
    """The table's replica has this end of the log too."""
    assert table.replica is not None
    kept = table.replica.fork(entries[0].evening)
    for one in entries:
        kept.add(one)
    table.replica.put(*entries)
    table.replica.writer.commit()  # type: ignore[attr-defined]
    table.hall.cut(table)
    table.hall.heal(table)


def test_an_end_that_parts_from_what_the_log_has_left_since_is_not_chosen(hall: Hall) -> None:
    """It would stand behind entries that it does not continue, and no replica would follow."""
    log, catch_up = hall.head.referee.log, hall.head.referee.catch_up
    told = [(one.decoded(), one.origin) for one in log.entries]
    longer = [*told[:-1], *((facts.Roll(9000, 3, ONE, epoch=1), Origin(3, "x", n)) for n in range(1, 9))]
    paused = chain(log.evening.id, [*told, (facts.Pause(8000, 5), None)], hall.key)[len(told) :]
    for _ in range(3):
        hall.tables[1].throw(ONE)
        hall.wait(500)
    answer = answer_of(messages.LogRequest(hall.evening.id, paused[0].n), paused)
    hall.network.publish(Publish(topics.up("home", "table3", "log"), answer, 1))
    hall.wait(500)
    assert list(catch_up.recovery.offers) == [3]
    other = tuple(chain(log.evening.id, longer, hall.key)[len(told) - 1 :])
    find(hall, ReplicaFinding(2, other[0].n, other, "better"))
    assert catch_up.branch(3, hall.clock.now()) is None
    assert not catch_up.recovery.offers


def test_a_replica_of_the_end_that_was_not_chosen_ends_no_head(hall: Hall) -> None:
    """Trace: behind where two ends part guests came in one of them, and table 4 threw; the host chose the
    other one, and the head ended each time that the first was handed back.
    """
    before, start = points(hall), len(hall.log) + 1
    find(hall, ReplicaFinding(2, start, rolls(hall, (4, ONE), (2, ONE)), "shorter"))
    assert points(hall)[1][0] == before[1][0] + 1
    assert len(hall.log) == start
