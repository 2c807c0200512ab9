"""A journal that begins with an evening that another one has lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from disks import Told
from pi_bunco.game.facts import Roll
from pi_bunco.journal.copies import checksum
from pi_bunco.journal.journal import Aside, Entry, Journal, JournalError, Origin

FACT = {"kind": "roll", "dice": [1, 2, 3]}


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def book(tmp_path: Path, told: Told) -> Iterator[Journal]:
    book = Journal(tmp_path / "journal.db", told.reports)
    yield book
    book.close()


def entry(n: int, evening: str = "e1", seq: int | None = None, table: int = 1) -> Entry:
    return Entry(n, evening, Roll(t=n, table=table, dice=(1, 2, 3)), Origin(table, "s", seq or n))


def test_it_goes_on_from_there(book: Journal, told: Told) -> None:
    entries = [entry(n) for n in range(1, 6)]
    book.rebuild(entries)
    assert not book.empty
    told.committed(6)
    assert book.read("e1") == entries
    assert book.upto == book.positions() == {(1, "s"): 5}
    book.append(entry(6))
    with pytest.raises(JournalError, match="repeat"):
        book.append(entry(7, seq=6))


def test_a_journal_takes_what_it_lacks_of_an_evening(book: Journal, told: Told) -> None:
    book.append(entry(1, "e0", seq=4), entry(1, seq=5))
    book.set_aside(Aside("e0", Origin(2, "s", 3), FACT))
    told.committed(3)
    book.rebuild([entry(1, seq=5), entry(2, seq=6)])
    told.committed(2)
    assert [one.n for one in book.read("e1")] == [1, 2]
    assert book.upto == book.positions() == {(1, "s"): 6, (2, "s"): 3}
    book.append(entry(3, seq=7), entry(2, "e0", seq=8))


@pytest.mark.parametrize("wrong", [[entry(1, seq=2)], [entry(1, table=2), entry(2)], []])
def test_a_journal_does_not_take_other_facts_than_it_has(
    book: Journal, told: Told, wrong: list[Entry]
) -> None:
    book.append(entry(1), entry(2))
    told.committed(2)
    with pytest.raises(JournalError, match="has other facts of evening e1"):
        book.rebuild(wrong or [entry(1)])
    assert book.upto == {(1, "s"): 2}


@pytest.mark.parametrize("wrong", [entry(3), entry(2, seq=1), entry(2, "e2")])
def test_what_does_not_follow_is_not_taken(book: Journal, wrong: Entry) -> None:
    with pytest.raises(JournalError):
        book.rebuild([entry(1), wrong])
    assert book.empty


def test_what_was_set_aside_of_the_evening_is_no_hindrance_and_stays(
    book: Journal, told: Told, tmp_path: Path
) -> None:
    asides = [Aside("e1", Origin(1, "s", 2), FACT), Aside("e0", Origin(2, "old", 7), FACT)]
    for aside in asides:
        book.set_aside(aside)
    told.committed(2)
    assert book.upto == {(1, "s"): 2, (2, "old"): 7}
    book.rebuild([entry(1)])
    told.committed(2)
    assert book.upto == {(1, "s"): 1, (2, "old"): 7}
    book.append(entry(2), entry(3))
    book.set_aside(Aside("e1", Origin(1, "s", 4), FACT))
    told.committed(3)
    book.close()
    again = Journal(tmp_path / "journal.db", told.reports)
    assert again.upto[1, "s"] == 4
    assert [aside.fact for aside in again.asides()] == [FACT] * 3
    assert again.asides()[0].origin == Origin(1, "lost.s", 2)
    again.close()


def test_copies_that_differ_anywhere_have_other_checksums() -> None:
    one = [checksum(entry(1)), checksum(entry(2), checksum(entry(1)))]
    assert len({*one, checksum(entry(2)), checksum(entry(1, seq=2)), checksum(entry(1, "e2")), 0}) == 6
