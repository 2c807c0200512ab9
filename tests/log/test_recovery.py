"""How long a head looks for the end of its log, by its replicas alone."""

import pytest

from logs import KEY, chain
from pi_bunco.game import facts
from pi_bunco.log.chain import rank
from pi_bunco.log.entry import ReplicaClaim
from pi_bunco.log.recovery import (
    REPLICAS_BACK_WITHIN_MS,
    WAIT_WITH_LOG_MS,
    Recovery,
    ReplicaFinding,
    Result,
)

EVENING = "e1"
PLAYERS = tuple(f"P{n}" for n in range(1, 13))
"""Of three tables."""
LOG = chain(
    EVENING,
    [
        (facts.EveningOpen(0, "bonko", PLAYERS, id=EVENING, no=1, key=KEY.id), None),
        (facts.RoundOpen(1000, epoch=1), None),
        (facts.RoundClose(2000, epoch=1), None),
        (facts.RoundOpen(3000, epoch=2), None),
    ],
)


class Head:
    """A head that has `length` entries of the log in its journal, and the broker for 100 ms."""

    def __init__(self, length: int) -> None:
        self.log = LOG[:length]
        self.recovery = Recovery(KEY, lambda: self.log)
        self.recovery.connected(0)

    def hears(self, table: int, length: int, now: float) -> None:
        """A table comes that has so much of the log, and answers what it is asked."""
        of = rank(LOG[:length])
        asks: list[Result] = list(
            self.recovery.online(
                table, ReplicaClaim(EVENING, of.no, of.branches, length, LOG[length - 1].mac), now
            )
        )
        while asks:
            ask = asks.pop()
            if isinstance(ask, ReplicaFinding):
                self.log = [*self.log[: ask.start - 1], *ask.entries]
            else:
                asks += self.recovery.entries(table, EVENING, LOG[ask.start - 1 : length], now)

    def pending_at(self, now: float) -> bool:
        """True if it waits still."""
        self.recovery.tick(now)
        return self.recovery.pending


def test_a_table_that_ends_where_the_journal_does_is_enough() -> None:
    head = Head(3)
    head.hears(1, 3, 300)
    assert not head.pending_at(310)


def test_a_journal_that_nobody_confirms_is_enough_once_the_tables_would_be_back() -> None:
    head = Head(3)
    assert head.pending_at(REPLICAS_BACK_WITHIN_MS - 1)
    assert not head.pending_at(REPLICAS_BACK_WITHIN_MS)


@pytest.mark.parametrize("tables", [(2,), (2, 1)])
def test_a_head_whose_journal_lacked_entries_waits_for_the_rest_of_its_tables(
    tables: tuple[int, ...],
) -> None:
    """Who had the entries that were taken ends where the log then does, and confirms nothing by that."""
    head = Head(2)
    for table in tables:
        head.hears(table, 3, 300)
    assert head.log == LOG[:3]
    assert head.pending_at(310)
    assert head.pending_at(WAIT_WITH_LOG_MS - 1)
    head.hears(3, 4, WAIT_WITH_LOG_MS - 1)
    head.hears(1, 3, WAIT_WITH_LOG_MS - 1)
    assert not head.pending_at(WAIT_WITH_LOG_MS - 1)
    assert head.log == LOG


def test_a_head_whose_journal_lacked_entries_does_not_wait_for_ever() -> None:
    head = Head(2)
    head.hears(2, 3, 300)
    assert not head.pending_at(WAIT_WITH_LOG_MS)
