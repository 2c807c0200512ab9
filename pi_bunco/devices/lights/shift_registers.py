"""`gpio`: a table's lights at two 74HC595 shift registers in a chain, computed from the state each time."""

import logging
import math
from collections.abc import Iterable

from pi_bunco.devices.gpio import Gpio
from pi_bunco.devices.kinds import LIGHTS_KINDS, DeviceKind
from pi_bunco.devices.pins import Part, PinPlan, leds, wires
from pi_bunco.devices.protocols import LightState
from pi_bunco.devices.threads import Complaint, ShowingThread
from pi_bunco.runtime.clock import Clock

OUTPUTS = 16
OUTPUT_NAMES = "ABCDEFGH"
"""The outputs of one 74HC595, QA to QH."""
HALF_BLINK_MS = 400
REWRITE_EVERY_MS = 1000
"""A spike of the horn's supply may have changed the registers."""
LINES = ("data", "clock", "latch")
_log = logging.getLogger(__name__)


def lit(state: LightState, now: float) -> frozenset[str]:
    """The `leds` that are lit at `now` (ms): `online` blinks until the head is found, `ok` while it is due.

    The light of a round that is `ending` blinks too. All of them blink together while a press of the bell
    button is refused.
    """
    bright = now // HALF_BLINK_MS % 2 == 0
    if state.refused:
        return frozenset(leds()) if bright else frozenset()
    on = {
        f"turn {state.turn}": state.turn is not None,
        str(state.next): state.next is not None,
        str(state.round): state.round is not None and (bright or not state.ending),
        "roll-off": state.rolloff,
        "saved": state.saved,
        "online": state.online or bright,
        "fault": state.fault,
        "ok": state.ok_blinks and bright,
    }
    return frozenset(name for name, is_lit in on.items() if is_lit)


def blinks(state: LightState) -> bool:
    """True if anything changes without the state changing."""
    ends = state.ending and state.round is not None
    return state.ok_blinks or state.refused or ends or not state.online


class ShiftRegisters:
    """Two 74HC595: the bit that goes in last is QA of the first one (datasheet SCLS041)."""

    def __init__(self, gpio: Gpio, plan: PinPlan) -> None:
        self._data, self._clock, self._latch = (gpio.output(plan[f"lights.{name}"]) for name in LINES)

    def write(self, names: Iterable[str]) -> None:
        """Lights these LEDs and no others; `OSError` if the lines cannot be driven."""
        wanted = set(names)
        bits = [name in wanted for name in leds()]
        for bit in reversed(bits + [False] * (OUTPUTS - len(bits))):
            self._data.set(bit)
            self._clock.set(True)
            self._clock.set(False)
        self._latch.set(True)
        self._latch.set(False)

    def close(self) -> None:
        """Lets go of the lines."""
        for line in (self._data, self._clock, self._latch):
            line.close()


class GpioLights(ShowingThread):
    """The lights at the lines `lights.*`."""

    def __init__(self, gpio: Gpio, plan: PinPlan, clock: Clock) -> None:
        """Takes the lines; `DeviceError` says which cannot be had."""
        self._registers = ShiftRegisters(gpio, plan)
        self._clock = clock
        self._complaint = Complaint(_log)
        super().__init__("lights")

    def _draw(self, state: LightState | None) -> float:
        now = self._clock.now()
        self._write(lit(state, now) if state else ())
        to_blink = math.floor(now / HALF_BLINK_MS + 1) * HALF_BLINK_MS - now
        return (min(to_blink, REWRITE_EVERY_MS) if state and blinks(state) else REWRITE_EVERY_MS) / 1000

    def _darken(self) -> None:
        self._write(())
        self._registers.close()

    def _write(self, names: Iterable[str]) -> None:
        try:
            self._registers.write(names)
            self._complaint.works()
        except OSError as error:
            self._complaint.tell("the lights cannot be written: %s; trying again", error)


def parts(plan: PinPlan) -> tuple[Part, ...]:
    """Every LED at its output of the shift registers, for the wiring check."""
    lines = tuple(line for name, line in plan.items() if name.startswith("lights."))
    cable, found = wires(lines, "the lights cable"), []
    for place, led in enumerate(leds()):
        chip, output = divmod(place, len(OUTPUT_NAMES))
        where = f"output Q{OUTPUT_NAMES[output]} of the {('first', 'second')[chip]} 74HC595"
        question = f"Is the light {led.upper()} on, and no other? (y/n)"
        found.append(Part(led, f"The light {led.upper()}", f"{where} (all dark: {cable})", lines, question))
    return tuple(found)


LIGHTS_KINDS.register(
    DeviceKind(
        "gpio",
        lambda _argument, setup: GpioLights(setup.hardware.gpio, setup.hardware.lines, setup.clock),
        lines=lambda _encoding: ("lights",),
        parts=lambda _argument, hardware: parts(hardware.lines),
    )
)
