import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disks import GENEROUS, Disk, Told
from logs import logged
from pi_bunco.errors import BuncoError
from pi_bunco.game import codec
from pi_bunco.game.facts import EveningClose, EveningOpen, Roll, RoundOpen
from pi_bunco.log import journal, log_store
from pi_bunco.log.entry import Entry, Origin
from pi_bunco.log.journal import Journal, JournaledEvening
from pi_bunco.log.records import Answered, StrayFact, Written
from pi_bunco.runtime import store
from pi_bunco.runtime.store import DamagedError, StoreError
from thorough import times


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def book(path: Path, told: Told) -> Iterator[Journal]:
    book = Journal(path, told.reports)
    yield book
    book.close()


def roll(n: int, evening: str = "e1", seq: int | None = None, table: int = 1) -> Entry:
    fact = Roll(t=1000 * n, table=table, dice=(1, 1, 4), source="dice", epoch=1)
    return logged(n, evening, fact, Origin(table, "9f3c", n if seq is None else seq))


def kept(book: Journal, evening: str) -> list[Entry]:
    return list(book.read(evening))


def begin(evening: str) -> Entry:
    return logged(1, evening, EveningOpen(t=0, id=evening, rules="gong", players=("Ann", "Bøb")))


def test_a_card_that_could_not_be_read_and_has_another_end_takes_what_replicas_kept(
    path: Path, told: Told, book: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last entry had not gone out, so the head went on without it from the one before."""
    before = [begin("e1"), logged(2, "e1", RoundOpen(t=5)), roll(3)]
    book.append(*before)
    told.committed(3)
    book.close()
    with monkeypatch.context() as unreadable:
        unreadable.setattr(log_store, "load_kept", fails)
        again = Journal(path, told.reports)
    assert again.unread
    again.take(before[:2])
    again.append(other := roll(3, table=2))
    assert told.committed(4)[-1] == Written(other)
    assert kept(again, "e1") == [*before[:2], other]
    again.close()


def fails(_path: Path, _schema: store.Schema) -> dict[str, object]:
    raise StoreError("the card fails to read")


def test_appended_entries_are_read_again(path: Path, told: Told, book: Journal) -> None:
    entries = [begin("e1"), logged(2, "e1", RoundOpen(t=5)), roll(3), roll(4)]
    for entry in entries:
        book.append(entry)
    assert told.committed(4) == [Written(entry) for entry in entries]
    assert kept(book, "e1") == entries
    assert kept(book, "e2") == []
    book.close()
    again = Journal(path, told.reports)
    assert kept(again, "e1") == entries
    assert journal.positions(again.path) == {(1, "9f3c"): 4}
    again.append(roll(5))
    again.close()
    assert len(kept(again, "e1")) == 5


def test_a_new_journal_is_empty(book: Journal) -> None:
    assert journal.evenings(book.path) == []
    assert journal.latest(book.path) == []
    assert journal.positions(book.path) == {}
    assert book.answers() == {}


@pytest.mark.parametrize("n", [0, 1, 3, -1])
def test_a_number_that_does_not_follow_is_refused(book: Journal, n: int) -> None:
    book.append(begin("e1"))
    with pytest.raises(BuncoError, match="does not follow fact 1"):
        book.append(roll(n))


def test_refused_group_is_refused_whole(told: Told, book: Journal) -> None:
    with pytest.raises(BuncoError):
        book.append(begin("e1"), roll(3))
    book.append(begin("e1"), roll(2))
    told.committed(2)
    assert [entry.n for entry in kept(book, "e1")] == [1, 2]


def test_the_file_itself_refuses_doubles(path: Path, told: Told, book: Journal) -> None:
    """A second head on the same file, which the lock on the role should have kept away."""
    other_told = Told()
    other = Journal(path, other_told.reports)
    book.append(begin("e1"), roll(2))
    told.committed(2)
    other.append(begin("e1"))
    other_told.committed(1)
    other.append(roll(2, seq=1))
    assert other_told.next() == "it holds another fact in the same place"
    other.close()
    assert kept(book, "e1") == [begin("e1"), roll(2)]


def test_a_commit_that_seemed_to_fail_makes_no_double(path: Path, told: Told) -> None:
    disk = Disk()
    book = Journal(path, told.reports, disk.start)
    disk.error, disk.commits = "disk I/O error", True
    answered = Answered("k7", {"done": True})
    aside = StrayFact("e0", Origin(3, "aa", 9), {"kind": "bell_seen"})
    book.append(begin("e1"), roll(2), answer=answered)
    book.set_aside(aside)
    assert told.next() == "disk I/O error"
    disk.error = None
    book.writer.retry()
    assert told.next() == "recovered"
    told.committed(4)
    book.close()
    assert kept(book, "e1") == [begin("e1"), roll(2)]
    assert journal.asides(book.path) == [aside]
    assert book.answers() == {"k7": {"done": True}}


def test_several_evenings_in_one_file(told: Told, book: Journal) -> None:
    book.append(begin("e2"), roll(2, "e2", 1))
    book.append(logged(3, "e2", EveningClose(t=9)), begin("e1"))
    told.committed(4)
    assert journal.evenings(book.path) == [JournaledEvening("e2", 3), JournaledEvening("e1", 1)]
    assert [one.evening for one in journal.latest(book.path)] == ["e1"]


def test_the_same_command_gets_the_same_answer_after_a_restart(path: Path, told: Told, book: Journal) -> None:
    refusal = {"done": False, "why": ["Table 2: die 3 not heard for 40 s"]}
    book.append(begin("e1"), answer=Answered("k1", {"done": True}))
    book.append(answer=Answered("k2", refusal))
    book.append(answer=Answered("k1", {"done": False}))
    told.committed(4)
    book.close()
    again = Journal(path, told.reports)
    assert again.answers() == {"k1": {"done": True}, "k2": refusal}
    again.close()


def test_the_newest_1000_answers_stay(told: Told, book: Journal) -> None:
    for n in range(1100):
        book.append(answer=Answered(f"k{n}", n))
    told.committed(1100)
    assert book.answers() == {f"k{n}": n for n in range(100, 1100)}


def test_facts_that_are_set_aside_count_as_received(told: Told, book: Journal) -> None:
    aside = StrayFact("e0", Origin(1, "9f3c", 7), {"kind": "roll", "dice": [1, 2, 3]})
    book.set_aside(aside)
    book.set_aside(aside)
    told.committed(2)
    assert journal.asides(book.path) == [aside]
    assert journal.positions(book.path) == {(1, "9f3c"): 7}


def test_what_was_set_aside_of_the_evening_that_is_played_is_not_received(told: Told, book: Journal) -> None:
    """The head had set it aside before it found that evening's log: it was acknowledged, and in no log."""
    for evening, stream in (("e0", "77aa"), ("e1", "9f3c")):
        book.set_aside(StrayFact(evening, Origin(1, stream, 3), {"kind": "roll"}))
    book.append(begin("e1"), roll(2))
    told.committed(4)
    assert journal.positions(book.path, "e1") == {(1, "77aa"): 3, (1, "9f3c"): 2}


def test_a_fact_that_was_set_aside_may_be_entered_by_another_end_and_is_aside_no_more(
    told: Told, book: Journal
) -> None:
    """Another head had entered it; the journal took the merge for a repeat, and the head ended."""
    book.set_aside(StrayFact("e1", Origin(1, "9f3c", 2), {"kind": "roll"}))
    book.append(begin("e1"), roll(2, seq=3), roll(3, seq=2))
    told.committed(4)
    assert kept(book, "e1") == [begin("e1"), roll(2, seq=3), roll(3, seq=2)]
    assert journal.asides(book.path) == []


def test_the_log_is_exported_as_it_was(path: Path, told: Told, book: Journal) -> None:
    entries = [begin("e1"), logged(2, "e1", RoundOpen(t=5)), roll(3)]
    book.append(*entries)
    told.committed(3)
    lines = list(journal.export(path))
    assert lines == [bytes(entry.fact) + b"\n" for entry in entries]
    assert lines == list(journal.export(path, "e1"))
    assert [codec.decode(line) for line in lines] == [entry.decoded() for entry in entries]


def test_an_export_without_an_evening_says_so(path: Path, told: Told, book: Journal) -> None:
    with pytest.raises(StoreError, match="there is no evening in the journal"):
        list(journal.export(path))
    assert not path.exists()
    book.append(begin("e1"))
    told.committed(1)
    with pytest.raises(StoreError, match=r"no evening e7 in the journal .*; it has e1"):
        list(journal.export(path, "e7"))


def spoil(path: Path, sql: str) -> None:
    connection = store.connect(path, journal.SCHEMA)
    connection.execute(sql)
    connection.close()


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("DELETE FROM facts WHERE n = 2", "fact 2 of evening e1 is missing"),
        ('UPDATE facts SET fact = \'{"kind":"rol\' WHERE n = 2', "fact 2 of evening e1 is unreadable"),
    ],
)
def test_a_spoiled_evening_is_not_read(path: Path, told: Told, book: Journal, sql: str, why: str) -> None:
    book.append(begin("e1"), roll(2), roll(3))
    told.committed(3)
    spoil(path, sql)
    for look in (journal.read, journal.export):
        with pytest.raises(DamagedError, match=why):
            list(look(path, "e1"))


@settings(max_examples=times(25))  # each makes a file
@given(
    rolls=st.lists(
        st.builds(
            Roll,
            t=st.integers(0, 2**31),
            table=st.integers(1, 999),
            dice=st.tuples(*[st.integers(1, 6)] * 3),
            source=st.none() | st.text(st.characters(exclude_categories=["Cs"])),
        )
    )
)
def test_any_fact_comes_back_the_same(rolls: list[Roll], tmp_path_factory: pytest.TempPathFactory) -> None:
    told = Told()
    book = Journal(tmp_path_factory.mktemp("any") / "journal.db", told.reports)
    entries = [logged(n, "e1", fact, Origin(fact.table, "s", n)) for n, fact in enumerate(rolls, 1)]
    book.append(*entries)
    book.close()
    assert kept(book, "e1") == entries


APPENDER = """
import sys
import threading
from pathlib import Path
from pi_bunco.game.facts import Roll
from msgspec import Raw
from pi_bunco.game.codec import encode
from pi_bunco.log.entry import Entry, Origin
from pi_bunco.log.journal import Journal
from pi_bunco.runtime.writer import Reports

room = threading.Semaphore(100)

def committed(records):
    room.release(len(records))
    sys.stdout.write("".join(f"{one.entry.n}\\n" for one in records))
    sys.stdout.flush()

book = Journal(Path(sys.argv[1]), Reports(committed, sys.exit))
n = 0
while room.acquire():
    n += 1
    fact = Raw(encode(Roll(t=n, table=1, dice=(1, 2, 3))))
    book.append(Entry("e1", n, fact, Origin(1, "s", n), "0" * 32))
"""


@pytest.mark.parametrize("lines", [1, 300, 1500])
def test_kill_loses_no_reported_entry(path: Path, lines: int) -> None:
    child = subprocess.Popen([sys.executable, "-c", APPENDER, str(path)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    with child.stdout:
        seen = [child.stdout.readline() for _ in range(lines)]
        child.kill()
        seen += [line for line in child.stdout if line.endswith(b"\n")]
    assert child.wait(GENEROUS) == -9
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    told = Told()
    book = Journal(path, told.reports)
    entries = kept(book, "e1")
    assert [int(line) for line in seen] == list(range(1, len(seen) + 1))
    assert len(entries) >= len(seen) >= lines
    assert [entry.n for entry in entries] == list(range(1, len(entries) + 1))
    book.append(logged(len(entries) + 1, "e1", RoundOpen(t=1)))
    told.committed(1)
    book.close()


def test_an_entry_is_small_on_disk(path: Path, told: Told, book: Journal) -> None:
    """An evening of 300 tables fits any card."""
    for n in range(1, 3001):
        book.append(roll(n, evening="5f21c09e"))
    told.committed(3000)
    book.close()
    assert path.stat().st_size / 3000 < 250


def test_number_of_facts_set_aside_is_limited(path: Path, told: Told, book: Journal) -> None:
    for seq in range(1, 20_101):
        book.set_aside(StrayFact("old", Origin(7, "mad", seq), {"kind": "bell"}))
    book.close(GENEROUS)
    again = Journal(path, told.reports)
    found = journal.asides(again.path)
    assert (len(found), found[0].origin.seq, found[-1].origin.seq) == (20_000, 101, 20_100)
    assert journal.positions(again.path) == {(7, "mad"): 20_100}
    again.close()


@pytest.mark.parametrize("harm", ["delete", "delete all", "cut", "replace"])
def test_a_file_that_goes_under_the_head_is_told_and_written_anew(path: Path, told: Told, harm: str) -> None:
    disk = Disk()
    book = Journal(path, told.reports, disk.start)
    entries = [begin("e1"), logged(2, "e1", RoundOpen(t=5)), roll(3)]
    book.append(*entries)
    told.committed(3)
    wal = path.with_name(f"{path.name}-wal")
    match harm:
        case "delete":
            path.unlink()
        case "delete all":
            for one in path.parent.glob(f"{path.name}*"):
                one.unlink()
        case "cut":
            with wal.open("rb+") as file:
                file.truncate(wal.stat().st_size // 2)
        case "replace":
            path.rename(path.with_name("before.db"))
            path.write_bytes(b"")
    book.append(roll(4))
    assert "deleted, replaced or cut off" in told.next()
    book.writer.retry()
    assert told.next() == "recovered"
    told.committed(1)
    book.put(*entries, roll(4))
    told.committed(4)
    book.close()
    again = Journal(path, told.reports)
    assert kept(again, "e1") == [*entries, roll(4)]
    again.close()
