"""SD cards on virtual time: the stores' SQL runs in memory, and a cut takes back what a card did not keep.

An honest card has what it confirmed. A lying one confirms at once and keeps later; one that also reorders may
keep a file that is no database any more. What a cut does to the pages of a file, and that SQLite then gives a
clean prefix or a refusal, is tested on recorded writes; here a commit is there whole, or not at all.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final, Literal, cast

from disks import StepWriter
from pi_bunco.runtime import store
from pi_bunco.runtime.store import DamagedError, Schema
from pi_bunco.runtime.writer import Reports

Honesty = Literal["honest", "lying", "reordering"]
Statement = tuple[str, Any]

KEEPS_AFTER_MS: Final = 3000
"""A lying card has kept, at the latest, what it confirmed so long ago."""
_READS: Final = ("SELECT", "PRAGMA")
_CHECK: Final = "PRAGMA quick_check(1)"
_WELL: Final = "SELECT 'ok'"
"""Its answer: a file that is damaged is not even opened."""


class Card:
    """The card of one machine, with the files on it; `now` gives true time (ms)."""

    def __init__(self, random: Random, now: Callable[[], float]) -> None:
        self.honesty: Honesty = "honest"
        self.full = False
        self.write_ms = (3.0, 12.0)
        self.unwell_until = 0.0
        self.files: dict[str, File] = {}
        self.random = random
        self.now = now

    @property
    def unwell(self) -> bool:
        """It does not keep at once what it is given."""
        return (
            self.full or self.honesty != "honest" or self.write_ms[1] > 20 or self.now() < self.unwell_until
        )

    def commit_takes_ms(self) -> float:
        """The duration of this commit."""
        return self.random.uniform(*self.write_ms)

    def cut(self) -> None:
        """The power goes: every file is what the card had kept of it."""
        for file in self.files.values():
            file.cut()


class File:
    """A database on a card: what it is, and what of it would survive a cut."""

    def __init__(self, card: Card, blank: sqlite3.Connection) -> None:
        self.card = card
        self.damaged = False
        self.database = _copied(blank)
        self._kept = _copied(blank)
        self._unkept: list[tuple[float, list[Statement]]] = []
        self._statements: list[Statement] = []

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        """A statement of a store."""
        if sql == "COMMIT":
            self._commit()
        elif self.card.honesty != "honest" and not sql.startswith(_READS):
            self._statements.append((sql, parameters))
        if sql == _CHECK:
            sql = _WELL
        return self.database.execute(sql, parameters)

    def rollback(self) -> None:
        """The connection ends."""
        self._statements.clear()
        if self.database.in_transaction:
            self.database.execute("ROLLBACK")

    def lies(self) -> None:
        """From now on the card confirms before it keeps."""
        self.rollback()
        self._kept = _copied(self.database)
        self._unkept.clear()

    def cut(self) -> None:
        """Takes away all that the card had not kept."""
        self.rollback()
        if self.card.honesty == "honest" or not self._unkept:
            return
        survive = self.card.random.randint(0, len(self._unkept))
        if self.card.honesty == "reordering" and survive < len(self._unkept):
            self.damaged = self.card.random.random() < 0.3
        self._keep(survive)
        self.database = self._kept
        self.lies()

    def _commit(self) -> None:
        if self.card.full:
            raise sqlite3.OperationalError("database or disk is full")
        if self.card.honesty == "honest":
            return
        now = self.card.now()
        self._unkept.append((now, self._statements))
        self._statements = []
        if self._unkept[0][0] < now - KEEPS_AFTER_MS and len(self._unkept) > 20:
            self._keep(sum(at < now - KEEPS_AFTER_MS for at, _ in self._unkept))

    def _keep(self, many: int) -> None:
        """The card keeps the first commits that it had confirmed."""
        for _, statements in self._unkept[:many]:
            for sql, parameters in statements:
                self._kept.execute(sql, parameters)
            if self._kept.in_transaction:
                self._kept.execute("COMMIT")
        del self._unkept[:many]


class _Handle:
    """A connection to a file on a card."""

    def __init__(self, file: File) -> None:
        self.text_factory: object = None
        self._file = file
        self.execute = file.execute

    def close(self) -> None:
        self._file.rollback()


def _copied(database: sqlite3.Connection) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None)
    database.backup(copy)
    return copy


class Cards:
    """All cards, by the folder in which their files are; stores find theirs by the path."""

    def __init__(self) -> None:
        self._cards: dict[str, Card] = {}
        self._blanks: dict[str, sqlite3.Connection] = {}

    def insert(self, folder: str, card: Card) -> None:
        """Files below `folder` are on this card from now on."""
        self._cards[folder] = card

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The real stores write to these cards meanwhile."""
        replaced = {
            "_exists": self._exists,
            "_open": self._open,
            "_create": self._create,
            "connect": self._connect,
            "set_aside": self._set_aside,
            "there": lambda path: str(path) in self._card(path).files,
        }
        before = {name: getattr(store, name) for name in replaced}
        for name, function in replaced.items():
            setattr(store, name, function)
        try:
            yield
        finally:
            for name, function in before.items():
                setattr(store, name, function)

    def file(self, path: Path) -> File | None:
        """The file at this path, if there is one."""
        return self._card(path).files.get(str(path))

    def _card(self, path: Path) -> Card:
        return self._cards[path.parent.name]

    def _exists(self, path: Path, _schema: Schema) -> bool:
        return str(path) in self._card(path).files

    def _open(self, path: Path, _mode: str, schema: Schema, *_pragmas: str) -> sqlite3.Connection:
        file = self._card(path).files[str(path)]
        if file.damaged:
            raise DamagedError(f"{schema.what} {path} is damaged; it is kept")
        return cast(sqlite3.Connection, _Handle(file))

    def _create(self, path: Path, schema: Schema) -> None:
        blank = self._blanks.get(schema.what)
        if blank is None:
            blank = self._blanks[schema.what] = sqlite3.connect(":memory:", isolation_level=None)
            blank.executescript(f"BEGIN; {store._COMMON} {schema.tables} COMMIT;")
        card = self._card(path)
        card.files[str(path)] = File(card, blank)

    def _connect(self, path: Path, schema: Schema) -> sqlite3.Connection:
        if not self._exists(path, schema):
            self._create(path, schema)
        return self._open(path, "rw", schema)

    def _set_aside(self, path: Path, word: str = "damaged") -> Path:
        files = self._card(path).files
        n = 1
        while (aside := f"{path}.{word}-{n}") in files:
            n += 1
        files[aside] = files.pop(str(path))
        return Path(aside)


class CardWriter(StepWriter):
    """A store's writer, whose commits the simulator times."""

    files = property(lambda _: None, lambda _self, _: None)
    """No card takes a file away from under its store."""

    def __init__(self, open_connection: Any, reports: Reports) -> None:
        super().__init__(open_connection, reports)
        self._open_connection = open_connection
        self.scheduled = False

    @property
    def due(self) -> bool:
        """Something is to be written, and no commit is on its way."""
        return bool(self._waiting) and not self.scheduled and (self._awake or self.fault is not None)

    def commit(self) -> None:
        """The card is done with all that waits, or fails."""
        self._awake = False
        self._write()
