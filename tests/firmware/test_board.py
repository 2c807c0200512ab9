"""The Pico's own board module, on a `machine` that remembers what it is told."""

import importlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from firmware.fakes import FakePort, Play
from firmware.toolchain import FIRMWARE


class Pin:
    """A pin whose level is what was driven, or what holds it."""

    OUT, IN, PULL_UP = "out", "in", "up"
    levels: dict[int, int] = {}  # noqa: RUF012 - the pins of the one machine
    held: dict[int, int] = {}  # noqa: RUF012

    def __init__(self, gp: int, mode: str = "", pull: str = "", value: int | None = None) -> None:
        self.gp = gp
        if pull == "up":
            self.levels[gp] = 1
        if value is not None:
            self.levels[gp] = value

    def value(self, level: int | None = None) -> int:
        if level is not None:
            self.levels[self.gp] = level
        return self.held.get(self.gp, self.levels[self.gp])


class Pwm:
    duties: dict[int, int] = {}  # noqa: RUF012

    def __init__(self, pin: Pin, freq: int, duty_u16: int) -> None:
        self._gp = pin.gp
        self.duty_u16(duty_u16)

    def duty_u16(self, duty: int) -> None:
        self.duties[self._gp] = duty


class Register:
    """The oscillator's bit, which is another one each time but for every third."""

    def __init__(self) -> None:
        self.read: list[int] = []

    def __getitem__(self, address: int) -> int:
        self.read.append(address)
        return len(self.read) % 3 % 2


class Wdt:
    fed = -1

    def __init__(self, timeout: int) -> None:
        self.timeout = timeout
        Wdt.fed = 0

    def feed(self) -> None:
        Wdt.fed += 1


@pytest.fixture
def pico(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The board module, fresh."""
    machine, micropython, console = (ModuleType(name) for name in ("machine", "micropython", "console"))
    vars(machine).update(Pin=Pin, PWM=Pwm, WDT=Wdt, mem32=Register(), unique_id=lambda: bytes(range(8)))
    vars(micropython).update(
        interrupts=[], kbd_intr=lambda code: vars(micropython)["interrupts"].append(code)
    )
    vars(console).update(Console=FakePort)
    for module in (machine, micropython, console):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    slept: list[int] = []
    monkeypatch.setattr(time, "sleep_ms", slept.append, raising=False)
    monkeypatch.setattr(time, "ticks_us", lambda: 1000 * sum(slept), raising=False)
    monkeypatch.setattr(time, "ticks_ms", lambda: sum(slept), raising=False)
    for remembered in (Pin.levels, Pin.held, Pwm.duties):
        remembered.clear()
    Wdt.fed = -1
    monkeypatch.delitem(sys.modules, "board", raising=False)
    yield importlib.import_module("board")
    sys.modules.pop("board", None)


def test_everything_is_off_at_start(pico: ModuleType) -> None:
    board = pico.BoxBoard()
    board.check()
    assert Pwm.duties == dict.fromkeys(range(12), 0)
    assert {gp: Pin.levels[gp] for gp in range(16, 23)} == dict.fromkeys(range(16, 23), 0)
    assert not board.roll_pressed()
    assert not board.dim_pressed()
    assert board.name == b"dicebox-0607"
    assert Wdt.fed == -1


def test_leds_lines_and_buttons_are_where_the_readme_says(pico: ModuleType) -> None:
    board = pico.BoxBoard()
    for die in (1, 2, 3):
        for place, group in enumerate((1, 2, 4, 8)):
            board.show(die, group)
            assert [gp for gp, duty in Pwm.duties.items() if duty] == [4 * (die - 1) + place]
        board.show(die, 0)
        board.strobe(die, 1)
        assert Pin.levels[18 + die] == 1
        board.strobe(die, 0)
        assert Pin.levels[18 + die] == 0
    board.face(6)
    board.rolling(1)
    assert [Pin.levels[gp] for gp in (16, 17, 18, 22)] == [0, 1, 1, 1]
    Pin.levels[15] = 0
    assert (board.roll_pressed(), board.dim_pressed()) == (True, False)
    Pin.levels.update({14: 0, 15: 1})
    assert (board.roll_pressed(), board.dim_pressed()) == (False, True)


def test_brightness_holds_for_what_is_lit_and_what_will_be(pico: ModuleType) -> None:
    board = pico.BoxBoard()
    board.show(1, 1)
    board.dim(8000)
    board.show(2, 1)
    assert {gp: duty for gp, duty in Pwm.duties.items() if duty} == {0: 8000, 4: 8000}


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize(("gp", "dice"), [(0, (1,)), (7, (2,)), (10, (3,)), (17, (1, 2, 3))])
def test_a_line_that_is_held_is_a_fault(pico: ModuleType, gp: int, dice: tuple[int, ...], level: int) -> None:
    Pin.held[gp] = level
    board = pico.BoxBoard()
    with pytest.raises(pico.Fault, match=f"GP{gp} is stuck") as caught:
        board.check()
    assert caught.value.dice == dice
    board.show(1, 8)
    assert Pwm.duties[3] == 65535, "a fault must still be able to show"


def test_lines_that_mean_a_throw_are_not_tried(pico: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    driven: list[int] = []
    plain = Pin.value

    def value(pin: Pin, level: int | None = None) -> int:
        if level:
            driven.append(pin.gp)
        return plain(pin, level)

    monkeypatch.setattr(Pin, "value", value)
    pico.BoxBoard()
    assert driven == [*range(12), 16, 17, 18]


def test_the_guard_is_a_watchdog_and_no_more_interrupts(pico: ModuleType) -> None:
    board = pico.BoxBoard()
    board.feed()
    assert Wdt.fed == -1
    board.guard()
    board.feed()
    assert Wdt.fed == 1
    assert board._watchdog.timeout <= 8388, "the Pico's watchdog can count no further"
    assert vars(sys.modules["micropython"])["interrupts"] == [-1]


def test_time_passes_and_randomness_is_the_systems(pico: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    board = pico.BoxBoard()
    before = board.ticks()
    board.wait()
    assert board.ticks() == before + pico.STEP_MS
    monkeypatch.setattr(os, "urandom", lambda count: b"x" * count)
    assert board.random(3) == b"xxx"


def test_a_box_on_the_picos_board_throws(pico: ModuleType) -> None:
    """The lines of the real board while a box plays on it."""
    board = pico.BoxBoard()
    play = Play()
    play.box = sys.modules["box"].Box(board)

    told: list[bytes] = []

    def run(ms: int) -> None:
        for _ in range(ms // pico.STEP_MS):
            play.box.step()
            told.append(board.ports[0].heard())
            board.wait()

    run(1000)
    Pin.levels[15] = 0
    run(100)
    assert Pin.levels[22] == 1
    Pin.levels[15] = 1
    run(2600)
    assert Pin.levels[22] == 0
    lit = [[gp for gp in range(4 * die, 4 * die + 4) if Pwm.duties[gp]] for die in range(3)]
    assert all(lit)
    assert b"".join(told).count(b"$R,") >= 3
    assert set(vars(sys.modules["machine"])["mem32"].read) == {0x4006001C}


def test_the_readme_names_every_pin_and_file(pico: ModuleType) -> None:
    readme = (FIRMWARE / "README.md").read_text()
    table = {
        gp: words[2].strip()
        for words in (line.split("|") for line in readme.splitlines() if line.startswith("| GP"))
        for gp in words[1].split()
    }
    wires = [
        *(f"die {die}: centre, diagonal 1, diagonal 2, sides" for die in (1, 2, 3) for _ in range(4)),
        "brightness button, to ground (four levels)",
        "roll button, to ground",
        *["face lines b0, b1, b2 to the Pi"] * 3,
        *["strobes of die 1, 2, 3 to the Pi"] * 3,
        "`rolling` to the Pi",
    ]
    pins = [
        *(gp for die in pico.LEDS for gp in die),
        *(pico.DIM, pico.ROLL),
        *(*pico.FACE, *pico.STROBES, pico.ROLLING),
    ]
    assert table == {f"GP{gp}": wire for gp, wire in zip(pins, wires, strict=True)}
    (copied,) = [line for line in readme.splitlines() if "mpremote cp" in line]
    assert sorted(copied.strip(" `:").split()[2:]) == sorted(file.name for file in FIRMWARE.glob("*.py"))


def test_a_reason_that_is_kept_already_is_not_written_again(
    pico: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    note = tmp_path / pico.NOTE
    board = pico.BoxBoard()
    board.note("GP17 is stuck")
    os.utime(note, ns=(1, 1))
    board.note("GP17 is stuck")
    assert note.stat().st_mtime_ns == 1
    board.note("GP18 is stuck")
    assert (note.read_text(), note.stat().st_mtime_ns > 1) == ("GP18 is stuck\n", True)
