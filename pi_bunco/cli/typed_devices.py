"""Devices that `--stdin` moves for want of hardware: virtual ones, or mock pins in place of the header."""

import signal
import threading
from collections.abc import Callable

from pi_bunco.devices.kinds import Hardware
from pi_bunco.devices.protocols import DICE, Button, DeviceError, Faces
from pi_bunco.devices.throws.strobes import second

PRESS_S, HOLD_S, RELEASED_S = 0.06, 1.1, 0.06
TUMBLE_S, SETUP_S, STROBE_S = 0.1, 0.03, 0.06


class MockFingers:
    """Fingers and a dice box at mock pins; every method takes as long as in life."""

    def __init__(self, hardware: Hardware) -> None:
        self._hardware = hardware
        self._never = threading.Event()

    def press(self, button: Button) -> None:
        """Presses a button of the panel."""
        self.close_contact(f"panel.{button}")

    def hold(self, button: Button) -> None:
        """Presses a button of the panel for more than a second."""
        self.close_contact(f"panel.{button}", HOLD_S)

    def close_contact(self, name: str, seconds: float = PRESS_S) -> None:
        """Presses the button at the line `name`."""
        self._drive(name, True, seconds)
        self._drive(name, False, RELEASED_S)

    def roll(self, faces: Faces) -> None:
        """Tells a throw as the dice box does (firmware/README.md)."""
        if self._hardware.encoding != "bus":
            raise DeviceError("a roll can be typed for a dice box only (encoding = bus)")
        self._drive("dice.rolling", True, TUMBLE_S)
        for wire in (1, 2, 4):
            self._show(wire)
            self._never.wait(STROBE_S)
        self._show(0)
        self._drive("dice.rolling", False)
        for die, face in zip(DICE, faces, strict=True):
            for value in (face, second(face)):
                self._show(value)
                self._drive(f"dice.strobe{die}", True, STROBE_S)
                self._drive(f"dice.strobe{die}", False, SETUP_S)
        self._show(0)

    def _show(self, face: int) -> None:
        for bit in range(3):
            self._drive(f"dice.b{bit}", bool(face >> bit & 1))
        self._never.wait(SETUP_S)

    def _drive(self, name: str, on: bool, seconds: float = 0.0) -> None:
        line = self._hardware.lines[name]
        pin = self._hardware.gpio.factory.pin(line.gpio)
        (pin.drive_high if on == (line.active == "high") else pin.drive_low)()
        self._never.wait(seconds)


def end_by_signal() -> None:
    """SIGTERM, or a terminal that goes away, ends a command like Ctrl-C, so that it silences the bell."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


def typed_lines(put: Callable[[str | None], object]) -> None:
    """Puts every line of standard input as it comes, from a thread of its own, and None at the end."""

    def read() -> None:
        try:
            with open(0, "rb", buffering=0, closefd=False) as raw:  # no lock to be held when Python ends
                for line in raw:
                    put(line.decode("utf-8", "replace").strip())
        except OSError:  # closed, or of a terminal that has gone: nobody types there
            pass
        put(None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
