"""`sound`: the bell from the loudspeaker of this machine, by a program that the system has.

`sound:PERCENT` is softer than its loudest, which is 100.
"""

import contextlib
import logging
import math
import queue
import shutil
import sys
import threading
from array import array
from collections.abc import Iterable
from concurrent.futures import Future
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Protocol

from pi_bunco.devices.bell.limits import LONGEST_MS, STROKES, length_ms, shortened, strokes
from pi_bunco.devices.kinds import BELL_KINDS, DeviceKind
from pi_bunco.devices.pins import RELAYS, Part
from pi_bunco.devices.protocols import Bell, Blast, Blasts, DeviceError
from pi_bunco.runtime.clock import Clock

if TYPE_CHECKING:
    import subprocess

PROGRAMS = ("afplay",) if sys.platform == "darwin" else ("pw-play", "paplay", "aplay")
"""Programs that play a file, the best first: macOS; PipeWire, PulseAudio, ALSA."""
REFUSES_WITHIN_S = 0.5
"""A program that cannot play says so within that."""
CUT_OFF_AFTER_S = 1.0
"""From a sound's end to its being cut off, should its program still run."""
RATE_HZ = 22_050
TAIL_MS = 400
"""Milliseconds for which a bell rings on when it is struck no more."""
_STRIKE_EVERY_MS = 70.0
"""The hammer of an electric bell comes back after that."""
LOUDEST_PERCENT = 100
"""Percent."""
_LOUDEST_SAMPLE = 0.8
_BELL = ((880.0, 1.0, 7.0), (1770.0, 0.7, 9.0), (2655.0, 0.45, 12.0), (4700.0, 0.3, 18.0))
"""Partials of a bell: frequency (Hz), strength, decay (1/s)."""
_HORN = (233.1, 293.7, 349.2)
"""The notes of a horn, Hz."""
_INSTALL = "" if sys.platform in ("win32", "darwin") else "; `sudo apt install alsa-utils` brings one"
_log = logging.getLogger(__name__)


class Player(Protocol):
    """Plays one file at a time."""

    def play(self, file: Path) -> None:
        """Begins to play; `DeviceError` if it cannot."""

    def stop(self) -> None:
        """Silence at once."""


class ProgramPlayer:
    """Plays by the first of the programs that can."""

    def __init__(self, programs: Iterable[str], refuses: float = REFUSES_WITHIN_S) -> None:
        self._programs = tuple(programs)
        self._refuses = refuses
        self._process: subprocess.Popen[bytes] | None = None

    def play(self, file: Path) -> None:
        """Begins to play; `DeviceError` has what each program answered."""
        answers: list[str] = []
        for program in self._programs:
            if not (why := self._begun(program, file)):
                self._programs = (program, *(other for other in self._programs if other != program))
                return
            answers.append(f"{Path(program).name}: {why}")
        raise DeviceError("; ".join(answers))

    def stop(self) -> None:
        """Ends the program, if it still runs."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _begun(self, program: str, file: Path) -> str:
        """Starts the program; returns the reason why it does not play, or ""."""
        import subprocess  # every service loads this file, to know the word

        try:
            process = subprocess.Popen(
                [program, str(file)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            return str(error.strerror or error)
        try:
            _, words = process.communicate(timeout=self._refuses)
        except subprocess.TimeoutExpired:
            self._process = process
            return ""
        lines = words.decode("utf-8", "replace").strip().splitlines()
        last = lines[-1].removeprefix(f"{Path(program).name}: ") if lines else f"status {process.returncode}"
        return last if process.returncode else ""


class WindowsPlayer:
    """Plays by what Windows has for it."""

    def play(self, file: Path) -> None:
        """Begins to play; `DeviceError` if there is no loudspeaker."""
        if sys.platform == "win32":
            import winsound

            try:
                winsound.PlaySound(
                    str(file), winsound.SND_FILENAME | winsound.SND_ASYNC | winsound.SND_NODEFAULT
                )
            except RuntimeError as error:
                raise DeviceError(str(error)) from error

    def stop(self) -> None:
        """Silence at once."""
        if sys.platform == "win32":
            import winsound

            with contextlib.suppress(RuntimeError):
                winsound.PlaySound(None, winsound.SND_PURGE)


def player() -> Player:
    """The player of this machine; `DeviceError` if it has none."""
    if sys.platform == "win32":
        return WindowsPlayer()
    programs = [path for program in PROGRAMS if (path := shutil.which(program))]
    if not programs:
        raise DeviceError(f"this machine has no program that plays sounds ({', '.join(PROGRAMS)}){_INSTALL}")
    return ProgramPlayer(programs)


def has_player() -> bool:
    """True if this machine has a program that plays sounds."""
    try:
        player()
    except DeviceError:
        return False
    return True


def tried() -> None:
    """Plays a moment of silence; `DeviceError` says why this machine cannot sound a bell."""
    found = player()
    with TemporaryDirectory(prefix="pi-bunco-bell-") as folder:
        file = Path(folder, "silence.wav")
        file.write_bytes(wav(()))
        found.play(file)
        found.stop()


class SoundBell:
    """A bell that a thread of its own plays: `ring` hands over and returns, however slow the player is.

    No ring sounds for longer than `LONGEST_MS`: it is in no file, and a program that hangs is ended. What
    cannot be played is told in the log, once for each reason.
    """

    def __init__(self, player: Player, clock: Clock, percent: int = LOUDEST_PERCENT) -> None:
        self._player = player
        self._percent = percent
        self._clock = clock
        self._folder = TemporaryDirectory(prefix="pi-bunco-bell-")
        self._files: dict[tuple[Blast, ...], Path] = {}
        self._complaints: set[str] = set()
        self._inbox: queue.SimpleQueue[tuple[Blasts, Future[None]] | None] = queue.SimpleQueue()
        self._latest: Future[None] = Future()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="bell", daemon=True)
        self._thread.start()

    def ring(self, ring: Blasts) -> float:
        """Cuts what still sounds and has `ring` played; returns when it begins (ms)."""
        self._latest = Future()
        self._inbox.put((ring, self._latest))
        return self._clock.now() + max(ring.wait_ms, 0)

    def begun(self) -> None:
        """Waits until the player has the ring that was given last; `DeviceError` says why it has it not."""
        self._latest.result()

    def off(self) -> None:
        """Silence, soon."""
        self._inbox.put(None)

    def close(self) -> None:
        """Silence, and nothing is left behind."""
        self._closing = True
        self._inbox.put(None)
        self._thread.join()
        self._folder.cleanup()

    def _run(self) -> None:
        for purpose in STROKES:  # so that the first bell of a night is there at once
            self._file(strokes(purpose, "bell"))
        left: float | None = None
        while not self._closing:
            try:
                ring = self._inbox.get(timeout=left)
            except queue.Empty:
                ring = None
            self._player.stop()
            left = self._play(*ring) if ring is not None else None
        self._player.stop()

    def _play(self, ring: Blasts, begun: Future[None]) -> float:
        """Begins a ring; returns the seconds after which it must be over."""
        pattern = shortened(ring.pattern, LONGEST_MS)
        try:
            self._player.play(self._file(pattern, ring.wait_ms))
        except (DeviceError, OSError) as error:
            if (why := str(error)) not in self._complaints:
                self._complaints.add(why)
                _log.error("this machine cannot play the bell (%s): it sounds from the pages alone", why)
            begun.set_exception(DeviceError(f"this machine cannot play it ({why})"))
        else:
            begun.set_result(None)
        return (ring.wait_ms + length_ms(pattern) + TAIL_MS) / 1000 + CUT_OFF_AFTER_S

    def _file(self, pattern: tuple[Blast, ...], wait_ms: int = 0) -> Path:
        key = (*pattern, Blast("bell", 0, wait_ms))
        if key not in self._files:
            file = Path(self._folder.name, f"{len(self._files)}.wav")
            file.write_bytes(wav(pattern, wait_ms, self._percent))
            self._files[key] = file
        return self._files[key]


def sounded(bell: Bell, ring: Blasts) -> None:
    """Waits until `ring`, which the bell was just given, is over; `DeviceError` if it does not sound.

    A relay is on when it was told to; a loudspeaker's program may begin late, or refuse.
    """
    rest_ms = 0
    if isinstance(bell, SoundBell):
        bell.begun()
        rest_ms = TAIL_MS
    threading.Event().wait((ring.wait_ms + length_ms(ring.pattern) + rest_ms) / 1000)


def wav(pattern: Iterable[Blast], wait_ms: float = 0, percent: int = LOUDEST_PERCENT) -> bytes:
    """The pattern as a WAV file, 16 bit, one channel, after `wait_ms` of silence, at `percent`."""
    blasts = tuple(pattern)
    samples = [0.0] * _count(wait_ms + length_ms(blasts) + TAIL_MS)
    at = wait_ms
    for blast in blasts:
        if "bell" in blast.relay:
            _ring(samples, at, blast.on_ms)
        if "horn" in blast.relay:
            _add(samples, _count(at), _horn(blast.on_ms))
        at += blast.on_ms + blast.off_ms
    return _file(samples, percent)


def _count(ms: float) -> int:
    return int(ms * RATE_HZ / 1000)


def _ring(samples: list[float], at: float, on_ms: float) -> None:
    struck = 0.0
    while struck < on_ms:
        _add(samples, _count(at + struck), _strike())
        struck += _STRIKE_EVERY_MS


def _add(samples: list[float], first: int, sound: list[float]) -> None:
    for place, value in enumerate(sound[: len(samples) - first], first):
        samples[place] += value


@cache
def _strike() -> list[float]:
    return [
        sum(
            strength * math.exp(-decay * n / RATE_HZ) * math.sin(math.tau * hertz * n / RATE_HZ)
            for hertz, strength, decay in _BELL
        )
        for n in range(_count(TAIL_MS))
    ]


@cache
def _horn(on_ms: float) -> list[float]:
    """A blast of the horn, with soft edges."""
    count, edge = _count(on_ms), _count(15)
    return [
        min(1.0, n / edge, (count - n) / edge)
        * 1.5
        * sum(((n * hertz / RATE_HZ) % 1) - 0.5 for hertz in _HORN)
        for n in range(count)
    ]


def _file(samples: list[float], percent: int) -> bytes:
    import wave
    from io import BytesIO

    most = max(map(abs, samples), default=0.0) or 1.0
    scale = _LOUDEST_SAMPLE * percent / LOUDEST_PERCENT / most * 32_767
    data = array("h", (int(value * scale) for value in samples))
    if sys.byteorder == "big":
        data.byteswap()
    file = BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE_HZ)
        out.writeframes(data.tobytes())
    return file.getvalue()


def loudness(argument: str) -> int:
    """The percent of `sound:PERCENT`; `DeviceError` if that is no loudness."""
    if not argument:
        return LOUDEST_PERCENT
    if not argument.isascii() or not argument.isdigit() or not 1 <= int(argument) <= LOUDEST_PERCENT:
        raise DeviceError(
            f"the bell's loudness is 1 to {LOUDEST_PERCENT} percent, as in sound:60, not {argument!r}"
        )
    return int(argument)


def parts() -> tuple[Part, ...]:
    """Bell and horn, for the check."""
    place = "the loudspeaker at HDMI, USB or Bluetooth, its cable and its own volume"
    return tuple(Part(name, f"The {name}", place) for name in RELAYS)


BELL_KINDS.register(
    DeviceKind(
        "sound",
        lambda argument, setup: SoundBell(percent=loudness(argument), player=player(), clock=setup.clock),
        argument="PERCENT",
        optional=True,
        parts=lambda _argument, _hardware: parts(),
    )
)
