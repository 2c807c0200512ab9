"""A hall in the midst of a round, whose head can be lost with its card."""

from pathlib import Path

import pytest

from pi_bunco.head.catch_up import RUNG
from pi_bunco.log.entry import Entry
from pi_bunco.log.journal import SCHEMA
from pi_bunco.log.records import REPLICA_SCHEMA
from pi_bunco.runtime.store import connect
from services.hall import BUNCO, ONE, Hall, TableNode


@pytest.fixture(name="hall")
def in_a_round(tmp_path: Path) -> Hall:
    """Three tables of people who do nothing by themselves, a round of ones open for a while."""
    hall = Hall(tmp_path, 3, auto_confirm=1000)
    hall.open(12, "bonko")
    hall.do("round_start")
    hall.wait(3000)
    for number in (1, 2, 3, 2):
        hall.tables[number].throw(ONE)
        hall.wait(200)
    return hall


def recovered(hall: Hall) -> list[Entry]:
    """A new head takes over; the log with which it goes on."""
    hall.start_head()
    hall.until(lambda: not hall.head.referee.catch_up.recovery.pending, 120_000)
    return hall.log


def points(hall: Hall) -> list[list[int]]:
    round_ = hall.evening.round
    assert round_ is not None
    return [list(table.points) for table in round_.tables]


def forget_signals(hall: Hall) -> None:
    """The head that was killed has left no note of a signal, in memory or on disk."""
    hall.rung.clear()
    connection = connect(hall.folder / "journal.db", SCHEMA)
    connection.execute("DELETE FROM kept WHERE key = ?", (RUNG,))
    connection.close()


def forget(table: TableNode, after: int = 0) -> None:
    """The table's replica loses all but its first `after` entries."""
    hall, number = table.hall, table.number
    hall.kill(table)
    connection = connect(hall.folder / f"table{number}" / "replica.db", REPLICA_SCHEMA)
    connection.execute("DELETE FROM entries WHERE n > ?", (after,))
    connection.close()
    hall.start_table(number)


def end_round(hall: Hall) -> None:
    """The head table ends the round and all confirm by themselves."""
    played = len(hall.evening.rounds)
    hall.tables[1].throw(BUNCO)
    hall.until(lambda: len(hall.evening.rounds) > played)
    hall.wait(2000)


def broker_restarts(hall: Hall) -> None:
    """The broker goes with the head: it keeps nothing, and the tables are back a little later."""
    hall.network.retained.clear()
    for table in hall.tables.values():
        if not table.dead:
            hall.cut(table)
            hall.later(300, lambda table=table: None if table.dead else hall.heal(table))  # type: ignore[misc]


def begin_again_with_short_replicas(hall: Hall) -> None:
    """A head with a new card goes on from four entries: table 3, which alone knows the whole log, is off."""
    hall.lose_head()
    broker_restarts(hall)
    for number in (1, 2):
        forget(hall.tables[number], after=4)
    hall.kill(hall.tables[3])
    recovered(hall)
    hall.wait(20_000)
