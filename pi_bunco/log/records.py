"""The two files of the log, a journal and a replica: what goes in, each a record, and how it comes out."""

import sqlite3
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from pi_bunco.errors import FactError
from pi_bunco.game.facts import Fact
from pi_bunco.log.entry import Entry, Origin, ThrowId
from pi_bunco.runtime.store import DamagedError, Schema

FACT_COLUMNS = """
  position INTEGER PRIMARY KEY,
  evening TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n > 0),
  fact TEXT NOT NULL,
  mac TEXT NOT NULL,
  origin_table INTEGER,
  stream TEXT,
  seq INTEGER,
  mark TEXT
"""
JOURNAL_SCHEMA = Schema(
    "the journal",
    0x42756E4A,
    2,
    f"""
CREATE TABLE facts ({FACT_COLUMNS}, UNIQUE (evening, n), UNIQUE (evening, origin_table, stream, seq)) STRICT;
CREATE TABLE forks ({FACT_COLUMNS}) STRICT;
CREATE TABLE asides (
  position INTEGER PRIMARY KEY,
  evening TEXT NOT NULL,
  origin_table INTEGER NOT NULL,
  stream TEXT NOT NULL,
  seq INTEGER NOT NULL,
  fact BLOB NOT NULL,
  UNIQUE (origin_table, stream, seq)
) STRICT;
CREATE TRIGGER asides_ring AFTER INSERT ON asides BEGIN
  DELETE FROM asides WHERE position <= NEW.position - 20000;
END;
CREATE TABLE answers (position INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, answer BLOB NOT NULL) STRICT;
CREATE TRIGGER answers_ring AFTER INSERT ON answers BEGIN
  DELETE FROM answers WHERE position <= NEW.position - 1000;
END;
""",
)
REPLICA_SCHEMA = Schema(
    "the replica of the log",
    0x42756E52,
    2,
    """
CREATE TABLE entries (
  chain INTEGER NOT NULL,
  evening TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n > 0),
  fact TEXT NOT NULL,
  origin TEXT NOT NULL,
  mac TEXT NOT NULL,
  PRIMARY KEY (chain, n)
) STRICT, WITHOUT ROWID;
""",
)
COLUMNS = "n, evening, fact, mac, origin_table, stream, seq, mark"
Row = tuple[int, str, str, str, int | None, str | None, int | None, str | None]


class Written(Struct, frozen=True):
    """An entry on its way to the disk."""

    entry: Entry

    def write(self, connection: sqlite3.Connection) -> None:
        """Adds the entry; the same entry again changes nothing, another one under its number is an error."""
        row = _row(self.entry)
        connection.execute(
            f"INSERT INTO facts ({COLUMNS}) SELECT ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS"
            " (SELECT 1 FROM facts WHERE n = ? AND evening = ? AND fact = ? AND mac = ? AND origin_table IS ?"
            " AND stream IS ? AND seq IS ? AND mark IS ?)",
            (*row, *row),
        )


class KeepFork(Struct, frozen=True):
    """The log goes on from entry `n` of the evening with other entries: those after it may be `kept`."""

    evening: str
    n: int
    kept: bool = True

    def write(self, connection: sqlite3.Connection) -> None:
        """Moves the entries after `n` to the table `forks`, or deletes them."""
        place = (self.evening, self.n)
        if self.kept:
            connection.execute(
                f"INSERT INTO forks ({COLUMNS})"
                f" SELECT {COLUMNS} FROM facts WHERE evening = ? AND n > ? ORDER BY n",
                place,
            )
        connection.execute("DELETE FROM facts WHERE evening = ? AND n > ?", place)


class StrayFact(Struct, frozen=True):
    """A table's fact that belongs to another evening than the one that runs: kept as it came, for review."""

    evening: str
    origin: Origin
    fact: dict[str, Any]

    def write(self, connection: sqlite3.Connection) -> None:
        """Adds the fact; a repeat changes nothing."""
        one = self.origin
        connection.execute(
            "INSERT INTO asides (evening, origin_table, stream, seq, fact) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (self.evening, one.table, one.stream, one.seq, msgspec.json.encode(self.fact)),
        )


class Answered(Struct, frozen=True):
    """The answer, a JSON value, that the command `id` got, and gets again."""

    id: str
    answer: Any

    def write(self, connection: sqlite3.Connection) -> None:
        """Keeps the answer; the newest 1000 stay, the first one under an id stands."""
        connection.execute(
            "INSERT INTO answers (id, answer) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (self.id, msgspec.json.encode(self.answer)),
        )


class Stored(Struct, frozen=True):
    """An entry of a replica's chain on its way to the disk."""

    chain: int
    entry: Entry

    def write(self, connection: sqlite3.Connection) -> None:
        """Adds the entry; a repeat changes nothing."""
        one = self.entry
        origin = msgspec.json.encode(one.origin).decode()
        connection.execute(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (self.chain, one.evening, one.n, bytes(one.fact).decode(), origin, one.mac),
        )


class Forgotten(Struct, frozen=True):
    """A replica's chain of an evening that is long over."""

    chain: int

    def write(self, connection: sqlite3.Connection) -> None:
        """Deletes the chain."""
        connection.execute("DELETE FROM entries WHERE chain = ?", (self.chain,))


_origin_decoder = msgspec.json.Decoder(Origin | None)


def _row(entry: Entry) -> Row:
    origin, fact = entry.origin, bytes(entry.fact).decode()
    if origin is None:
        return (entry.n, entry.evening, fact, entry.mac, None, None, None, None)
    mark = None if origin.mark is None else msgspec.json.encode(origin.mark).decode()
    return (entry.n, entry.evening, fact, entry.mac, origin.table, origin.stream, origin.seq, mark)


def entry_of(path: Path, row: tuple[Any, ...]) -> tuple[Entry, Fact]:
    """The entry in a row of `COLUMNS` of the journal at `path`, and its fact; `DamagedError` for none."""
    n, evening, fact, mac, table, stream, seq, mark = row
    try:
        origin = None
        if table is not None:
            origin = Origin(
                table, stream, seq, None if mark is None else msgspec.json.decode(mark, type=ThrowId)
            )
        entry = Entry(evening, n, msgspec.Raw(fact.encode()), origin, mac)
        return entry, entry.decoded()
    except (FactError, msgspec.MsgspecError) as error:
        raise DamagedError(
            f"{path}: fact {n} of evening {evening} is unreadable: {error}; it is kept"
        ) from error


def stored_of(path: Path, row: tuple[Any, ...]) -> Stored:
    """The entry and its chain in a row of the replica at `path`; `DamagedError` if it is unreadable."""
    chain, evening, n, fact, origin, mac = row
    try:
        origin = _origin_decoder.decode(origin)
    except msgspec.MsgspecError as error:
        raise DamagedError(
            f"{path}: entry {n} of evening {evening} is unreadable: {error}; it is kept"
        ) from error
    return Stored(chain, Entry(evening, n, msgspec.Raw(fact.encode()), origin, mac))
