"""Devices that do what they are told, by method calls, by lines of text, and from a recording."""

import contextlib
import json
import queue
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clocks import FakeClock
from pi_bunco.devices.bell.limits import LONGEST_MS
from pi_bunco.devices.dice.serial import SerialDice
from pi_bunco.devices.kinds import (
    BELL_KINDS,
    DICE_KINDS,
    LIGHTS_KINDS,
    PANEL_KINDS,
    Hardware,
    Kinds,
    Setup,
)
from pi_bunco.devices.protocols import (
    BUTTONS,
    Bell,
    Blast,
    Blasts,
    DeviceError,
    DeviceEvent,
    Dice,
    DiceState,
    Lights,
    Panel,
    Press,
    Put,
    Throw,
    ThrowMark,
    ThrowVoid,
)
from pi_bunco.devices.throws.reasons import NotThrown
from pi_bunco.devices.virtual import (
    Recorded,
    RecordedDice,
    RecordingPlayer,
    TypedMoves,
    VirtualBell,
    VirtualDice,
    VirtualPanel,
    read,
    shifted,
)
from pi_bunco.runtime.clock import Clock

START = [Blast("bell", 1000, 0)]


class Recorder:
    """A `put` that passes events on and notes them in the file `path`, written anew."""

    def __init__(self, path: Path, put: Put, clock: Clock) -> None:
        self._put, self._clock = put, clock
        self._began = clock.now()
        self._file = path.open("wb")

    def __call__(self, event: DeviceEvent) -> None:
        self._put(event)
        line = Recorded(self._clock.now() - self._began, shifted(event, -self._began))
        self._file.write(msgspec.json.encode(line) + b"\n")

    def close(self) -> None:
        self._file.close()


def test_virtual_dice_and_panel_report_what_they_are_told() -> None:
    events: list[DeviceEvent] = []
    clock = FakeClock(5000)
    dice, panel = VirtualDice(events.append, clock), VirtualPanel(events.append, clock)
    dice.roll((1, 4, 6), tumble_ms=800, mark=ThrowMark("b", 6))
    panel.press("ok")
    panel.hold("undo", 1200)
    assert events == [
        Throw((1, 4, 6), 4200, 5000, ThrowMark("b", 6)),
        Press("ok", 5000, 0),
        Press("undo", 3800, 1200),
    ]


def test_virtual_devices_live_until_closed() -> None:
    dice, panel = VirtualDice(print, FakeClock()), VirtualPanel(print, FakeClock())
    for device in (dice, panel):
        device.start()
        assert device.alive()
        device.close()
        assert not device.alive()


def typed(*lines: str) -> list[DeviceEvent]:
    events: list[DeviceEvent] = []
    clock = FakeClock(9000)
    dice, panel = VirtualDice(events.append, clock), VirtualPanel(events.append, clock)
    moves = TypedMoves(dice.roll, panel.press, panel.hold)
    for line in lines:
        moves.obey(line)
    return events


def test_lines_become_events() -> None:
    assert typed("roll 1 4 6", "", "  press ok", "hold undo") == [
        Throw((1, 4, 6), 9000, 9000),
        Press("ok", 9000, 0),
        Press("undo", 8000, 1000),
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("roll 1 4", "roll needs three faces"),
        ("roll 1 4 7", "roll needs three faces"),
        ("roll 1 4 6 6", "roll needs three faces"),
        ("roll ١ 1 1", "roll needs three faces"),
        ("press", "name one button of: one, two"),
        ("press okay", "name one button of: one, two"),
        ("press undo", "hold undo"),
        ("rol 1 4 6", "did you mean roll?"),
        ("bell", "use roll, press or hold"),
        ("press bell", "the bell button cannot be moved by typing"),
    ],
)
def test_a_bad_line_gets_a_sentence(line: str, why: str) -> None:
    with pytest.raises(DeviceError, match=re.escape(why)):
        typed(line)


@given(st.text())
def test_any_line_is_obeyed_or_refused_with_a_sentence(line: str) -> None:
    with contextlib.suppress(DeviceError):
        typed(line)


def test_a_bell_notes_its_rings_for_others(tmp_path: Path) -> None:
    clock, log = FakeClock(1000), tmp_path / "rings.jsonl"
    bell = VirtualBell(clock, log)
    assert bell.ring(Blasts("r1-start", tuple(START))) == 1000
    clock.advance(500)
    assert bell.ring(Blasts("r1-end", (Blast("bell+horn", 500, 200),) * 2, wait_ms=200)) == 1700
    assert [json.loads(line) for line in log.read_text().splitlines()] == [
        {"id": "r1-start", "t": 1000.0, "pattern": [["bell", 1000, 0]]},
        {"id": "r1-end", "t": 1700.0, "pattern": [["bell+horn", 500, 200], ["bell+horn", 500, 200]]},
    ]


def test_a_bell_has_a_limit_of_its_own(tmp_path: Path) -> None:
    bell = VirtualBell(FakeClock(), tmp_path / "rings.jsonl")
    bell.ring(Blasts("long", (Blast("horn", 2000, 100), Blast("horn", 60_000, 0), Blast("horn", 1, 0))))
    rung = json.loads((tmp_path / "rings.jsonl").read_text())
    assert rung["pattern"] == [["horn", 2000, 100], ["horn", LONGEST_MS - 2000, 0]]


times = st.integers(0, 10**9).map(float)
three = st.tuples(*[st.integers(1, 6)] * 3)
device_events: st.SearchStrategy[DeviceEvent] = st.one_of(
    st.builds(
        Throw, three, times, times, st.none() | st.builds(ThrowMark, st.text(max_size=8), st.integers(1, 99))
    ),
    st.builds(ThrowVoid, st.text(), times),
    st.builds(ThrowVoid.because, st.builds(NotThrown, st.integers(1, 3)), times),
    st.builds(DiceState, st.integers(1, 3), st.sampled_from(("ok", "weak", "unheard"))),
    st.builds(Press, st.sampled_from(BUTTONS), times, st.integers(0, 5000)),
)


@given(st.lists(st.tuples(st.integers(0, 5000), device_events), max_size=20))
def test_recording_is_replayed_with_its_pauses(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[int, DeviceEvent]]
) -> None:
    path = tmp_path_factory.mktemp("recorded") / "evening.jsonl"
    clock = FakeClock(10_000)
    passed: list[DeviceEvent] = []
    with closing(Recorder(path, passed.append, clock)) as put:
        for pause, event in history:
            clock.advance(pause)
            put(event)
    assert passed == [event for _, event in history]
    replay, now, left = RecordingPlayer(read(path), 10_000), 10_000.0, history
    while replay.next_at is not None:
        now = replay.next_at
        assert list(replay.due(now - 1)) == []
        for again in replay.due(now):
            (pause, event), *left = left
            assert again == event
    assert left == []
    assert now <= 10_000 + sum(pause for pause, _ in history)


def test_a_shifted_event_is_the_same_event_later() -> None:
    assert shifted(Throw((1, 2, 3), 10, 20), 5) == Throw((1, 2, 3), 15, 25)
    assert shifted(ThrowVoid("why", 10), 5) == ThrowVoid("why", 15)
    assert shifted(Press("ok", 10, 7), 5) == Press("ok", 15, 7)
    assert shifted(DiceState(1, "ok"), 5) == DiceState(1, "ok")


def test_a_replay_gives_what_is_due_and_not_more() -> None:
    presses = [Press("one", 0, 0), Press("two", 400, 0), Press("ok", 900, 0)]
    replay = RecordingPlayer([Recorded(press.at, press) for press in presses], 2000)
    assert list(replay.due(1999)) == []
    assert list(replay.due(2400)) == [Press("one", 2000, 0), Press("two", 2400, 0)]
    assert list(replay.due(2400)) == []
    assert replay.next_at == 2900


@pytest.mark.parametrize(
    "line", ["{", '{"at":1}', '{"at":1,"event":{"kind":"throw","faces":[1,2,9]}}', "\udcff"]
)
def test_a_bad_recording_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "bad.jsonl"
    good = '{"at":1,"event":{"kind":"dice","die":1,"state":"ok"}}'
    path.write_bytes(f"{good}\n{line}\n".encode(errors="surrogateescape"))
    with pytest.raises(DeviceError, match=r"bad\.jsonl, line 2: "):
        read(path)


def test_recorded_dice_play_in_a_thread_and_stop(tmp_path: Path) -> None:
    path = tmp_path / "evening.jsonl"
    clock = FakeClock(100)
    with closing(Recorder(path, lambda event: None, clock)) as put:
        put(Press("ok", 100, 5))
        clock.advance(1e9)
        put(Press("help", clock.now(), 5))
    events: queue.Queue[DeviceEvent] = queue.Queue()
    with closing(RecordedDice(path, events.put, FakeClock(7000))) as dice:
        dice.start()
        dice.committed("b", 1)
        assert events.get(timeout=30) == Press("ok", 7000, 5)
        assert dice.alive()
    assert not dice.alive()
    assert events.empty()


def test_the_kinds_know_the_words_of_the_config(tmp_path: Path) -> None:
    setup, recording = Setup(Hardware(FakeClock())), tmp_path / "evening.jsonl"
    recording.write_bytes(b"")
    dice: list[Dice] = [
        DICE_KINDS.open(option, setup) for option in ("virtual", "serial:/dev/x:y", f"recorded:{recording}")
    ]
    assert [type(one) for one in dice] == [VirtualDice, SerialDice, RecordedDice]
    panel: Panel = PANEL_KINDS.open("virtual", setup)
    lights: Lights = LIGHTS_KINDS.open("virtual", setup)
    bells: list[Bell] = [
        BELL_KINDS.open(option, setup) for option in ("virtual", f"virtual:{tmp_path / 'rings'}")
    ]
    bells[1].ring(Blasts("r", tuple(START)))
    assert (tmp_path / "rings").read_bytes().count(b"\n") == 1
    closing_all: list[Dice | Panel | Lights | Bell] = [*dice, panel, lights, *bells]
    for device in closing_all:
        device.close()


@pytest.mark.parametrize("option", ["gpio", "serial:", "recorded:", "bluetooth", "virtual:", ""])
def test_a_kind_that_is_not_there_is_refused_with_those_that_are(option: str) -> None:
    every: tuple[Kinds[Any], ...] = (DICE_KINDS, PANEL_KINDS, LIGHTS_KINDS, BELL_KINDS)
    for kinds in every:
        with pytest.raises(DeviceError, match="virtual") as refused:
            kinds.open(option, Setup(Hardware(FakeClock())))
        assert ("no GPIO header" in str(refused.value)) == (option == "gpio")


def test_a_recording_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match=r"none\.jsonl cannot be read: No such file"):
        DICE_KINDS.open(f"recorded:{tmp_path / 'none.jsonl'}", Setup(Hardware(FakeClock())))
