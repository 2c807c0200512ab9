"""The host's brass button at the head table: a press starts a round, held for two seconds it ends one."""

import logging
from collections.abc import Callable, Iterator

from pi_bunco.devices.gpio.debounce import Contact, Debounce
from pi_bunco.devices.gpio.decoding import Change, Decoding
from pi_bunco.devices.kinds import Hardware
from pi_bunco.devices.pins import Part, PinPlan, wired

LONG_PRESS_MS = 2000.0
BELL_BUTTON = "bell_button"
_log = logging.getLogger(__name__)


class BellButtonDecoder:
    """The meaning of the button's edges: False for a press, told when it is let go; True for a long one.

    So a host who leans on the button after a start does not end the round that has just begun.
    """

    def __init__(self) -> None:
        self._short = Debounce()
        self._long = Debounce(LONG_PRESS_MS)
        self._long_press = False

    @property
    def due(self) -> float | None:
        """Time (ms) at which an unchanged line means something; None for never."""
        return min((due for due in (self._short.due, self._long.due) if due is not None), default=None)

    def change(self, change: Change) -> Iterator[bool]:
        """The presses that follow from an edge."""
        if change.already:
            self._long.closed_already(change.at)
            self._short.closed_already(change.at)
        long, short = (contact.edge(change.on, change.at) for contact in (self._long, self._short))
        yield from self._meaning(long, short)

    def quiet(self, now: float) -> Iterator[bool]:
        """The presses that follow from no edge having come up to `now`."""
        yield from self._meaning(self._long.quiet(now), self._short.quiet(now))

    def _meaning(self, long: list[Contact], short: list[Contact]) -> Iterator[bool]:
        if "pressed" in short:
            self._long_press = False
        if "pressed" in long:
            self._long_press = True
            yield True
        if "released" in short and not self._long_press:
            yield False
        if "stuck" in long:
            _log.warning("the bell button is stuck, or its wire touches ground")


def open_button(hardware: Hardware, put: Callable[[bool], object]) -> Decoding[bool]:
    """The button at the line `bell_button`; `put` gets whether it was held. Raises `DeviceError`."""
    return Decoding(
        hardware.gpio, {BELL_BUTTON: hardware.lines[BELL_BUTTON]}, BellButtonDecoder(), put, hardware.clock
    )


def part(plan: PinPlan) -> Part:
    """The button, for the wiring check."""
    return wired(BELL_BUTTON, "The bell button", [plan[BELL_BUTTON]], "bell button")
