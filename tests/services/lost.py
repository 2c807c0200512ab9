"""A hall whose head is lost with its card, in the midst of a round."""

from pathlib import Path

import pytest

from pi_bunco.devices.protocols import Throw
from pi_bunco.journal import journal
from pi_bunco.journal.copies import SCHEMA as COPIES
from pi_bunco.journal.journal import SCHEMA, Entry
from pi_bunco.runtime.store import connect
from services.hall import Hall, TableNode

MISS, ONE, BUNCO = (2, 3, 4), (1, 3, 4), (1, 1, 1)


@pytest.fixture(name="hall")
def in_a_round(tmp_path: Path) -> Hall:
    """Three tables of people who do nothing by themselves, a round of ones open for a while."""
    hall = Hall(tmp_path, 3, auto_confirm=1000)
    hall.open(12, "bonko")
    hall.do("round_start")
    hall.wait(3000)
    for number in (1, 2, 3, 2):
        throw(hall.tables[number], ONE)
        hall.wait(200)
    return hall


def throw(table: TableNode, faces: tuple[int, int, int]) -> None:
    now = table.hall.clock.now()
    table.receive(Throw(faces, now - 300, now))


def entries(path: Path) -> list[Entry]:
    known = journal.evenings(path, SCHEMA)
    return journal.read(path, SCHEMA, known[-1].id) if known else []


def rebuild(hall: Hall) -> list[Entry]:
    """A new head takes over; the entries with which it goes on."""
    hall.start_head(rebuild=True)
    hall.until(lambda: hall.head.rebuild is None, 120_000)
    return hall.head.taken


def points(hall: Hall) -> list[list[int]]:
    round_ = hall.head.referee.ledger.evening.round
    assert round_ is not None
    return [table.points for table in round_.tables]


def forget(table: TableNode, evening: str, after: int = 0) -> None:
    """The table's copy loses what comes after so many entries."""
    hall, number = table.hall, table.number
    hall.kill(table)
    connection = connect(hall.folder / f"table{number}" / "copies.db", COPIES)
    connection.execute("DELETE FROM facts WHERE evening = ? AND n > ?", (evening, after))
    connection.close()
    hall.start_table(number)


def end_round(hall: Hall) -> None:
    """The head table ends the round and all confirm by themselves."""
    played = len(hall.head.referee.ledger.evening.rounds)
    throw(hall.tables[1], BUNCO)
    hall.until(lambda: len(hall.head.referee.ledger.evening.rounds) > played)
    hall.wait(2000)
