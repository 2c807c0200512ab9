"""The bell from the loudspeaker: what is in the file, which program plays it, and that it never waits."""

import io
import threading
import wave
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from clocks import FakeClock
from pi_bunco.devices.bell.limits import LONGEST_MS, RingPurpose, strokes
from pi_bunco.devices.bell.sound import (
    RATE_HZ,
    TAIL_MS,
    ProgramPlayer,
    SoundBell,
    has_player,
    loudness,
    tried,
    wav,
)
from pi_bunco.devices.kinds import BELL_KINDS, Hardware, Setup
from pi_bunco.devices.protocols import Blast, Blasts, DeviceError

PATIENCE = 60.0
"""Seconds that only a broken test waits."""


def samples(data: bytes) -> "array[int]":
    with wave.open(io.BytesIO(data)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE_HZ)
        return array("h", file.readframes(file.getnframes()))


def loudest(found: "array[int]", begin: float, end: float) -> int:
    """The loudest sample between two times (ms)."""
    return max(map(abs, found[int(begin * RATE_HZ / 1000) : int(end * RATE_HZ / 1000)]))


@pytest.mark.parametrize("purpose", ["start", "end", "test"])
@pytest.mark.parametrize("relay", ["bell", "horn", "bell+horn"])
def test_each_signal_sounds_for_as_long_as_the_relay_would(purpose: RingPurpose, relay: str) -> None:
    pattern = strokes(purpose, relay)  # type: ignore[arg-type]
    found = samples(wav(pattern, 100))
    length = sum(blast.on_ms + blast.off_ms for blast in pattern)
    assert len(found) == int((100 + length + TAIL_MS) * RATE_HZ / 1000)
    assert loudest(found, 0, 99) == 0
    assert loudest(found, 100, 100 + pattern[0].on_ms) > 20_000


def test_half_as_loud_is_half_of_every_sample() -> None:
    pattern = strokes("start", "bell")
    full, half = samples(wav(pattern)), samples(wav(pattern, percent=50))
    assert all(abs(2 * soft - loud) <= 2 for loud, soft in zip(full, half, strict=True))


@pytest.mark.parametrize("argument", ["0", "101", "loud", "-5", "5.5", "٣"])
def test_a_loudness_that_is_none_is_told(argument: str) -> None:
    assert (loudness(""), loudness("60")) == (100, 60)
    with pytest.raises(DeviceError, match="1 to 100 percent"):
        loudness(argument)


def test_a_loudness_that_is_none_is_told_before_what_the_machine_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(DeviceError, match="1 to 100 percent"):
        BELL_KINDS.open("sound:200", Setup(Hardware(FakeClock(0.0))))


def test_a_horn_is_silent_between_its_blasts() -> None:
    found = samples(wav((Blast("horn", 200, 300), Blast("horn", 200, 0))))
    assert loudest(found, 0, 200) > 20_000
    assert loudest(found, 201, 499) == 0
    assert loudest(found, 500, 700) > 20_000


def program(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_program_that_cannot_play_gives_way_to_the_next(tmp_path: Path) -> None:
    noted = tmp_path / "noted"
    player = ProgramPlayer(
        [
            program(tmp_path, "deaf", "echo 'no server' >&2; exit 1"),
            str(tmp_path / "missing"),
            program(tmp_path, "plays", f'echo "$1" >> {noted}'),
        ],
        PATIENCE,
    )
    player.play(tmp_path / "a.wav")
    player.play(tmp_path / "b.wav")
    assert noted.read_text().splitlines() == [str(tmp_path / "a.wav"), str(tmp_path / "b.wav")]


def test_where_none_plays_each_says_why(tmp_path: Path) -> None:
    names = [program(tmp_path, "one", "echo 'one: no card' >&2; exit 1"), program(tmp_path, "two", "exit 3")]
    with pytest.raises(DeviceError, match="one: no card; two: status 3"):
        ProgramPlayer(names, PATIENCE).play(tmp_path / "a.wav")


def test_a_program_that_hangs_is_ended(tmp_path: Path) -> None:
    player = ProgramPlayer([program(tmp_path, "hangs", "exec sleep 1000")], 0.0)
    player.play(tmp_path / "a.wav")
    process = player._process
    assert process is not None
    player.stop()
    assert process.returncode is not None


class Recorder:
    """A player that takes as long as it is told to, and remembers."""

    def __init__(self, why: str = "") -> None:
        self.may_play = threading.Event()
        self.played = threading.Semaphore(0)
        self.files: list[bytes] = []
        self.stops = 0
        self._why = why

    def play(self, file: Path) -> None:
        assert self.may_play.wait(PATIENCE)
        self.files.append(file.read_bytes())
        self.played.release()
        if self._why:
            raise DeviceError(self._why)

    def stop(self) -> None:
        self.stops += 1


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    one = Recorder()
    yield one
    one.may_play.set()


def test_a_ring_never_waits_for_its_player(recorder: Recorder) -> None:
    clock = FakeClock()
    bell = SoundBell(recorder, clock)
    clock.advance(1000)
    assert bell.ring(Blasts("a", strokes("end", "bell"))) == 1000
    assert bell.ring(Blasts("b", strokes("start", "bell"), 150)) == 1150
    assert recorder.files == []
    recorder.may_play.set()
    for _ in range(2):
        assert recorder.played.acquire(timeout=PATIENCE)
    bell.close()
    assert recorder.files == [wav(strokes("end", "bell")), wav(strokes("start", "bell"), 150)]


def test_no_ring_sounds_longer_than_the_limit(recorder: Recorder) -> None:
    recorder.may_play.set()
    bell = SoundBell(recorder, FakeClock())
    bell.ring(Blasts("a", (Blast("horn", 60_000, 0), Blast("bell", 60_000, 0))))
    assert recorder.played.acquire(timeout=PATIENCE)
    bell.close()
    assert len(samples(recorder.files[0])) == int((LONGEST_MS + TAIL_MS) * RATE_HZ / 1000)


def test_closing_silences_it_and_leaves_nothing_behind(recorder: Recorder) -> None:
    recorder.may_play.set()
    bell = SoundBell(recorder, FakeClock())
    folder = Path(bell._folder.name)
    bell.ring(Blasts("a", strokes("end", "bell")))
    assert recorder.played.acquire(timeout=PATIENCE)
    bell.off()
    bell.close()
    assert recorder.stops >= 2
    assert not folder.exists()


def test_unplayable_sound_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    one = Recorder("aplay: no card")
    one.may_play.set()
    bell = SoundBell(one, FakeClock())
    for id in ("a", "b"):
        bell.ring(Blasts(id, strokes("test", "bell")))
        assert one.played.acquire(timeout=PATIENCE)
    bell.close()
    told = [record.getMessage() for record in caplog.records]
    assert told == ["this machine cannot play the bell (aplay: no card): it sounds from the pages alone"]


def test_a_machine_without_a_player_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert not has_player()
    with pytest.raises(DeviceError, match=r"no program that plays sounds .* `sudo apt install alsa-utils`"):
        tried()
