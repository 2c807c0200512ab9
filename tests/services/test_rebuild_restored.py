"""A head whose journal is older than what the tables know: a backup of the same evening was restored."""

from pathlib import Path

import pytest

from pi_bunco.journal import journal
from pi_bunco.sim.players import Habits
from services.evidence import check
from services.hall import Hall
from services.lost import ONE, entries, forget, in_a_round, rebuild, throw

__all__ = ["in_a_round"]
PEOPLE = Habits(think=700, tumble=300, ok=1000)


def saved(hall: Hall) -> Path:
    copy = hall.folder / "saved.db"
    journal.backup(hall.folder / "journal.db", copy)
    return copy


def restored(hall: Hall, copy: Path) -> Path:
    """The head dies and starts again with the copy; where the journal is that it had."""
    before = hall.lose_head()
    copy.rename(hall.folder / "journal.db")
    return before


@pytest.mark.parametrize("rounds", [0, 1, 2])
@pytest.mark.parametrize("within", [False, True])
def test_the_evening_goes_on_where_it_was_lost(tmp_path: Path, rounds: int, within: bool) -> None:
    hall = Hall(tmp_path, 3, PEOPLE, auto_confirm=5000)
    hall.open(12, "bonko", **{"evening.sets": 1})
    copy = saved(hall)
    for _ in range(rounds):
        hall.play_round()
    if within:
        hall.do("round_start")
        hall.wait(9000)
    rings = list(hall.rings)
    before = entries(restored(hall, copy))
    assert rebuild(hall) == before
    hall.wait(1)
    assert hall.rings == rings
    hall.until(lambda: len(hall.head.referee.ledger.evening.rounds) == rounds + within)
    hall.wait(5000)
    hall.play_round()
    check(hall)


def test_of_a_journal_that_knows_most_nothing_is_changed(hall: Hall) -> None:
    evening = hall.head.referee.ledger.evening.id
    before = entries(restored(hall, saved(hall)))
    for table in list(hall.tables.values()):
        forget(table, evening, 3)
    rings = list(hall.rings)
    hall.warnings.clear()
    assert rebuild(hall) == before
    assert hall.rings == rings
    assert entries(hall.folder / "journal.db") == before
    told = f"The evening {evening} goes on from the {len(before)} facts that the journal has;"
    assert f"{told} no table holds more of it." in hall.warnings


def test_tables_that_hold_another_history_of_it_do_not_change_the_journal(hall: Hall) -> None:
    copy = saved(hall)
    throw(hall.tables[2], ONE)
    hall.wait(1000)
    restored(hall, copy)
    for table in hall.tables.values():
        hall.cut(table)
    hall.start_head()
    hall.do("round_cancel")
    hall.wait(3000)
    mine = list(hall.head.referee.ledger.log)
    hall.kill(hall.head)
    for table in hall.tables.values():
        hall.heal(table)
    assert rebuild(hall) == mine
    names = "table 1, table 2, table 3"
    assert f"They are not what {names} holds of it; 1 of 4 copies agree with these." in hall.warnings
    hall.wait(5000)
    for table in hall.tables.values():
        assert table.copies.read(mine[0].evening)[: len(mine)] == mine


def test_without_tables_it_goes_on_with_what_it_has(hall: Hall) -> None:
    before = entries(restored(hall, saved(hall)))
    for table in hall.tables.values():
        hall.kill(table)
    assert rebuild(hall) == before


def test_a_later_evening_of_the_tables_is_added(hall: Hall) -> None:
    copy = saved(hall)
    first = hall.head.referee.ledger.evening.id
    hall.do("round_cancel")
    hall.open(12, "gong", seed=2)
    hall.wait(2000)
    second = entries(restored(hall, copy))
    assert rebuild(hall) == second
    hall.wait(100)
    assert [one.id for one in hall.head.journal.evenings()] == [first, second[0].evening]
