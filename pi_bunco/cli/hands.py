"""What `--stdin` moves for want of hardware: virtual devices, or the mock pins that gpio devices are at."""

import queue
import signal
import threading
from collections.abc import Callable
from typing import Any, ParamSpec

from pi_bunco.devices import typed
from pi_bunco.devices.dice.throw_rule import DICE
from pi_bunco.devices.kinds import Hardware
from pi_bunco.devices.panel.virtual import VirtualPanel
from pi_bunco.devices.pins import Line
from pi_bunco.devices.protocols import Button, DeviceError, Faces

PRESS_S, HOLD_S, REST_S = 0.06, 1.1, 0.06
TUMBLE_S, SETUP_S, STROBE_S = 0.1, 0.03, 0.06
ANSWER_S = 5.0
"""So soon a device reports what was done to it."""
Arguments = ParamSpec("Arguments")
WORDS = ("press", "hold", "roll")


class MockHands:
    """Fingers and a dice box at mock pins; every method takes as long as in life."""

    def __init__(self, hardware: Hardware) -> None:
        self._hardware = hardware
        self._never = threading.Event()

    def press(self, name: str, seconds: float = PRESS_S) -> None:
        """Holds the button at the line `name`."""
        self._drive(name, True, seconds)
        self._drive(name, False, REST_S)

    def roll(self, faces: Faces) -> None:
        """Tells a throw as the dice box does (PROTOCOL.md section 4)."""
        if self._hardware.encoding != "bus":
            raise DeviceError("a roll can be typed for a dice box only (encoding = bus)")
        self._drive("dice.rolling", True, TUMBLE_S)
        for wire in (1, 2, 4):
            self._show(wire)
            self._never.wait(STROBE_S)
        self._show(0)
        self._drive("dice.rolling", False)
        for die, face in zip(DICE, faces, strict=True):
            for value in (face, 7 - face):
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
        (pin.drive_high if on == _high(line) else pin.drive_low)()
        self._never.wait(seconds)


def _high(line: Line) -> bool:
    return line.active == "high"


class Hands:
    """Does what a line says and waits for what the device then reports.

    `dice`, `panel` and `bell_button` are how each is moved; one that is None is real and moved by people.
    """

    def __init__(self) -> None:
        self.dice: Callable[[Faces], None] | None = None
        self.panel: Callable[[Button, bool], None] | None = None
        self.bell_button: Callable[[], None] | None = None
        self.reported: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def obey(self, line: str) -> None:
        """Does it; `DeviceError` says what is wrong with the line."""
        match line.split():
            case ["press", "bell"]:
                _there(self.bell_button, "bell button")()
            case ["roll", *words]:
                _there(self.dice, "dice")(typed.faces(words))
            case ["press" | "hold" as word, *words]:
                _there(self.panel, "panel")(typed.button(words), word == "hold")
            case _:
                raise DeviceError(f"{line[:40]!r} is not understood: use press, hold or roll")

    def answer(self) -> Any:
        """What the device reported; None if nothing comes soon."""
        try:
            return self.reported.get(timeout=ANSWER_S)
        except queue.Empty:
            return None

    def hold_virtual(self, panel: VirtualPanel) -> None:
        """The panel is that."""
        self.panel = lambda button, long: panel.hold(button) if long else panel.press(button)

    def hold_mock(self, mock: MockHands) -> None:
        """The panel is at mock pins."""
        self.panel = lambda button, long: mock.press(f"panel.{button}", HOLD_S if long else PRESS_S)


def _there(move: Callable[Arguments, None] | None, device: str) -> Callable[Arguments, None]:
    if move is None:
        raise DeviceError(f"the {device} cannot be moved by typing")
    return move


def end_by_signal() -> None:
    """SIGTERM, or a terminal that goes away, ends a command like Ctrl-C, so that it silences the bell."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


def typed_lines(put: Callable[[str | None], object]) -> None:
    """Puts every line of standard input as it comes, from a thread of its own, and None at the end."""
    threading.Thread(target=_read, args=(put,), name="stdin", daemon=True).start()


def _read(put: Callable[[str | None], object]) -> None:
    try:
        with open(0, "rb", buffering=0, closefd=False) as raw:  # no lock to be held when Python ends
            for line in raw:
                put(line.decode("utf-8", "replace").strip())
    except OSError:  # closed, or of a terminal that has gone: nobody types there
        pass
    put(None)
