"""The tables' replicas follow the head's log, whatever log that comes to be."""

from services.hall import Hall
from services.in_a_round import (
    ONE,
    begin_again_with_short_replicas,
    broker_restarts,
    forget,
    in_a_round,
    recovered,
    throw,
)

__all__ = ["in_a_round"]


def macs(hall: Hall) -> list[str]:
    return [entry.mac for entry in hall.head.referee.log.entries]


def kept(hall: Hall, number: int) -> list[str]:
    """The macs of what a table would hand back."""
    replica = hall.tables[number].replica
    assert replica is not None
    return [one.mac for one in replica.read(hall.head.referee.log.evening.id)]


def lengthen(hall: Hall) -> None:
    """A new card begins with short replicas; a longer log comes with table 3, which was late."""
    for _ in range(6):
        throw(hall.tables[3], ONE)
        hall.wait(200)
    before = macs(hall)
    begin_again_with_short_replicas(hall)
    assert 4 < len(macs(hall)) < len(before)
    hall.start_table(3)
    hall.wait(5000)
    assert macs(hall)[: len(before)] == before


def test_short_replicas_take_the_whole_of_a_longer_log_that_came_late(hall: Hall) -> None:
    lengthen(hall)
    assert [kept(hall, number) for number in (1, 2, 3)] == [macs(hall)] * 3


def test_one_of_them_is_enough_when_the_late_one_and_the_card_are_lost(hall: Hall) -> None:
    lengthen(hall)
    before = macs(hall)
    hall.lose_head()
    broker_restarts(hall)
    for number in (1, 3):
        forget(hall.tables[number])
    recovered(hall)
    assert macs(hall)[: len(before)] == before
