"""Keyboard input: single keys of the demo, lines, and devices that lines move where there is no hardware."""

import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pi_bunco.cli.parser import ENDS
from pi_bunco.devices.kinds import Hardware
from pi_bunco.devices.protocols import DICE, Button, DeviceError, ThreeFaces
from pi_bunco.devices.throws.strobes import second

KEYS_S = 0.05
"""Seconds between two looks at the keyboard of a console that cannot be waited for."""
PRESS_S, HOLD_S, RELEASED_S = 0.06, 1.1, 0.06
TUMBLE_S, SETUP_S, STROBE_S = 0.1, 0.03, 0.06
"""Times in which a dice box is rolling, shows a face before its strobe, and strobes (s)."""


@contextmanager
def keys(put: Callable[[str], object]) -> Iterator[bool]:
    """Puts each key as it is pressed, unechoed; False where there is no terminal to press one on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield False
        return
    if sys.platform == "win32":
        with _windows_keys(put):
            yield True
        return
    import termios
    import tty

    keyboard = sys.stdin.fileno()
    before = termios.tcgetattr(keyboard)
    reading, writing = os.pipe()
    thread = threading.Thread(target=_listen, args=(keyboard, reading, put), name="keys", daemon=True)
    try:
        tty.setcbreak(keyboard)
        thread.start()
        yield True
    finally:
        os.write(writing, b"x")
        thread.join()
        with contextlib.suppress(termios.error):  # the terminal has been closed
            termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
        os.close(reading)
        os.close(writing)


@contextmanager
def _windows_keys(put: Callable[[str], object]) -> Iterator[None]:
    ended = threading.Event()
    thread = threading.Thread(target=_listen_on_windows, args=(ended, put), name="keys", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _listen_on_windows(ended: threading.Event, put: Callable[[str], object]) -> None:
    if sys.platform == "win32":
        import msvcrt

        while not ended.wait(KEYS_S):
            while msvcrt.kbhit():
                key = msvcrt.getwch()
                put("\n" if key == "\r" else key)


def _listen(keyboard: int, stop: int, put: Callable[[str], object]) -> None:
    """Passes keys on until `stop` is readable or the terminal is gone."""
    with contextlib.suppress(OSError):
        while True:
            ready, _, _ = select.select([keyboard, stop], [], [])
            if stop in ready:
                return
            pressed = os.read(keyboard, 64)
            if not pressed:
                return
            for key in pressed.decode("utf-8", "replace"):
                put(key)


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

    def roll(self, faces: ThreeFaces) -> None:
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
    for number in ENDS:
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
