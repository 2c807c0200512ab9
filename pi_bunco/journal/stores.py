"""The stores of a machine: which there are, and where each lies, installed or in a folder by hand."""

import fcntl
import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from pi_bunco.log import journal, replica
from pi_bunco.runtime.store import Schema
from pi_bunco.runtime.writer import Reports, load_kept
from pi_bunco.wire import outbox

Service = Literal["head", "table"]
SHARED = (0x4000_0002, 510)
"""The first byte and the length of the lock of a store in use."""
_FLOCK = "hhqqi4x"  # struct flock of 64-bit Linux, fcntl(2)
_SERVICES: tuple[Service, ...] = ("head", "table")


class Kind(Struct, frozen=True):
    """A store by its file's name: whose it is, how it is made, and the table of what counts in it."""

    name: str
    service: Service
    schema: Schema
    facts: str

    @property
    def member(self) -> str:
        """Its name where the stores of both services are together."""
        return f"{self.service}/{self.name}"


KINDS = (
    Kind("journal.db", "head", journal.SCHEMA, "facts"),
    Kind("outbox.db", "table", outbox.SCHEMA, "envelopes"),
    Kind("replica.db", "table", replica.SCHEMA, "entries"),
)
MEMBERS: Mapping[str, Kind] = {kind.member: kind for kind in KINDS}


def read_through(kind: Kind, path: Path) -> None:
    """Reads the small values and the newest facts, as its service does; `DamagedError` if one cannot be read.

    `StoreError` if the store cannot be read now.
    """
    load_kept(path, kind.schema)
    if kind.schema is outbox.SCHEMA:
        outbox.Outbox(path, _NOBODY, 0.0).close()
        return
    if kind.schema is replica.SCHEMA:
        replica.Replica(path, _NOBODY).close()
        return
    for evening in journal.evenings(path)[-NEWEST:]:
        journal.read(path, evening.id)


NEWEST = 2
"""So many evenings of a journal are read through."""
_NOBODY = Reports(lambda _: None, lambda _: None)


class Home(Struct, frozen=True):
    """Where the stores are: in the folder, or `apart` below it in a folder for each service."""

    folder: Path
    apart: bool

    def place(self, service: Service) -> Path:
        """The folder of a service, which may not be there."""
        return self.folder / service if self.apart else self.folder

    def path(self, kind: Kind) -> Path:
        """Where a store lies, or would."""
        return self.place(kind.service) / kind.name

    def services(self) -> list[Path]:
        """The folders that services write to and that are there."""
        places = {self.place(service): None for service in _SERVICES}
        return [place for place in places if os.path.isdir(place)]

    def stores(self) -> Iterator[tuple[Kind, Path]]:
        """The stores that are there; one of which only the log is left, too."""
        for kind in KINDS:
            path = self.path(kind)
            if os.path.exists(path) or os.path.exists(path.with_name(f"{path.name}-wal")):
                yield kind, path


def holder(path: Path) -> int | None:
    """The process that has the store open, None if none has or nobody may know.

    In WAL mode a connection of SQLite's has a shared lock as long as it is open (os_unix.c, SHARED_FIRST).
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, *SHARED, 0)
        kind, _, _, _, process = struct.unpack(_FLOCK, fcntl.fcntl(descriptor, fcntl.F_GETLK, asked))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None if kind == fcntl.F_UNLCK else process


def home(given: str | None, setting: str | None, installed: Path) -> Home | None:
    """The folder that is `given`, else the one of an `installed` Pi, else that of the setting `data`."""
    if given is None and os.path.isdir(installed):
        return Home(installed, apart=True)
    folder = given or setting
    if folder is None:
        return None
    return Home(Path(folder), any(os.path.isdir(Path(folder, service)) for service in _SERVICES))
