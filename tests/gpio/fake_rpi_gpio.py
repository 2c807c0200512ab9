"""fake-rpi's RPi.GPIO with a memory: levels of outputs, functions, and inputs that rest at their pulls."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import fake_rpi  # type: ignore[import-untyped]
import fake_rpi.RPi  # type: ignore[import-untyped]


class Gpio(fake_rpi.RPi._GPIO):  # type: ignore[misc]
    def __init__(self) -> None:
        fake_rpi.toggle_print(False)
        self._inputs = [None] * 40
        self.functions: dict[int, Any] = {}
        self.history: dict[int, list[int]] = {}
        self._pulls: dict[int, Any] = {}

    def setup(self, channel: int, state: int, pull_up_down: int = 20, initial: int | None = None) -> None:
        self.functions[channel] = state
        self._pulls[channel] = pull_up_down
        if state == self.OUT and initial is not None:
            self.history.setdefault(channel, []).append(int(initial))

    def input(self, channel: int) -> int:
        if self.functions[channel] == self.OUT:
            return self.history[channel][-1]
        driven: Any = self._inputs[channel]
        pulled = self._pulls[channel] == self.PUD_UP
        return int(pulled if driven is None else driven)

    def output(self, channel: int, state: int) -> None:
        self.history[channel].append(int(state))

    def gpio_function(self, channel: int) -> int:
        return int(self.functions[channel] if channel in self.functions else self.IN)  # noqa: SIM401

    def add_event_detect(self, *_: Any, **__: Any) -> None:
        raise RuntimeError("Failed to add edge detection")

    def cleanup(self, a: int | None = None) -> None:
        for channel in [a] if a is not None else list(self.functions):
            self.functions.pop(channel, None)
            self._inputs[channel] = None


def installed() -> Gpio:
    """The module `RPi.GPIO` of this process, which gpiozero imports once."""
    if "RPi" not in sys.modules:
        package = ModuleType("RPi")
        package.__spec__ = ModuleSpec("RPi", None)
        package.GPIO = Gpio()  # type: ignore[attr-defined]
        sys.modules["RPi"] = package
        sys.modules["RPi.GPIO"] = package.GPIO
    gpio: Gpio = sys.modules["RPi"].GPIO
    return gpio
