"""All phone tables of a hall in one process: what becomes of a tap, and what outlasts the process."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from pi_bunco.game.facts import Rolled, kind_of
from pi_bunco.log.entry import Entry
from pi_bunco.runtime.store import rows
from pi_bunco.runtime.writer import Reports
from pi_bunco.table import reasons
from pi_bunco.table.phones.phones_store import SCHEMA
from pi_bunco.table.phones.socket_messages import PhonesSeen
from pi_bunco.wire import messages
from pi_bunco.wire.client import Disconnected
from pi_bunco.wire.messages import Beat, Envelope, Status
from table.phones_bench import PhonesBench

QUIET = Reports(lambda _: None, lambda _: None)


@pytest.fixture
def bench(tmp_path: Path) -> PhonesBench:
    bench = PhonesBench(tmp_path)
    bench.connect()
    bench.open(1, 2)
    return bench


def test_a_tap_is_answered_once_it_is_on_disk_and_shown_at_once(bench: PhonesBench) -> None:
    bench.sent("fact")
    bench.tap(1, "two", 1)
    bench.tap(2, "miss", 2)
    assert bench.answers == {}
    assert [(table, kind_of(one.fact)) for table, one in bench.sent("fact")] == [(1, "roll"), (2, "roll")]
    shown = bench.states[1].view
    assert shown is not None
    assert shown.state.table is not None
    assert shown.state.table.entries
    bench.save()
    assert {number: one.why for number, one in bench.answers.items()} == {1: None, 2: None}


def test_a_tap_that_comes_again_counts_once_and_is_answered_again(bench: PhonesBench) -> None:
    bench.tap(1, "two", 1)
    bench.tap(1, "two", 1)
    bench.save()
    assert bench.unsent(1) == 1
    bench.answers.clear()
    bench.tap(1, "two", 1)
    assert 1 in bench.answers
    bench.kill()
    bench.connect()
    bench.tap(1, "two", 1)
    assert 1 in bench.answers
    assert bench.unsent(1) == 1


def test_what_was_not_on_disk_is_taken_when_the_phone_says_it_again(bench: PhonesBench) -> None:
    bench.tap(1, "two", 1)
    bench.save()
    bench.tap(1, "miss", 2)
    bench.kill()
    bench.connect()
    assert bench.unsent(1) == 1
    bench.tap(1, "miss", 2)
    bench.save()
    assert [one for one in bench.answers if bench.answers[one].why is None] == [2]
    assert bench.unsent(1) == 2


def test_a_tap_that_was_kept_on_a_phone_is_none_of_the_next_round(bench: PhonesBench) -> None:
    assert bench.states[1].round == "e1.1"
    bench.tap(1, "one", 1, "e1.1")
    bench.open(1, 2)
    for seq, round_ in ((2, "e1.1"), (3, "e0.2")):
        bench.tap(1, "two", seq, round_)
        why = bench.answers[seq].why
        assert why is not None
        assert why.reason() == reasons.TapOfAnotherRound()
    assert bench.unsent(1) == 1
    bench.tap(1, "two", 4, "e1.2")
    bench.tap(1, "help", 5, "e1.1")
    bench.save()
    assert (bench.answers[4].why, bench.answers[5].why) == (None, None)
    assert bench.unsent(1) == 2


def test_a_tap_at_a_table_that_does_not_play_has_no_answer(bench: PhonesBench) -> None:
    bench.tap(7, "two", 1)
    bench.save()
    assert bench.answers == {}


def test_a_table_begins_to_play_with_its_first_view_and_knows_what_the_others_know(tmp_path: Path) -> None:
    bench = PhonesBench(tmp_path, phones=(1, 2, 3), begun=())
    bench.connect()
    assert bench.sent("status") == []
    bench.open(1, 2)
    assert {table for table, _ in bench.sent("status")} == {1, 2}
    assert bench.states.keys() == {1, 2}
    assert bench.states[2].online
    bench.open(9)
    assert sorted(bench.controllers.tables) == [1, 2]


def test_each_table_says_once_a_second_that_it_lives_and_when_its_phone_did(bench: PhonesBench) -> None:
    bench.ticks(40)
    bench.sent("beat")
    bench.step(PhonesSeen((2, 9)))
    bench.ticks(20)
    beats = dict(bench.sent("beat"))
    assert all(isinstance(beat, Beat) for beat in beats.values())
    assert beats[1].phone_ms is None
    assert 0 <= beats[2].phone_ms <= 1000
    bench.ticks(100)
    assert dict(bench.sent("beat"))[2].phone_ms > 5000


def test_an_entry_of_the_log_goes_to_the_table_that_keeps_it_alone(bench: PhonesBench) -> None:
    stepped: list[int] = []
    for number, table in bench.controllers.tables.items():
        table.step = lambda *_, number=number: iter(stepped.append(number) or ())  # type: ignore
    bench.controllers._keeper = 2
    bench.everybody("log", Entry("e1", 1, Raw(b"{}"), None, "0" * 32))
    assert stepped == [2]


def test_a_repeated_head_status_steps_no_phone_table(
    bench: PhonesBench,
) -> None:
    stepped: list[int] = []
    for number, table in bench.controllers.tables.items():
        table.step = lambda *_, number=number: iter(stepped.append(number) or ())  # type: ignore
    bench.head("e1")
    assert stepped == []
    bench.head("e2")
    assert set(stepped) == {1, 2}


def test_a_lost_link_is_warned_of_once_for_all_phone_tables(bench: PhonesBench) -> None:
    bench.step(Disconnected("The plug."))
    assert bench.warnings == ["The plug."]
    assert not any(state.online for state in bench.states.values())


def test_the_link_is_made_anew_once_for_all_tables(bench: PhonesBench) -> None:
    bench.clock_answers = False
    bench.tap(1, "two", 1)
    bench.tap(2, "two", 2)
    bench.ticks(400)
    assert [type(one).__name__ for one in bench.effects].count("RebuildLink") == 1


def test_a_table_that_is_no_phone_any_more_sends_the_rest_and_says_nothing_else(tmp_path: Path) -> None:
    bench = PhonesBench(tmp_path)
    bench.connect()
    bench.open(1, 2)
    bench.tap(2, "two", 1)
    bench.save()
    bench.phones = (1,)
    bench.kill()
    bench.connect()
    ((table, fact),) = bench.sent("fact")
    assert table == 2
    assert isinstance(fact, Envelope)
    assert {number for number, _ in bench.sent("status")} == {1}
    bench.ticks(40)
    assert {number for number, _ in bench.sent("beat")} == {1}
    assert bench.states.keys() == {1}
    bench.ack(2, 1, fact.stream)
    assert sorted(bench.controllers.tables) == [1]


def test_a_table_that_left_nothing_unsent_is_not_there(tmp_path: Path) -> None:
    bench = PhonesBench(tmp_path, phones=(1,), begun=(1, 2))
    assert sorted(bench.controllers.tables) == [1]


@given(st.lists(st.tuples(st.sampled_from((1, 2, 3)), st.sampled_from(("tap", "save", "kill", "again")))))
def test_answered_taps_are_kept_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str]]
) -> None:
    bench = PhonesBench(tmp_path_factory.mktemp("phones"), phones=(1, 2, 3))
    bench.connect()
    bench.open(1, 2, 3)
    bench.save()
    waits: dict[int, int] = {}
    answered: dict[int, int] = {}
    seq = 0
    for table, what in steps:
        if what == "tap":
            seq += 1
            waits[seq] = table
            bench.tap(table, "miss", seq, boot=f"phone{table}")
        elif what == "save":
            bench.save()
        elif what == "kill":
            bench.kill()
            bench.connect()
        else:
            for one, at in sorted(waits.items()):
                bench.tap(at, "miss", one, boot=f"phone{at}")
        answered |= {one: waits.pop(one) for one in bench.answers if one in waits}
        bench.answers.clear()
    bench.kill()
    for table in (1, 2, 3):
        outbox = bench.controllers.tables[table]._outbox
        marks = [one.mark[1] for one in outbox.uncommitted() if one.mark]
        assert len(marks) == len(set(marks))
        assert set(marks) >= {one for one, at in answered.items() if at == table}


def test_streams_of_which_nothing_is_left_are_forgotten(bench: PhonesBench) -> None:
    bench.tap(1, "two", 1)
    bench.save()
    ((_, fact),) = bench.sent("fact")
    bench.ack(1, 1, fact.stream)
    for n, evening in enumerate(("e2", "e3"), 2):  # of the last evening before nothing is forgotten
        bench.head(evening)
        bench.open(1, n, evening=evening)
        bench.tap(1, "two", n)
        bench.save()
    bench.kill()
    assert fact.stream not in bench.store.streams
    bench.save()
    assert (fact.stream,) not in rows(bench.path, SCHEMA, "SELECT stream FROM streams")


def test_a_birth_names_the_streams_of_the_table_alone(bench: PhonesBench) -> None:
    bench.tap(1, "two", 1)
    bench.tap(2, "two", 2)
    bench.save()
    bench.kill()
    bench.sent("status")
    bench.connect()
    births = dict(bench.sent("status"))
    assert all(isinstance(birth, Status) for birth in births.values())
    assert len(births[1].streams) == len(births[2].streams) == 2
    assert not {name for name, _ in births[1].streams} & {name for name, _ in births[2].streams}


def told(bench: PhonesBench) -> list[tuple[int | None, int]]:
    """Time and round of the rolls that went to the head."""
    facts = [one for _, one in bench.sent("fact") if isinstance(one, Envelope)]
    return [(one.t, one.epoch) for one in facts if isinstance(one.fact, Rolled)]


def test_a_tap_that_a_phone_kept_counts_for_when_it_was_made(bench: PhonesBench) -> None:
    """Trace: a phone is cut off; two taps 2.5 s before the bell; it is back 4 s behind it.

    They were timed by their arrival, behind the bell, and ignored.
    """
    bench.ticks(200)
    made = bench.now + 5000
    bench.ticks(130)
    told(bench)
    bench.tap(1, "one", 1, "e1.1", age=6500)
    bench.tap(1, "miss", 2, "e1.1", age=6400)
    assert told(bench) == [(made, 1), (made + 100, 1)]


@pytest.mark.parametrize("heard", [True, False])
def test_a_tap_that_a_phone_kept_over_a_round_is_told_of_that(bench: PhonesBench, heard: bool) -> None:
    """Trace: as before, but the phone is back in the next round: they were deleted with a notice.

    Or a broker had lost when that was opened, and a roll by hand was told of it, a throw was not.
    """
    opened = [
        messages.RoundInfo("e1", epoch, 1, 1, "open", t, None, "bonko")
        for epoch, t in ((1, 6000), (2, 17_000))
    ]
    bench.everybody("round", opened[0])
    bench.ticks(200)
    made = bench.now + 5000
    bench.ticks(20)
    if heard:
        bench.everybody("round", opened[1])
    bench.open(1, 2)
    bench.ticks(60)
    told(bench)
    bench.tap(1, "one", 1, "e1.1", age=4000)
    bench.tap(1, "dice", 2, "e1.1", age=3900, dice=(1, 2, 3))
    bench.ticks(0 if heard else 80)
    assert sorted(set(told(bench))) == [(made, 1), (made + 100, 1)]
    bench.tap(1, "undo", 3, "e1.1", age=3800)
    assert bench.answers[3].english


def test_no_tap_is_made_before_the_one_before_it(bench: PhonesBench) -> None:
    """A phone that says of each tap that it is old moves none behind a bell that it knew."""
    bench.ticks(200)
    told(bench)
    made = bench.now + 5000
    bench.tap(1, "one", 1, "e1.1")
    bench.ticks(8)
    bench.tap(1, "two", 2, "e1.1", age=60_000)
    assert told(bench) == [(made, 1), (made, 1)]


def test_a_wipe_is_refused_where_nothing_wipes(bench: PhonesBench) -> None:
    bench.tap(1, "wipe", 1)
    why = bench.answers[1].why
    assert why is not None
    assert why.reason() == reasons.TapOfNoWipe()
    assert bench.unsent(1) == 0
