"""Who is there, as a host is told: tables that are dead, stopped, doubled, or not ready."""

from pathlib import Path

import pytest

from pi_bunco.head.presence import Presence
from pi_bunco.head.reasons import ThereTwice
from pi_bunco.wire.messages import Status
from services.hall import Hall


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    hall = Hall(tmp_path, 2)
    hall.open(8)
    return hall


def waiting(hall: Hall) -> list[str]:
    return list(hall.host.board.waiting)


def test_a_table_that_dies_in_a_round_is_named_within_four_seconds(hall: Hall) -> None:
    hall.do("round_start")
    hall.wait(1000)
    assert waiting(hall) == []
    hall.kill(hall.tables[2])
    hall.wait(4000)
    assert [one.partition(" for ")[0] for one in waiting(hall)] == ["Table 2: not heard"]
    hall.start_table(2)
    hall.wait(2000)
    assert waiting(hall) == []


def test_a_bypassed_table_is_not_named(hall: Hall) -> None:
    hall.kill(hall.tables[2])
    hall.do("round_start", bypass=[2])
    hall.wait(5000)
    assert waiting(hall) == []


def birth(service: str, session: str) -> Status:
    return Status("online", session, "1", "boot", streams=((service, 0),))


def test_two_machines_with_one_number_are_named() -> None:
    presence = Presence("1")
    for turn, service in enumerate("abab"):
        presence.tables[2].take_status(birth(service, f"s{turn}"), 1000.0 * turn)
    assert presence.calls(2, 4000.0) == [f"Table 2 {ThereTwice().english()}"]
    assert presence.calls(2, 40_000.0) == []


def test_a_table_that_is_started_again_or_reconnects_is_there_once() -> None:
    presence = Presence("1")
    for turn, service in enumerate("aabbc"):
        presence.tables[2].take_status(birth(service, f"s{turn}"), 1000.0 * turn)
    assert presence.calls(2, 5000.0) == []
