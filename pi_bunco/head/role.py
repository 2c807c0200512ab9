"""The head role on this machine: one process holds it, by a lock in the folder of its data."""

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from pi_bunco.errors import BuncoError
from pi_bunco.runtime.files import InUse, take

LOCK = "head.lock"
_CARD = {errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES, errno.EPERM, errno.ENOENT}
"""What a card says that is full, worn out or read-only, and a folder that cannot be written."""


class HeadTaken(BuncoError):
    """Another process is head; the text says which."""


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Holds the head role for the data in `folder`; `HeadTaken` says who has it.

    Where the lock's file cannot be made, the folder itself is locked; where there is no folder, nothing is.
    """
    file = _opened(folder)
    try:
        if file is not None:
            _lock(file, folder)
        yield
    finally:
        if file is not None:
            os.close(file)


def _opened(folder: Path) -> int | None:
    """The descriptor to lock; `OSError` for what no card explains, such as a folder in place of the file."""
    ways = ((folder / LOCK, os.O_RDWR | os.O_CREAT), (folder / LOCK, os.O_RDONLY), (folder, os.O_RDONLY))
    for path, flags in ways:
        try:
            return os.open(path, flags, 0o644)
        except OSError as error:
            if error.errno not in _CARD:
                raise
    return None


def _lock(file: int, folder: Path) -> None:
    try:
        take(file)
    except InUse as error:
        raise HeadTaken(f"process {error.process} is head already with the data in {folder}") from error
