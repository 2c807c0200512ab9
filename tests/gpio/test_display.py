import queue
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from luma.core.device import dummy  # type: ignore[import-untyped]
from msgspec.structs import replace

from gpio.wires import WAIT
from pi_bunco.devices.lights import display
from pi_bunco.devices.lights.display import (
    SIZE,
    Display,
    NoLights,
    Together,
    heading,
    notes,
    picture,
    wrapped,
)
from pi_bunco.devices.protocols import LightState
from pi_bunco.devices.throws.reasons import (
    BoxRestarted,
    OfDie,
    ReportsMissing,
    SettledTooLate,
    StayedHigh,
    WiresOfDie,
)
from pi_bunco.game.reasons import ResultFinal
from pi_bunco.reason import REASONS, Reason
from pi_bunco.table import reasons as table_reasons
from pi_bunco.table.effects import ShowLights
from pi_bunco.words.catalogue import LANGUAGES
from thorough import times

STATES = {
    "first_roll": LightState("A", "pass", "running", message="Roll 3s  US 0, THEM 0"),
    "again": LightState("B", "roll again", "running", message="Roll 6s  US 17, THEM 20"),
    "refused": LightState(
        "C",
        "pass",
        "stop",
        ok_blinks=True,
        message="Roll 4s  US 21, THEM 9\nDoes not count: table 2 is done for this round",
    ),
    "finish": LightState("D", "roll again", "finish", message="Roll 1s  US 8, THEM 12"),
    "tie": LightState("A", "pass", "stop", rolloff=True, message="Roll 5s  US 14, THEM 14"),
    "one_die": LightState(None, None, "stop", rolloff=True, message="Roll 5s  US 14, THEM 14"),
    "looking": LightState(saved=False, online=False, fault=True, message="Looking for the head table"),
    "dark_news": LightState(message="Roll all three again: die 2 was not thrown, die 3 did not settle"),
}


@pytest.mark.parametrize("name", STATES)
def test_a_picture_is_black_and_white_of_the_right_size_and_in_a_file(name: str, tmp_path: Path) -> None:
    image = picture(STATES[name])
    assert (image.size, image.mode) == (SIZE, "1")
    image.save(tmp_path / "picture.png")
    assert 100 < sum(map(bool, image.tobytes())) < SIZE[0] * SIZE[1] / 8
    others = [picture(state).tobytes() for other, state in STATES.items() if other != name]
    assert image.tobytes() not in others


def test_the_heading_says_what_is_to_be_done() -> None:
    assert {name: heading(state) for name, state in STATES.items()} == {
        "first_roll": "A to roll",
        "again": "B again",
        "refused": "Press OK",
        "finish": "End: D again",
        "tie": "Tie: A to roll",
        "one_die": "Roll-off",
        "looking": "Bunco",
        "dark_news": "Bunco",
    }
    assert notes(STATES["looking"]) == [
        "Looking for the head table",
        "Out of order: call the host",
        "Not saved yet",
    ]


@settings(max_examples=times(50))
@given(st.text(st.characters(codec="latin-1"), max_size=60))
def test_any_text_is_wrapped_to_the_width_in_its_order(text: str) -> None:
    parts = wrapped(text)
    assert all(parts)
    if all(len(word) < 8 for word in text.split()):
        assert " ".join(parts).split() == text.split()
    assert picture(LightState(message=text)).size == SIZE


@pytest.mark.parametrize("letters", [60, 61])
def test_a_word_that_is_too_long_fills_the_width(letters: int) -> None:
    (part,) = wrapped("x" * letters)
    assert not display._fits(f"{part}x", display.SMALL_DOTS)


class Chip:
    """luma's own device without hardware, whose pictures can be waited for; the first calls fail."""

    def __init__(self, failures: int = 0) -> None:
        self.shown: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.opened = 0
        self.dark = 0
        self._failures = failures

    def open(self, chip: str) -> Any:
        self.opened += 1
        device = dummy(width=SIZE[0], height=SIZE[1], mode="1")
        display, cleanup = device.display, device.cleanup

        def shows(image: Any) -> None:
            if self._failures:
                self._failures -= 1
                raise OSError(121, "Remote I/O error")
            display(image)
            self.shown.put(device.image.tobytes())

        def darkens() -> None:
            self.dark += 1
            cleanup()

        device.display, device.cleanup = shows, darkens
        return device


def shown_reasons() -> Iterator[Reason]:
    """Each line that a table has for its display, of long names."""
    for kind in REASONS.values():
        if kind.__module__ != table_reasons.__name__:
            continue
        values: dict[Any, Any] = {int: 17, Reason: ResultFinal(12), str: "Denise"}
        fields = {one.name: one.type for one in msgspec.structs.fields(kind)}
        purpose = table_reasons.PURPOSES["lowest_score"]
        yield kind(
            **{name: purpose if name == "purpose" else values[type_] for name, type_ in fields.items()}
        )
    voids: list[Reason] = [
        kind(3) for kind in REASONS.values() if issubclass(kind, OfDie) and kind is not WiresOfDie
    ]
    voids += [BoxRestarted(), ReportsMissing(), SettledTooLate(), WiresOfDie(3, StayedHigh(("strobe3",)))]
    yield from map(table_reasons.RollAllAgain, voids)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_of_a_table_fits(language: str) -> None:
    room = (display.SIZE[1] - display.HEAD_HEIGHT_DOTS) // display.LINE_HEIGHT_DOTS
    lines = {reason: ShowLights(LightState(), (reason,)).in_language(language) for reason in shown_reasons()}
    assert len(lines) > 25
    parts = [display.wrapped(state.message) for state in lines.values()]
    assert [found for found in parts if len(found) > room] == []
    for state in (LightState(ok_blinks=True), LightState(rolloff=True), LightState(round="finish")):
        assert display._fits(heading(replace(state, language=language)), display.SMALL_DOTS)


def test_a_display_speaks_german() -> None:
    shown = ShowLights(LightState(turn="C", next="pass", online=False), (table_reasons.WaitForBell(),))
    state = shown.in_language("de")
    assert display.heading(state) == "C wirft"
    assert display.notes(state) == ["Wartet auf die Glocke", "Sucht die Zentrale"]


def test_the_display_shows_the_latest_state_and_is_dark_at_the_end() -> None:
    chip = Chip()
    display = Display("ssd1306", chip.open)
    for state in (STATES["again"], STATES["tie"]):
        display.show(state)
        assert chip.shown.get(timeout=WAIT) == picture(state).tobytes()
    display.close()
    assert (chip.opened, chip.dark) == (1, 1)


def test_a_display_that_comes_loose_is_told_once_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    chip = Chip(failures=2)
    lights, display = create_autospec(NoLights, instance=True), Display("sh1106", chip.open)
    both = Together(lights, display)
    both.show(STATES["tie"])
    while chip.shown.empty():
        both.show(STATES["tie"])  # each one wakes the display, which would wait for a second else
    assert chip.shown.get(timeout=WAIT) == picture(STATES["tie"]).tobytes()
    both.close()
    lights.show.assert_called_with(STATES["tie"])
    lights.close.assert_called_once_with()
    assert (chip.opened, caplog.text.count("the display cannot be used")) == (3, 1)


def test_a_table_without_hardware_imports_none_of_its_libraries() -> None:
    code = (
        "import sys; from pi_bunco.runtime.clock import SystemClock; from pi_bunco.devices.kinds import *;"
        "setup = Setup(Hardware(SystemClock()), print);"
        "[kinds.open('virtual', setup) for kinds in (DICE_KINDS, PANEL_KINDS, LIGHTS_KINDS, BELL_KINDS)];"
        "print([m for m in ('gpiozero', 'gpiod', 'RPi', 'luma', 'PIL') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=WAIT)
    assert done.stdout == b"[]\n"


@pytest.mark.parametrize("there", [0x3C, 0x3D])
def test_a_display_answers_at_either_address(there: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from luma.core.error import DeviceNotFoundError  # type: ignore[import-untyped]
    from luma.core.interface import serial  # type: ignore[import-untyped]
    from luma.oled import device  # type: ignore[import-untyped]

    def chip(address: int) -> int:
        if address != there:
            raise DeviceNotFoundError(f"I2C device not found on address: {address:#x}")
        return address

    monkeypatch.setattr(serial, "i2c", lambda port, address: address)
    monkeypatch.setattr(device, "ssd1306", chip)
    assert display.open_chip("ssd1306") == there
    there = 0
    with pytest.raises(DeviceNotFoundError):
        display.open_chip("ssd1306")
