"""A head that lost its log, or its end, goes on from the tables' replicas."""

from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from logs import KEY, chain
from pi_bunco.game import facts
from pi_bunco.game.fields import LATEST_MS
from pi_bunco.head.evening_log import PASSED_OVER
from pi_bunco.log.chain import LogKey
from pi_bunco.log.entry import Entry, Origin, ReplicaClaim
from pi_bunco.log.journal import SCHEMA, asides, latest
from pi_bunco.log.records import Written
from pi_bunco.log.recovery import (
    ASK_REPLICA_AGAIN_MS,
    BEGIN_EMPTY_AFTER_MS,
    QUESTION_LOST_AFTER_MS,
    REPLICAS_BACK_WITHIN_MS,
    WAIT_WITH_LOG_MS,
    AskReplica,
    Recovery,
    ReplicaFinding,
    missing,
    of_a_head,
)
from pi_bunco.runtime.store import connect
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Disconnected, Publish
from pi_bunco.wire.log_exchange import LogExchange, answer_of
from pi_bunco.wire.outbox import SCHEMA as OUTBOX
from services.evidence import check
from services.hall import BUNCO, MISS, ONE, Hall
from services.in_a_round import (
    broker_restarts,
    forget,
    forget_signals,
    in_a_round,
    points,
    recovered,
)

__all__ = ["in_a_round"]
OTHER_KEY = LogKey(b"o" * 32)


def head_faults(hall: Hall) -> tuple[str, ...]:
    payload = hall.network.retained[topics.everyone("home", "head")]
    return msgspec.json.decode(payload, type=messages.HeadStatus).faults


def shorten(hall: Hall) -> None:
    """The card had lied: the journal ends after its second entry, and is sound."""
    connection = connect(hall.folder / "journal.db", SCHEMA)
    connection.execute("DELETE FROM facts WHERE n > 2")
    connection.close()


def test_a_restart_with_the_brokers_last_entry_waits_for_nobody(hall: Hall) -> None:
    before = hall.macs()
    hall.kill(hall.head)
    began = hall.clock.time
    recovered(hall)
    assert hall.macs()[: len(before)] == before
    assert hall.clock.time - began < 100


@pytest.mark.parametrize("tables", [1, 2, 3, 5])
def test_a_new_card_takes_the_whole_evening_and_the_round_goes_on(tmp_path: Path, tables: int) -> None:
    hall = Hall(tmp_path, tables, auto_confirm=1000)
    hall.open(4 * tables, "bonko")
    hall.do("round_start")
    hall.wait(3000)
    for number in range(1, tables + 1):
        hall.tables[number].throw(ONE)
        hall.wait(200)
    before = hall.macs()
    rings = list(hall.rings)
    hall.lose_head()
    broker_restarts(hall)
    hall.tables[tables].throw(ONE)  # while nobody is head
    recovered(hall)
    hall.wait(3000)
    assert hall.macs()[: len(before)] == before
    assert points(hall)[tables - 1] == [2, 0]
    assert hall.rings == rings
    hall.tables[1].throw(BUNCO)
    hall.until(lambda: len(hall.evening.rounds) == 1)
    assert [id.split(":")[2] for id in hall.rings] == ["start", "end"]
    hall.wait(2000)
    assert [one.mac for one in latest(tmp_path / "journal.db")] == hall.macs()
    check(hall)


def test_a_stale_replica_that_answers_first_wins_nothing(hall: Hall) -> None:
    """Item 1 of the attack: table 2 was off for a while, answers first, and nothing is cut to match it."""
    before = hall.macs()
    hall.lose_head()
    broker_restarts(hall)
    for number in (1, 3):
        hall.kill(hall.tables[number])
    forget(hall.tables[2], after=6)
    hall.start_head()
    hall.wait(700)
    for number in (1, 3):
        hall.start_table(number)
    hall.until(lambda: len(hall.log) >= len(before), 30_000)
    hall.wait(3000)
    assert hall.macs()[: len(before)] == before
    for number in (1, 2, 3):
        assert hall.replicated(number) == hall.macs()


def test_a_better_replica_that_comes_late_is_taken_or_merged(hall: Hall) -> None:
    before = hall.macs()
    scored = [list(one) for one in points(hall)]
    hall.lose_head()
    broker_restarts(hall)
    forget(hall.tables[1], after=4)
    forget(hall.tables[2], after=4)
    hall.kill(hall.tables[3])
    recovered(hall)
    hall.wait(1000)
    assert hall.macs()[: len(before)] != before
    hall.wait(20_000)
    hall.start_table(3)
    hall.wait(5000)
    assert points(hall) == scored
    origins = [(one.origin.stream, one.origin.seq) for one in hall.log if one.origin]
    assert len(origins) == len(set(origins))
    for number in (1, 2, 3):
        assert hall.replicated(number) == hall.macs() or number == 3


def lie(hall: Hall, node: str, told: list[Entry]) -> None:
    """Answers as that table with a log that a thief has rewritten."""
    evening = told[0].evening
    answer = answer_of(messages.LogRequest(evening, 1), told)
    hall.network.publish(Publish(topics.up("home", node, "log"), answer, 1))


class Liar:
    """Answers for table 3 with what it was given, whatever is asked."""

    def __init__(self, hall: Hall, told: list[Entry]) -> None:
        self.hall, self.told, self.asked = hall, told, 0
        hall.kill(hall.tables[3])
        claim = ReplicaClaim(told[0].evening, 1, 0, len(told), told[-1].mac)
        status = messages.Status("online", "liar", "1", "b", 1, 5000, (), claim)
        self.status = Publish(topics.up("home", "table3", "status"), status, 1, True)
        hall.network.publish(self.status)

    def answer(self) -> None:
        """Says once more what it has to every request since the last time."""
        topic = topics.down("home", "table3", "log_request")
        requests = [payload for _, sent, payload in self.hall.network.sent if sent == topic]
        for payload in requests[self.asked :]:
            request = msgspec.json.decode(payload, type=messages.LogRequest)
            rest = [one for one in self.told if one.n >= request.start]
            self.hall.network.publish(
                Publish(topics.up("home", "table3", "log"), answer_of(request, rest[:3]), 1)
            )
        self.asked = len(requests)


def forged(before: list[Entry], facts_: list[tuple[Any, Origin | None]]) -> list[Entry]:
    """The true log with entries behind it that a thief without the key has made."""
    told = [(one.decoded(), one.origin) for one in before] + facts_
    made = chain(before[0].evening, told, OTHER_KEY)
    return [*before, *made[len(before) :]]


@pytest.mark.parametrize(
    "fact",
    [
        (facts.Roll(9000, 1, (1, 1, 1), source="dice", epoch=1), Origin(1, "f0", 1)),
        (facts.Decide(9000, 2, "US", epoch=1), None),
        (facts.Roll(9000, 2, (2, 3, 4), source="dice", epoch=1), Origin(2, "f1", 999)),
    ],
)
def test_entries_that_no_head_wrote_are_refused_however_long_the_log(
    hall: Hall, fact: tuple[Any, Origin | None]
) -> None:
    """Item 3: a lying table's longer log with a forged ending changes nothing."""
    before = hall.log
    hall.lose_head()
    broker_restarts(hall)
    liar = Liar(hall, forged(before, [fact] * 5))
    hall.start_head()
    hall.network.publish(liar.status)
    for _ in range(200):
        hall.wait(50)
        liar.answer()
    assert liar.asked
    assert not hall.head.referee.catch_up.recovery.pending
    assert hall.macs()[: len(before)] == [one.mac for one in before]
    assert all(entry.decoded() != fact[0] for entry in hall.log)
    assert points(hall) == [[1, 0], [2, 0], [1, 0]]


def test_a_log_of_another_key_is_the_hosts_question(hall: Hall) -> None:
    """The host's word is in the log, though it had chosen before, under the other key."""
    log = hall.head.referee.log
    for effect in log.record(facts.Branch(log.t(hall.clock.now()), 1)):
        hall.head.perform(effect)
    hall.wait(500)
    before = hall.log
    hall.lose_head()
    broker_restarts(hall)
    hall.key = OTHER_KEY
    recovered(hall)
    assert hall.log == []
    offered = [fault for fault in head_faults(hall) if "this head's key did not make" in fault]
    assert offered
    effects = hall.head.referee.catch_up.branch(2, hall.clock.now())
    assert effects is not None
    for effect in effects:
        hall.head.perform(effect)
    hall.wait(5000)
    assert [one.plain() for one in hall.log][: len(before)] == [one.plain() for one in before]
    assert hall.head.referee.log.branches == 2
    assert hall.replicated(1) == hall.macs()


@pytest.mark.parametrize("late", [True, False], ids=["comes late", "is there"])
def test_of_two_logs_of_another_key_the_host_is_asked_about_the_better_one_though_it_chose_the_other(
    hall: Hall, late: bool
) -> None:
    """Trace: a head lost key and journal, and its host chose what the first table had; another one had more,
    a throw among it that no outbox had any more.
    """
    before = hall.log
    hall.lose_head()
    broker_restarts(hall)
    for number in (1, 2):
        forget(hall.tables[number], after=len(before) - 2)
    if late:
        hall.kill(hall.tables[3])
    hall.key = OTHER_KEY
    hall.start_head()
    recovery = hall.head.referee.catch_up.recovery
    hall.until(lambda: set(recovery.offers) == ({1, 2} if late else {1, 2, 3}), 30_000)
    hall.do("branch", table=2)
    if late:
        assert not recovery.offers
        hall.start_table(3)
        hall.until(lambda: bool(recovery.offers), 30_000)
    assert set(recovery.offers) == {3}
    hall.do("branch", table=3)
    assert not recovery.offers
    assert [one.plain() for one in hall.log][: len(before)] == [one.plain() for one in before]
    assert hall.head.referee.log.branches == 2


def test_a_log_that_the_host_chooses_has_its_bell_before_anything_else(hall: Hall) -> None:
    """Its head was killed as the bell rang, and the one that asks the host still waits for other tables."""
    hall.tables[1].throw(BUNCO)
    hall.wait(2000)
    rang = next(one.n for one in hall.log if isinstance(one.decoded(), facts.BellRang))
    hall.lose_head()
    broker_restarts(hall)
    for number in (1, 2, 3):
        forget(hall.tables[number], after=rang - 1)
    hall.key = OTHER_KEY
    hall.start_head()
    catch_up = hall.head.referee.catch_up
    hall.until(lambda: bool(catch_up.recovery.offers), 30_000)
    assert catch_up.pending
    assert catch_up.branch(next(iter(catch_up.recovery.offers)), hall.clock.now())
    assert [type(one.decoded()) for one in hall.log[rang - 1 :]] == [facts.BellRang, facts.Branch]


def test_a_shortened_journal_is_made_whole_before_anything_is_applied(hall: Hall) -> None:
    """Item 7: a card that lied about a sync leaves a sound but shorter journal."""
    before = hall.macs()
    hall.wait(3000)
    hall.kill(hall.head)
    broker_restarts(hall)
    shorten(hall)
    recovered(hall)
    hall.wait(2000)
    assert hall.macs()[: len(before)] == before
    assert any("that the journal lacked, from 3 on; they are taken." in text for text in hall.warnings)
    assert [id.split(":")[2] for id in hall.rings] == ["start"]


def test_a_lost_round_is_not_opened_under_its_number_again(hall: Hall) -> None:
    """Item 11: the journal has lost the opening of a round that the tables know, and nobody has a replica."""
    evening = hall.evening
    hall.kill(hall.head)
    broker_restarts(hall)
    shorten(hall)
    for number in (1, 2, 3):
        forget(hall.tables[number], after=2)
        hall.tables[number].throw(ONE)
    recovered(hall)
    hall.wait(5000)
    assert hall.evening.id == evening.id
    assert hall.evening.epoch == 0
    assert any("the end of the log is missing" in fault for fault in head_faults(hall))
    hall.do("round_start", bypass=[])
    hall.wait(2000)
    assert hall.evening.epoch > PASSED_OVER
    assert len(set(hall.rings)) == len(hall.rings) == 2
    hall.tables[2].throw(ONE)
    hall.wait(4000)
    assert points(hall)[1] == [1, 0]


def test_facts_of_earlier_streams_are_sent_again_to_a_head_that_lost_them(hall: Hall) -> None:
    """Item 13: table 2 restarted, so some of its facts are of a stream that it has left."""
    hall.kill(hall.tables[2])
    hall.start_table(2)
    hall.wait(2000)
    hall.tables[2].throw(ONE)
    hall.wait(2000)
    rolls = points(hall)
    hall.lose_head()
    broker_restarts(hall)
    for number in (1, 2, 3):
        forget(hall.tables[number], after=3)
    recovered(hall)
    hall.wait(15_000)
    assert points(hall) == rolls


def test_what_was_set_aside_before_its_log_came_is_in_the_log_though_the_head_is_killed_then(
    hall: Hall,
) -> None:
    """Trace: the started head took throws that were aside in its journal for throws of its log."""
    path, scored = hall.folder / "journal.db", points(hall)
    hall.kill(hall.tables[3])
    hall.lose_head()
    broker_restarts(hall)
    hall.kill(hall.tables[1])
    hall.tables[2].throw(ONE)
    hall.wait(100)
    forget(hall.tables[2])
    recovered(hall)
    hall.until(lambda: len(asides(path)) == 1, 5000)
    hall.start_table(3)
    hall.until(lambda: bool(latest(path)))
    hall.kill(hall.head)
    recovered(hall)
    hall.wait(1000)
    assert points(hall) == [scored[0], [scored[1][0] + 1, scored[1][1]], scored[2]]
    assert asides(path) == []


def test_a_table_without_a_replica_tells_anew_what_was_set_aside_before_its_log_came(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 6)
    hall.open(24, "bonko")
    hall.do("round_start")
    hall.wait(3000)
    hall.lose_head()
    broker_restarts(hall)
    for number in range(1, 6):
        hall.kill(hall.tables[number])
    hall.tables[6].throw(ONE)
    recovered(hall)
    hall.until(lambda: len(asides(hall.folder / "journal.db")) == 1, 5000)
    hall.start_table(3)
    hall.until(lambda: bool(hall.log))
    hall.wait(3000)
    assert points(hall)[5] == [1, 0]


def test_a_fact_that_is_no_fact_blocks_nothing(hall: Hall) -> None:
    """Item 14: out of bounds at one place of the stream; what comes after it counts."""
    evening = hall.evening
    before = points(hall)[2][0]
    good = messages.Envelope(
        1, evening.id, "bad", 1, 1, evening.epoch, 4000, 1.0, 4000, "b",
        facts.Rolled((1, 3, 4), source="dice"),
    )  # fmt: skip
    topic = topics.up("home", "table3", "fact")
    for seq in (1, 2, 3):
        payload = msgspec.to_builtins(replace(good, seq=seq))
        if seq == 2:
            payload["t"] = -7
        hall.network.raw(topic, msgspec.json.encode(payload))
    hall.wait(200)
    assert points(hall)[2][0] == before + 2
    acks = [
        msgspec.json.decode(payload, type=messages.Ack)
        for _, sent, payload in hall.network.sent
        if sent == topics.down("home", "table3", "ack")
    ]
    assert acks[-1] == messages.Ack(evening.id, "bad", 3, 3)


def test_a_throw_that_the_box_sends_again_counts_once(hall: Hall) -> None:
    """Item 2: the table died after the head's commit and before its own; the box has the throw still."""
    evening = hall.evening
    topic = topics.up("home", "table3", "fact")
    fact = facts.Rolled((1, 3, 4), source="dice")
    before = points(hall)[2][0]
    for stream in ("first", "second"):
        one = messages.Envelope(
            1, evening.id, stream, 1, 1, evening.epoch, 4000, 1.0, 4000, "b", fact, mark=("a7c1", 318)
        )
        hall.network.publish(Publish(topic, one, 1))
        hall.wait(200)
    assert points(hall)[2][0] == before + 1
    other = messages.Envelope(
        1, evening.id, "third", 1, 1, evening.epoch, 4000, 1.0, 4000, "b", fact, mark=("a7c1", 318)
    )
    hall.says(2, "fact", other)
    hall.wait(200)
    assert points(hall)[1] == [3, 0]


def test_without_a_replica_and_an_evening_the_head_begins_in_a_second(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    began = hall.clock.time
    hall.until(lambda: not hall.head.referee.catch_up.recovery.pending, 10_000)
    assert hall.clock.time - began <= BEGIN_EMPTY_AFTER_MS + 100
    hall.open(8)


def test_a_replica_that_promises_and_sends_nothing_is_passed_over_and_named(hall: Hall) -> None:
    before = hall.log
    hall.lose_head()
    broker_restarts(hall)
    liar = Liar(hall, before)  # which never answers
    began = hall.clock.time
    hall.start_head()
    hall.network.publish(liar.status)
    hall.until(lambda: not hall.head.referee.catch_up.recovery.pending, 120_000)
    assert [one.mac for one in before] == hall.macs()[: len(before)]
    assert hall.clock.time - began <= WAIT_WITH_LOG_MS
    hall.wait(3000)
    assert any("Table 3 told of a log and sent nothing of it" in fault for fault in head_faults(hall))


def test_a_replica_that_was_silent_for_a_while_is_asked_again(hall: Hall) -> None:
    """Nobody had the evening for a head with a new card that all three replicas answered too late."""
    before = hall.macs()
    hall.lose_head()
    broker_restarts(hall)
    with pytest.MonkeyPatch.context() as slow:
        slow.setattr(LogExchange, "requested", lambda _log, _request: [])
        hall.start_head()
        hall.wait(ASK_REPLICA_AGAIN_MS + 2000)
    hall.wait(ASK_REPLICA_AGAIN_MS + 1000)
    assert hall.macs()[: len(before)] == before
    assert not any("sent nothing of it" in fault for fault in head_faults(hall))


@pytest.mark.parametrize("away", [(3,), (1, 2, 3)])
def test_a_head_with_its_journal_does_not_wait_long_for_who_is_not_there(
    hall: Hall, away: tuple[int, ...]
) -> None:
    before = hall.macs()
    hall.kill(hall.head)
    for number in away:
        hall.kill(hall.tables[number])
    broker_restarts(hall)  # the other tables are back after 300 ms
    began = hall.clock.time
    recovered(hall)
    assert hall.macs()[: len(before)] == before
    assert hall.clock.time - began <= REPLICAS_BACK_WITHIN_MS + 60


@pytest.mark.parametrize("of_now", [False, True])
def test_a_birth_that_the_broker_kept_is_no_sign_of_life(hall: Hall, of_now: bool) -> None:
    """A broker with a memory is back before its tables are: they come 300 ms later, and only then are asked.

    Their births are of before they had any of the log, or of now.
    """
    before = hall.macs()
    for table in hall.tables.values() if of_now else ():
        hall.cut(table)
        hall.heal(table)
    hall.wait(100)
    hall.kill(hall.head)
    shorten(hall)
    del hall.network.retained[topics.everyone("home", "log")]
    for table in hall.tables.values():
        hall.network.drop(table, will=False)
        table.receive(Disconnected("the broker died"))
        hall.later(300, partial(hall.heal, table))
    began = hall.clock.time
    assert [one.mac for one in recovered(hall)] == before
    assert hall.clock.time - began <= 400


@pytest.mark.parametrize("kept", [False, True])
def test_a_replica_whose_birth_was_lost_is_asked_when_its_beat_comes(hall: Hall, kept: bool) -> None:
    """Trace: a head waited 5 s for a table that was there, and began without its end; another waited 1.5 s,
    for its broker had lost a birth that it had not kept before.
    """
    for table in hall.tables.values():
        hall.cut(table)
        hall.heal(table)
    hall.wait(100)
    hall.kill(hall.head)
    shorten(hall)
    del hall.network.retained[topics.everyone("home", "log")]
    if not kept:
        del hall.network.retained[topics.up("home", "table3", "status")]
    for table in hall.tables.values():
        hall.network.drop(table, will=False)
    hall.start_head()
    hall.wait(500)
    topic = topics.down("home", "table3", "log_request")
    assert topic not in [sent for _, sent, _ in hall.network.sent]
    hall.network.publish(Publish(topics.up("home", "table3", "beat"), messages.Beat(0, replica=4)))
    hall.wait(50)
    (request,) = [payload for _, sent, payload in hall.network.sent if sent == topic]
    assert msgspec.json.decode(request, type=messages.LogRequest).start == 3


def test_a_head_whose_machine_was_off_waits_for_the_table_on_the_same_machine(hall: Hall) -> None:
    """Trace: the bell rang again a second after a power cut; the table that had its fact was starting."""
    before = hall.macs()
    hall.kill(hall.head)
    shorten(hall)
    hall.boot = "boot2"
    hall.network.retained.clear()
    for table in hall.tables.values():
        hall.kill(table)
    hall.later(1200, partial(hall.start_table, 1))
    assert [one.mac for one in recovered(hall)][: len(before)] == before


def test_a_head_whose_card_lied_waits_for_who_had_more_of_its_evening(hall: Hall) -> None:
    """Trace: the host was told that the evening is closed; the card lied; the table that answered had less.

    The head began after 2.3 s, though the broker kept the births of two tables that had the close.
    """
    forget(hall.tables[1], after=2)
    hall.cut(hall.tables[1])
    for number in (2, 3):
        hall.cut(hall.tables[number])
        hall.heal(hall.tables[number])
    hall.wait(100)
    before = hall.macs()
    hall.kill(hall.head)
    shorten(hall)
    del hall.network.retained[topics.everyone("home", "log")]
    for number in (2, 3):
        hall.network.drop(hall.tables[number], will=False)
        hall.tables[number].receive(Disconnected("the cable is out"))
        hall.later(4000, partial(hall.heal, hall.tables[number]))
    hall.later(100, partial(hall.heal, hall.tables[1]))
    began = hall.clock.time
    assert [one.mac for one in recovered(hall)] == before
    assert 4000 <= hall.clock.time - began <= WAIT_WITH_LOG_MS


def test_a_replica_that_lost_what_the_heads_card_lost_does_not_speak_for_the_others(hall: Hall) -> None:
    """Trace: table 1 answered that the log ends where the journal did; table 2 came with the rest
    300 ms later, which was entered behind what had been thrown since.
    """
    before = hall.macs()
    hall.kill(hall.head)
    shorten(hall)
    forget(hall.tables[1], after=2)
    hall.kill(hall.tables[3])
    broker_restarts(hall)
    hall.heal(hall.tables[1])
    assert [one.mac for one in recovered(hall)] == before


def test_commands_are_refused_while_the_log_is_read(hall: Hall) -> None:
    hall.lose_head()
    broker_restarts(hall)
    for number in (1, 2):
        hall.kill(hall.tables[number])
    hall.start_head()
    hall.wait(1500)
    answer = hall.ask("round_end")
    assert not answer.done
    assert "reads the end of the evening" in answer.why[0]


def test_what_the_hall_has_acknowledged_counts_once_whatever_key_is_lost(hall: Hall) -> None:
    hall.tables[1].throw(MISS)
    hall.wait(100)
    hall.kill(hall.head)
    hall.kill(hall.tables[1])
    broker_restarts(hall)
    hall.start_table(1)
    recovered(hall)
    hall.wait(4000)
    hall.tables[1].throw(BUNCO)
    hall.until(lambda: len(hall.evening.rounds) == 1)
    hall.wait(2000)
    check(hall)


def test_chains_that_differ_only_by_tables_facts_are_merged(hall: Hall) -> None:
    """Two heads wrote different ends; the shorter one's rolls are entered again behind the longer."""
    common = hall.log
    hall.wait(3000)
    hall.kill(hall.head)
    for number in (1, 2, 3):
        hall.kill(hall.tables[number])
    broker_restarts(hall)
    evening = hall.evening
    told = [(one.decoded(), one.origin) for one in common]

    def roll(table: int, seq: int, t: int) -> tuple[Any, Origin]:
        fact = facts.Roll(t, table, (1, 3, 4), source="dice", epoch=evening.epoch)
        return fact, Origin(table, f"x{table}", seq)

    longer = chain(evening.id, [*told, roll(1, 1, 9000), roll(1, 2, 9100), roll(2, 1, 9200)], KEY)
    shorter = chain(evening.id, [*told, roll(3, 1, 9050)], KEY)
    assert longer[: len(common)] == common
    referee = hall.start_head().referee
    hall.until(lambda: not referee.catch_up.recovery.pending, 10_000)

    def perform(found: ReplicaFinding) -> None:
        for effect in referee.catch_up._take_over(found, hall.clock.now()):
            hall.head.perform(effect)

    perform(ReplicaFinding(3, len(common) + 1, tuple(shorter[len(common) :]), "better"))
    perform(ReplicaFinding(1, len(common) + 1, tuple(longer[len(common) :]), "better"))
    hall.wait(1000)
    assert points(hall) == [[3, 0], [3, 0], [2, 0]]
    assert [one.mac for one in latest(hall.folder / "journal.db")] == hall.macs()


def test_a_shorter_end_that_comes_late_loses_no_tables_fact(hall: Hall) -> None:
    """A head with a new card went on without the replica that had the last roll, which its table forgot."""
    scored = [list(one) for one in points(hall)]
    hall.lose_head()
    broker_restarts(hall)
    for number in (1, 2):
        forget(hall.tables[number], after=len(hall.log) - 1)
    hall.kill(hall.tables[3])
    last = hall.log[-1].origin
    assert last is not None
    hall.kill(hall.tables[last.table])
    connection = connect(hall.folder / f"table{last.table}" / "outbox.db", OUTBOX)
    connection.execute("DELETE FROM envelopes WHERE stream = ? AND seq = ?", (last.stream, last.seq))
    connection.close()
    hall.start_table(last.table)
    recovered(hall)
    for _ in range(3):
        hall.tables[1].throw(ONE)
        hall.wait(300)
    assert points(hall)[last.table - 1] != scored[last.table - 1]
    hall.start_table(3)
    hall.wait(3000)
    assert points(hall)[1:] == scored[1:]
    assert points(hall)[0][0] == scored[0][0] + 3


@pytest.mark.parametrize(("since", "rings"), [(0, ["start", "end"]), (8000, ["start"])])
def test_a_roll_whose_bell_had_rung_for_a_head_that_lost_everything_rings_no_more(
    hall: Hall, since: int, rings: list[str]
) -> None:
    """Item 17: the power goes between the ring and the commit, and nobody has a replica of the roll.

    A head whose machine has not been off since the round was opened knows better than a table.
    """
    hall.head.referee.log.since = since
    evening = hall.evening
    fact = facts.Rolled((1, 1, 1), source="dice")
    topic = topics.up("home", "table1", "fact")
    one = messages.Envelope(
        1, evening.id, "cut", 1, 2, evening.epoch, 9000, 1.0, 9000, "b", fact, received=True
    )
    hall.network.publish(Publish(topic, one, 1))
    hall.wait(200)
    assert hall.evening.round is not None
    assert hall.evening.round.bell is not None
    assert [id.split(":")[2] for id in hall.rings] == rings
    assert any(id.endswith(":end") for id in hall.rung)


def puts(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The kinds of facts in each transaction of the head's card from now on."""
    put, together = hall.head.journal.writer.put, list[list[str]]()

    def watched(*records: Any) -> None:
        together.append([facts.kind_of(one.entry.decoded()) for one in records if isinstance(one, Written)])
        put(*records)

    monkeypatch.setattr(hall.head.journal.writer, "put", watched)
    return together


@pytest.mark.parametrize("rings", ["roll", "round_close"])
def test_no_cut_falls_between_a_bell_and_what_rang_it(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, rings: str
) -> None:
    """Trace: the head was held for 1.5 s before it rang, and the power went when the roll was on its disk and
    the bell was not: whatever was thrown in that time counted as behind the bell.
    """
    together = puts(hall, monkeypatch)
    if rings == "roll":
        hall.tables[1].throw(BUNCO)
        hall.wait(200)
    else:
        hall.do("round_end")
    assert together[0] == [rings, "bell"]


def test_no_cut_falls_between_a_log_and_the_word_by_which_the_host_chose_it(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall.lose_head()
    broker_restarts(hall)
    hall.key = OTHER_KEY
    recovered(hall)
    together = puts(hall, monkeypatch)
    hall.do("branch", table=2)
    assert (together[0][0], together[0][-1]) == ("evening", "branch")


def test_no_cut_falls_between_a_round_and_who_begins_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko", begins="drawn")
    together = puts(hall, monkeypatch)
    hall.do("round_start")
    assert together[0] == ["round_open", "begins", "begins"]


@pytest.mark.parametrize("itself", [False, True])
@pytest.mark.parametrize("since", [13_000, 15_500])
def test_a_bell_that_no_note_tells_of_rang_when_a_table_heard_it(
    hall: Hall, itself: bool, since: int
) -> None:
    """The rung roll lay on its way for long, and the head that it rang for lost its card and its notes.

    Another table tells of the bell first, or the one that rolled, whose `bell_seen` is behind the roll: by
    a clock that was ahead of the present one, which goes `since` the head's machine was off. A third one that
    tells of a later bell would have counted what was thrown until then.
    """
    hall.head.referee.log.since = since
    evening, topic = hall.evening, topics.up("home", "table2", "fact")
    epoch, saw = evening.epoch, facts.SawBell(14_000)
    rung = facts.Rolled((1, 1, 1), source="dice")
    heard = messages.Envelope(1, evening.id, "saw", 1, 1, epoch, 15_000, 1.0, 15_000, "b", saw)
    late = messages.Envelope(1, evening.id, "cut", 1, 2, epoch, 9000, 1.0, 9000, "b", rung, received=True)
    later = messages.Envelope(
        1, evening.id, "lie", 1, 1, epoch, 15_900, 1.0, 15_900, "b", facts.OkPressed(), bell=15_900
    )
    hall.wait(16_000)
    hall.says(3, "fact", later)
    if itself:
        late = replace(late, bell=14_000)
    else:
        hall.network.publish(Publish(topic, heard, 1))
    hall.network.publish(Publish(topics.up("home", "table1", "fact"), late, 1))
    hall.wait(200)
    assert [one for entry in hall.log if isinstance(one := entry.decoded(), facts.BellRang)] == [
        facts.BellRang(min(since, 14_000), epoch)
    ]


@pytest.mark.parametrize(
    ("tables", "void", "since", "ends"),
    [
        ((2,), False, 14_500, False),
        ((2, 3), False, 14_500, True),
        ((2, 3), True, 14_500, False),
        ((2, 3), False, 0, False),
    ],
    ids=["one table alone", "two", "a void bell", "a head that was there"],
)
def test_a_bell_that_two_tables_heard_has_rung_though_no_note_tells_of_it(
    hall: Hall, tables: tuple[int, ...], void: bool, since: int, ends: bool
) -> None:
    """Trace: head and head table lost their power behind a bell, and by a slow card its roll and note.

    A head whose machine has not been off since the round was opened has noted what rang: two tables that
    agreed to lie ended the round for all, and nobody heard a bell.
    """
    hall.wait(16_000)
    hall.head.referee.log.since = since
    if void:
        hall.do("round_end")
        hall.do("bell_void")
    rings, evening = len(hall.rings), hall.evening
    claim = ReplicaClaim(evening.id, 1, 0, 1, hall.log[0].mac)
    for table in tables:
        birth = messages.Status("online", "s", "1", "b", evening.epoch, None, (), claim, bell=14_000)
        hall.says(table, "status", birth)
    behind = messages.Envelope(
        1, evening.id, "late", 1, 1, evening.epoch, 15_000, 1.0, 15_000, "b", facts.Rolled(ONE, source="dice")
    )
    had = points(hall)[2][0]
    hall.network.publish(Publish(topics.up("home", "table3", "fact"), behind, 1))
    hall.wait(300)
    assert points(hall)[2][0] == had + (not ends)
    bell = hall.evening.running.bell
    assert (bell and bell.t) == (14_000 if ends else None)
    assert len(hall.rings) == rings
    assert not of_a_head(hall.log[-2:]) or not ends


@pytest.mark.parametrize("how", ["birth", "received", "bell_seen"])
@pytest.mark.parametrize(
    ("boot", "heard_t"), [("", 14_000), ("another", 13_300)], ids=["of the log", "that the log has not"]
)
def test_a_bell_that_a_table_claims_is_timed_by_the_clock_that_it_names(
    hall: Hall, how: str, boot: str, heard_t: int
) -> None:
    """By another end of the log the clock of the same boot began 700 ms later."""
    hall.wait(16_000)
    log = hall.head.referee.log
    assert log.clock is not None
    clock = (boot or log.clock[0], log.clock[1] + 700)
    claim = ReplicaClaim(log.evening.id, 1, 0, 1, hall.log[0].mac)
    epoch = log.evening.epoch
    birth = messages.Status("online", "s", "1", "b", epoch, None, (), claim, bell=13_300, bell_clock=clock)
    fact = facts.SawBell(13_300)
    saw = messages.Envelope(
        1, log.evening.id, "saw", 1, 1, epoch, 15_000, 1.0, 15_000, "b", fact, bell_clock=clock
    )
    received = replace(saw, fact=facts.OkPressed(), received=True, bell=13_300)
    if how == "birth":
        hall.says(2, "status", birth)
    else:
        hall.says(2, "fact", saw if how == "bell_seen" else received)
    hall.wait(200)
    assert log.heard_t == {2: heard_t}


@pytest.mark.parametrize("told", [LATEST_MS, 11 * 3_600_000], ids=["the end of time", "eleven hours ahead"])
def test_a_bell_that_tables_claim_of_later_sets_no_time(hall: Hall, told: int) -> None:
    hall.wait(2000)
    log = hall.head.referee.log
    for table in (1, 2):
        claim = ReplicaClaim(log.evening.id, 1, 0, 1, hall.log[0].mac)
        birth = messages.Status("online", "s", "1", "b", log.evening.epoch, replica=claim, bell=told - table)
        hall.says(table, "status", birth)
    hall.wait(300)
    log.record(facts.RoundClose(log.t(hall.clock.now()), epoch=log.evening.epoch))
    assert log.bell_rang(hall.clock.now())
    assert log.last_t <= log.t(hall.clock.now())


def test_a_bell_is_heard_no_later_than_its_table_says_so(hall: Hall) -> None:
    hall.wait(2000)
    log = hall.head.referee.log
    t = log.t(hall.clock.now())
    log.record(facts.BellSeen(t, 1, t + 60_000, log.evening.epoch))
    assert log.end_bell_t == t


def test_a_replica_that_was_asked_is_waited_for_until_it_is_asked_again() -> None:
    recovery = Recovery(KEY, lambda: ())
    recovery.connected(0.0)
    assert recovery.online(1, ReplicaClaim("e1", 1, 0, 3, "0" * 32), 0.0)
    assert (recovery.awaited, recovery.passed_over) == ([1], [])
    assert recovery.tick(QUESTION_LOST_AFTER_MS) == [AskReplica(1, "e1", 1)]
    assert not recovery.tick(ASK_REPLICA_AGAIN_MS - 1)
    assert (recovery.awaited, recovery.passed_over) == ([1], [])
    assert recovery.tick(ASK_REPLICA_AGAIN_MS)
    assert (recovery.awaited, recovery.passed_over) == ([], [1])


@pytest.mark.parametrize(
    ("branches", "length", "until"), [(0, 9, 600), (1, 3, 600), (1, 9, 5000), (2, 2, 5000)]
)
def test_a_head_waits_for_an_absent_replica_of_more_branches_or_as_many_and_more_entries(
    branches: int, length: int, until: int
) -> None:
    """Trace: the host had chosen a shorter end, and the head waited for who had left the longer one."""
    opening = facts.EveningOpen(0, "bonko", ("Ann", "Bob", "Cat", "Dee"), id="e1", no=1)
    log = chain("e1", [(opening, None), (facts.BellRang(100), None), (facts.Branch(200, 2), None)])
    recovery = Recovery(KEY, lambda: log)
    recovery.connected(0.0)
    recovery.claimed(1, ReplicaClaim("e1", 1, branches, length, "0" * 32))
    recovery.tick(until - 1.0)
    assert recovery.pending
    recovery.tick(float(until))
    assert not recovery.pending


def test_a_throw_of_another_end_has_the_bell_that_is_right_behind_it() -> None:
    rolls = [(facts.Roll(100 * seq, 1, (1, 2, 6)), Origin(1, "s", seq)) for seq in (1, 2, 3)]
    bell = (facts.BellRang(250), None)
    one, two, three = missing([], chain("e1", [*rolls[:2], bell, rolls[2]]))
    assert [found.rang_t for found in (one, two, three)] == [None, 250, None]
    assert [found.last for found in (one, two, three)] == [False, False, True]


def test_a_start_that_sounded_sounds_once_though_no_table_that_is_there_knows_of_the_round(
    tmp_path: Path,
) -> None:
    """Trace: the start sounds, tables 1 and 2 and the head lose their power; table 3, cut off since before,
    alone is there when the head comes back, and knows of no round.
    """
    hall = Hall(tmp_path, 3)
    hall.open(12, "bonko")
    hall.cut(hall.tables[3])
    hall.wait(4000)
    hall.do("round_start", bypass=[3])
    hall.wait(1000)
    for node in (hall.head, hall.tables[1], hall.tables[2]):
        hall.kill(node)
    hall.rung.clear()
    hall.network.retained.clear()
    hall.boot = "boot2"
    hall.heal(hall.tables[3])
    recovered(hall)
    hall.wait(1000)
    assert hall.evening.round
    assert [id.split(":")[2] for id in hall.rings] == ["start"]


def test_a_start_of_an_earlier_boot_is_not_unheard_once_the_clock_of_this_one_is_in_the_log(
    tmp_path: Path,
) -> None:
    """Trace: the start sounds, the head loses its power and the note; its next boot has its clock in the log,
    and is killed before it notes that the tables have heard the start.
    """
    hall = Hall(tmp_path, 3)
    hall.open(12, "bonko")
    hall.wait(4000)
    hall.do("round_start")
    hall.wait(1000)
    hall.boot = "boot2"
    for _ in range(2):
        hall.kill(hall.head)
        forget_signals(hall)
        recovered(hall)
        hall.wait(1000)
    assert hall.evening.round
    assert hall.head.referee.log.goes_by("boot2") is not None
    assert [id.split(":")[2] for id in hall.rings] == ["start"]


@pytest.mark.parametrize("off_ms", [2000.0, 86_400_000.0], ids=["at once", "a day later"])
def test_a_bell_that_slow_cards_lost_has_rung_however_long_the_head_was_off(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, off_ms: float
) -> None:
    """Trace: the head's machine and the head table lose their power as the bell sounds, roll and note too.

    A day later the tables' clocks are more than 12 h ahead of the log, and tell no time; the bell that they
    heard is no further ahead of the log than before.
    """
    hall.auto_confirm = 60_000
    hall.tables[1].throw(BUNCO)
    hall.wait(3)
    heard = hall.head.referee.log.last_t
    for node in (hall.head, hall.tables[1]):
        hall.kill(node)
    hall.rung.clear()
    hall.boot = "boot2"
    before = points(hall)
    monkeypatch.setattr("services.hall.TICK", off_ms / 100)
    hall.wait(off_ms)
    monkeypatch.undo()
    hall.tables[2].throw(ONE)
    recovered(hall)
    hall.start_table(1)
    hall.wait(2000)
    log = hall.head.referee.log
    (close,) = (fact for one in log.entries if isinstance(fact := one.decoded(), facts.RoundClose))
    assert heard - 5 <= close.t <= heard + 5
    assert points(hall)[1:] == before[1:]
    assert [id.split(":")[2] for id in hall.rings] == ["start", "end"]
    assert log.last_t < heard + 60_000


@pytest.mark.parametrize(("there", "starts"), [(1, 1), (3, 2)], ids=["has its round", "has it not"])
def test_a_start_that_a_card_forgot_sounds_again_only_where_no_replica_has_its_round(
    tmp_path: Path, there: int, starts: int
) -> None:
    """Trace: the start sounds, and all lose their power; the card of the head has lost that it sounded, that
    of table 1 its view of the round, not the log; one table is there when the head comes back.
    """
    hall = Hall(tmp_path, 3)
    hall.open(12, "bonko")
    hall.cut(hall.tables[3])
    hall.wait(4000)
    hall.do("round_start", bypass=[3])
    hall.wait(1000)
    for node in (hall.head, *hall.tables.values()):
        hall.kill(node)
    forget_signals(hall)
    connection = connect(hall.folder / "table1" / "outbox.db", OUTBOX)
    connection.execute("DELETE FROM kept WHERE key IN ('view', 'rounds')")
    connection.close()
    hall.network.retained.clear()
    hall.boot = "boot2"
    hall.start_table(there)
    recovered(hall)
    hall.wait(1000)
    assert hall.evening.round
    assert [id.split(":")[2] for id in hall.rings] == ["start"] * starts
