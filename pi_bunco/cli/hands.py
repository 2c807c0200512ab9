"""What `--stdin` moves for want of hardware: virtual devices, or the mock pins that gpio devices are at."""

import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any

from pi_bunco.devices import typed
from pi_bunco.devices.factory import Hardware
from pi_bunco.devices.pins import Line
from pi_bunco.devices.protocols import Button, DeviceError, Faces
from pi_bunco.devices.throws import DICE
from pi_bunco.devices.virtual import VirtualDice, VirtualPanel

PRESS_S, HOLD_S, REST_S = 0.06, 1.1, 0.06
TUMBLE_S, SETUP_S, STROBE_S = 0.1, 0.03, 0.06
ANSWER_S = 2.0
"""So soon a device reports what was done to it."""
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
        self._drive("dice.rolling", False)
        for die, face in zip(DICE, faces, strict=True):
            self._show(face)
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
                self._moved("bell button", self.bell_button)()
            case ["roll", *words]:
                self._moved("dice", self.dice)(typed.faces(words))
            case ["press" | "hold" as word, *words]:
                self._moved("panel", self.panel)(_button(word, words), word == "hold")
            case _:
                raise DeviceError(f"{line[:40]!r} is not understood: use press, hold or roll")

    def answer(self, kinds: Sequence[type], other: Callable[[Any], None]) -> Any:
        """The first report of these kinds, None if none comes soon; `other` gets what is reported before."""
        try:
            while not isinstance(report := self.reported.get(timeout=ANSWER_S), tuple(kinds)):
                other(report)
        except queue.Empty:
            return None
        return report

    def _moved(self, device: str, move: Any) -> Any:
        if move is None:
            raise DeviceError(f"the {device} is not one that can be typed here")
        return move


def virtual_panel(panel: VirtualPanel) -> Callable[[Button, bool], None]:
    """How a virtual panel is moved."""
    return lambda button, held: panel.hold(button) if held else panel.press(button)


def mock_panel(hands: MockHands) -> Callable[[Button, bool], None]:
    """How a panel at mock pins is moved."""
    return lambda button, held: hands.press(f"panel.{button}", HOLD_S if held else PRESS_S)


def virtual_dice(dice: VirtualDice) -> Callable[[Faces], None]:
    """How virtual dice are moved."""
    return dice.roll


def _button(word: str, words: Sequence[str]) -> Button:
    button = typed.button(words)
    if (button, word) == ("undo", "press"):
        raise DeviceError("undo is held for a second: hold undo")
    return button
