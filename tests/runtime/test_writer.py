import sqlite3
import threading
from functools import partial
from pathlib import Path
from queue import Queue

import pytest

from disks import GENEROUS, Disk, Told, limited
from pi_bunco.runtime import store
from pi_bunco.runtime.store import DamagedError, Schema, StoreError
from pi_bunco.runtime.writer import (
    GATHER_S,
    Erase,
    Kept,
    Lasted,
    Record,
    Store,
    Warned,
    Writer,
    load_kept,
    load_warnings,
)

SCHEMA = Schema("the notes", 0x4E4F5445, 1, "CREATE TABLE notes (text TEXT NOT NULL) STRICT;")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.db"


class Note:
    """A record that can hold up the writer in the middle of its transaction."""

    def __init__(self, text: str, entered: threading.Event | None = None) -> None:
        self.text = text
        self.entered = entered
        self.go = threading.Event()

    def write(self, connection: sqlite3.Connection) -> None:
        if self.entered is not None:
            self.entered.set()
            assert self.go.wait(GENEROUS)
        connection.execute("INSERT INTO notes VALUES (?)", (self.text,))


def notes(path: Path) -> list[str]:
    return [text for (text,) in store.rows(path, SCHEMA, "SELECT text FROM notes")]


def started(path: Path, told: Told, disk: Disk) -> Writer:
    return disk.start(partial(store.connect, path, SCHEMA), told.reports)


def test_what_comes_while_more_is_gathered_is_written_together(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, gathers, go = Told(), threading.Event(), threading.Event()

    def gather(seconds: float) -> None:
        assert seconds == GATHER_S
        gathers.set()
        assert go.wait(GENEROUS)

    monkeypatch.setattr("pi_bunco.runtime.writer.time.sleep", gather)
    notes = Store(path, SCHEMA, {}, told.reports)
    first, second = Note("first"), Note("second")
    notes.writer.put(first)
    assert gathers.wait(GENEROUS)
    notes.writer.put(second)
    go.set()
    assert told.next() == [first, second]
    notes.close()


def test_waiting_writes_are_committed_together(path: Path) -> None:
    told, entered = Told(), threading.Event()
    writer = started(path, told, Disk())
    slow = Note("0", entered)
    writer.put(slow)
    assert entered.wait(GENEROUS)
    others: list[Record] = [Note(str(n)) for n in range(1, 50)]
    for note in others:
        writer.put(note)
    assert writer.waiting == 50
    assert told.queue.empty()
    slow.go.set()
    assert told.next() == [slow]
    assert told.next() == others
    assert writer.close() == []
    assert notes(path) == [str(n) for n in range(50)]


def test_a_note_put_for_later_is_written_with_the_next_one_or_at_the_end(path: Path) -> None:
    told = Told()
    writer = started(path, told, Disk())
    a, b, c = Note("a"), Note("b"), Note("c")
    writer.put_later(a)
    writer.put(b)
    assert told.next() == [a, b]
    writer.put_later(c)
    assert writer.close() == []
    assert told.next() == [c]
    assert notes(path) == ["a", "b", "c"]


def test_a_disk_that_fails_is_reported_once_and_loses_nothing(path: Path) -> None:
    told, disk = Told(), Disk()
    writer = started(path, told, disk)
    disk.error = "database or disk is full"
    a, b, c = Note("a"), Note("b"), Note("c")
    writer.put(a)
    assert told.next() == "database or disk is full"
    disk.error = "disk I/O error"
    writer.put(b)
    writer.retry()
    assert told.next() == "disk I/O error"
    disk.error = None
    writer.put_later(c)
    writer.retry()
    assert told.next() == "recovered"
    assert told.next() == [a, b, c]
    assert writer.fault is None
    assert writer.close() == []
    assert notes(path) == ["a", "b", "c"]


def test_what_came_while_the_disk_recovered_is_written_without_another_call(path: Path) -> None:
    told, disk, entered = Told(), Disk(), threading.Event()
    writer = started(path, told, disk)
    disk.error = "disk I/O error"
    slow = Note("a")
    writer.put(slow)
    assert told.next() == "disk I/O error"
    disk.error = None
    slow.entered = entered
    writer.retry()
    assert entered.wait(GENEROUS)
    late = Note("late")
    writer.put(late)
    slow.go.set()
    assert [told.next() for _ in range(3)] == ["recovered", [slow], [late]]
    writer.close()


def test_the_pause_is_over_by_itself(path: Path) -> None:
    told, tries = Told(), Queue[int]()

    def opened() -> sqlite3.Connection:
        tries.put(1)
        if tries.qsize() < 3:
            raise StoreError("no card")
        return store.connect(path, SCHEMA)

    writer = Writer(opened, told.reports, pause=0)
    note = Note("a")
    writer.put(note)
    assert [told.next() for _ in range(3)] == ["no card", "recovered", [note]]
    writer.close()


def test_closing_tries_once_and_returns_what_is_lost(path: Path) -> None:
    told, disk = Told(), Disk()
    writer = started(path, told, disk)
    disk.error = "disk I/O error"
    note = Note("a")
    writer.put(note)
    assert (told.next(), writer.fault, writer.alive) == ("disk I/O error", "disk I/O error", True)
    assert writer.close(GENEROUS) == [note]
    assert not writer.alive
    with pytest.raises(StoreError, match="closed"):
        writer.put(note)


def test_a_full_card(path: Path) -> None:
    told = Told()
    store.connect(path, SCHEMA).close()
    writer = limited("PRAGMA max_page_count = 12")(partial(store.connect, path, SCHEMA), told.reports)
    writer.put(Note("x" * 100_000))
    assert told.next() == "the card is full"
    assert len(writer.close(GENEROUS)) == 1
    assert store.inspect(path, SCHEMA)
    assert notes(path) == []


def test_a_read_only_card(path: Path) -> None:
    told = Told()
    writer = limited("PRAGMA query_only = ON")(partial(store.connect, path, SCHEMA), told.reports)
    writer.put(Note("a"))
    assert told.next() == "the card is read-only"
    assert len(writer.close(GENEROUS)) == 1


def test_a_file_that_another_program_has_taken_is_not_written_to(path: Path) -> None:
    told = Told()
    path.write_bytes(b"another program's")
    writer = started(path, told, Disk())
    writer.put(Note("a"))
    assert "the file is damaged" in told.next()
    path.unlink()
    writer.retry()
    assert told.next() == "recovered"
    writer.close()
    assert notes(path) == ["a"]


def opened(path: Path, told: Told) -> Store:
    return Store(path, SCHEMA, load_kept(path, SCHEMA), told.reports)


def test_small_values_stay_the_latest_wins(path: Path) -> None:
    told = Told()
    one = opened(path, told)
    one.keep("epoch", 3)
    one.keep("dice", {"boot": "5be2", "seq": 41})
    one.keep("epoch", 4)
    assert one.kept == {"epoch": 4, "dice": {"boot": "5be2", "seq": 41}}
    assert told.committed(3)[0] == Kept("epoch", 3)
    one.close()
    other = opened(path, told)
    assert other.kept == {"epoch": 4, "dice": {"boot": "5be2", "seq": 41}}
    other.close()


def test_a_value_that_may_come_later_goes_with_the_next_write(path: Path) -> None:
    told = Told()
    one = opened(path, told)
    one.keep_later("view", {"epoch": 1})
    assert one.kept == {"view": {"epoch": 1}}
    one.keep("epoch", 1)
    assert told.next() == [Kept("view", {"epoch": 1}), Kept("epoch", 1)]
    one.close()


def test_the_newest_200_warnings_stay(path: Path) -> None:
    told = Told()
    one = opened(path, told)
    assert load_warnings(path, SCHEMA) == []
    for n in range(250):
        one.warn(n, f"warning {n}")
    told.committed(250)
    assert load_warnings(path, SCHEMA) == [Warned(n, f"warning {n}") for n in range(50, 250)]
    one.close()


def test_a_warning_that_is_no_text_ends_nothing(path: Path) -> None:
    told = Told()
    one = opened(path, told)
    one.warn(1, "no such file: \udcff")
    told.committed(1)
    assert load_warnings(path, SCHEMA) == [Warned(1, "no such file: ?")]
    one.close()


def test_a_damaged_file_is_not_opened(path: Path) -> None:
    path.write_bytes(b"rubbish")
    with pytest.raises(DamagedError):
        opened(path, Told())


def test_the_slowest_commit_is_told_once(path: Path) -> None:
    told, entered = Told(), threading.Event()
    now = 0.0
    writer = Writer(partial(store.connect, path, SCHEMA), told.reports, seconds=lambda: now)
    slow = Note("a", entered)
    writer.put(slow)
    assert entered.wait(GENEROUS)
    now = 2.5
    assert writer.slowest_ms() == 2500  # though it goes on
    slow.go.set()
    told.committed(1)
    assert writer.slowest_ms() == 2500
    assert writer.slowest_ms() == 0
    writer.close()


def test_a_write_that_fails_counts_for_the_longest_time() -> None:
    times = iter([1.0, 1.5, 2.0, 2.1])
    lasted = Lasted(lambda: next(times))
    with pytest.raises(StoreError), lasted:
        raise StoreError("the card is full")
    with lasted:
        pass
    assert lasted.longest_ms() == 500
    assert lasted.longest_ms() == 0


class Gone(Note):
    """Deletes a note."""

    def write(self, connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM notes WHERE text = ?", (self.text,))


def test_what_is_erased_is_in_no_file_also_where_somebody_read_meanwhile(path: Path) -> None:
    told = Told()
    one = opened(path, told)
    one.writer.put(Note("a secret of somebody"), Note("other"))
    told.committed(2)
    reading = sqlite3.connect(path)
    reading.execute("BEGIN")
    assert reading.execute("SELECT count(*) FROM notes").fetchone() == (2,)
    one.writer.put(Gone("a secret of somebody"), Erase())
    told.committed(2)
    assert with_bytes(path, b"a secret") != []
    reading.close()
    one.keep("dice", 1)
    told.committed(1)
    assert with_bytes(path, b"a secret") == []
    assert notes(path) == ["other"]
    one.close()


def with_bytes(path: Path, text: bytes) -> list[str]:
    return [one.name for one in path.parent.iterdir() if text in one.read_bytes()]
