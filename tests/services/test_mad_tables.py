"""A table that has gone mad, or whose card is in the wrong hands, wastes its own time only."""

from pathlib import Path
from typing import Any

import pytest

from pi_bunco.game.facts import Rolled
from pi_bunco.log.journal import asides
from pi_bunco.wire import topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.messages import Envelope, LogRequest
from services.hall import Hall


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
