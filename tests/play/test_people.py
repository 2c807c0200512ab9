import queue
from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from clocks import FakeClock
from pi_bunco.devices.protocols import DeviceEvent, LightState, Press, Throw
from pi_bunco.play.players import AT_ONCE, Habits, SmartTable

WAIT = 60.0  # s; only a broken test waits that long
RUNNING = LightState(turn="A", round="running")
DONE = LightState(round="stop", ok_blinks=True)


class Table:
    """Smart devices, what they reported, and the clock that they go by."""

    def __init__(self, habits: Habits) -> None:
        self.clock = FakeClock(1000.0)
        self.events: queue.SimpleQueue[DeviceEvent] = queue.SimpleQueue()
        self.devices = SmartTable(self.events.put, self.clock, Random(1), habits)

    def next(self) -> DeviceEvent:
        return self.events.get(timeout=WAIT)


@pytest.fixture
def hurried() -> Iterator[Table]:
    table = Table(AT_ONCE)
    table.devices.start()
    yield table
    table.devices.close()


def test_people_without_a_pace_roll_as_soon_as_the_light_says_so(hurried: Table) -> None:
    hurried.devices.show(RUNNING)
    first = hurried.next()
    assert isinstance(first, Throw)
    assert first.began == first.settled == 1000.0
    hurried.devices.show(RUNNING)
    assert isinstance(hurried.next(), Throw)
    hurried.devices.show(DONE)
    assert hurried.next() == Press("ok", 1000.0, 0)


@pytest.mark.parametrize("dark", [{"saved": False}, {"online": False}])
def test_they_wait_for_the_head_and_for_the_light_that_their_roll_is_saved(dark: dict[str, bool]) -> None:
    table = Table(AT_ONCE)
    table.devices.show(replace(RUNNING, **dark))
    assert table.devices._players.due is None
    table.devices.show(RUNNING)
    assert table.devices._players.due == table.clock.time


def test_they_try_again_when_nothing_comes_of_it(hurried: Table) -> None:
    hurried.devices.show(RUNNING)
    hurried.next()
    hurried.clock.advance(200)
    assert isinstance(hurried.next(), Throw)


def test_people_take_their_time() -> None:
    table = Table(Habits())
    table.devices.show(RUNNING)
    table.clock.advance(60_000)
    table.devices.start()
    throw = table.next()
    assert isinstance(throw, Throw)
    assert throw.settled - throw.began == Habits().tumble
    table.devices.close()


def test_dice_panel_and_lights_are_one_and_may_be_started_and_closed_more_than_once() -> None:
    table = Table(Habits())
    assert not table.devices.alive()
    table.devices.start()
    table.devices.start()
    assert table.devices.alive()
    table.devices.committed("boot", 1)
    for _ in range(3):
        table.devices.close()
    assert not table.devices.alive()
    assert table.events.empty()


def test_unstarted_players_can_be_closed() -> None:
    table = Table(AT_ONCE)
    table.devices.close()
    assert not table.devices.alive()
