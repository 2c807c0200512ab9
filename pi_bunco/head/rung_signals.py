"""Signals that were sounded: noted before a relay moves, so that none is ever sounded twice."""

import logging
import os
from pathlib import Path

import msgspec
from msgspec import Struct

log = logging.getLogger(__name__)


class Note(Struct, frozen=True):
    """The signal `id` was sounded at `at` (ms of the clock of `boot`)."""

    id: str
    boot: str
    at: float


class Notes:
    """The notes of this boot in the file `path`, which lies in memory (the runtime directory) on a Pi.

    Where it cannot be written the bell rings all the same: a journaled signal is not sounded again either.
    """

    def __init__(self, path: Path, boot: str) -> None:
        self._path = path
        self._boot = boot
        self._complained = False
        self._file: int | None = None
        self._notes: dict[str, Note] = {}
        try:
            self._notes = {note.id: note for note in _read(path) if note.boot == boot}
            self._file = self._opened()
        except OSError as error:
            self._complain(error)

    def all(self) -> dict[str, float]:
        """Per signal when it was sounded (ms of the clock)."""
        return {id: note.at for id, note in self._notes.items()}

    def note(self, id: str, at: float) -> None:
        """Notes that the signal is sounded at `at` (ms of the clock)."""
        note = self._notes[id] = Note(id, self._boot, at)
        try:
            if self._file is None:
                self._file = self._opened()
            os.write(self._file, msgspec.json.encode(note) + b"\n")
        except OSError as error:
            self._complain(error)

    def close(self) -> None:
        """Frees the file."""
        if self._file is not None:
            os.close(self._file)

    def _opened(self) -> int:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def _complain(self, error: OSError) -> None:
        if not self._complained:
            log.warning("what has rung cannot be noted in %s: %s", self._path, error.strerror)
        self._complained = True


def _read(path: Path) -> list[Note]:
    notes = []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            notes.append(msgspec.json.decode(line, type=Note))
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            continue  # a line that was cut off by a crash: its relay never moved
    return notes
