"""Mock pins and the parts on them in the tests: the time is a clock that is moved by hand."""

import threading
from collections.abc import Mapping
from typing import Any

from clocks import FakeClock
from pi_bunco.devices.gpio import Gpio, open_gpio
from pi_bunco.devices.gpio.mock import ClockedPin
from pi_bunco.devices.pins import leds, shipped

WAIT = 60.0  # s; only a broken test waits that long


class Board:
    """A header of mock pins, whose lines are moved by their names in `hardware/pins.toml`."""

    def __init__(self, clock: FakeClock | None = None, gpio: Gpio | None = None) -> None:
        self.clock = clock or FakeClock(1000.0)
        self.gpio = gpio or open_gpio("mock", self.clock)

    def pin(self, name: str) -> Any:
        return self.gpio.factory.pin(shipped()[name].gpio)

    def drive(self, name: str, on: bool) -> None:
        """The outside makes the line active, or not."""
        pin = self.pin(name)
        (pin.drive_high if on == (shipped()[name].active == "high") else pin.drive_low)()

    def press(self, name: str, ms: float = 50) -> None:
        """A button is held for `ms`."""
        self.drive(name, True)
        self.clock.advance(ms)
        self.drive(name, False)
        self.clock.advance(ms)


class Registers:
    """Two 74HC595 at the lights' lines: what their outputs light."""

    def __init__(self, board: Board) -> None:
        self.lit: frozenset[str] = frozenset()
        self._board = board
        self._bits = [False] * 16
        self._levels: dict[str, bool] = {}
        self._wires: Mapping[Any, str] = {
            board.pin(f"lights.{name}"): name for name in ("data", "clock", "latch")
        }
        self._levels = dict.fromkeys(self._wires.values(), False)
        board.gpio.factory.driven = self._driven

    def _driven(self, pin: ClockedPin) -> None:
        name = self._wires.get(pin)
        if name is None:
            return
        before, self._levels[name] = self._levels[name], bool(pin.state)
        rising = self._levels[name] and not before
        if name == "clock" and rising:
            self._bits = [self._levels["data"], *self._bits[:-1]]
        if name == "latch" and rising:
            self.lit = frozenset(led for led, on in zip(leds(), self._bits, strict=False) if on)
            assert not any(self._bits[len(leds()) :])


class Seen(Registers):
    """Registers whose next picture can be waited for."""

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self.changed = threading.Condition()

    def _driven(self, pin: Any) -> None:
        with self.changed:
            super()._driven(pin)
            self.changed.notify_all()

    def until(self, names: set[str]) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: self.lit == names, WAIT)
