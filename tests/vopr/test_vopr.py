"""Drawn nights of a whole hall: what the oracle finds, and that it finds what is wrong."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from pi_bunco.devices.protocols import LightState
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Rolled
from pi_bunco.game.pace import TimedPhase, phase
from pi_bunco.head import catch_up, conductor, evening_log
from pi_bunco.head.publisher import Replicas
from pi_bunco.head.referee import Referee
from pi_bunco.log.entry import ReplicaClaim
from pi_bunco.log.recovery import Recovery
from pi_bunco.runtime.writer import Committed
from pi_bunco.table.prediction import Prediction
from pi_bunco.table.record import FactRecord
from pi_bunco.table.uplink import Uplink
from pi_bunco.wire import topics
from pi_bunco.wire.gate import Delivered, encode
from pi_bunco.wire.messages import ClockReply, Envelope, HeadStatus, Status
from pi_bunco.wire.session import Connected
from pi_bunco.wire.topics import Topic
from vopr import __main__ as search
from vopr.adversary import TWO
from vopr.clockwork import Clockwork, Machine
from vopr.faults import Fault
from vopr.hall import Hall
from vopr.known import KNOWN
from vopr.network import Link, Network
from vopr.night import Night, play
from vopr.oracle import Line, Oracle, _closed
from vopr.referee import HOUSES, House, TableRound
from vopr.services import HALL
from vopr.shrink import shrunk

FAULTS = 1000
FAULTS_IN_CI = 10_000
"""As many as two slow minutes allow, always the same: `python -m vopr --faults N` draws others."""
FIRST_ANSWERS = "lie, power, cut, first, by the clock"
FAILED = (
    "101", "102", "2: lie, power, cut", "5000006", "5000147", "5000279", "5000429", "5000479", "5000634",
    f"5: {FIRST_ANSWERS}", "7000006", "7000223", "7000490", "8000002", "8000219", "8000427", "8000501",
    "8000557", "8000594", "8000835", "8001008", "11000472", "11001069", "11001500", "11001767", "11001967",
    "11001992", "11002186", "11002478", "11002557", "12000069", "12000099", "12000321", "13000155",
    "13000171", "13000278", "13000355", "14000050", "15000406", "15000882", "15000963", "15001346",
    "16000201",
    "19000538: lie, bell", "19000519: lie, bell",  # a host who decides until the last moment
    "17001473", "18000080", "23000040",  # an end with facts of a head: a replica left it before it was asked
    "23000235", "25000176",  # a throw by the clock of the end that the head had just left
    "18001339",  # a boot without a head, at a table that sends before the lost bell comes again
    "16000472",  # an offset that its card lost, and that a head was told
    "17000635",  # three tables had heard a bell of which a slow card kept neither roll nor note
    "17000961",  # a head that rang was killed, and who found its note had no log to tell when that was
    "17001048", "17001658",  # a head stood still as its card wrote a round, and then its machine lost power
    "22000014: key, power, card lies",  # the host chose the shorter of two ends of other keys
    "18000738",  # a head's card lost the end of a stream, and the broker each birth of its table
    "17001150", "18000698", "18000714", "18000937",  # a round came anew, its table's throws did not
    "17001422",  # nats left out who the head is: its table was offline
    "17001331",  # an answer to the question of an earlier start was taken for one to this start's
    "18000361",  # a slow first answer took the place of a sure offset that an earlier start had kept
    "18000910",  # a table that had told of the bell put what it had made before behind it, and was done
    "30000281",  # a bell that sounded before what another end has, and a table that sent before any answer
    "30000506",  # a table that stood still was killed before it read of throws: its lights changed between
    "30000743",  # a head stood still as its session broke, and its client made the next one meanwhile
    "18000961",  # by the end that the host chose the head's clock had begun too early, in a time of the close
    "41000156",  # a throw that a box kept, of a table whose card had lost the evening and whose head was away
    "41000364", "40000005",  # a round that passed over numbers was lost, and said to be of no head
    "40002348",  # a head that heard nothing gave its link up, and was started again before its broker noticed
    "40002446",  # a card lost the bell of a Bunco, and the time was over later
    "40002880",  # a boot of a table began before the one before it had ended
    "61000140",  # a table that did not know that the evening was closed counted what it made, and rolled off
    "50001240",  # a box's throw of a round of which a slow card had no news, and its table heard no head
    "41002550",  # behind the end that the host chose a replica put entries of the log that it had left
    "16000201: key, card lies, lie",  # of two logs of another key the host was asked about the first alone
    "63000027: key, power, card lies",  # that the host chose a log with more branches was not in it
    "61001017",  # a bell of an end that was left had its time by the clock of that
    "61002565",  # the host has left with an end of the log the round with which a table waits
    "65001241",  # all was well and the evening closed, in which a round went on
    "65001716",  # a head that was killed once its clock went on took a start of the boot before for unheard
    "63000002: key, power, card lies",  # what a head without its evening set aside was said to have rung
    "63000030: key, power, card lies",  # a host who was not answered never drew seats again
    "66003887",  # a head was killed as its bell rang, and its machine lost power before anybody knew of that
    "60002289",  # what the card of its table had lost came behind what the table made since
    "70000575",  # throws made before a clock began went forward with it, behind a bell
    "73000713",  # throws of before a clock that began too early lay in a time in which the evening was closed
    "72001385",  # a head was killed as a start rang, and told of it on its own Pi alone
    "70000442",  # a throw on its way as the bell rang was before that by a clock that began anew
    "81001183",  # throws that were aside when their log came counted as being in it at the next start
    "66003286", "66003911",  # throws of a round that the host has left stand in one of the end that was taken
    "66004588",  # a head that found no log opened the evening that a host had asked for meanwhile
    "62100080: power, card lies, close",  # a table was there with the end that its host had just left
    "64000014: key, power, card lies",  # of two logs of other keys the host took the one without a throw
    "80000376",  # a card lost that a start had sounded, and who was there had the round in its log alone
    "80003842",  # a card lost that a start had sounded while no table had power, and none knew of it
    "41000708",  # a clock went on where one that the log had left would have been, ahead of the last one
    "86000572",  # a throw that had come before a gap, which was filled while the evening was closed
    "85000915",  # a close that was told 5 s later, as its host pressed again
    "84000802",  # throws as of the start of a clock that another end has, before the reopening of this one
    "80003336", "80004067",  # a head's news came before its answers, and it lost its power behind the bell
    "81003144",  # nats lost a throw twice, which the next one, that rang, had to wait for
    "98000780",  # a broker lost the question for the only log, and it was asked again 2 s later
    "610000038",  # throws kept the time by a clock that the end that was taken has otherwise
    "610100395",  # a head lost its power 230 ms behind an opening, and its table the news of that
    "600500812",  # a table told of a bell by a lost clock, then of the same by the clock of now
    "600201256",  # a clock began later in the log that was left, and by the one before it was still closed
    "600200094",  # a throw of before the bell that came into a roll-off, which is open again behind it
    "400001450",  # a bell that one table told of and a throw stood at the start of a clock that began before
    "410001716",  # a throw that may have been made by the bell lay 0.3 ms behind it, as its time was rounded
    "310001998",  # throws stood at the start of a clock that the log with their bell has not
    "300002357",  # what its box had kept waited 3 s for a surer time, and the throw that rang behind it
    "210002393",  # a clock began before a bell of which one table alone told as its head started
    "120001409",  # a card lied and lost the bell in the journal alone, and the table beside it was not heard
    "100000769",  # a table claimed the end that the host had left before its head started
    "96000056",  # one table alone remembered a bell that card and power had lost, and threw on
    "95001093",  # a broker lost what a head said of itself, and the throw that rang waited for a question
    "93001114",  # two tables told how far two clocks were apart, one of them too late
    "92000813",  # the table on the head's machine heard nothing for 9 s, and sent throws without a time
    "90003039",  # a head whose clock had fallen back rang, and the next one had throws by the clock before
    "92000625",  # a head rang and was killed before a card had its clock: the next one's began later
    "89002426",  # a full card lost the news of a round, and the clocks by which a throw was surely made in it
    "88001589",  # a head's slow card lost a bell with its power, another lied, and one table alone knew of it
    "80005236",  # a lying card lost what two tables had told of clocks, and one was frozen when all met
    "105: power, card slow, card full, card lies, kill",  # one table played a round that no card has
    "81001408",  # a broker gave its last entry and was killed, while the head's machine stood still
    "310002541",  # nobody heard the head since its first answer, until throws of a boot it never met had gone
)  # fmt: skip
"""Seeds of nights that failed once, beyond those that are drawn here."""


@contextmanager
def in_a_round() -> Iterator[Hall]:
    """A hall of which a round has gone on for a while."""
    hall = Hall("1")
    with hall.in_place():
        hall.begin()
        hall.clockwork.run(hall.clockwork.time + 4_000.0)
        yield hall


def test_a_seed_is_the_same_night_again() -> None:
    once, again = play("same"), play("same")
    assert [str(told) for told in once.story] == [str(told) for told in again.story]
    assert once.findings == again.findings


def test_a_quiet_night_has_rounds_and_nothing_is_found() -> None:
    night = play("quiet", [Fault(40_000, "session", "head", 1.0)])
    assert night.rounds >= 2
    assert night.throws > 50
    assert not night.findings


def unlike_known(night: Night) -> list[object]:
    """Findings of this night that are not known of it, and known ones that were not found."""
    known = KNOWN.get(night.seed, set())
    new = [finding for finding in night.findings if finding.kind not in known]
    return [*new, *(f"no {kind}" for kind in known - {finding.kind for finding in night.findings})]


@pytest.mark.long
def test_an_evening_is_closed_since_the_press_that_closed_it() -> None:
    """The head's card was full, and its host pressed again before anybody read of the close."""
    told = [
        Line(1, {"kind": "evening_close"}, 126_900, entered=122_200),
        Line(2, {"kind": "evening_reopen"}, 130_000, entered=129_900),
    ]
    assert _closed(told, [121_200, 126_800]) == [(121_200, 130_000)]


@pytest.mark.parametrize("seed", FAILED)
def test_a_night_that_failed_once_fails_no_more_than_is_known(seed: str) -> None:
    assert not unlike_known(play(seed))


@pytest.mark.long
def test_in_drawn_nights_nothing_is_found_but_what_is_known() -> None:
    happened, unlike, seed = Counter[str](), dict[str, list[object]](), 0
    while sum(happened.values()) < (FAULTS_IN_CI if os.environ.get("CI") else FAULTS):
        seed += 1
        night = play(seed)
        happened += night.happened
        if found := unlike_known(night):
            unlike[night.seed] = found
    assert not unlike
    assert happened["power"] > 0


@pytest.mark.long
def test_two_accounts_of_tables_end_no_round_and_move_no_others_throw() -> None:
    nights = [play(f"{n}: lie, power, kill, {TWO}") for n in range(1, 9)]
    assert not [found for night in nights for found in unlike_known(night)]
    assert sum(night.rounds for night in nights) > len(nights)


@pytest.mark.long
def test_in_nights_by_the_clock_nothing_is_found_and_rounds_are_played() -> None:
    nights = [play(f"{n} by the clock") for n in range(1, 21)]
    assert not [found for night in nights for found in unlike_known(night)]
    assert sum(night.rounds for night in nights) > len(nights)
    assert not [night.seed for night in nights if night.crashes]


@pytest.mark.long
@pytest.mark.parametrize(
    "more",
    [
        ": bell",
        ": asked, power, card lies",
        " in the dark",
        ": undo",
        ": key, power, card lies",
        ": box, power",
    ],
)
def test_in_nights_of_what_is_rare_nothing_is_found(more: str) -> None:
    assert not [found for n in range(1, 4) for found in unlike_known(play(f"{n}{more}"))]


def test_a_head_that_forgets_the_bell_of_a_roll_in_no_journal_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Trace: head and head table are killed as the end bell rings; no dice box keeps the roll."""
    monkeypatch.setattr(catch_up.CatchUp, "end_without_reason", lambda *_: [])
    assert "misjudged" in {finding.kind for finding in play("1: bell").findings}


@pytest.mark.long
def test_a_head_that_believes_the_first_table_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trace: a head is back, one table answers before all others, and is 11 hours ahead."""
    monkeypatch.setattr(catch_up, "median_low", lambda times: times[0])
    nights = [play(f"{n}: {FIRST_ANSWERS}") for n in range(1, 5)]
    assert "early bell" in {finding.kind for night in nights for finding in night.findings}


@pytest.mark.long
def test_a_clock_that_ends_rounds_too_early_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def hasty(evening: Evening) -> TimedPhase | None:
        found = phase(evening)
        ends = found and found.step == "end" and found.ends
        return replace(found, ends=ends - 5000) if found and ends else found

    monkeypatch.setattr(conductor, "phase", hasty)
    nights = [play(f"{n} by the clock") for n in range(1, 7)]
    assert "early bell" in {finding.kind for night in nights for finding in night.findings}


def test_a_head_that_still_says_that_its_card_is_full_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Referee, "_well_again", lambda _: [])
    night = play("full", [Fault(at, "card full", "head", 5000.0) for at in (20_000, 40_000, 60_000)])
    assert "all is well, and the head says journal_unwritten" in night.findings[0].text


@pytest.mark.parametrize(
    ("off", "told", "kept", "found"),
    [(1000, False, False, 0), (1200, False, False, 1), (1000, True, False, 1), (1000, False, True, 1)],
)
def test_a_bell_that_went_off_with_its_head_at_once_rings_again_only_if_nobody_knows_of_it(
    off: int, told: bool, kept: bool, found: int
) -> None:
    """Trace: the head was killed as its relay switched; its card was slow, and it heard no table until its
    machine lost the power: nobody was told of the bell, and nothing but the note in memory had it."""
    oracle = Oracle(HOUSES["gong"])
    oracle.rang(1000, 1, "e1 end", "head-1")
    oracle.head_ended(off)
    if told:
        oracle.head_told()
    oracle.head_ended(3000)
    oracle.silenced({"e1:1:end"} if kept else ())
    oracle.rang(4000, 1, "e1 end", "head-2")
    assert len(oracle.findings) == found


@pytest.mark.parametrize(("heard", "found"), [(1, 0), (2, 1)])
def test_a_start_of_which_the_lost_machine_alone_was_told_may_sound_again(heard: int, found: int) -> None:
    """Trace: the head was killed as it rang, and told the table on its own Pi before that lost its power."""
    oracle = Oracle(HOUSES["gong"])
    oracle.rang(1000, 2, "e1 start", "head-1")
    oracle.head_ended(1000)
    oracle.head_told()
    oracle.head_ended(3000)
    oracle.silenced((), heard)
    oracle.rang(4000, 2, "e1 start", "head-2")
    assert len(oracle.findings) == found


@pytest.mark.parametrize("signal", ["start", "end"])
@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_a_signal_sounds_again_only_where_no_note_is_left_and_nobody_is_there_who_is_believed(
    signal: str, kept: bool, known: bool
) -> None:
    """Trace: the card of the head lost that a start had sounded, not its round; no table had heard of it.

    Or the note of an end went before its entry was on the card, and one table alone had not forgotten it.
    """
    oracle = Oracle(HOUSES["gong"])
    oracle.rang(1000, 2, f"e1 {signal}", "head-1")
    oracle.head_ended(3000)
    oracle.silenced({f"e1:2:{signal}"} if kept else ())
    oracle.rang(9000, 2, f"e1 {signal}", "head-2", known=known)
    assert bool(oracle.findings) == (kept or known)


@pytest.mark.parametrize(
    ("there", "logs", "received", "known"),
    [(2, False, False, True), (1, False, False, False), (1, True, False, True), (0, False, True, True)],
)
def test_an_end_is_known_by_two_tables_that_are_there_by_a_log_or_by_the_table_that_rang(
    there: int, logs: bool, received: bool, known: bool
) -> None:
    hall = Hall("1")
    with hall.in_place():
        hall.begin()
        rang = list[Any]()
        hall.at_end_bell = lambda: rang.append(hall.head.referee.log._ringing)
        hall.clockwork.run(200_000.0, lambda: bool(rang))
        hall.clockwork.run(hall.clockwork.time + 1_000.0)
        log = hall.head.referee.log
        log._ringing = rang[0] if received else None
        hall.head.had.clear()
        if not logs:
            hall.ended.clear()
        for one in [*hall.tables.values()][there:]:
            one.kill()
        assert hall._end_known(log.evening.id, log.evening.epoch) == known


@pytest.mark.parametrize("lost", [False, True])
def test_a_head_forgot_what_its_journal_lost_though_a_replica_on_its_card_has_it(lost: bool) -> None:
    """Trace: a card lied, the bell was lost with the journal's end, and the table beside was heard last."""
    with in_a_round() as hall:
        journal = hall.cards.file(Path("/cards/head/journal.db"))
        assert journal
        if lost:
            journal.database.execute("DELETE FROM facts WHERE n > 1")
        hall.look_for_forgotten()
    assert hall.tables[1].machine is hall.head.machine
    assert len(hall.tables[1].controller._log.follower.chain) > 1
    assert bool(hall.oracle.forgot_at) == lost


@pytest.mark.parametrize("forgot", [False, True])
def test_a_second_bell_is_found_whatever_a_card_forgets_behind_it(forgot: bool) -> None:
    oracle = Oracle(HOUSES["gong"], forgot_at=1_500 * forgot)
    oracle.rang(1_000, 1, "e1 end", "head-1")
    oracle.rang(2_000, 1, "e1 end", "head-1")
    oracle.forgot_at = 3_000
    oracle.judge(())
    assert bool(oracle.findings) != forgot


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_throw_stands_behind_later_ones_only_where_the_card_of_its_table_has_lost_it(
    forgotten: bool,
) -> None:
    """Trace: the cards of head and table lied; who else had the throw stood still until the others came."""
    oracle = Oracle(HOUSES["gong"], forgot_at=1_000)
    first, second = (oracle.thrown(1, at, (1, 2, 3), played=True, shown=1) for at in (2_000, 3_000))
    roll = {"kind": "roll", "t": 9_000, "table": 1}
    oracle.judge([Line(1, roll, 5_000, second), Line(2, roll, 6_000, first, forgotten=forgotten)])
    assert [one.kind for one in oracle.findings] == ([] if forgotten else ["disorder"])


@pytest.mark.parametrize(("at", "found"), [(61_000, 0), (58_000, 1)])
def test_time_closes_a_round_whose_first_bell_is_forgotten_when_it_is_over(at: int, found: int) -> None:
    """Trace: the card of the head lost a Bunco and its bell, which no table had heard, and play went on."""
    oracle = Oracle(HOUSES["gong"], 60)
    oracle.rang(1000, 1, "e1 start", "head-1")
    oracle.rang(42_000, 1, "e1 end", "head-1")
    oracle.closed_by_time(1, at)
    assert len(oracle.findings) == found


@pytest.mark.parametrize(("limit_s", "at", "found"), [(60, 50_000, 0), (60, 49_000, 1), (None, 60_000, 1)])
def test_lights_say_that_a_round_is_ending_in_its_last_seconds(
    limit_s: int | None, at: int, found: int
) -> None:
    oracle = Oracle(HOUSES["gong"], limit_s)
    oracle.rang(1000, 1, "e1 start", "head-1")
    oracle.ending(1, at)
    assert len(oracle.findings) == found


@pytest.mark.parametrize(("others", "found"), [(9000, []), (900, ["late bell"])])
def test_a_throw_that_rings_by_later_ones_waits_since_those_were_made(others: int, found: list[str]) -> None:
    """Trace: the head's card lost it, its table kept it, and what was thrown meanwhile stands ahead of it."""
    oracle = Oracle(House("stop", "session", points=3))
    oracle.rang(0, 1, "e1 start", "head-1")
    oracle.rang(9100, 1, "e1 end", "head-1")
    oracle.way(0.0, free=True)
    throws = [oracle.thrown(1, at, (1, 1, 2), played=True, shown=1) for at in (others, 1000)]
    plain = [{"kind": "roll", "t": 9_000, "table": 1, "dice": (1, 1, 2)}] * 2
    rolls = [Line(n, fact, 9100, throw) for n, (fact, throw) in enumerate(zip(plain, throws, strict=True), 2)]
    oracle._round(
        [Line(1, {"kind": "round_open", "epoch": 1}, 0), *rolls, Line(4, {"kind": "bell", "t": 9100}, 9100)],
        1,
    )
    assert [one.kind for one in oracle.findings] == found


@pytest.mark.parametrize(("times", "free"), [(1, True), (2, False)])
def test_the_way_is_not_free_while_a_broker_has_lost_a_fact_twice(
    monkeypatch: pytest.MonkeyPatch, times: int, free: bool
) -> None:
    """By wire/README.md it comes 0.5 s later, then 1 s: longer than a bell may take whose way is free."""
    with in_a_round() as hall:
        hall.network.kind = "nats"
        monkeypatch.setattr(hall.network._random, "random", lambda: 0.0)
        link, topic = hall.tables[1].link, topics.up(HALL, "table1", "fact")
        fact = Envelope(1, "e0", "s0", 1, 1, 1, None, None, 0, "table1-0", Rolled((1, 2, 3)))

        def sent(*, lost: bool) -> bool:
            hall.network._joined_at = hall.clockwork.time if lost else 0.0
            hall.network._came(link.session, topic, encode(fact), False)
            hall.clockwork.run(hall.clockwork.time + 100.0)
            return hall.oracle.clear[-1][1]

        assert [sent(lost=True) for _ in range(times)][-1] == free
        assert sent(lost=False)


@pytest.mark.parametrize(("err", "found"), [(150.0, []), (80.0, ["misjudged"])])
def test_a_throw_counts_in_a_round_that_opened_within_the_error_of_its_time(
    err: float, found: list[str]
) -> None:
    oracle = Oracle(HOUSES["gong"])
    oracle.rang(1000, 1, "e1 start", "head-1")
    throw = oracle.thrown(2, 900, (1, 2, 3), played=True, shown=1)
    throw.err = err
    roll = Line(2, {"kind": "roll", "t": 9_000, "table": 2, "dice": throw.dice}, 1100, throw)
    oracle._round([Line(1, {"kind": "round_open", "epoch": 1}, 1000, entered=1000), roll], 1)
    assert [one.kind for one in oracle.findings] == found


@pytest.mark.parametrize(("shown", "found"), [(101, []), (1, ["misjudged"]), (2, ["misjudged"])])
def test_a_throw_of_a_round_that_is_in_no_log_may_count_in_none(shown: int, found: list[str]) -> None:
    """Trace: the host chose the end of an earlier round, after one was played that this end has not."""
    oracle = Oracle(HOUSES["bonko"])
    oracle.rang(1000, 1, "e1 start", "head-1")
    throw = oracle.thrown(2, 2000, (1, 2, 3), played=True, shown=shown)
    roll = Line(2, {"kind": "roll", "t": 9_000, "table": 2}, 2100, throw, counted=False)
    first, second = (
        Line(n, {"kind": "round_open", "epoch": epoch}, at, entered=at)
        for n, epoch, at in ((1, 1, 1000), (3, 2, 9000))
    )
    oracle.judge([first, roll, second])
    assert [one.kind for one in oracle.findings] == found


def _heeds_no_will(uplink: Uplink, head: HeadStatus, heeds: Callable[..., bool] = Uplink.head_status) -> bool:
    return head.state == "online" and heeds(uplink, head)


BROKEN: tuple[tuple[str, Any, str, Any], ...] = (
    ("odd number", evening_log, "following", lambda last, *_: last + 2),
    ("unlike", Replicas, "request", lambda *_: []),
    ("unlike", FactRecord, "untold_bell", lambda _: None),
    ("unlike", Prediction, "_take_up", lambda table, _: table._facts.clear()),
    ("lost", FactRecord, "saved", property(lambda _: True)),
    ("haste", Recovery, "_over", lambda *_: True),
    ("false sentence", Uplink, "head_status", _heeds_no_will),
)
"""The kind of finding that is made where the function in the last place stands for the named one."""


def test_a_calm_night_times_its_bells() -> None:
    night = play("1: calm")
    assert not night.findings
    assert len(night.waits) >= 3


@pytest.mark.long
@pytest.mark.parametrize(("kind", "where", "name", "broken"), BROKEN)
def test_broken_program_is_found(
    monkeypatch: pytest.MonkeyPatch, kind: str, where: Any, name: str, broken: Any
) -> None:
    monkeypatch.setattr(where, name, broken)
    assert any(kind in {finding.kind for finding in play(str(seed)).findings} for seed in range(3, 99))


@pytest.mark.parametrize(("early", "found"), [(75, 0), (215, 0), (217, 1)])
def test_a_throw_nearer_to_the_bell_than_its_time_is_known_may_count_or_not(early: int, found: int) -> None:
    """Trace: a table knew the clock within 216 ms; its throw 75 ms before the bell was timed behind it."""
    oracle = Oracle(HOUSES["bonko"])
    oracle.rang(1_000, 1, "e1 start", "head-1")
    oracle.rang(9_000, 1, "e1 end", "head-1")
    oracle.compared(2, "table2-1", "head-1", 500.0)
    throw = oracle.thrown(2, 9_000 - early, (1, 2, 3), played=True, shown=1)
    throw.boot, throw.err = "table2-1", 216.0
    opened, bell = {"kind": "round_open", "epoch": 1}, {"kind": "bell", "epoch": 1, "t": 9_000}
    roll = Line(3, {"kind": "roll", "t": 9_000, "table": 2}, 9_500, throw, counted=False)
    assert len(oracle.judge([Line(1, opened, 1_000), Line(2, bell, 9_010), roll])) == found


@pytest.mark.parametrize(
    ("numbered", "met", "guessed", "found"),
    [
        (False, "head-2", " guessed", []),
        (False, "head-2", "", ["misjudged"]),
        (False, "head-1", " guessed", ["misjudged"]),
        (True, "head-2", " guessed", ["misjudged"]),
    ],
)
def test_a_throw_whose_table_guesses_its_round_may_be_ignored_where_nothing_tells_when_it_was_made(
    numbered: bool, met: str, guessed: str, found: list[str]
) -> None:
    """Trace: its card was full, the table was killed, and the head lost its power before it had the throw."""
    oracle = Oracle(HOUSES["bonko"])
    oracle.rang(1_000, 2, "e1 start", "head-1")
    oracle.compared(2, "table2-1", met, 500.0)
    first, throw = (oracle.thrown(2, at, (1, 2, 3), played=True, shown=2) for at in (1_500, 3_000))
    throw.boot, throw.as_sent = "table2-1", guessed
    roll, opened = {"kind": "roll", "t": 9_000, "table": 2}, {"kind": "round_open", "epoch": 2}
    lines = [
        Line(1, opened, 1_000, entered=1_000),
        *[Line(2, roll | {"epoch": 2, "dice": (1, 2, 3)}, 1_600, first)][:numbered],
        Line(3, {"kind": "clock", "boot": "head-2"}, 4_000, entered=4_000),
        Line(4, roll | {"epoch": 1}, 4_500, throw, counted=False),
    ]
    oracle._round(lines, 1)
    assert [one.kind for one in oracle.findings] == found


@pytest.mark.parametrize("heard", [False, True])
def test_a_throw_of_a_table_that_had_heard_the_bell_is_behind_it_however_near(heard: bool) -> None:
    """Trace: a table 8 ms behind the head's clock rolled 5 ms after it had shown the end of the round."""
    oracle = Oracle(HOUSES["bonko"])
    oracle.rang(1_000, 1, "e1 start", "head-1")
    oracle.rang(9_000, 1, "e1 end", "head-1")
    oracle.compared(2, "table2-1", "head-1", 500.0)
    throw = oracle.thrown(2, 9_005, (1, 2, 3), played=not heard, shown=1, heard=int(heard))
    throw.boot = "table2-1"
    opened, bell = {"kind": "round_open", "epoch": 1}, {"kind": "bell", "epoch": 1, "t": 9_000}
    roll = Line(3, {"kind": "roll", "t": 9_000, "table": 2}, 9_500, throw)
    assert len(oracle.judge([Line(1, opened, 1_000), Line(2, bell, 9_010), roll])) == heard


@pytest.mark.parametrize("met", [False, True])
def test_a_throw_of_a_boot_without_a_head_counts_before_a_bell_that_its_head_lost(met: bool) -> None:
    """Trace: the head's card lost the bell; a table sent throws of such a boot before who had heard it."""
    oracle = Oracle(HOUSES["bonko"])
    oracle.rang(1_000, 1, "e1 start", "head-1")
    oracle.rang(9_000, 1, "e1 end", "head-1")
    if met:
        oracle.compared(2, "table2-1", "head-1", 500.0)
    throw = oracle.thrown(2, 12_000, (1, 2, 3), played=True, shown=1)
    throw.boot = "table2-1"
    opened, bell = {"kind": "round_open", "epoch": 1}, {"kind": "bell", "epoch": 1, "t": 9_000}
    roll = Line(2, {"kind": "roll", "t": 9_000, "table": 2}, 20_000, throw)
    assert len(oracle.judge([Line(1, opened, 1_000), roll, Line(3, bell, 21_000)])) == met


@pytest.mark.parametrize(
    ("forgot_at", "again", "heard", "found"),
    [
        (0.0, 0, 0, 1), (8_000.0, 0, 0, 1), (9_500.0, 0, 0, 0), (9_500.0, 0, 1, 1),
        (0.0, 13_500, 0, 0), (0.0, 13_500, 1, 1),
    ],
)  # fmt: skip
def test_a_throw_counts_that_came_before_a_bell_which_the_head_forgot(
    forgot_at: float, again: int, heard: int, found: int
) -> None:
    """Trace: the head lost its bell with its card; the table that rang was cut off, and others played on."""
    oracle = Oracle(HOUSES["bonko"], forgot_at=forgot_at)
    oracle.rang(1_000, 1, "e1 start", "head-1")
    oracle.rang(9_000, 1, "e1 end", "head-1")
    if again:
        oracle.silenced()
        oracle.rang(again, 1, "e1 end", "head-2", known=False)
    oracle.compared(2, "table2-1", "head-1", 500.0)
    throw = oracle.thrown(2, 12_000, (1, 2, 3), played=True, shown=1, heard=heard)
    throw.boot = "table2-1"
    opened, bell = {"kind": "round_open", "epoch": 1}, {"kind": "bell", "epoch": 1, "t": 9_000}
    lines = [Line(1, opened, 1_000), Line(2, {"kind": "roll", "t": 9_000, "table": 2}, 13_000, throw)]
    assert len(oracle.judge([*lines, Line(3, bell, 14_000)])) == found


@pytest.mark.parametrize(("had", "branches"), [(False, 0), (True, 0), (False, 1)])
def test_a_head_waits_for_who_has_more_but_not_for_an_end_that_it_had_and_left(
    had: bool, branches: int
) -> None:
    """Trace: a head read the log of a table, and the host chose a shorter end while it waited for others,
    or before the start whose head waits.
    """
    with in_a_round() as hall:
        log, recovery = hall.head.referee.log, hall.head.referee.catch_up.recovery
        claim = ReplicaClaim(log.evening.id, 1, 0, len(log.entries) + 1, 32 * "f")
        birth = encode(Status("online", "s", "1", "table1-1", replica=claim))
        hall.network.retained[topics.up(HALL, "table1", "status")] = birth
        recovery._since, hall.head.started_at = hall.head.machine.up() - 150.0, hall.clockwork.time
        hall.head.had |= {claim.mac} if had else set()
        log.branches = branches
        hall.look_for_haste()
    assert [one.text for one in hall.oracle.findings] == (
        [] if had or branches else ["the head waited 150 ms, and table1 has more"]
    )


@pytest.mark.parametrize("told", [True, False])
def test_a_head_has_its_end_by_the_entry_that_it_read_not_by_what_a_broker_has_now(told: bool) -> None:
    """Trace: the broker gave its last entry and was killed, while the head's machine stood still."""
    with in_a_round() as hall:
        head = hall.head
        catch_up, entry = head.referee.catch_up, head.referee.log.entries[-1]
        catch_up.same_boot, head.started_at = True, hall.clockwork.time
        catch_up.recovery._since = head.machine.up() - 300.0
        hall.tables[2].kill()
        hall.tables[2].stopped_at -= 400.0
        if told:
            head.take(Delivered(Topic(HALL, "all", "all", "log"), entry, True))
            hall.network.crash()
        hall.look_for_haste()
    assert [one.text for one in hall.oracle.findings] == (
        [] if told else ["the head waited 300 ms, and table2 is not there"]
    )


@pytest.mark.parametrize("stood_still", [False, True])
def test_lights_show_as_saved_what_their_table_has_read(stood_still: bool) -> None:
    """Trace: a table stood still while people threw; its lights showed first that its broker was gone."""
    hall = Hall("1")
    table, people = hall.tables[2], hall.people[2]
    table.running, table._step = True, lambda *_: ()
    if stood_still:
        table.freeze(1_000.0)
    throw = hall.oracle.thrown(2, round(hall.clockwork.time), (1, 2, 3), played=True, shown=1)
    people._tell(throw, people.box.report(throw, 200.0))
    people.see(LightState(online=False))
    assert throw.saved != stood_still
    hall.clockwork.run(hall.clockwork.time + 1_000.0)
    people.see(LightState())
    assert throw.saved


@pytest.mark.parametrize(("kind", "found"), [("session", True), ("deaf", False)])
def test_lights_show_a_head_that_ended_while_its_broker_has_not_noticed(kind: str, found: bool) -> None:
    """Trace: a head that heard nothing gave its link up and was killed; its broker had not noticed."""
    hall = Hall("1")
    hall.network.kind = "mosquitto"
    table, head = hall.tables[2], hall.head
    for service in (table, head):
        service.running, service._step = True, lambda *_: ()
        hall.network.start(service.link)
    hall.clockwork.run(hall.clockwork.time + 3_000.0)
    hall._look_at_way()
    hall.people[2].lights = LightState(online=True)
    if kind == "deaf":
        head.link.session = 0  # its client's side alone
    head.kill()
    hall.clockwork.run(hall.clockwork.time + 2_000.0)
    hall.look_for_online()
    assert ("false sentence" in {one.kind for one in hall.oracle.findings}) == found


@pytest.mark.parametrize(("stands_still_ms", "compared"), [(0, True), (400, True), (600, False)])
def test_a_table_has_compared_its_clock_once_it_has_read_the_answer(
    stands_still_ms: int, compared: bool
) -> None:
    """One that took more than 500 ms leaves a time unsure by more than 250 ms: the bell is believed then."""
    hall = Hall("1")
    table = hall.tables[2]
    table.running, table._step = True, lambda *_: ()
    if stands_still_ms:
        table.freeze(stands_still_ms)
    topic = Topic("home", "table2", "down", "clock")
    table.take(Delivered(topic, ClockReply(table.machine.up(), "head-1", 2.0, 3.0), False))
    table.take(Committed(()))
    assert bool(hall.oracle._compared[2]) != bool(stands_still_ms)
    hall.clockwork.run(hall.clockwork.time + 1_000.0)
    assert bool(hall.oracle._compared[2]) == compared


@pytest.mark.parametrize("frozen_at", [1000.0, 1300.0])
def test_the_client_of_a_process_that_stands_still_makes_no_connection(frozen_at: float) -> None:
    """Trace: a head took the end of its session and the next one at once, told of the old one, and died."""
    clockwork = Clockwork()
    network = Network(clockwork, Random(1))
    came = list[Any]()
    link = Link("head", (), came.append, Random(1), latency=(100.0, 100.0))
    network.start(link)
    clockwork.run(1000.0)
    network.cut(link)
    clockwork.run(frozen_at)
    link.frozen_until = 3000.0
    clockwork.run(2999.0)
    assert Connected("head-2") not in came
    clockwork.run(4000.0)
    assert Connected("head-2") in came


def test_a_machine_has_been_up_no_longer_than_its_power_is_there() -> None:
    """Trace: what was made 1 s before a cut was timed by the next boot, which began 5 s before it."""
    clockwork = Clockwork()
    machine = Machine(clockwork, "table1", Random(1))
    assert machine.up() > 4000
    clockwork.run(10_000.0)
    machine.go_off()
    clockwork.run(11_000.0)
    machine.boot_up()
    assert 999 < machine.up() < 1001


def test_three_dice_are_no_answer_to_a_roll_off_of_one_die() -> None:
    """Trace: a table whose card had forgotten the bell played on while its head waited for a die of each."""
    for rules, counts in (("classic", False), ("bonko", True)):
        table = TableRound(HOUSES[rules], target=1)
        table.bell()
        table.confirm()
        assert table.throw((2, 3, 4), before_bell=False) == counts


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("counted", [False, True])
def test_a_die_of_each_team_counts_at_a_table_that_waits_for_them_alone(waits: bool, counted: bool) -> None:
    """Trace: a table counted throws that it made while the evening was closed, was done, and rolled off."""
    oracle = Oracle(HOUSES["classic"])
    oracle.rang(1_000, 1, "e1 start", "head-1")
    oracle.rang(9_000, 1, "e1 end", "head-1")
    oracle.compared(2, "table2-1", "head-1", 500.0)
    throw = oracle.thrown(2, 12_000, (1, 4, 4), played=True, shown=1, heard=1)
    throw.boot = "table2-1"
    lines = [Line(1, {"kind": "round_open", "epoch": 1}, 1_000), Line(2, {"kind": "bell", "t": 9_000}, 9_000)]
    lines += [Line(3, {"kind": "confirm", "table": 2}, 11_000)] if waits else []
    dice = Line(4, {"kind": "faceoff", "table": 2, "dice": (1, 4)}, 13_000, throw, counted)
    assert bool(oracle.judge([*lines, dice])) == (waits != counted)


def test_comparisons_of_clocks_lead_on_once_two_tables_have_told_of_them() -> None:
    """Trace: tables that had met both heads were cut off until all others had sent their throws."""
    oracle = Oracle(HOUSES["bonko"])
    for table in (1, 2, 4):
        oracle.compared(table, f"table{table}-1", "head-1", 1_000)
        oracle.compared(table, f"table{table}-1", "head-2", 2_000)
    oracle.compared(3, "table3-2", "head-2", 3_000)
    throw = oracle.thrown(3, 1_500, (1, 2, 3), played=True, shown=1)
    throw.boot = "table3-2"
    assert oracle.comparable(throw, "head-2", 3_000)
    oracle.passed_on(2, 5_000)
    oracle.passed_on(4, 5_000)
    oracle.liars.add(4)
    assert not oracle.comparable(throw, "head-1", 9_000)
    oracle.passed_on(1, 5_000)
    assert not oracle.comparable(throw, "head-1", 5_500)
    assert oracle.comparable(throw, "head-1", 6_000)
    both = {frozenset(("head-1", "head-2"))}
    oracle.forgets({2: set()}, {1: both, 2: both}, {3: both})
    assert oracle.comparable(throw, "head-1", 7_000)
    oracle.forgets({}, {1: both}, {1: both, 2: both, 3: both})  # what tables have heard they do not say again
    assert not oracle.comparable(throw, "head-1", 5_500)
    assert oracle.comparable(throw, "head-1", 6_000)
    oracle.forgets({}, {1: both}, {1: both, 2: both, 3: set()})
    assert not oracle.comparable(throw, "head-1", 7_000)


def test_a_failure_is_shortened_to_the_faults_that_it_takes() -> None:
    faults = [Fault(n, "kill", "head", 1.0) for n in range(64)]
    assert [fault.at for fault in shrunk(faults, lambda some: {3, 40} <= {one.at for one in some})] == [3, 40]


def test_a_search_goes_on_behind_the_nights_of_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Trace: a search was killed while it wrote its second line."""

    def lines(seeds: Iterable[int], _cores: int) -> Iterator[search.Record]:
        for seed in seeds:
            played.append(seed)
            yield search.record(Night(str(seed), [], throws=10, took_s=1.0))

    played = list[int]()
    out = tmp_path / "nights.jsonl"
    out.write_text(json.dumps(search.record(Night("7", []))) + '\n{"seed": "8')
    monkeypatch.setattr(search, "search", lines)
    assert search.searched(range(7, 10), None, 1, out)
    assert played == [8, 9]
    assert [night["seed"] for night in search.records(out)] == ["7", "8", "9"]
