from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disks import Disk, Told
from pi_bunco.game.facts import Roll
from pi_bunco.journal.copies import Copies
from pi_bunco.journal.journal import Entry, Journal, Origin


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "copies.db"


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def copies(path: Path, told: Told) -> Iterator[Copies]:
    copies = Copies(path, told.reports)
    yield copies
    copies.close()


def entry(n: int, evening: str = "e1", table: int = 1, seq: int | None = None) -> Entry:
    return Entry(n, evening, Roll(t=n, table=table, dice=(1, 2, 3)), Origin(table, "s", seq or n))


def test_a_whole_copy_rebuilds_the_journal(path: Path, tmp_path: Path, told: Told, copies: Copies) -> None:
    entries = [entry(n) for n in range(1, 6)]
    for one in entries:
        copies.add(one)
    told.committed(5)
    assert copies.missing_from("e1", 5) is None
    book = Journal(tmp_path / "journal.db", told.reports)
    book.append(*copies.read("e1"))
    book.close()
    assert book.read("e1") == entries


def test_gaps_are_known_and_filled(told: Told, copies: Copies) -> None:
    assert copies.missing_from("e1") is None
    assert copies.missing_from("e1", 3) == 1
    for n in (2, 5):
        copies.add(entry(n))
    assert copies.missing_from("e1") == 1
    copies.add(entry(1))
    assert copies.missing_from("e1") == 3
    assert copies.lengths() == {"e1": 2}
    told.committed(3)
    assert [one.n for one in copies.read("e1")] == [1, 2]
    for n in (4, 3):
        copies.add(entry(n))
    assert copies.missing_from("e1") is None
    assert copies.missing_from("e1", 5) is None
    assert copies.missing_from("e1", 6) == 6
    told.committed(2)
    assert copies.read("e1") == [entry(n) for n in range(1, 6)]


def test_repeats_cost_no_write(told: Told, copies: Copies) -> None:
    for _ in range(3):
        copies.add(entry(1))
    copies.close()
    assert len(told.committed(1)) == 1
    assert told.queue.empty()


def test_a_rebuilt_heads_word_stands(path: Path, told: Told, copies: Copies) -> None:
    for n in range(1, 6):
        copies.add(entry(n))
    other = entry(3, table=2)
    copies.add(other)
    assert copies.lengths() == {"e1": 3}
    assert copies.missing_from("e1") is None
    told.committed(6)
    copies.close()
    assert copies.read("e1") == [entry(1), entry(2), other]
    again = Copies(path, told.reports)
    assert again.lengths() == {"e1": 3}
    again.close()


def test_the_same_fact_under_another_number_does_not_stop_the_writer(told: Told, copies: Copies) -> None:
    copies.add(entry(1))
    copies.add(entry(3, seq=7))
    copies.add(entry(2, seq=7))
    told.committed(3)
    assert copies.writer.fault is None


def test_two_evenings_are_kept(path: Path, told: Told, copies: Copies) -> None:
    for evening in ("e1", "e2", "e1", "e3"):
        copies.add(entry(1, evening))
    assert copies.lengths() == {"e1": 1, "e3": 1}
    copies.close()
    assert copies.read("e2") == []
    assert copies.read("e1") == [entry(1, "e1")]


def test_copies_go_on_while_the_card_fails(path: Path, told: Told) -> None:
    disk = Disk()
    copies = Copies(path, told.reports, disk.start)
    disk.error = "disk I/O error"
    copies.add(entry(1))
    assert told.next() == "disk I/O error"
    copies.add(entry(2))
    assert copies.lengths() == {"e1": 2}
    disk.error = None
    copies.close()
    assert copies.read("e1") == [entry(1), entry(2)]


@settings(max_examples=25)  # each makes a file
@given(heard=st.lists(st.tuples(st.integers(1, 8), st.integers(1, 2))))
def test_memory_and_disk_agree(
    heard: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever is heard in whatever order, also of a head that was rebuilt with less."""
    path, told = tmp_path_factory.mktemp("agree") / "copies.db", Told()
    copies = Copies(path, told.reports)
    expected: dict[int, Entry] = {}
    for n, table in heard:
        one = entry(n, table=table)
        if expected.get(n, one) != one:
            expected = {number: held for number, held in expected.items() if number < n}
        expected[n] = one
        copies.add(one)
    copies.close()
    length = next(n for n in range(9) if n + 1 not in expected)
    assert copies.lengths() == ({"e1": length} if heard else {})
    assert copies.missing_from("e1") == (length + 1 if len(expected) > length else None)
    assert copies.read("e1") == [expected[n] for n in range(1, length + 1)]
    again = Copies(path, told.reports)
    assert again.lengths() == copies.lengths()
    again.close()
