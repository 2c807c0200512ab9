"""Stores of which a byte has changed: each opens as it was, or says that it is damaged, and nothing else."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disks import StepWriter
from logs import KEY, logged
from memory import MEMORY
from pi_bunco.game import facts
from pi_bunco.head.service import remembered
from pi_bunco.log.entry import Origin
from pi_bunco.log.journal import Journal
from pi_bunco.log.log_store import LogStore, Replica
from pi_bunco.log.records import Answered
from pi_bunco.runtime.store import DamagedError
from pi_bunco.runtime.writer import Reports, Store
from pi_bunco.wire.outbox import OutboxFile
from thorough import times

QUIET = Reports(lambda _: None, lambda why: pytest.fail(why))
BEGIN = logged(1, "first", facts.EveningOpen(0, "gong", ("Ann", "Bob", "Cat", "Dee"), id="first"))
ROLLS = [logged(n, "first", facts.Roll(n, 2, (1, 2, 3)), Origin(2, "st", n)) for n in range(2, 20)]


def journal(path: Path) -> Journal:
    return Journal(path, QUIET, StepWriter)


def outbox(path: Path) -> OutboxFile:
    return OutboxFile(path, QUIET, 0.0, "st", StepWriter)


def replica(path: Path) -> LogStore:
    return Replica(path, QUIET, StepWriter)


def with_an_evening(path: Path) -> Journal:
    store = journal(path)
    store.append(BEGIN, *ROLLS, answer=Answered("k1", {"id": "k1", "done": True}))
    return store


def with_rolls(path: Path) -> OutboxFile:
    store = outbox(path)
    for t in range(20):
        fact = facts.Rolled((1, 2, 3))
        store.append(evening="first", epoch=1, err=1.0, up=t, boot="b", fact=fact)
    return store


def with_a_replica(path: Path) -> LogStore:
    store = replica(path)
    for entry in (BEGIN, *ROLLS):
        store.chain("first").add(entry)
        store.put(entry)
    return store


def as_the_head_does(path: Path) -> Store:
    store = journal(path)
    assert remembered(store, KEY) is not None
    return store


@cache
def content(make: Callable[[Path], Store]) -> bytes:
    with TemporaryDirectory(dir=MEMORY) as folder:
        path = Path(folder, "store.db")
        store = make(path)
        store.keep("view", {"seats": ["Ann", "Bob"]})
        store.warn(1, "a warning")
        store.close()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.read_bytes()


@contextmanager
def file(data: bytes) -> Iterator[Path]:
    with TemporaryDirectory(dir=MEMORY) as folder:
        path = Path(folder, "store.db")
        path.write_bytes(data)
        yield path


def changed(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


KINDS = pytest.mark.parametrize(
    ("make", "open_"),
    [(with_an_evening, as_the_head_does), (with_rolls, outbox), (with_a_replica, replica)],
)


@KINDS
@settings(max_examples=times(100), deadline=None)
@given(where=st.integers(0), bit=st.integers(1, 255))
def test_a_changed_byte_ends_no_service(
    make: Callable[[Path], Store], open_: Callable[[Path], Store], where: int, bit: int
) -> None:
    data = bytearray(content(make))
    written = [place for place, byte in enumerate(data) if byte]
    data[written[where % len(written)]] ^= bit
    with file(bytes(data)) as path, suppress(DamagedError):
        open_(path).close()


@KINDS
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE kept SET value = x'7b7b'",
        "UPDATE kept SET value = x'22ff22'",
        "UPDATE kept SET key = CAST(x'ff' AS TEXT)",
    ],
)
def test_a_value_that_is_none_is_damage(
    make: Callable[[Path], Store], open_: Callable[[Path], Store], change: str
) -> None:
    with file(content(make)) as path:
        changed(path, change)
        with pytest.raises(DamagedError, match="it is kept"):
            open_(path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE answers SET answer = x'7b7b'",
        "UPDATE answers SET answer = CAST(replace(answer, 'done', 'dome') AS BLOB)",
        "UPDATE facts SET fact = replace(fact, 'gong', 'bong') WHERE n = 1",
        "UPDATE facts SET fact = CAST(x'7bff' AS TEXT) WHERE n = 5",
        "UPDATE facts SET stream = CAST(x'ff' AS TEXT) WHERE n = 5",
    ],
)
def test_a_row_that_is_none_is_damage(change: str) -> None:
    with file(content(with_an_evening)) as path:
        changed(path, change)
        with pytest.raises(DamagedError, match="it is kept"):
            as_the_head_does(path)
