"""One thread between the services and the disk: nobody who puts a record waits for a card."""

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from pi_bunco.runtime.store import Files, Schema, StoreError, explain, inspect, reconnect, rows, values

GATHER_S = 0.003
"""Seconds in which more may come to be written together; who decides publishes and shows undisturbed."""
READER_MS = 200
"""Milliseconds that emptying the log waits for somebody who reads."""
BUSY_MS = 5000
"""Milliseconds that a write waits for another program, as Python's own default is."""


class Record(Protocol):
    """Something to be stored; writing it again after a commit that seemed to fail does no harm."""

    def write(self, connection: sqlite3.Connection) -> None:
        """Puts the record into the open transaction."""


class SqlStatement(Struct, frozen=True):
    """A record that is a statement of SQL, for whom nobody waits: said again it changes nothing more."""

    sql: str
    parameters: tuple[Any, ...] = ()

    def write(self, connection: sqlite3.Connection) -> None:
        """Carries it out."""
        connection.execute(self.sql, self.parameters)


class RecordWriter(Protocol):
    """A taker of records, as `Writer` is one."""

    def put(self, *records: Record) -> None:
        """Has the records written at once, together."""

    def put_later(self, *records: Record) -> None:
        """Has the records written with what is put next."""


class Kept(Struct, frozen=True):
    """A small JSON value under a name, the latest wins: an epoch, the last line of the dice."""

    key: str
    value: Any

    def write(self, connection: sqlite3.Connection) -> None:
        """Puts the value in place of an earlier one."""
        connection.execute(
            "INSERT INTO kept VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (self.key, msgspec.json.encode(self.value)),
        )


class Warned(Struct, frozen=True):
    """A warning in a store's ring of the newest 200; `at` is wall time, in ms since 1970."""

    at: int
    text: str

    def write(self, connection: sqlite3.Connection) -> None:
        """Adds the warning; a trigger drops the oldest beyond 200."""
        # A file name that is no UTF-8 must not end the writer.
        text = self.text.encode("utf-8", "replace").decode()
        connection.execute("INSERT INTO warnings (at, text) VALUES (?, ?)", (self.at, text))


class Erase(Struct, frozen=True):
    """After the commit no file of the store holds what was deleted with this record or before it."""

    def write(self, connection: sqlite3.Connection) -> None:
        """Nothing: the writer empties the log (-wal) once the transaction is on disk."""


class Reports(Struct, frozen=True):
    """The callbacks of a writer, from its own thread, so each only puts into a queue.

    `committed` gets the records that are on disk, in order; `failed` a sentence when the disk begins to fail
    or fails in another way; `recovered` is called when it is well again, before `committed`.
    """

    committed: Callable[[list[Record]], object]
    failed: Callable[[str], object]
    recovered: Callable[[], object] = lambda: None

    @classmethod
    def into(cls, put: Callable[[object], object]) -> "Reports":
        """The reports of a writer, put into the queue of a service's loop."""
        return cls(
            lambda records: put(Committed(tuple(records))),
            lambda why: put(Failed(why)),
            lambda: put(Recovered()),
        )


class Committed(Struct, frozen=True):
    """For the loop of a service: these records are on disk."""

    records: tuple[Record, ...]


class Failed(Struct, frozen=True):
    """For the loop of a service: its disk fails; `why` is a sentence."""

    why: str


class Recovered(Struct, frozen=True):
    """For the loop of a service: its disk is well again."""


class Lasted:
    """Measures how long what is done in its `with` takes, by a time in seconds."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        self._seconds = seconds
        self._began: float | None = None
        self._longest = 0.0

    def __enter__(self) -> None:
        self._began = self._seconds()

    def __exit__(self, *_error: object) -> None:
        began, self._began = self._began, None
        self._longest = max(self._longest, self._seconds() - (began or 0.0))

    def longest_ms(self) -> float:
        """The longest since this was asked last, what goes on now included (ms)."""
        longest, self._longest, began = self._longest, 0.0, self._began
        going_on = 0.0 if began is None else self._seconds() - began
        return max(longest, going_on) * 1000


class Writer:
    """Writes all that waits in one transaction, and tries again for as long as the disk fails.

    Records put together are committed together.
    """

    files: Files | None = None
    """The check that the store was not deleted or cut off under the writer; set right after the start."""

    def __init__(
        self,
        open_connection: Callable[[], sqlite3.Connection],
        reports: Reports,
        pause: float = 1.0,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """Starts the thread, which opens its connection itself, and anew `pause` seconds after a failure.

        `seconds` is the time by which it is measured how long a commit takes.
        """
        self.fault: str | None = None
        self._lasted = Lasted(seconds)
        self._open_connection = open_connection
        self._reports = reports
        self._pause = pause
        self._connection: sqlite3.Connection | None = None
        self._waiting: list[Record] = []
        self._changed = threading.Condition()
        self._awake = self._closing = self._erasing = False
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """True while the thread lives; a disk that fails does not end it."""
        return self._thread.is_alive()

    @property
    def waiting(self) -> int:
        """The count of records that are not on disk yet."""
        return len(self._waiting)

    def unwritten(self) -> list[Record]:
        """The records that are not on disk yet."""
        with self._changed:
            return list(self._waiting)

    def slowest_ms(self) -> float:
        """Milliseconds that the slowest commit took since this was asked last, or takes already."""
        return self._lasted.longest_ms()

    def put(self, *records: Record) -> None:
        """Has the records written at once, without waiting for the disk; `StoreError` after `close`."""
        with self._changed:
            self._add(records)
            self._wake(self.fault is None)

    def put_later(self, *records: Record) -> None:
        """Has the records written with what is put next, or at the end: for what may be lost without harm."""
        with self._changed:
            self._add(records)

    def retry(self) -> None:
        """Tries a failing disk now instead of after the pause."""
        with self._changed:
            self._wake(True)

    def close(self, timeout: float = 1.5) -> list[Record]:
        """Writes what waits (one attempt, `timeout` seconds), ends, and returns what is not on disk."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout)
        return list(self._waiting)

    def _add(self, records: Sequence[Record]) -> None:
        if self._closing:
            raise StoreError("the store is closed")
        self._waiting.extend(records)

    def _wake(self, awake: bool) -> None:
        self._awake |= awake
        self._changed.notify()

    def _run(self) -> None:
        while self._wait():
            time.sleep(GATHER_S)
            self._write()
        self._write()
        self._disconnect()

    def _wait(self) -> bool:
        with self._changed:
            pause = None if self.fault is None else self._pause
            self._changed.wait_for(lambda: self._awake or self._closing, pause)
            self._awake = False
            return not self._closing

    def _write(self) -> None:
        with self._changed:
            records = list(self._waiting)
        if not records:
            return
        try:
            with self._lasted:
                self._commit(records)
        except (sqlite3.Error, StoreError) as error:
            self._disconnect()
            self._fail(explain(error))
        else:
            self._done(records)

    def _commit(self, records: Sequence[Record]) -> None:
        if self.files and self._connection is not None:
            self.files.check()
        if self._connection is None:
            self._connection = self._open_connection()
        self._connection.execute("BEGIN IMMEDIATE")
        for record in records:
            record.write(self._connection)
        self._connection.execute("COMMIT")
        self._erasing |= any(isinstance(record, Erase) for record in records)
        if self._erasing:
            self._erasing = not _emptied(self._connection)
        if self.files:
            self.files.note()

    def _done(self, records: list[Record]) -> None:
        with self._changed:
            del self._waiting[: len(records)]
            was, self.fault = self.fault, None
            # What came while the disk failed woke nobody.
            self._awake |= was is not None
        if was is not None:
            self._reports.recovered()
        self._reports.committed(records)

    def _fail(self, why: str) -> None:
        was, self.fault = self.fault, why
        if why != was:
            self._reports.failed(why)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _emptied(connection: sqlite3.Connection) -> bool:
    """Empties the log (-wal); False where a reader holds it: then the next commit tries again."""
    connection.execute(f"PRAGMA busy_timeout = {READER_MS}")
    (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    return not busy


Start = Callable[[Callable[[], sqlite3.Connection], Reports], Writer]


def load_kept(path: Path, schema: Schema) -> dict[str, Any]:
    """The small values in the store at `path`, once `inspect` has found it sound; raises as that does."""
    inspect(path, schema)
    return values(path, schema, "SELECT key, value FROM kept")


def load_warnings(path: Path, schema: Schema) -> list[Warned]:
    """The newest 200 warnings in the store at `path`, oldest first; raises as `inspect` does."""
    return [Warned(*row) for row in rows(path, schema, "SELECT at, text FROM warnings ORDER BY position")]


class KeptValues:
    """Small values in memory, which `writer` puts on disk."""

    kept: dict[str, Any]
    writer: RecordWriter

    def keep(self, key: str, value: Any) -> None:
        """Sets `kept[key]` at once and on disk; the `Kept` is reported when it is committed."""
        self.kept[key] = value
        self.writer.put(Kept(key, value))

    def keep_later(self, key: str, value: Any) -> None:
        """As `keep`, but not worth a write of its own: it goes to disk with what is put next."""
        self.kept[key] = value
        self.writer.put_later(Kept(key, value))


class Store(KeptValues):
    """A store of one service: a checked file, its writer, small values and a ring of warnings.

    It opens although the disk cannot be written: the writer reports that and keeps all in memory.
    """

    writer: Writer

    def __init__(
        self,
        path: Path,
        schema: Schema,
        kept: dict[str, Any],
        reports: Reports,
        start: Start = Writer,
    ) -> None:
        """Starts the writer on the store at `path`, of which `kept` holds the small values."""
        self.path = path
        self.kept = kept
        self._schema = schema
        self.writer = start(partial(reconnect, path, schema), reports)
        self.writer.files = Files(path)

    def warn(self, at: int, text: str) -> None:
        """Adds a warning to the ring; `at` is wall time in ms since 1970."""
        self.writer.put(Warned(at, text))

    def close(self, timeout: float = 1.5) -> list[Record]:
        """Ends the writer; returns what did not get to disk within `timeout` seconds."""
        return self.writer.close(timeout)

    def erase(self) -> None:
        """Has the bytes of what was deleted be in no file of the store any more."""
        self.writer.put(Erase())

    def _rows(self, sql: str, *parameters: Any) -> list[Any]:
        return rows(self.path, self._schema, sql, parameters)
