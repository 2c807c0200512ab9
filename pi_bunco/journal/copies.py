"""A table's copy of the head's journal, taken from `all/log`: what a head with a new card is rebuilt from."""

import sqlite3
import zlib
from itertools import takewhile
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_bunco.journal.journal import COLUMNS, FACTS, Entry, Row, evenings, read
from pi_bunco.runtime.store import Schema
from pi_bunco.runtime.writer import Reports, Start, Store, Writer, load_kept

SCHEMA = Schema("the copy of the journal", 0x42756E43, 1, f"CREATE TABLE facts ({FACTS}) STRICT;")
EVENINGS_KEPT = 2


class Copied(Struct, frozen=True):
    """An entry as the head sent it."""

    entry: Entry

    def write(self, connection: sqlite3.Connection) -> None:
        """Puts the entry in its place; where another one stood there, that and what came after it go."""
        place = (self.entry.evening, self.entry.n)
        held = connection.execute(
            f"SELECT {COLUMNS} FROM facts WHERE evening = ? AND n = ?", place
        ).fetchone()
        if held not in (None, self.entry.row()):
            connection.execute("DELETE FROM facts WHERE evening = ? AND n >= ?", place)
        self.entry.write(connection)


class Forgotten(Struct, frozen=True):
    """An evening whose copy is not needed any more."""

    evening: str

    def write(self, connection: sqlite3.Connection) -> None:
        """Deletes the evening's entries."""
        connection.execute("DELETE FROM facts WHERE evening = ?", (self.evening,))


class Held:
    """Which entries of one evening are held, without the entries."""

    def __init__(self) -> None:
        self.length = 0  # so many from the first one on without a gap
        self._marks: dict[int, int] = {}

    def add(self, row: Row) -> bool:
        """Whether the row is new; one that differs from what its number held ends that and all later ones."""
        n, mark = row[0], hash(row)
        known = self._marks.get(n)
        if known == mark:
            return False
        if known is not None:
            self._marks = {number: one for number, one in self._marks.items() if number < n}
            self.length = min(self.length, n - 1)
        self._marks[n] = mark
        while self.length + 1 in self._marks:
            self.length += 1
        return True

    def missing_from(self, length: int) -> int | None:
        """The first number that is missing, if the evening has `length` entries or one after it is held."""
        ahead = len(self._marks) > self.length or length > self.length
        return self.length + 1 if ahead else None


def checksum(entry: Entry, before: int = 0) -> int:
    """The CRC-32 of the entry's row in JSON behind entries that have `before`: the same for equal copies."""
    return zlib.crc32(msgspec.json.encode(entry.row()), before)


class Copies(Store):
    """The numbered facts of two evenings, with gaps until the head has sent them again."""

    def __init__(self, path: Path, reports: Reports, start: Start = Writer) -> None:
        """Checks the file and starts the writer; `DamagedError` or `StoreError` if it cannot be read."""
        kept = load_kept(path, SCHEMA)
        self._held: dict[str, Held] = {}
        for evening in evenings(path, SCHEMA):
            held = self._held[evening.id] = Held()
            for entry in read(path, SCHEMA, evening.id):
                held.add(entry.row())
        super().__init__(path, SCHEMA, kept, reports, start)

    def add(self, entry: Entry) -> None:
        """Takes an entry; of more than two evenings the one that was heard of longest ago is forgotten."""
        held = self._held.pop(entry.evening, None) or Held()
        self._held[entry.evening] = held
        if held.add(entry.row()):
            self.writer.put(Copied(entry))
        for evening in list(self._held)[:-EVENINGS_KEPT]:
            del self._held[evening]
            self.writer.put(Forgotten(evening))

    def missing_from(self, evening: str, length: int = 0) -> int | None:
        """The first missing entry of an evening that has `length` at the head; None: no gap is known."""
        return self._held.get(evening, Held()).missing_from(length)

    def lengths(self) -> dict[str, int]:
        """Per evening how many entries are held from the first one on without a gap."""
        return {evening: held.length for evening, held in self._held.items()}

    def read(self, evening: str, start: int = 1, most: int = -1) -> list[Entry]:
        """What is on disk of the evening from entry `start` up to the first gap, not more than `most` of it.

        All of it where `most` is -1; `DamagedError` or `StoreError` if it cannot be read.
        """
        entries = enumerate(read(self.path, SCHEMA, evening, start, most), start)
        return [entry for _, entry in takewhile(lambda pair: pair[1].n == pair[0], entries)]
