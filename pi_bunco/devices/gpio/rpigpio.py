"""gpiozero's pins on RPi.GPIO, for a Pi 4 or older: its edges fail on current kernels, so inputs are polled.

"Failed to add edge detection" since kernel 6.6 (raspberrypi/linux#6037); on a Pi 5 RPi.GPIO does not work.
"""

import threading
from collections.abc import Sequence
from typing import Any

from gpiozero.pins.rpigpio import RPiGPIOFactory, RPiGPIOPin  # type: ignore[import-untyped]

from pi_bunco.devices.gpio.debounce import Readings
from pi_bunco.devices.gpio.watching import LineWatch, PinChange

POLL_S = 0.005


class PolledFactory(RPiGPIOFactory):  # type: ignore[misc]
    """The pins of the header; inputs are read every `POLL_S`."""

    def __init__(self) -> None:
        super().__init__()
        self.pin_class = PolledPin
        self.watch = LineWatch(Levels())

    def alive(self) -> bool:
        """True while the inputs are read."""
        return self.watch.alive()

    def close(self) -> None:
        """Lets go of all pins."""
        super().close()
        self.watch.close()


class Levels:
    """The levels of pins, read all at once."""

    def __init__(self) -> None:
        self._never = threading.Event()

    def wake(self) -> None:
        """Does nothing: a pause ends by itself after `POLL_S`."""

    def close(self) -> None:
        """Holds nothing."""

    def pause(self, _pins: Sequence[Any]) -> None:
        """Waits until the next reading."""
        self._never.wait(POLL_S)

    def look(self, pins: Sequence["PolledPin"]) -> list[PinChange]:
        """The pins that have another level than before, each with the time of its first such reading."""
        now = RPiGPIOFactory.ticks()
        changes = [(pin.changed(now), pin) for pin in pins]
        return [(since, pin, pin.readings.level) for since, pin in changes if since is not None]


class PolledPin(RPiGPIOPin):  # type: ignore[misc]
    """A pin whose changes are found by reading it; a spike between two readings is none."""

    readings = Readings(0)

    def _set_edges(self, value: str) -> None:
        self._edges = self.GPIO_EDGES[value]

    def changed(self, now: float) -> float | None:
        """Reads; since when (ticks) the level is another than before, if it is."""
        return self.readings.reading(int(self.state), now)

    def _enable_event_detect(self) -> None:
        self.readings = Readings(int(self.state))
        self.factory.watch.add(self)

    def _disable_event_detect(self) -> None:
        self.factory.watch.remove(self)
