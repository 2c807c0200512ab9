"""A dice box keeps what its table has not saved, and says it again to the table's next life."""

from pathlib import Path

from pi_bunco.devices.protocols import Throw, ThrowMark
from pi_bunco.game import facts
from services.hall import DISK, Hall, TableNode

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
