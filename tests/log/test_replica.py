"""A replica of the log: never cut, and never two logs in one chain."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from disks import StepWriter
from logs import chain
from pi_bunco.game import facts
from pi_bunco.log.entry import Entry
from pi_bunco.log.replica import Replica
from pi_bunco.runtime.writer import Reports

OPEN = facts.EveningOpen(0, "gong", ("Ann", "Bob", "Cat", "Dee"), id="e1")
QUIET = Reports(lambda _: None, lambda _: None)


def log(*minutes: int) -> list[Entry]:
    """An evening of breaks of so many minutes."""
    return chain("e1", [(OPEN, None), *((facts.Pause(n, each), None) for n, each in enumerate(minutes))])


def behind(entries: list[Entry], n: int) -> Entry:
    """Entry `n` as it goes out alone."""
    return replace(entries[n - 1], before=entries[n - 2].mac)


@pytest.fixture(name="replica")
def with_three_entries(tmp_path: Path) -> Replica:
    replica = Replica(tmp_path / "replica.db", QUIET, StepWriter)
    assert all(replica.take(one) for one in log(1, 2))
    return replica


def has(replica: Replica, entries: list[Entry]) -> bool:
    """Whether the newest chain is of these entries."""
    newest = replica._chains[max(replica._chains)]
    return len(newest) == len(entries) and all(newest.has(one.n, one.mac) for one in entries)


def test_an_entry_that_goes_out_alone_is_taken_where_it_stands(replica: Replica) -> None:
    entries = log(1, 2, 3)
    assert replica.take(behind(entries, 4))
    assert has(replica, entries)


def test_the_next_entry_of_another_log_is_not_taken_behind_this_one(replica: Replica) -> None:
    entries = log(1, 20, 3)
    assert not replica.take(behind(entries, 4))
    assert replica.missing_from("e1", 4) == 1
    assert all(replica.take(one) for one in entries)
    assert has(replica, entries)


def test_what_is_missing_is_asked_for_from_the_last_entry_on(replica: Replica) -> None:
    """Nobody who sees a gap knows whether both of its ends are of one log."""
    replica.doubt()
    assert not replica.take(log(1, 2)[-1])
    assert replica.missing_from("e1", 3) is None
    assert replica.missing_from("e1", 5) == 3
    assert not any(replica.take(one) for one in log(1, 20, 3, 4)[2:])
    assert replica.missing_from("e1", 5) == 1
