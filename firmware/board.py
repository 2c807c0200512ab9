"""The Raspberry Pi Pico of the dice box: the only module that knows its pins (wiring: README.md)."""

import gc
import os
import time
from binascii import hexlify

import machine
import micropython
from console import Console
from faces import CENTRE, DIAGONAL_1, DIAGONAL_2, SIDES, Fault

GROUPS = (CENTRE, DIAGONAL_1, DIAGONAL_2, SIDES)
LEDS = ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11))
DIM, ROLL = 14, 15
FACE = (16, 17, 18)
STROBES = (19, 20, 21)
ROLLING = 22

PWM_HZ = 1000
STEP_MS = 5
WATCHDOG_MS = 3000
RANDOMBIT = 0x400E8020 if "RP2350" in os.uname().machine else 0x4006001C
# The oscillator's present bit (RP2350 and RP2040 datasheets, ROSC: RANDOMBIT).
NOTE = "fault.txt"
BRIGHT = 65535


def _output(gp: int) -> machine.Pin:
    return machine.Pin(gp, machine.Pin.OUT, value=0)


def _button(gp: int) -> machine.Pin:
    return machine.Pin(gp, machine.Pin.IN, machine.Pin.PULL_UP)


def _kept() -> str:
    """The reason of the last fault, "" if there is none."""
    try:
        with open(NOTE) as file:
            return file.read().rstrip("\n")
    except OSError:
        return ""


def _follows(pin: machine.Pin) -> bool:
    """True if the level at the pin is the one that is driven; a short circuit holds it."""
    pin.value(1)
    high = pin.value()
    pin.value(0)
    return high == 1 and pin.value() == 0


class BoxBoard:
    """All hardware of the box; making it turns everything off and looks for lines that are stuck."""

    def __init__(self) -> None:
        self.name = b"dicebox-" + hexlify(machine.unique_id()[-2:])
        self.ports = (Console(),)
        self._roll = _button(ROLL)
        self._dim = _button(DIM)
        self._face = tuple(_output(gp) for gp in FACE)
        self._strobes = tuple(_output(gp) for gp in STROBES)
        self._rolling = _output(ROLLING)
        self._fault = self._look()
        self._leds = tuple(
            tuple(machine.PWM(machine.Pin(gp), freq=PWM_HZ, duty_u16=0) for gp in die) for die in LEDS
        )
        self._lit = bytearray(len(LEDS))
        self._bright = BRIGHT
        self._watchdog: machine.WDT | None = None

    def check(self) -> None:
        """Raises the `Fault` that was found at start, if any."""
        if self._fault is not None:
            raise self._fault

    def guard(self) -> None:
        """Starts the watchdog, and takes the meaning from Ctrl-C, which noise on the line could be."""
        micropython.kbd_intr(-1)
        self._watchdog = machine.WDT(timeout=WATCHDOG_MS)

    def feed(self) -> None:
        """Puts the restart off."""
        if self._watchdog is not None:
            self._watchdog.feed()

    def wait(self) -> None:
        """Lets `STEP_MS` pass."""
        time.sleep_ms(STEP_MS)

    def ticks(self) -> int:
        """The time in ms, modulo 2**30."""
        return time.ticks_ms()  # type: ignore[return-value]  # the stubs forbid arithmetic with it

    def fine_ticks(self) -> int:
        """The time in µs, modulo 2**30."""
        return time.ticks_us()  # type: ignore[return-value]

    def random(self, count: int) -> bytes:
        """Random bytes of the system."""
        return os.urandom(count)

    def raw(self, count: int) -> bytes:
        """Eight bits of the ring oscillator in each byte, one read after the other."""
        data = bytearray(count)
        for i in range(count):
            for _ in range(8):
                data[i] = (data[i] << 1 | (machine.mem32[RANDOMBIT] & 1)) & 0xFF
        return bytes(data)

    def note(self, why: str) -> None:
        """Keeps the reason of a fault on the flash, for `mpremote cat :fault.txt`.

        While the fault stays, the box starts anew every few seconds: the same reason is not written again.
        """
        try:
            if _kept() != why:
                with open(NOTE, "w") as file:
                    file.write(why + "\n")
        except OSError as error:
            print("the reason cannot be kept:", error)

    def tidy(self) -> None:
        """Frees what is no longer used, which takes some ms."""
        gc.collect()

    def roll_pressed(self) -> bool:
        """True if the roll button is closed now."""
        return self._roll.value() == 0

    def dim_pressed(self) -> bool:
        """True if the brightness button is closed now."""
        return self._dim.value() == 0

    def dim(self, level: int) -> None:
        """Sets the brightness, 0-65535."""
        self._bright = level
        for die in range(len(LEDS)):
            self.show(die + 1, self._lit[die])

    def show(self, die: int, groups: int) -> None:
        """Lights these LED groups of the die (1-3)."""
        self._lit[die - 1] = groups
        leds = self._leds[die - 1]
        for i in range(len(GROUPS)):
            leds[i].duty_u16(self._bright if groups & GROUPS[i] else 0)

    def face(self, face: int) -> None:
        """Puts the face on b0, b1, b2."""
        for i in range(len(FACE)):
            self._face[i].value((face >> i) & 1)

    def strobe(self, die: int, level: int) -> None:
        """Sets the strobe of the die (1-3)."""
        self._strobes[die - 1].value(level)

    def rolling(self, level: int) -> None:
        """Sets the line that is high while any die tumbles."""
        self._rolling.value(level)

    def _look(self) -> "Fault | None":
        """The first line that is stuck; strobes and `rolling` are not moved: to the Pi that is a throw."""
        for die, pins in enumerate(LEDS, 1):
            for gp in pins:
                if not _follows(_output(gp)):
                    return Fault(f"GP{gp} is stuck: an LED line of die {die}", dice=(die,))
        for i in range(len(FACE)):
            if not _follows(self._face[i]):
                return Fault(f"GP{FACE[i]} is stuck: a face line to the Pi", sign=SIDES | DIAGONAL_1)
        return None
