"""A USB number pad as a panel, from a stream of the kernel's input events."""

import os
import queue
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.config import Config
from pi_bunco.devices.kinds import PANEL_KINDS, Hardware, Setup
from pi_bunco.devices.panel.keypad import EVENT, EVIOCGRAB, Keypad, KeyReader, keys, names, parts
from pi_bunco.devices.protocols import BUTTONS, Press, Stuck
from pi_bunco.runtime.clock import SystemClock

# As a number pad sends it: a scan code (4, 4), the key, and the end of the report (0, 0, 0).
KP1, KPENTER, KPMINUS, NUMLOCK, A = 79, 96, 74, 69, 30
WAIT = 60.0


def report(code: int, value: int, at: float = 0.0) -> bytes:
    seconds, micros = divmod(round(at * 1000), 1_000_000)
    scan = b"" if value == 2 else EVENT.pack(seconds, micros, 4, 4, 0x70000 + code)
    return scan + EVENT.pack(seconds, micros, 1, code, value) + EVENT.pack(seconds, micros, 0, 0, 0)


def played(stream: list[tuple[float, bytes]], end: float = 60_000) -> list[Any]:
    reader, events = KeyReader(), list[Any]()
    for at, data in stream:
        events += [*reader.quiet(at), *reader.feed(data, at)]
    return [*events, *reader.quiet(end)]


def test_every_button_has_a_key_and_no_key_is_two_buttons() -> None:
    assert set(keys().values()) == set(BUTTONS)
    assert len(keys()) == sum(len(name.split(" or ")) for name in names().values())


def test_a_key_that_repeats_while_it_is_down_is_one_press() -> None:
    stream = [(1000.0, report(KP1, 1)), *((1250.0 + 33 * n, report(KP1, 2)) for n in range(20))]
    stream.append((2000.0, report(KP1, 0)))
    assert played(stream) == [Press("one", 1000.0, 5)]


def test_other_keys_mean_nothing() -> None:
    stream = [(float(at), report(code, value)) for at, (code, value) in enumerate([(NUMLOCK, 1), (A, 1)])]
    assert played(stream) == []


@pytest.mark.parametrize(("ms", "presses"), [(300, []), (1200, [Press("undo", 1000.0, 1000)])])
def test_undo_is_held_for_a_second(ms: float, presses: list[Press]) -> None:
    assert played([(1000.0, report(KPMINUS, 1)), (1000.0 + ms, report(KPMINUS, 0))]) == presses


def test_a_key_that_hangs_is_stuck() -> None:
    assert played([(1000.0, report(KPENTER, 1))]) == [Press("ok", 1000.0, 5), Stuck("ok", True)]


@given(st.lists(st.sampled_from(sorted(keys())), max_size=20), st.integers(0, 2**32))
def test_the_pieces_of_the_stream_do_not_matter(codes: list[int], seed: int) -> None:
    random, reader, found = Random(seed), KeyReader(), list[Any]()
    at = 0.0
    for code in codes:
        for value, pause in ((1, 1500.0), (0, 100.0)):
            data = report(code, value)
            cut = random.randint(0, len(data))
            for piece in (data[:cut], data[cut:]):
                found += [*reader.quiet(at), *reader.feed(piece, at)]
            at += pause
    found += reader.quiet(at)
    assert [press.button for press in found if isinstance(press, Press)] == [keys()[code] for code in codes]


def test_a_pad_that_is_unplugged_is_told_of_and_waited_for(tmp_path: Path) -> None:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    pad = tmp_path / "pad"
    panel = PANEL_KINDS.open(f"keypad:{pad}", Setup(Hardware(SystemClock()), events.put))
    panel.start()
    try:
        missing = events.get(timeout=WAIT)
        assert missing.why == f"No number pad is plugged in: nothing is at {pad}."
        os.mkfifo(pad)
        assert events.get(timeout=WAIT).why == ""
        for _ in range(2):  # the second time after it was unplugged and plugged in
            with pad.open("wb", buffering=0) as cable:
                cable.write(report(KP1, 1))
                pressed = events.get(timeout=WAIT)
                cable.write(report(KP1, 0))
            assert isinstance(pressed, Press)
            assert pressed.button == "one"
            os.mkfifo(another := tmp_path / "another")
            another.replace(pad)  # nobody reads it before the end of the one that was unplugged has come
        assert panel.alive()
    finally:
        panel.close()
    assert not panel.alive()


def test_a_pad_without_a_path_is_the_keyboard_that_is_plugged_in(tmp_path: Path) -> None:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    panel = Keypad("", events.put, SystemClock(), tmp_path)
    panel.start()
    try:
        place = tmp_path / "dev/input/by-id"
        missing = events.get(timeout=WAIT)
        assert missing.why == f"No number pad is plugged in: nothing is at {place}/*-event-kbd."
        pad = place / "usb-Maker_Pad-event-kbd"
        pad.parent.mkdir(parents=True)
        os.mkfifo(pad)
        assert events.get(timeout=WAIT).why == ""
        with pad.open("wb", buffering=0) as cable:
            cable.write(report(KP1, 1))
            assert events.get(timeout=WAIT).button == "one"
    finally:
        panel.close()


def test_the_wiring_check_and_the_doctor_know_the_pad() -> None:
    assert parts("")[0].place == "key KP1 of the number pad"
    assert parts("/dev/input/x")[0].place == "key KP1 of the number pad at /dev/input/x"
    assert Config(panel="keypad:/dev/input/x").wired == set()
    assert (1 << 30) | (4 << 16) | (ord("E") << 8) | 0x90 == EVIOCGRAB
