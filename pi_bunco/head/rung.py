"""Which signals have been sounded: noted before a relay moves, so that none is ever sounded twice."""

import os
from pathlib import Path

import msgspec
from msgspec import Struct


class Note(Struct, frozen=True):
    """The signal `id` was sounded at `at` (ms of the clock of `boot`)."""

    id: str
    boot: str
    at: float


class Rung:
    """The notes of this boot in the file `path`, which lies in memory (the runtime directory) on a Pi."""

    def __init__(self, path: Path, boot: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._boot = boot
        self._notes = {note.id: note for note in _read(path) if note.boot == boot}
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def at(self, id: str) -> float | None:
        """When the signal was sounded (ms of the clock), None if it was not."""
        note = self._notes.get(id)
        return note.at if note else None

    def note(self, id: str, at: float) -> None:
        """Notes that the signal is sounded at `at` (ms of the clock)."""
        note = self._notes[id] = Note(id, self._boot, at)
        os.write(self._file, msgspec.json.encode(note) + b"\n")

    def close(self) -> None:
        """Frees the file."""
        os.close(self._file)


def _read(path: Path) -> list[Note]:
    notes = []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            notes.append(msgspec.json.decode(line, type=Note))
        except msgspec.MsgspecError:
            continue  # a line that was cut off by a crash: its relay never moved
    return notes
