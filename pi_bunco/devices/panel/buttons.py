"""`gpio`: the eight buttons of a table at lines of the header."""

from collections.abc import Iterator
from typing import cast

from pi_bunco.devices.gpio import Gpio
from pi_bunco.devices.gpio.debounce import PRESS_MS, STUCK_MS, Debounce
from pi_bunco.devices.gpio.decoding import Change, Decoding
from pi_bunco.devices.kinds import PANEL_KINDS, DeviceKind
from pi_bunco.devices.pins import Part, PinPlan, wired
from pi_bunco.devices.protocols import BUTTONS, Button, Press, Put, Stuck
from pi_bunco.runtime.clock import Clock

UNDO_MS = 1000.0


class PanelDecoder:
    """The meaning of the edges of the eight buttons; names of lines are those of the buttons."""

    def __init__(self) -> None:
        self._contacts = {name: Debounce(_hold_ms(name)) for name in BUTTONS}

    @property
    def due(self) -> float | None:
        """Time (ms) at which unchanged lines mean something; None for never."""
        return min((due for one in self._contacts.values() if (due := one.due) is not None), default=None)

    def change(self, change: Change) -> Iterator[Press | Stuck]:
        """The events that follow from an edge."""
        name = cast(Button, change.name)
        contact = self._contacts[name]
        if change.already:
            contact.closed_already(change.at)
        began = contact.began
        for event in contact.edge(change.on, change.at):
            yield from _events(name, event, began, contact.lasted)

    def quiet(self, now: float) -> Iterator[Press | Stuck]:
        """The events that follow from no edge having come up to `now`."""
        for name, contact in self._contacts.items():
            began = contact.began
            for event in contact.quiet(now):
                yield from _events(name, event, began, contact.lasted)


def _hold_ms(name: Button) -> float:
    return UNDO_MS if name == "undo" else PRESS_MS


def _events(name: Button, event: str, began: float, lasted: float) -> Iterator[Press | Stuck]:
    if name == "miss" and event in ("pressed", "released"):
        if event == "released" and lasted < STUCK_MS:
            yield Press(name, began, int(lasted))  # let go: a long one means something else
    elif event == "pressed":
        yield Press(name, began, int(_hold_ms(name)))
    elif event in ("stuck", "free"):
        yield Stuck(name, event == "stuck")


def gpio_panel(gpio: Gpio, plan: PinPlan, put: Put, clock: Clock) -> Decoding[Press | Stuck]:
    """The panel at the lines `panel.*`; `DeviceError` says which line cannot be had."""
    return Decoding(gpio, {name: plan[f"panel.{name}"] for name in BUTTONS}, PanelDecoder(), put, clock)


def parts(plan: PinPlan) -> tuple[Part, ...]:
    """The eight buttons, for the wiring check."""
    return tuple(wired(name, f"Button {name.upper()}", [plan[f"panel.{name}"]], "panel") for name in BUTTONS)


PANEL_KINDS.register(
    DeviceKind(
        "gpio",
        lambda _argument, setup: gpio_panel(
            setup.hardware.gpio, setup.hardware.lines, setup.put, setup.clock
        ),
        lines=lambda _encoding: ("panel",),
        parts=lambda _argument, hardware: parts(hardware.lines),
    )
)
