"""Both kinds of Bluetooth dice through bleak, D-Bus and a BlueZ that is played."""

import json
import os
import queue
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.processes import Service
from devices.bluez_table import at_bluez
from devices.fake_bluez import FakeBlueZ
from devices.radio_dies import DIES, MODELS
from devices.radio_table import played, swapped
from pi_bunco.devices.protocols import DICE, DeviceEvent, DiceState, Throw
from pi_bunco.devices.throws.radio_links import RadioDice, bleak_client
from pi_bunco.runtime.clock import SystemClock
from thorough import times

pytestmark = [pytest.mark.process, pytest.mark.system("dbus-daemon")]
ADDRESSES = [f"C4:00:00:00:00:0{number}" for number in DICE]
PATIENCE_S = 60.0


@pytest.fixture(params=DIES)
def word(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def bluez(word: str, tmp_path: Path) -> Iterator[FakeBlueZ]:
    with FakeBlueZ(tmp_path, {address: DIES[word]() for address in ADDRESSES}) as bluez:
        yield bluez


def test_three_dice_are_paired_by_shaking_and_then_checked(bluez: FakeBlueZ, word: str) -> None:
    with Service("pair", env=bluez.env) as pair:
        for number, address in zip(DICE, reversed(ADDRESSES), strict=True):
            while f"Shake and roll die {number}." not in (line := pair.ready()):
                assert line
            bluez.throw({address: 4})
        *_, setting = iter(pair.ready, "")
    option = json.loads(setting.partition(" = ")[2])
    assert option == f"{word}:{','.join(reversed(ADDRESSES))}"
    with Service("check", "--dice", option, env=bluez.env) as check:
        assert check.ready().startswith("Roll all three dice.")
        bluez.until_read(*ADDRESSES)
        bluez.throw(dict(zip(ADDRESSES, (1, 5, 6), strict=True)))
        for die, face in zip(DICE, (6, 5, 1), strict=True):
            assert check.ready() == f"Die {die} says {face}: does it show that? (y/n)\n"
            check.tell("y")
            assert check.ready() == f"Die {die}: fine.\n"


def test_a_die_out_of_reach_and_a_bluez_that_ends_are_found_again(
    bluez: FakeBlueZ, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_bunco.devices.throws.radio_links.AGAIN_AFTER_S", 0.05)
    monkeypatch.setitem(os.environ, *next(iter(bluez.env.items())))
    events = queue.Queue[DeviceEvent]()

    def until(state: str, *dice: int) -> None:
        waiting = set(dice)
        while waiting:
            event = events.get(timeout=PATIENCE_S)
            if isinstance(event, DiceState) and event.state == state:
                waiting.discard(event.die)

    def thrown(*faces: int) -> None:
        bluez.throw(dict(zip(ADDRESSES, faces, strict=True)))
        while not isinstance(event := events.get(timeout=PATIENCE_S), Throw):
            pass
        assert event.faces == faces

    dice = RadioDice(MODELS[word], ADDRESSES, events.put, SystemClock(), bleak_client)
    dice.start()
    with closing(dice):
        until("ok", *DICE)
        thrown(2, 3, 4)
        bluez.break_link(ADDRESSES[1])
        until("unheard", 2)
        until("ok", 2)
        thrown(6, 6, 6)
        bluez.end()
        until("unheard", *DICE)
        bluez.begin()
        until("ok", *DICE)
        thrown(1, 2, 3)
    assert not dice.alive()


def test_no_throw_over_d_bus_is_wrong_or_told_twice_whatever_the_radios_do(word: str, tmp_path: Path) -> None:
    """The whole count: `PYTHONPATH=tests python -m devices.bluez_table 10000`."""
    with at_bluez(word, 2, tmp_path) as table:
        count = played(table, throws := times(60))
    assert (count.made, count.wrong, count.double) == (throws, 0, 0)
    assert count.counted >= throws / 6
    assert count.void


def test_dice_swapped_between_tables_make_no_throw_over_d_bus(word: str, tmp_path: Path) -> None:
    with at_bluez(word, 2, tmp_path) as table:
        assert len(swapped(table, throws := times(40))) > throws / 4
