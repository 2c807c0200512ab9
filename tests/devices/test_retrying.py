"""Devices that are missing when a service starts, and come later."""

from collections.abc import Callable
from typing import Any
from unittest.mock import call, create_autospec

import pytest

from clocks import FakeClock
from pi_bunco.devices.kinds import PANEL_KINDS, Hardware, Setup
from pi_bunco.devices.lights.display import NoLights
from pi_bunco.devices.protocols import (
    AllReported,
    Blast,
    Blasts,
    DeviceError,
    Dice,
    DiceState,
    LightState,
    Panel,
    Press,
)
from pi_bunco.devices.retrying import REOPEN_EVERY_MS, Retrying
from pi_bunco.devices.virtual import VirtualBell, VirtualDice, VirtualPanel
from pi_bunco.runtime.loop import Health

WHY = "gpio = gpiod: this machine has no GPIO header"
RING = Blasts("a", (Blast("bell", 300, 0),))


class Socket:
    """The socket that a device is plugged into, or not."""

    def __init__(self, why: str = WHY) -> None:
        self.why = why
        self.tried = 0

    def opens(self, device: Any) -> Callable[[], Any]:
        def open_() -> Any:
            self.tried += 1
            if self.why:
                raise DeviceError(self.why)
            return device

        return open_


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(5000.0)


@pytest.fixture
def retrying(clock: FakeClock) -> Retrying:
    return Retrying(clock)


class Started(VirtualPanel):
    """Counts its starts."""

    starts = 0

    def start(self) -> None:
        self.starts += 1


def test_retrying_device_that_opens_is_the_device_itself(retrying: Retrying, clock: FakeClock) -> None:
    socket = Socket("")
    dice = VirtualDice(print, clock)
    assert retrying.open("the dice", socket.opens(dice), print) is dice
    panel, lights, bell = VirtualPanel(print, clock), NoLights(), VirtualBell(clock)
    assert retrying.open("the panel", socket.opens(panel)) is panel
    assert retrying.open("the lights", socket.opens(lights)) is lights
    assert retrying.open("the bell", socket.opens(bell)) is bell
    clock.advance(10 * REOPEN_EVERY_MS)
    assert retrying.look() is None
    assert socket.tried == 4


def test_missing_devices_are_reported_once_by_their_reason(retrying: Retrying, clock: FakeClock) -> None:
    header, bus = Socket(), Socket("the display needs luma.oled")
    retrying.open("the dice", header.opens(VirtualDice(print, clock)), lambda _event: None)
    retrying.open("the panel", header.opens(VirtualPanel(print, clock)))
    retrying.open("the lights", header.opens(NoLights()))
    retrying.open("the display", bus.opens(NoLights()))
    first = f"The dice, the panel and the lights cannot be used: {WHY}."
    second = "The display cannot be used: the display needs luma.oled."
    assert retrying.look() == Health((first, second), "devices")
    assert retrying.look() is None
    header.why = ""
    clock.advance(REOPEN_EVERY_MS - 1)
    assert retrying.look() is None
    clock.advance(1)
    assert retrying.look() == Health((second,), "devices")
    bus.why = "another reason."
    clock.advance(REOPEN_EVERY_MS)
    assert retrying.look() == Health(("The display cannot be used: another reason.",), "devices")
    bus.why = ""
    clock.advance(REOPEN_EVERY_MS)
    assert retrying.look() == Health((), "devices")
    clock.advance(10 * REOPEN_EVERY_MS)
    assert retrying.look() is None
    assert (header.tried, bus.tried) == (6, 4)


def test_dice_that_are_missing_are_unheard_until_they_come(retrying: Retrying, clock: FakeClock) -> None:
    events: list[Any] = []
    socket, dice = Socket(), create_autospec(VirtualDice, instance=True)
    awaited: Dice = retrying.open("the dice", socket.opens(dice), events.append)
    assert not events
    awaited.start()
    assert events == [DiceState(die, "unheard") for die in (1, 2, 3)]
    awaited.report_until(4000)
    assert events.pop() == AllReported(4000)
    awaited.committed("b", 1)  # of a throw before the last restart
    assert awaited.alive()
    socket.why = ""
    clock.advance(REOPEN_EVERY_MS)
    retrying.look()
    assert events[3:] == [DiceState(die, "ok") for die in (1, 2, 3)]
    awaited.committed("b", 2)
    dice.committed.assert_called_once_with("b", 2)
    dice.alive.return_value = True
    assert awaited.alive()
    awaited.close()
    dice.close.assert_called_once_with()
    dice.alive.return_value = False
    assert not awaited.alive()


def test_a_panel_that_comes_late_is_started_if_the_service_was(retrying: Retrying, clock: FakeClock) -> None:
    events: list[Any] = []
    socket, panel = Socket(), Started(events.append, clock)
    awaited: Panel = retrying.open("the panel", socket.opens(panel))
    awaited.start()
    socket.why = ""
    clock.advance(REOPEN_EVERY_MS)
    retrying.look()
    assert panel.starts == 1
    panel.press("ok")
    assert events == [Press("ok", clock.now(), 0)]
    unstarted = Started(events.append, clock)
    socket.why = "gone"
    retrying.open("the bell button", socket.opens(unstarted))
    socket.why = ""
    clock.advance(REOPEN_EVERY_MS)
    retrying.look()
    assert unstarted.starts == 0


def test_lights_that_come_late_show_what_was_last_to_be_shown(retrying: Retrying, clock: FakeClock) -> None:
    socket, lights = Socket(), create_autospec(NoLights, instance=True)
    awaited = retrying.open("the lights", socket.opens(lights))
    awaited.show(LightState(turn="A"))
    awaited.show(LightState(turn="B"))
    socket.why = ""
    clock.advance(REOPEN_EVERY_MS)
    retrying.look()
    awaited.show(LightState(turn="C"))
    assert [shown.args[0].turn for shown in lights.show.call_args_list] == ["B", "C"]
    awaited.close()


def test_a_missing_bell_says_why_and_rings_once_it_is_there(retrying: Retrying, clock: FakeClock) -> None:
    socket, bell = Socket(), create_autospec(VirtualBell, instance=True)
    awaited = retrying.open("the bell", socket.opens(bell))
    awaited.off()
    with pytest.raises(DeviceError, match=WHY):
        awaited.ring(RING)
    socket.why = ""
    clock.advance(REOPEN_EVERY_MS)
    retrying.look()
    bell.ring.return_value = 7.0
    assert awaited.ring(RING) == 7.0
    awaited.off()
    awaited.close()
    assert bell.method_calls == [call.ring(RING), call.off(), call.close()]


def test_closing_a_device_that_never_opened_raises_nothing(retrying: Retrying, clock: FakeClock) -> None:
    socket = Socket()
    retrying.open("the panel", socket.opens(VirtualPanel(print, clock))).close()
    retrying.open("the lights", socket.opens(NoLights())).close()
    retrying.open("the bell", socket.opens(VirtualBell(clock))).close()


def test_a_header_that_comes_late_is_opened(monkeypatch: pytest.MonkeyPatch, clock: FakeClock) -> None:
    """The library is missing at first: nothing of that is remembered."""
    retrying, header = Retrying(clock), Hardware(clock, "mock")
    with monkeypatch.context() as missing:
        missing.setattr("importlib.util.find_spec", lambda name: None)
        panel = retrying.open("the panel", lambda: PANEL_KINDS.open("gpio", Setup(header)))
        health = retrying.look()
        assert health is not None
        assert "The panel cannot be used: gpio = mock needs gpiozero" in health.faults[0]
    panel.start()
    clock.advance(REOPEN_EVERY_MS)
    assert retrying.look() == Health((), "devices")
    assert panel.alive()
    panel.close()
    header.gpio.close()
