"""`gpio`: dice at lines of the header, a dice box on its bus or classic dice at their LEDs (`encoding`)."""

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pi_bunco.devices.gpio import Gpio
from pi_bunco.devices.gpio.decoding import Change, Decoding
from pi_bunco.devices.kinds import DICE_KINDS, DeviceKind, Setup
from pi_bunco.devices.pins import Line, Part, PinPlan, wired, wires
from pi_bunco.devices.protocols import DICE, AllReported, DeviceError, DiceEvent, Put
from pi_bunco.runtime.clock import Clock
from pi_bunco.validator import either

if TYPE_CHECKING:
    from pi_bunco.devices.throws.filtered_lines import FilteredLines

ENCODINGS = {"bus": "dice", "led7": "led7"}
"""The group of lines of each encoding."""


class GpioDice(Decoding[DiceEvent]):
    """Dice at lines of the header."""

    def __init__(
        self, gpio: Gpio, lines: Mapping[str, Line], decoder: "FilteredLines", put: Put, clock: Clock
    ) -> None:
        """Takes the lines; `DeviceError` says which cannot be had."""
        self._dice = decoder
        self._until: deque[float] = deque()
        super().__init__(gpio, lines, decoder, put, clock)

    def report_until(self, at: float) -> None:
        """Waits for the end of a throw whose dice lay still by then."""
        self._until.append(at)
        self._changes.put(None)

    def _take(self, changes: list[Change]) -> None:
        super()._take(changes)
        while self._until and not self._dice.pending(self._until[0]) and self._certain():
            self._put(AllReported(self._until.popleft()))

    def committed(self, boot: str, seq: int) -> None:
        """Lines remember nothing."""


def parts(plan: PinPlan, encoding: str) -> tuple[Part, ...]:
    """Three dice at lines: on the box's bus, or each at its LEDs (`led7`)."""
    if encoding == "led7":
        cables = {die: _group(plan, f"led7.die{die}") for die in DICE}
        return tuple(
            Part(str(die), f"Die {die}", wires(tuple(lines.values()), f"cable {die}"), tuple(lines.values()))
            for die, lines in cables.items()
        )
    shared = [plan[f"dice.{name}"] for name in ("b0", "b1", "b2", "rolling")]
    return tuple(wired(str(die), f"Die {die}", [plan[f"dice.strobe{die}"], *shared], "dice") for die in DICE)


def _group(plan: PinPlan, group: str) -> dict[str, Line]:
    """Lines of the group by the rest of their names."""
    return {
        name.removeprefix(f"{group}."): line for name, line in plan.items() if name.startswith(f"{group}.")
    }


def _open(_argument: str, setup: Setup) -> GpioDice:
    from pi_bunco.devices.throws.bus import BusDice
    from pi_bunco.devices.throws.filtered_lines import LedDice

    hardware = setup.hardware
    if hardware.encoding not in ENCODINGS:
        raise DeviceError(f"encoding = {hardware.encoding!r} is not known; use {either(ENCODINGS)}")
    lines = _group(hardware.lines, ENCODINGS[hardware.encoding])
    decoder: FilteredLines = LedDice(hardware.settle_ms)
    if hardware.encoding == "bus":
        decoder = BusDice({name: f"{line}, {line.wire}" for name, line in lines.items()})
    return GpioDice(hardware.gpio, lines, decoder, setup.put, setup.clock)


DICE_KINDS.register(
    DeviceKind(
        "gpio",
        _open,
        lines=lambda encoding: (ENCODINGS[encoding],),
        parts=lambda _argument, hardware: parts(hardware.lines, hardware.encoding),
    ),
)
