"""`sound`: the bell from the loudspeaker of this machine, by a program that the system has."""

import contextlib
import logging
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from pi_bunco.devices.bell.policy import LONGEST_MS, STROKES, shortened, strokes
from pi_bunco.devices.bell.tones import TAIL_MS, wav
from pi_bunco.devices.kinds import BELL_KINDS, DeviceKind
from pi_bunco.devices.protocols import Blast, Blasts, DeviceError
from pi_bunco.runtime.clock import Clock

PROGRAMS = ("afplay",) if sys.platform == "darwin" else ("pw-play", "paplay", "aplay")
"""What plays a file, the best first: macOS; PipeWire, PulseAudio, ALSA."""
REFUSES_S = 0.5
"""A program that cannot play says so within so many seconds."""
GRACE_S = 1.0
"""So many seconds after its end a sound is cut off, should its program still run."""
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

    def __init__(self, programs: Iterable[str], refuses: float = REFUSES_S) -> None:
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
        """Why the program does not play, "" if it does."""
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
    """What plays on this machine; `DeviceError` if it has nothing for that."""
    if sys.platform == "win32":
        return WindowsPlayer()
    programs = [path for program in PROGRAMS if (path := shutil.which(program))]
    if not programs:
        raise DeviceError(f"this machine has no program that plays sounds ({', '.join(PROGRAMS)}){_INSTALL}")
    return ProgramPlayer(programs)


def has_player() -> bool:
    """Whether this machine has a program that plays sounds."""
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

    def __init__(self, player: Player, clock: Clock) -> None:
        self._player = player
        self._clock = clock
        self._folder = TemporaryDirectory(prefix="pi-bunco-bell-")
        self._files: dict[tuple[Blast, ...], Path] = {}
        self._complaints: set[str] = set()
        self._inbox: queue.SimpleQueue[Blasts | None] = queue.SimpleQueue()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="bell", daemon=True)
        self._thread.start()

    def ring(self, ring: Blasts) -> float:
        """Cuts what still sounds and has `ring` played; returns when it begins (ms)."""
        self._inbox.put(ring)
        return self._clock.now() + max(ring.wait_ms, 0)

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
            left = self._begun(ring) if ring is not None else None
        self._player.stop()

    def _begun(self, ring: Blasts) -> float:
        """Begins a ring; after how many seconds it must be over."""
        pattern = shortened(ring.pattern, LONGEST_MS)
        try:
            self._player.play(self._file(pattern, ring.wait_ms))
        except (DeviceError, OSError) as error:
            if (why := str(error)) not in self._complaints:
                self._complaints.add(why)
                _log.error("this machine cannot play the bell (%s): it sounds from the pages alone", why)
        return (ring.wait_ms + sum(one.on_ms + one.off_ms for one in pattern) + TAIL_MS) / 1000 + GRACE_S

    def _file(self, pattern: tuple[Blast, ...], wait_ms: int = 0) -> Path:
        key = (*pattern, Blast("bell", 0, wait_ms))
        if key not in self._files:
            file = Path(self._folder.name, f"{len(self._files)}.wav")
            file.write_bytes(wav(pattern, wait_ms))
            self._files[key] = file
        return self._files[key]


BELL_KINDS.register(DeviceKind("sound", lambda _argument, setup: SoundBell(player(), setup.clock)))
