"""For the tests of stores: who hears a writer's reports, and disks that fail when they are told to."""

import sqlite3
import threading
from collections.abc import Callable
from functools import partial
from queue import Queue
from typing import Any, cast

from pi_bunco.runtime.writer import Lasted, Record, Reports, Writer

Open = Callable[[], sqlite3.Connection]
GENEROUS = 60.0


class Told:
    """Queues what a writer reports: a list of records, a sentence, or "recovered"."""

    def __init__(self) -> None:
        self.queue: Queue[Any] = Queue()
        self.reports = Reports(self.queue.put, self.queue.put, partial(self.queue.put, "recovered"))

    def next(self) -> Any:
        return self.queue.get(timeout=GENEROUS)

    def committed(self, count: int) -> list[Record]:
        records: list[Record] = []
        while len(records) < count:
            records += self.next()
        return records


class Disk:
    """A disk that does what it should, unless `error` is set; `commits` says if it writes all the same."""

    def __init__(self) -> None:
        self.error: str | None = None
        self.commits = False

    def start(self, open_connection: Open, reports: Reports) -> Writer:
        return Writer(lambda: self._connected(open_connection), reports, pause=GENEROUS)

    def _connected(self, open_connection: Open) -> sqlite3.Connection:
        return cast(sqlite3.Connection, _Connection(self, open_connection()))


class _Connection:
    def __init__(self, disk: Disk, real: sqlite3.Connection) -> None:
        self._disk, self._real = disk, real
        self.close = real.close

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        if sql == "COMMIT" and self._disk.error is not None:
            if self._disk.commits:
                self._real.execute(sql)
            raise sqlite3.OperationalError(self._disk.error)
        return self._real.execute(sql, parameters)


def limited(pragma: str) -> Callable[[Open, Reports], Writer]:
    """Starts a writer whose connections have a limit of SQLite's own."""

    def start(open_connection: Open, reports: Reports) -> Writer:
        def opened() -> sqlite3.Connection:
            connection = open_connection()
            connection.execute(pragma)
            return connection

        return Writer(opened, reports, pause=GENEROUS)

    return start


class StepWriter(Writer):
    """A writer without a thread: the test says when the disk is done."""

    def __init__(self, open_connection: Any, reports: Reports) -> None:
        self.fault: str | None = None
        self._open_connection = lambda: _hasty(open_connection())
        self._reports = reports
        self._pause = 0.0
        self._lasted = Lasted(lambda: 0.0)
        self._connection = None
        self._waiting = []
        self._changed = threading.Condition()
        self._awake = self._closing = self._erasing = False

    @property
    def alive(self) -> bool:
        return True

    def commit(self) -> None:
        self._write()

    def close(self, timeout: float = 0.0) -> list[Any]:
        self._write()
        self._disconnect()
        return []

    def crash(self) -> None:
        """All that waits is lost."""
        self._waiting.clear()
        self._disconnect()


def _hasty(connection: Any) -> Any:
    connection.execute("PRAGMA synchronous = OFF")
    return connection
