"""Pins without hardware that keep the time of a `Clock`, so that a test moves levels and time by hand."""

from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin, PinState  # type: ignore[import-untyped]

from pi_bunco.devices.gpio.watching import deliver
from pi_bunco.runtime.clock import Clock


class ClockedPin(MockPin):  # type: ignore[misc]
    """A mock pin whose `states` have the clock's times; driving it calls back in the caller's thread."""

    def output_with_state(self, state: int) -> None:
        """An output that never had another level."""
        self._function, self._pull, self._state = "output", "floating", bool(state)
        self.clear_states()

    def clear_states(self) -> None:
        """Forgets all levels but the present one."""
        self._last_change = self.factory.ticks()
        self.states = [PinState(0.0, self._state)]

    def _change_state(self, value: Any) -> bool:
        if self._state == value:
            return False
        now = self.factory.ticks()
        self.states.append(PinState(now - self._last_change, value))
        self._state, self._last_change = value, now
        return True

    def _call_when_changed(self) -> None:
        deliver(self, self._last_change, int(self._state))

    def _set_state(self, value: Any) -> None:
        super()._set_state(value)
        self.factory.driven(self)


class ClockedFactory(MockFactory):  # type: ignore[misc]
    """Mock pins of a Pi 4 on a clock; ticks are its seconds."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("c03114", ClockedPin)
        self._clock = clock

    def ticks(self) -> float:
        """Seconds of the clock."""
        return self._clock.now() / 1000

    def ticks_diff(self, later: float, earlier: float) -> float:
        """Seconds between two of them."""
        return later - earlier

    def driven(self, pin: Any) -> None:
        """Called after each write to an output, for what a test has wired to it."""
