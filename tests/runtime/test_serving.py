"""Serving: the ring of warnings, readiness, and the limit of open files."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from disks import GENEROUS, Disk, Told
from pi_bunco.runtime.serving import (
    REMEMBERED_WARNINGS,
    REPEAT_AFTER_S,
    REPORT_WAITING_AFTER_MS,
    WARNING_MAX_CHARS,
    Logbook,
    Readiness,
)
from pi_bunco.runtime.store import Schema
from pi_bunco.runtime.writer import Store, Warned, load_warnings

SCHEMA = Schema("the notes", 0x4E4F5445, 1, "CREATE TABLE notes (text TEXT NOT NULL) STRICT;")

ASKS = """
import resource
from pi_bunco.runtime.serving import allow_many
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
allow_many(700)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


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
        """The warnings on disk at the end."""
        self.store.close()
        return [warning.text for warning in load_warnings(self.store.path, SCHEMA)]


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


def test_early_warnings_are_kept_once_there_is_a_store(night: Night) -> None:
    night.log.error("the journal was damaged")
    night.logbook.into(night.store)
    night.log.warning("b")
    assert night.kept() == ["the journal was damaged", "b"]


def test_repeated_warning_is_kept_hourly_with_its_count(night: Night) -> None:
    night.logbook.into(night.store)
    for _ in range(3600):
        night.log.warning("again")
        night.now += 1
    night.log.warning("again")
    assert night.kept() == ["again", "again (and 3599 times more since it was told last)"]


def test_hourly_warning_has_no_count(night: Night) -> None:
    night.logbook.into(night.store)
    for _ in range(3):
        night.log.warning("again")
        night.now += REPEAT_AFTER_S
    assert night.kept() == ["again"] * 3


def test_memory_is_bounded_whatever_is_logged(night: Night) -> None:
    night.logbook.into(night.store)
    for n in range(REMEMBERED_WARNINGS + 1):
        night.log.warning("%s", n)
    assert len(night.logbook._seen) == REMEMBERED_WARNINGS
    night.log.warning("x" * 10 * WARNING_MAX_CHARS)
    assert len(night.kept()[-1]) == WARNING_MAX_CHARS


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


def started() -> tuple[Readiness, list[str]]:
    told: list[str] = []
    return Readiness(
        "head, broker b", lambda: told.append("works"), lambda *line: told.append(": ".join(line)), 0.0
    ), told


def test_it_is_ready_once_however_often_it_connects() -> None:
    one, told = started()
    one.ticked(REPORT_WAITING_AFTER_MS - 1)
    one.ready()
    one.ready()
    one.ticked(REPORT_WAITING_AFTER_MS + 1)
    assert told == ["ready: head, broker b", "works"]


def test_without_a_broker_it_waits_after_two_seconds_and_is_ready_later() -> None:
    one, told = started()
    one.ticked(REPORT_WAITING_AFTER_MS)
    one.ticked(REPORT_WAITING_AFTER_MS + 1)
    assert told == ["waiting: head, broker b is not there yet", "works"]
    one.ready()
    assert told[2:] == ["ready: head, broker b"]


@pytest.mark.parametrize(("soft", "hard", "then"), [(256, 900, 700), (256, 500, 500), (800, 900, 800)])
def test_the_limit_is_raised_as_far_as_it_goes(soft: int, hard: int, then: int) -> None:
    script = ASKS.format(soft=soft, hard=hard)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) == then
