"""The host's bell button as the tables see it: what is refused blinks, and why is on the display."""

from pathlib import Path

import pytest

from pi_bunco.head.effects import BellButtonPress
from services.hall import Hall


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    hall = Hall(tmp_path, 2)
    hall.open(8)
    return hall


def refused(hall: Hall, table: int) -> bool:
    return hall.tables[table].lights.refused


def test_a_refused_press_blinks_at_the_heads_table_and_says_why(hall: Hall) -> None:
    hall.cut(hall.tables[2])
    hall.wait(5000)
    hall.head.receive(BellButtonPress(long=False))
    hall.wait(100)
    assert refused(hall, 1)
    assert hall.tables[1].lights.message.startswith("Table 2: not heard for")
    assert hall.evening.round is None
    hall.wait(5000)
    assert not refused(hall, 1)
    assert hall.tables[1].lights.message == "Wait for the bell"


def test_a_refusal_is_shown_in_the_language_of_the_display(hall: Hall) -> None:
    hall.tables[1].language = "de"
    hall.do("light", table=1)
    hall.wait(100)
    assert hall.tables[1].lights.message == "Das ist Tisch 1."
    hall.do("round_start")
    hall.head.receive(BellButtonPress(long=False))
    hall.wait(100)
    assert hall.tables[1].lights.message == "Eine Runde läuft."


def test_a_second_press_starts_without_what_is_missing_and_blinks_no_more(hall: Hall) -> None:
    hall.cut(hall.tables[2])
    hall.wait(5000)
    for _ in range(2):
        hall.head.receive(BellButtonPress(long=False))
        hall.wait(500)
    assert hall.evening.round
    assert not refused(hall, 1)


def test_a_long_press_between_rounds_is_refused_at_the_heads_table_only(hall: Hall) -> None:
    hall.head.receive(BellButtonPress(long=True))
    hall.wait(100)
    assert refused(hall, 1)
    assert not refused(hall, 2)


def test_a_press_before_any_evening_does_no_harm(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    hall.wait(1000)
    hall.head.receive(BellButtonPress(long=False))
    hall.open(8)
    assert not refused(hall, 1)
