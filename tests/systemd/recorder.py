"""Power cuts as a card sees them: every write of a machine is recorded, and any part replayed onto its disk.

QEMU's storage daemon keeps a log of all writes and flushes in the format of the kernel's dm-log-writes; the
machine runs on a file system over a loop device with direct I/O on it. A cut leaves all up to the last flush
before it, and of the writes since then those that a coin chooses: of them the card had promised nothing.
"""

import contextlib
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import BinaryIO, NamedTuple

from systemd.machine import until

SIZE_MB = 1700
LOG_MB = 3000
_SECTOR = 512
_SUPER = struct.Struct("<QQQI")
_ENTRY = struct.Struct("<QQQQ")
_FLUSH, _FUA, _DISCARD, _MARK = 1, 2, 4, 8
_MAGIC = 0x6A736677736872


class Write(NamedTuple):
    """A write of the log: the place of its data on the disk and in the log; a flush has none."""

    to: int
    length: int
    at: int
    flush: bool


def image(root: Path, file: Path) -> Path:
    """A disk with all that is below `root`."""
    subprocess.run(["truncate", "-s", f"{SIZE_MB}M", file], check=True)
    options = ["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", "-d"]
    subprocess.run(["mkfs.ext4", *options, root, file], check=True)
    return file


@contextlib.contextmanager
def _exported(file: Path, *blocks: str) -> Iterator[Path]:
    """The block node `top` as a file."""
    file.touch()
    export = f"fuse,id=export,node-name=top,mountpoint={file},writable=on"
    daemon = subprocess.Popen(
        ["qemu-storage-daemon", *(word for one in blocks for word in ("--blockdev", one)), "--export", export]
    )
    try:
        until(lambda: daemon.poll() is not None or file.stat().st_size > 0)
        yield file
    finally:
        daemon.terminate()
        daemon.wait()


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
def recorded(disk: Path, log: Path) -> Iterator[Path]:
    """The root folder of a machine whose writes go to a copy of `disk`, and into the log."""
    with tempfile.TemporaryDirectory(dir=disk.parent) as name:
        work = Path(name)
        subprocess.run(["cp", "--sparse=always", disk, work / "disk"], check=True)
        subprocess.run(["truncate", "-s", f"{LOG_MB}M", log], check=True)
        blocks = (
            f"file,node-name=disk,filename={work / 'disk'}",
            f"file,node-name=log,filename={log}",
            "blklogwrites,node-name=top,file=disk,log=log,log-append=off,log-sector-size=512,"
            "log-super-update-interval=1",
        )
        with _exported(work / "top", *blocks) as top, _mounted(top, work / "root") as root:
            yield root


def count(log: Path) -> int:
    """The writes and flushes that the log holds by now."""
    with log.open("rb") as file:
        magic, _, entries, _ = _SUPER.unpack(file.read(_SUPER.size))
    assert magic == _MAGIC
    return int(entries)


def writes(log: Path, most: int) -> list[Write]:
    """The first `most` of the log."""
    found, at = [], _SECTOR
    with log.open("rb") as file:
        for _ in range(most):
            file.seek(at)
            sector, sectors, flags, _ = _ENTRY.unpack(file.read(_ENTRY.size))
            at += _SECTOR
            length = 0 if flags & (_DISCARD | _MARK) else sectors * _SECTOR
            found.append(Write(sector * _SECTOR, length, at, bool(flags & (_FLUSH | _FUA))))
            at += length
    return found


class Replay:
    """A disk as it was before, onto which the log is played; cuts have to be asked for in their order."""

    def __init__(self, disk: Path, log: Path, most: int, work: Path) -> None:
        work.mkdir()
        self._work, self._log = work, log
        self._disk = work / "disk"
        subprocess.run(["cp", "--sparse=always", disk, self._disk], check=True)
        self.writes = writes(log, most)
        self._played = 0

    @contextlib.contextmanager
    def cut(self, after: int, random: Random) -> Iterator[Path]:
        """The root folder after a cut behind that number of writes; what is changed in it is not kept."""
        flushed = next((n for n in range(after, self._played, -1) if self.writes[n - 1].flush), self._played)
        with self._log.open("rb") as log:
            self._play(log, self._disk, self.writes[self._played : flushed])
            self._played = flushed
            layer = self._work / "layer"
            backing = ["-b", str(self._disk), "-F", "raw"]
            subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", *backing, layer], check=True)
            blocks = (f"file,node-name=file,filename={layer}", "qcow2,node-name=top,file=file")
            with _exported(self._work / "top", *blocks) as top:
                cached = [write for write in self.writes[flushed:after] if random.random() < 0.5]
                self._play(log, top, cached)
                with _mounted(top, self._work / "root") as root:
                    yield root

    def _play(self, log: BinaryIO, file: Path, some: list[Write]) -> None:
        with file.open("r+b") as disk:
            for write in some:
                log.seek(write.at)
                disk.seek(write.to)
                disk.write(log.read(write.length))
