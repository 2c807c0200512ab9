"""The lines of a Raspberry Pi's header through gpiozero's pins, by the one backend that the config names."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pi_bunco.devices.pins import Line
from pi_bunco.devices.protocols import DeviceError, need_modules
from pi_bunco.runtime.clock import Clock

BACKENDS = ("gpiod", "rpigpio", "mock")
LevelChanged = Callable[[bool, float], None]
_NEEDS = {"gpiod": ("gpiozero", "gpiod"), "rpigpio": ("gpiozero", "RPi"), "mock": ("gpiozero",)}


READINGS_APART_MS = 1000.0
"""Two readings of the time may be that far apart on a busy machine."""


class Input:
    """A line that is read; `changed(on, at)` is called from another thread, `at` in ms of the clock."""

    def __init__(self, gpio: "Gpio", line: Line, changed: LevelChanged) -> None:
        self._gpio = gpio
        self._changed = changed
        self._high = line.active == "high"
        self._pin = gpio.factory.pin(line.gpio)
        self._pin.input_with_pull("floating" if line.pull == "none" else line.pull)
        self._pin.bounce, self._pin.edges = None, "both"
        self._pin.when_changed = self._on_edge

    def on(self) -> bool:
        """True if it is on now."""
        return bool(self._pin.state) == self._high

    def _on_edge(self, ticks: float, state: int) -> None:
        self._changed(bool(state) == self._high, self._gpio.at(ticks))

    def close(self) -> None:
        """Reads no more."""
        self._pin.when_changed = None
        self._pin.close()


class Output:
    """A line that is driven, off from its first moment on; closing it switches it off."""

    def __init__(self, gpio: "Gpio", line: Line) -> None:
        self._high = line.active == "high"
        self._pin = gpio.factory.pin(line.gpio)
        self._pin.output_with_state(int(not self._high))

    def set(self, on: bool) -> None:
        """Drives the line; `OSError` if it cannot."""
        self._pin.state = int(on == self._high)

    def close(self) -> None:
        """Switches off and lets go of the line."""
        try:
            self.set(False)
        finally:
            self._pin.close()


class Gpio:
    """The header, opened: gives its lines to devices, and their changes the clock's time."""

    def __init__(self, factory: Any, clock: Clock) -> None:
        """`factory` is one of gpiozero's pin factories."""
        self.factory = factory
        self._clock = clock
        self._ahead = self._measured()

    def _measured(self) -> float:
        """Lead of the clock over the factory's ticks (ms)."""
        ticks: float = self.factory.ticks()
        return self._clock.now() - ticks * 1000

    def input(self, line: Line, changed: LevelChanged) -> Input:
        """A line to be read; `DeviceError` if it cannot be had."""
        with _named_errors(line):
            return Input(self, line, changed)

    def output(self, line: Line) -> Output:
        """A line to be driven, off at first; `DeviceError` if it cannot be had."""
        with _named_errors(line):
            return Output(self, line)

    def at(self, ticks: float) -> float:
        """The clock's time (ms) of the factory's ticks.

        The same distance serves every change, so that no change seems earlier than the one before it; it is
        measured anew when it is off by more than two readings can be, as after a suspend.
        """
        measured = self._measured()
        if abs(measured - self._ahead) > READINGS_APART_MS:
            self._ahead = measured
        return ticks * 1000 + self._ahead

    def alive(self) -> bool:
        """True while the inputs are watched."""
        watching: bool = getattr(self.factory, "alive", lambda: True)()
        return watching

    def close(self) -> None:
        """Lets go of all lines."""
        self.factory.close()


@contextmanager
def _named_errors(line: Line) -> Iterator[None]:
    """Turns an error of the line into a sentence."""
    from gpiozero.exc import GPIOZeroError  # type: ignore[import-untyped]

    try:
        yield
    except OSError as error:
        raise DeviceError(f"[{line.name}] {line} cannot be used: {error.strerror}") from error
    except (GPIOZeroError, RuntimeError) as error:
        raise DeviceError(f"[{line.name}] {line} cannot be used: {error}") from error


def open_gpio(backend: str, clock: Clock) -> Gpio:
    """The header through `gpiod`, `gpiod:PATH` for a chip at /dev, `rpigpio`, or `mock` without hardware.

    There is no falling back: `DeviceError` says why the backend cannot be used on this machine.
    """
    from importlib.metadata import version  # takes 10 ms, and a service without GPIO needs none of it

    name, _, path = backend.partition(":")
    if name not in BACKENDS or (path and name != "gpiod"):
        raise DeviceError(f"gpio = {backend!r} is not known; use gpiod, gpiod:PATH, rpigpio or mock")
    need_modules(f"gpio = {backend}", _NEEDS[name], "rpigpio" if name == "rpigpio" else "gpio")
    if (found := version("gpiozero")).startswith(("0.", "1.")):
        raise DeviceError(
            f"gpio = {backend} needs gpiozero 2, and this machine has {found}, as plain Debian has:"
            " use Raspberry Pi OS, which brings version 2"
        )
    try:
        return Gpio(_factory(name, path, clock), clock)
    except DeviceError:
        raise
    except (OSError, RuntimeError, ImportError) as error:
        raise DeviceError(f"gpio = {backend} cannot be used on this machine: {error}") from error


def _factory(name: str, path: str, clock: Clock) -> Any:
    match name:
        case "gpiod" if sys.platform == "linux":
            from pi_bunco.devices.gpio.gpiod import GpiodFactory
            from pi_bunco.devices.gpio.low import header

            return GpiodFactory(path or header())
        case "rpigpio":
            from pi_bunco.devices.gpio.rpigpio import PolledFactory

            return PolledFactory()
        case _:
            from pi_bunco.devices.gpio.mock import ClockedFactory

            return ClockedFactory(clock)
