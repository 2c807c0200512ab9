"""The tables' replicas follow the head's log, whatever log that comes to be."""

from services.hall import ONE, Hall
from services.in_a_round import (
    begin_again_with_short_replicas,
    broker_restarts,
    forget,
    in_a_round,
    recovered,
)

__all__ = ["in_a_round"]


def lengthen(hall: Hall) -> None:
    """A new card begins with short replicas; a longer log comes with table 3, which was late."""
    for _ in range(6):
        hall.tables[3].throw(ONE)
        hall.wait(200)
    before = hall.macs()
    begin_again_with_short_replicas(hall)
    assert 4 < len(hall.macs()) < len(before)
    hall.start_table(3)
    hall.wait(5000)
    assert hall.macs()[: len(before)] == before


def test_short_replicas_take_the_whole_of_a_longer_log_that_came_late(hall: Hall) -> None:
    lengthen(hall)
    assert [hall.replicated(number) for number in (1, 2, 3)] == [hall.macs()] * 3


def test_one_of_them_is_enough_when_the_late_one_and_the_card_are_lost(hall: Hall) -> None:
    lengthen(hall)
    before = hall.macs()
    hall.lose_head()
    broker_restarts(hall)
    for number in (1, 3):
        forget(hall.tables[number])
    recovered(hall)
    assert hall.macs()[: len(before)] == before
