"""The box on CPython and on the real MicroPython interpreter, and properties of all that it does."""

import inspect
import random
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from firmware.fakes import SECOND, FakeBoard, Play, shown
from firmware.scenarios import SCENARIOS
from firmware.toolchain import FIRMWARE, MICROPYTHON, output
from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.protocols import DiceEvent, Throw, ThrowVoid
from pi_bunco.devices.throws.bus import BUS, BusDice
from thorough import times

SMALL = 1 << 30


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_what_a_scenario_asserts_holds_on_cpython(scenario: Callable[[], None]) -> None:
    """A scenario is its own assertions, so that MicroPython runs it without pytest; one that fails raises."""
    assert "assert " in inspect.getsource(scenario)
    scenario()


@pytest.mark.process
def test_what_the_scenarios_assert_holds_on_micropython() -> None:
    names = output([MICROPYTHON, "-m", "firmware.scenarios"]).split()
    assert names == [scenario.__name__ for scenario in SCENARIOS]


@pytest.mark.process
def test_the_loop_allocates_nothing() -> None:
    counts, line = output([MICROPYTHON, "-m", "firmware.heap"], b"hello\n").splitlines()
    locked, constant = map(int, counts.split())
    assert locked > 20_000
    assert constant > 4_000
    assert line == "hello"


def test_no_number_outgrows_a_picos_small_integers() -> None:
    """Larger ones would be allocated there; an interpreter with 63 bits would not tell."""
    large: set[tuple[str, str, int]] = set()

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if not frame.f_code.co_filename.startswith(str(FIRMWARE)):
            return None
        mine = frame.f_locals.get("self")
        values = {**(vars(mine) if mine is not None else {}), **frame.f_locals, "value": arg}
        for name, value in values.items():
            if type(value) is int and not -SMALL <= value < SMALL:
                large.add((frame.f_code.co_name, name, value))
        return trace

    play = Play(start=SMALL - 1500, step_ms=20)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        play.ready()
        play.throw()
        play.board.usb.say("A," + play.boot() + ",999999999")
        play.board.usb.say("A," + play.boot() + ",9999999999")
        play.step_ms = 600_000_000
        for _ in range(50):
            play.step()
        play.step_ms = 20
        play.throw()
    finally:
        sys.settrace(before)
    assert len(play.settled()) == 6
    assert large == set()


@pytest.mark.parametrize(("seed", "slow_ms"), [(1, 15), (2, 30), (3, 60), (4, 120)])
def test_throws_by_jittering_loops_are_told_on_the_lines(seed: int, slow_ms: int) -> None:
    """Up to 250 throws for each of 4 loops; the Pi's end is played by `Wire`, which knows only the lines."""
    jitter = random.Random(seed)
    play = Play(SMALL - 10_000 * seed, seed)
    wire = Wire()
    play.ready()
    shows = []
    for count in range(1, times(250) + 1):
        play.board.roll = True
        while not play.board.tumbling:
            _late(play, wire, jitter, slow_ms)
        play.board.roll = False
        while len(wire.throws) < count:
            _late(play, wire, jitter, slow_ms)
        rested = wire.now + 700
        while wire.now < rested:
            _late(play, wire, jitter, slow_ms)
        shows.append(tuple(shown(groups) for groups in play.board.leds[1:]))
        play.ack(6 * count)
    assert wire.throws == shows
    throws = [event for event in wire.events if isinstance(event, Throw)]
    assert [throw.faces for throw in throws] == shows
    assert not any(isinstance(event, ThrowVoid) for event in wire.events)
    assert all(1600 <= throw.settled - throw.began <= 1600 + 4 * slow_ms for throw in throws)


class Wire:
    """Reads the seven lines and checks the times of firmware/README.md.

    `throws` are the faces under the first strobe of each die, `events` what the table's own decoder
    makes of the lines.
    """

    def __init__(self) -> None:
        self.now = 0
        self.events: list[DiceEvent] = []
        self._decoder = BusDice()
        self._before = dict.fromkeys(BUS, 0)
        self.throws: list[tuple[int, ...]] = []
        self._levels = (0, (0, 0, 0, 0), 0)
        self._changed = [-1000, -1000, -1000]
        self._faces: list[int] = []

    def read(self, play: Play, ms: int) -> None:
        """The levels until `ms` from now."""
        board = play.board
        levels = (board.faces, tuple(board.strobes), board.tumbling)
        changed = [now != before for now, before in zip(levels, self._levels, strict=True)]
        face_for, strobe_for, _ = (self.now - at for at in self._changed)
        if changed[0]:
            assert strobe_for >= 10, "the face goes too early"
        if changed[1] and any(board.strobes):
            assert face_for >= 10, "the strobe comes too early"
            assert board.strobes[len(self._faces) // 2 + 1] == sum(board.strobes) == 1
            self._faces.append(board.faces)
        elif changed[1]:
            assert strobe_for >= 25, "the strobe goes too early"
        if changed[2] and board.tumbling:
            assert not self._faces, "a throw begins before the last was told"
        if len(self._faces) == 6:
            assert self._faces[1::2] == [SECOND[face] for face in self._faces[::2]]
            self.throws.append(tuple(self._faces[::2]))
            self._faces = []
        self._changed = [self.now if new else at for new, at in zip(changed, self._changed, strict=True)]
        self._levels = levels  # type: ignore[assignment]
        self._decode(board)
        self.now += ms

    def _decode(self, board: FakeBoard) -> None:
        bits = [board.faces >> place & 1 for place in range(3)]
        after = dict(zip(BUS, (*bits, *board.strobes[1:], board.tumbling), strict=True))
        for name, level in after.items():
            if level != self._before[name]:
                self.events += self._decoder.change(Change(self.now, name, bool(level)))
        self.events += self._decoder.quiet(self.now)
        self._before = after


def _late(play: Play, wire: Wire, jitter: random.Random, slow_ms: int) -> None:
    play.step_ms = jitter.randint(1, slow_ms)
    play.step()
    wire.read(play, play.step_ms)
