"""Power cuts as a card sees them: every write of a machine is recorded, and any part replayed onto its disk.

The machine runs on ext4 over a loop device with direct I/O on a file of our own (`fuse_disk`). A cut leaves
all up to the last flush before it, and of the writes since then those that a coin chooses: of them the card
had promised nothing.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from systemd.fuse_disk import NAME, Write, writes
from systemd.machine import until

SIZE_MB = 1700
_ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}


def image(root: Path, file: Path) -> Path:
    """A disk with all that is below `root`."""
    subprocess.run(["truncate", "-s", f"{SIZE_MB}M", file], check=True)
    options = ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-d"]
    subprocess.run(["mkfs.ext4", *options, root, file], check=True)
    return file


@contextlib.contextmanager
def _served(disk: Path, log: Path, folder: Path) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    log.touch()
    serve = [sys.executable, "-m", "systemd.fuse_disk", str(disk), str(log), str(folder)]
    server = subprocess.Popen(serve, env=_ENVIRONMENT)
    try:
        until(lambda: server.poll() is not None or (folder / NAME).exists())
        yield folder / NAME
    finally:
        subprocess.run(
            ["umount", "--lazy", folder], check=True
        )  # the loop device lets go of it a little later
        server.wait()


@contextlib.contextmanager
def _mounted(file: Path, folder: Path) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    attach = ["losetup", "--find", "--show", "--direct-io=on", str(file)]
    loop = subprocess.run(attach, check=True, capture_output=True, text=True).stdout.strip()
    try:
        subprocess.run(["mount", loop, folder], check=True)
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--recursive", folder], check=True)
    finally:
        subprocess.run(["losetup", "--detach", loop], check=True)


@contextlib.contextmanager
def logged(disk: Path, log: Path) -> Iterator[Path]:
    """The root folder on a disk, onto which what is written goes, and into the log."""
    served, root = disk.with_suffix(".served"), disk.with_suffix(".root")
    with _served(disk, log, served) as file, _mounted(file, root):
        yield root


@contextlib.contextmanager
def recorded(disk: Path, log: Path) -> Iterator[Path]:
    """The root folder of a machine whose writes go to a copy of `disk`, and into the log."""
    with tempfile.TemporaryDirectory(dir=disk.parent) as name:
        copy = Path(name, "disk")
        subprocess.run(["cp", "--sparse=always", disk, copy], check=True)
        with logged(copy, log) as root:
            yield root


def count(log: Path) -> int:
    """The bytes of the log by now."""
    return log.stat().st_size


class Replay:
    """A disk as it was before, onto which the log is played; cuts have to be asked for in their order."""

    def __init__(self, disk: Path, log: Path, most: int, work: Path) -> None:
        work.mkdir()
        self.writes = list(writes(log, most))
        self._log, self._played = log, 0
        self._flushed, self._cut, self._changes = (work / name for name in ("flushed", "cut", "changes"))
        for copy in (self._flushed, self._cut):
            subprocess.run(["cp", "--sparse=always", disk, copy], check=True)

    @contextlib.contextmanager
    def cut(self, after: int, random: Random) -> Iterator[Path]:
        """The root folder after a cut behind that number of writes; what is changed in it is not kept."""
        flushed = next((n for n in range(after, self._played, -1) if self.writes[n - 1].flush), self._played)
        for disk in (self._flushed, self._cut):
            play(self._log, disk, self.writes[self._played : flushed])
        self._played = flushed
        cached = [write for write in self.writes[flushed:after] if random.random() < 0.5]
        play(self._log, self._cut, cached)
        try:
            with logged(self._cut, self._changes) as root:
                yield root
        finally:
            changed = [*cached, *writes(self._changes, count(self._changes))]
            play(self._flushed, self._cut, [write._replace(at=write.to) for write in changed])
            self._changes.unlink()


def play(source: Path, disk: Path, some: list[Write]) -> None:
    """Does the writes of a log on a disk."""
    with source.open("rb") as data, disk.open("r+b") as file:
        for write in some:
            if not write.flush:
                data.seek(write.at)
                file.seek(write.to)
                file.write(data.read(write.length))
