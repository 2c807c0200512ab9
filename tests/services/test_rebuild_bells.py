"""No bell rings twice, or late, over the lives of a head that was lost and of the one behind it."""

from pathlib import Path

from pi_bunco.game.facts import RoundOpen
from services.evidence import check
from services.hall import DISK, Hall
from services.lost import BUNCO, entries, forget, in_a_round, rebuild, throw

__all__ = ["in_a_round"]


def test_nothing_is_rung_while_an_end_is_in_the_copies_without_its_bell(hall: Hall) -> None:
    evening = hall.head.referee.ledger.evening.id
    throw(hall.tables[1], BUNCO)
    hall.wait(50)
    ends = list(hall.rings)
    number = next(e.n for e in hall.head.referee.ledger.log if getattr(e.fact, "dice", None) == BUNCO)
    hall.lose_head()
    for table in list(hall.tables.values()):
        forget(table, evening, number)
    assert len(rebuild(hall)) == number
    hall.wait(5000)
    assert hall.rings == ends
    assert hall.head.referee.ledger.evening.state == "between_rounds"
    check(hall)


def test_a_bell_that_tables_have_heard_does_not_ring_again_for_its_roll(hall: Hall) -> None:
    """The horn's current broke the head down: it rang, and nothing of that is in its journal or a copy."""
    length = len(hall.head.referee.ledger.log)
    evening = hall.head.referee.ledger.evening.id
    throw(hall.tables[1], BUNCO)
    hall.wait(3)
    assert hall.rings[-1].endswith(":end")
    assert len(entries(hall.folder / "journal.db")) == length
    hall.lose_head()
    hall.wait(1000)
    rings = list(hall.rings)
    assert len(rebuild(hall)) == length
    hall.until(lambda: len(hall.head.referee.ledger.evening.rounds) == 1)
    assert hall.rings == rings
    assert hall.head.referee.ledger.evening.id == evening
    hall.wait(2000)
    check(hall)


def test_a_bell_that_nobody_heard_rings_when_its_roll_comes(hall: Hall) -> None:
    hall.lose_head()
    throw(hall.tables[1], BUNCO)
    rebuild(hall)
    hall.until(lambda: len(hall.head.referee.ledger.evening.rounds) == 1)
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start", "end"]
    hall.wait(2000)
    check(hall)


def test_an_end_by_the_host_rings_although_an_earlier_bell_was_heard_and_voided(hall: Hall) -> None:
    hall.do("round_end")
    hall.wait(100)
    hall.do("bell_void")
    hall.wait(500)
    hall.lose_head()
    rebuild(hall)
    hall.wait(1000)
    hall.do("round_end")
    assert [id.rpartition(":")[2] for id in hall.rings] == ["start", "end", "end-1"]


def test_a_start_that_is_in_the_copies_does_not_ring_late(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 3, auto_confirm=1000)
    hall.open(12, "bonko")
    hall.do("round_start")
    hall.wait(3)
    log = entries(hall.lose_head())
    assert isinstance(log[-1].fact, RoundOpen)
    rings = list(hall.rings)
    hall.wait(2 * DISK)
    rebuild(hall)
    hall.wait(1000)
    assert hall.rings == rings
    assert hall.head.referee.ledger.evening.state == "round_open"
