"""The scoreboard names who is missing or calls for the host although no fact says so."""

from pathlib import Path

import pytest

from pi_bunco.devices.protocols import Press
from services.hall import Hall

NOT_HEARD = "Table 2: not heard for "


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    hall = Hall(tmp_path, 3)
    hall.open(12)
    return hall


def waiting(hall: Hall) -> list[str]:
    return list(hall.host.board.waiting)


def test_a_table_that_falls_silent_is_named_until_it_is_heard_again(hall: Hall) -> None:
    assert waiting(hall) == []
    table = hall.tables[2]
    hall.network.drop(table, will=False)
    hall.until(lambda: bool(waiting(hall)), 5000)
    assert waiting(hall)[0].startswith(NOT_HEARD)
    hall.network.nodes[table.name] = table  # its messages get through again
    hall.until(lambda: not waiting(hall), 3000)


@pytest.mark.parametrize("open_", [False, True])
def test_a_table_that_calls_the_host_is_named_at_once(hall: Hall, open_: bool) -> None:
    if open_:
        hall.do("round_start")
        hall.wait(1000)
    hall.tables[3].receive(Press("help", hall.clock.now(), 0))
    hall.until(lambda: waiting(hall) == ["Table 3 calls for the host."], 2000)
    hall.tables[3].receive(Press("help", hall.clock.now(), 0))
    hall.until(lambda: not waiting(hall), 2000)


def test_a_scoreboard_with_nothing_new_is_not_sent_again(hall: Hall) -> None:
    hall.wait(2000)
    before = len(hall.network.sent)
    hall.wait(10_000)
    assert not [topic for _, topic, _ in hall.network.sent[before:] if topic.endswith("all/score")]
