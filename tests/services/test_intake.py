"""Facts of tables: in order, once, and bounded, whatever a mad table or a stolen card sends."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.devices.protocols import Throw, ThrowMark
from pi_bunco.game import facts
from pi_bunco.game.facts import Rolled, UndoPressed
from pi_bunco.head.intake import MAX_BEHIND_GAP, Reorder
from pi_bunco.log.journal import asides
from pi_bunco.wire import topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.messages import Envelope, LogRequest
from services.hall import DISK, Hall, TableNode


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    hall = Hall(tmp_path, 2)
    hall.open(8)
    return hall


def says(hall: Hall, table: int, leaf: str, message: Any) -> None:
    hall.network.publish(Publish(topics.up("home", f"table{table}", leaf), message, 1))


def answered(hall: Hall, table: int) -> int:
    return sum(topic.endswith(f"table{table}/down/log") for _, topic, _ in hall.network.sent)


def test_facts_that_nobody_understands_are_told_once_a_minute(hall: Hall) -> None:
    evening = hall.head.referee.log.evening.id
    before = len(hall.warnings)
    for seq in range(1, 51):
        fact = Rolled((7, 7, 7), source="dice")
        says(hall, 2, "fact", Envelope(1, evening, "mad", seq, 1, 0, 1, 1.0, 1, "b", fact))
    hall.wait(1000)
    assert len(hall.warnings) == before + 1
    assert len(asides(hall.head.journal.path)) == 50


def test_a_replica_that_asks_without_end_is_answered_four_times_a_second(hall: Hall) -> None:
    request, before = LogRequest(hall.head.referee.log.evening.id, 1), answered(hall, 2)
    for _ in range(100):
        says(hall, 2, "log_request", request)
    hall.wait(100)
    assert answered(hall, 2) == before + 4
    hall.wait(1000)
    says(hall, 2, "log_request", request)
    hall.wait(100)
    assert answered(hall, 2) == before + 5


def test_a_table_that_keeps_no_replica_is_sent_none(hall: Hall) -> None:
    says(hall, 6, "log_request", LogRequest(hall.head.referee.log.evening.id, 1))
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
    assert waiting(reorder) == 0 or all(key[0] == 7 for key in reorder._behind)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9)), max_size=60))
def test_every_fact_comes_once_and_in_order(sent: list[tuple[str, int]]) -> None:
    found = taken(Reorder(), 1, sent)
    for stream in "ab":
        places = [seq for name, seq in found if name == stream]
        assert places == list(range(1, len(places) + 1))


ONE = (1, 3, 4)


def throw(table: TableNode, mark: ThrowMark) -> None:
    now = table.hall.clock.now()
    table.receive(Throw(ONE, now - 300, now, mark))


def test_a_throw_that_the_head_has_and_the_table_has_not_counts_once(tmp_path: Path) -> None:
    """The table dies after the head's receipt and before its own commit; the box says the throw again."""
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(1000)
    table = hall.tables[2]
    throw(table, ThrowMark("a7c1", 6))
    hall.wait(DISK / 2)  # the head has it in memory, nobody on a disk
    hall.kill(table)
    hall.wait(1000)
    again = hall.start_table(2)
    hall.wait(500)
    throw(again, ThrowMark("a7c1", 6))
    throw(again, ThrowMark("a7c1", 12))
    hall.wait(1000)
    rolls = [entry for entry in hall.head.referee.log.entries if isinstance(entry.decoded(), facts.Roll)]
    assert [entry.origin.mark for entry in rolls if entry.origin] == [("a7c1", 6), ("a7c1", 12)]
    round_ = hall.head.referee.log.evening.round
    assert round_ is not None
    assert round_.tables[1].points == [2, 0]
    assert len(again.outbox) == 0
    assert again.lights is not None
    assert "US 2" in again.lights.message
