"""The SQLite files under every durable store: checked before they are used, never overwritten.

WAL with synchronous=FULL: what it has committed survives a power cut (FIELD-NOTES.md, storage).
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.runtime.files import appear, sync_folder

Opened = TypeVar("Opened")
_SIDES = ("", "-wal", "-shm")
_MEMORY = Path("/dev/shm")
CACHE_KB = 256
"""Of a store's pages that a connection holds; SQLite's own 2 MB would fill over an evening in each store."""
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
"""The last one: the tables are not those that the queries are for."""
_DAMAGED = "the file is damaged; it is kept"
_WHY = {
    sqlite3.SQLITE_FULL: "the card is full",
    sqlite3.SQLITE_READONLY: "the card is read-only",
    sqlite3.SQLITE_IOERR: "the card fails to read or write",
    sqlite3.SQLITE_BUSY: "another program holds it",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_CONSTRAINT: "it holds another fact in the same place",
}
_NO_ROOM = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL}
_COMMON = """
CREATE TABLE kept (key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
CREATE TABLE warnings (position INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
CREATE TRIGGER ring AFTER INSERT ON warnings BEGIN
  DELETE FROM warnings WHERE position <= NEW.position - 200;
END;
"""


class StoreError(BuncoError, OSError):
    """A store cannot be opened, read or written now; what is in the file stays as it is."""


class DamagedError(StoreError):
    """A store's file is damaged or another program's; it is kept as it is until `set_aside`."""


class Schema(Struct, frozen=True):
    """The name of a store's file in sentences, the mark in its header, its version, and its tables."""

    what: str
    application: int
    version: int
    tables: str


def inspect(path: Path, schema: Schema) -> bool:
    """True if there is a sound store at `path` (False: nothing there yet), changing nothing.

    Raises `DamagedError` for a file that is damaged or not ours, `StoreError` if it cannot be read.
    """
    with _explained(path, schema):
        if not _exists(path, schema):
            return False
        with _reading(path, schema) as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise DamagedError(f"{schema.what} {path} is damaged ({found}); it is kept")
    return True


def connect(path: Path, schema: Schema) -> sqlite3.Connection:
    """A connection that writes durably (WAL, synchronous=FULL) to the store at `path`, made if there is none.

    What is deleted is overwritten. The caller begins and commits. Raises `DamagedError` for a file that is
    not ours, `StoreError`.
    """
    with _explained(path, schema):
        if not _exists(path, schema):
            _create(path, schema)
        elif not os.access(path, os.W_OK):
            raise StoreError(f"{schema.what} {path} is read-only")
        pragmas = (
            "journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", f"cache_size = -{CACHE_KB}"
        )  # fmt: skip
        return _open(path, "rw", schema, *(f"PRAGMA {pragma}" for pragma in pragmas))


def reconnect(path: Path, schema: Schema) -> sqlite3.Connection:
    """As `connect`, for a store in use: a file that became damaged is set aside, and one begun anew."""
    try:
        return connect(path, schema)
    except DamagedError:
        set_aside(path)
        return connect(path, schema)


class Files:
    """Watches the files of a store in use: SQLite goes on writing to one that was deleted or cut off."""

    def __init__(self, path: Path) -> None:
        self._paths = [path, _side(path, "-wal")]
        self._known: dict[Path, tuple[int, int]] = {}

    def note(self) -> None:
        """Takes the files that are there now for right."""
        self._known = {one: found for one in self._paths if (found := _found(one))}

    def check(self) -> None:
        """`StoreError` if a file is not the one that was noted, or shorter: neither ever shrinks."""
        for path, (inode, size) in self._known.items():
            found = _found(path)
            if found is None or found[0] != inode or found[1] < size:
                self._known = {}
                raise StoreError(f"{path} was deleted, replaced or cut off while it was in use")


def _found(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size


def rows(path: Path, schema: Schema, sql: str, parameters: tuple[Any, ...] = ()) -> list[Any]:
    """The rows of the query on disk, none where there is no store yet; raises as `inspect` does."""
    with _explained(path, schema):
        if not _exists(path, schema):
            return []
        with _reading(path, schema) as connection:
            return connection.execute(sql, parameters).fetchall()


def values(path: Path, schema: Schema, sql: str) -> dict[str, Any]:
    """Per name the JSON value that the query finds; raises as `inspect` does, also for what is no JSON."""
    found = rows(path, schema, sql)
    try:
        return {name: msgspec.json.decode(value) for name, value in found}
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise DamagedError(f"{schema.what} {path} has an unreadable value ({error}); it is kept") from error


def copy(path: Path, schema: Schema, to: Path) -> None:
    """Copies the store, which may be in use, to the new file `to`; `StoreError` if that cannot be."""
    if to.exists():
        raise StoreError(f"{to} exists already; it is kept")
    part = to.with_name(f"{to.name}.part")
    with _explained(path, schema), closing(_open(path, "ro", schema)) as source:
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(part, isolation_level=None)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
        appear(part, to)


def there(path: Path) -> bool:
    """True if there is a store's file at `path`, or one that SQLite keeps beside it."""
    return any(_side(path, side).exists() for side in _SIDES)


def set_aside(path: Path, word: str = "damaged") -> Path:
    """Renames a store with its -wal and -shm to `<name>.<word>-<n>` and returns that path."""
    n = 1
    while there(kept := path.with_name(f"{path.name}.{word}-{n}")):
        n += 1
    _rename(path, kept, _SIDES, "set aside")  # in this order: a log that outlives its file is noticed
    return kept


def take_back(path: Path, word: str) -> None:
    """Renames the newest store that was set aside from `path` with this word to `path`, if there is one."""
    numbers = [one.suffix.rpartition("-")[2] for one in path.parent.glob(f"{path.name}.{word}-*")]
    newest = max((int(number) for number in numbers if number.isdigit()), default=0)
    if not newest:
        return
    aside = path.with_name(f"{path.name}.{word}-{newest}")
    _rename(aside, path, reversed(_SIDES), "taken back")  # the file last: without it there is no store yet


def _rename(path: Path, to: Path, sides: Iterable[str], done: str) -> None:
    try:
        for side in sides:
            if _side(path, side).exists():
                _side(path, side).rename(_side(to, side))
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"{path} cannot be {done}: {error.strerror}") from error


def sound(path: Path, open_: Callable[[Path], Opened], tell: Callable[[str], object]) -> Opened:
    """The store that `open_` makes at `path`; `tell` gets why it begins anew, if it does.

    A damaged store is set aside. On a card that does not let it be, the new one is at another path, where
    nothing can be written either: what is told from then on is in memory.
    """
    try:
        return open_(path)
    except DamagedError as error:
        try:
            tell(f"{error}; set aside as {set_aside(path)}")
        except StoreError as stuck:
            tell(f"{error}; {stuck}")
            return open_(path.with_name(f"{path.name}.new"))
        return open_(path)


def _side(path: Path, side: str) -> Path:
    return path.with_name(path.name + side)


def _exists(path: Path, schema: Schema) -> bool:
    if path.exists():
        return True
    log = _side(path, "-wal")
    if log.exists() and log.stat().st_size:
        # SQLite would delete the log that outlived its file, and the newest facts with it.
        raise DamagedError(f"{schema.what} {path} is gone but its -wal file is there; it is kept")
    return False


def _open(path: Path, mode: str, schema: Schema, *pragmas: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)
    try:
        _verify(connection, path, schema)
        for pragma in pragmas:
            connection.execute(pragma)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _reading(path: Path, schema: Schema) -> Iterator[sqlite3.Connection]:
    """A connection that reads. SQLite wants a -shm file for that, which a full or read-only card has no room
    for: then a copy in memory is read.
    """
    with ExitStack() as opened:
        try:
            connection = _open(path, "ro", schema)
        except sqlite3.OperationalError as error:
            if _code(error) not in _NO_ROOM:
                raise
            from tempfile import TemporaryDirectory  # seldom needed, and slow to import

            folder = TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None)
            connection = _open(_copied(path, Path(opened.enter_context(folder))), "rw", schema)
        connection.text_factory = bytes.decode  # what it raises is told apart from what a disk does
        yield opened.enter_context(closing(connection))


def _copied(path: Path, folder: Path) -> Path:
    for side in ("", "-wal"):
        if _side(path, side).exists():
            _side(folder / path.name, side).write_bytes(_side(path, side).read_bytes())
    return folder / path.name


def _verify(connection: sqlite3.Connection, path: Path, schema: Schema) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != schema.application:
        raise DamagedError(f"{path} is not {schema.what} but empty or another program's file; it is kept")
    if version != schema.version:
        raise DamagedError(f"{schema.what} {path} has version {version}, not {schema.version}; it is kept")


def _create(path: Path, schema: Schema) -> None:
    """Makes the store whole under another name first, so that a power cut leaves all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    for side in ("", "-journal", "-wal", "-shm"):
        _side(part, side).unlink(missing_ok=True)
    part.touch()  # in the disk's own words if that cannot be; SQLite has none
    with closing(sqlite3.connect(part, isolation_level=None)) as connection:
        if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
            raise StoreError(f"{schema.what} {path} would be on a file system without shared memory")
        connection.executescript(
            f"BEGIN IMMEDIATE; {_COMMON} {schema.tables} PRAGMA application_id = {schema.application};"
            f"PRAGMA user_version = {schema.version}; COMMIT;"
        )
    appear(part, path)


@contextmanager
def _explained(path: Path, schema: Schema) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        kind = DamagedError if _code(error) in _DAMAGE else StoreError
        raise kind(f"{schema.what} {path}: {explain(error)}") from error
    except UnicodeError as error:
        raise DamagedError(f"{schema.what} {path}: {_DAMAGED}") from error
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"{schema.what} {path}: {error.strerror}") from error


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def explain(error: sqlite3.Error | StoreError) -> str:
    """The reason why SQLite failed, as part of a sentence for a host."""
    if isinstance(error, StoreError):
        return str(error)
    code = _code(error)
    return _DAMAGED if code in _DAMAGE else _WHY.get(code, str(error))
