"""A disk as a file by FUSE that notes each write and flush: `python -m systemd.fuse_disk DISK LOG FOLDER`."""

import os
import stat
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

NAME = "disk"
_ENTRY = struct.Struct("<QQ")
_FLUSH = 2**64 - 1
"""In the place of an offset."""


class Write(NamedTuple):
    """A write of the log: the place of its data on the disk and in the log; a flush has none."""

    to: int
    length: int
    at: int
    flush: bool


def writes(log: Path, before: int) -> Iterator[Write]:
    """The writes that were noted in the first `before` bytes of the log."""
    with log.open("rb") as file:
        at = 0
        while at < before:
            file.seek(at)
            to, length = _ENTRY.unpack(file.read(_ENTRY.size))
            at += _ENTRY.size
            yield Write(to, length, at, to == _FLUSH)
            at += length


def main() -> None:
    """Serves the disk until its folder is unmounted."""
    import mfusepy

    disk = os.open(sys.argv[1], os.O_RDWR)
    log = open(sys.argv[2], "ab", buffering=0)  # noqa: SIM115

    class Disk(mfusepy.Operations):  # type: ignore[misc]
        """One file."""

        use_ns = True

        def getattr(self, path: str, fh: int | None = None) -> dict[str, Any]:
            if path == "/":
                return {"st_mode": stat.S_IFDIR | 0o700, "st_nlink": 2}
            return {"st_mode": stat.S_IFREG | 0o600, "st_nlink": 1, "st_size": os.fstat(disk).st_size}

        def open(self, path: str, flags: int) -> int:
            return 0

        def read(self, path: str, size: int, offset: int, fh: int) -> bytes:
            return os.pread(disk, size, offset)

        def write(self, path: str, data: bytes, offset: int, fh: int) -> int:
            log.write(_ENTRY.pack(offset, len(data)) + data)
            return os.pwrite(disk, data, offset)

        def fsync(self, path: str, datasync: int, fh: int) -> int:
            log.write(_ENTRY.pack(_FLUSH, 0))
            return 0

    mfusepy.FUSE(Disk(), sys.argv[3], foreground=True, nothreads=True, attr_timeout=3600, entry_timeout=3600)


if __name__ == "__main__":
    main()
