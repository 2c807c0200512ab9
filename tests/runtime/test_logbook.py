import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from disks import GENEROUS, Disk, Told
from pi_bunco.runtime.logbook import HOUR, LONGEST, REMEMBERED, Logbook
from pi_bunco.runtime.store import Schema
from pi_bunco.runtime.writer import Store, Warned

SCHEMA = Schema("the notes", 0x4E4F5445, 1, "CREATE TABLE notes (text TEXT NOT NULL) STRICT;")


class Night:
    """A service that logs, and its clock."""

    def __init__(self, path: Path) -> None:
        self.now = 100.0
        self.told, self.disk = Told(), Disk()
        self.store = Store(path, SCHEMA, {}, self.told.reports, self.disk.start)
        self.logbook = Logbook(lambda: self.now)
        self.log = logging.Logger("night")
        self.log.addHandler(self.logbook)

    def kept(self) -> list[str]:
        """What is on disk at the end."""
        self.store.close()
        return [warning.text for warning in self.store.warnings()]


@pytest.fixture
def night(tmp_path: Path) -> Iterator[Night]:
    night = Night(tmp_path / "notes.db")
    yield night
    night.store.close()


def test_a_warning_is_kept_with_its_wall_time_and_what_is_less_is_not(night: Night) -> None:
    night.logbook.into(night.store)
    record = logging.LogRecord("x", logging.WARNING, "", 0, "The link to %s broke.", ("head",), None)
    night.log.handle(record)
    night.log.info("all is well")
    night.log.error("worse")
    first, second = night.told.committed(2)
    assert first == Warned(int(record.created * 1000), "The link to head broke.")
    assert isinstance(second, Warned)
    assert night.kept() == ["The link to head broke.", "worse"]


def test_what_was_said_before_there_was_a_store_is_kept(night: Night) -> None:
    night.log.error("the journal was damaged")
    night.logbook.into(night.store)
    night.log.warning("b")
    assert night.kept() == ["the journal was damaged", "b"]


def test_what_repeats_itself_is_kept_once_an_hour_with_its_count(night: Night) -> None:
    night.logbook.into(night.store)
    for _ in range(3600):
        night.log.warning("again")
        night.now += 1
    night.log.warning("again")
    assert night.kept() == ["again", "again (and 3599 times more since it was told last)"]


def test_what_comes_once_an_hour_has_no_count(night: Night) -> None:
    night.logbook.into(night.store)
    for _ in range(3):
        night.log.warning("again")
        night.now += HOUR
    assert night.kept() == ["again"] * 3


def test_memory_is_bounded_whatever_is_logged(night: Night) -> None:
    night.logbook.into(night.store)
    for n in range(REMEMBERED + 1):
        night.log.warning("%s", n)
    assert len(night.logbook._seen) == REMEMBERED
    night.log.warning("x" * 10 * LONGEST)
    assert len(night.kept()[-1]) == LONGEST


def test_an_exception_is_named(night: Night) -> None:
    night.logbook.into(night.store)
    try:
        raise ValueError("no such thing")
    except ValueError:
        night.log.exception("a callback failed")
    assert night.kept() == ["a callback failed: ValueError: no such thing"]


def test_a_store_that_fails_is_warned_of_in_itself_without_an_end(night: Night) -> None:
    """Its failing is logged, which is a warning for the store, which fails."""
    night.logbook.into(night.store)
    night.disk.error = "disk I/O error"
    night.log.warning("first")
    night.log.warning("cannot save: %s", night.told.queue.get(timeout=GENEROUS))
    night.store.writer.retry()
    night.disk.error = None
    assert night.kept() == ["first", "cannot save: disk I/O error"]


def test_a_store_that_is_closed_loses_the_last_words_and_nothing_else(night: Night) -> None:
    night.logbook.into(night.store)
    night.store.close()
    night.log.warning("farewell")
    assert night.kept() == []
