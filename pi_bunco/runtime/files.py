"""Files that are old or new, and whole, after a power cut; and the lock that one process has at a time.

A file is written beside its place, fsynced, renamed, and its folder fsynced (FIELD-NOTES.md, storage).
"""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import IO

from pi_bunco.errors import BuncoError

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Windows, where provision runs too
    fcntl = None

PRIVATE_MODE = 0o600
"""The mode of a file that only its owner may read."""


_CARD = {errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES, errno.EPERM, errno.ENOENT}
"""Errors of a card that is full, worn out or read-only, and of a folder that cannot be written."""


class InUse(BuncoError, RuntimeError):
    """Another process has the lock; `process` is its number as text, "another" where that is not known."""

    def __init__(self, process: str) -> None:
        self.process = process
        super().__init__(f"process {process} has the lock")


@contextlib.contextmanager
def written(path: Path, mode: int = PRIVATE_MODE) -> Iterator[IO[bytes]]:
    """A stream whose content is at `path` when the block ends, whole; nothing changes if it raises.

    A file that root replaces stays its owner's. `mode` is left out where the file system has none (FAT).
    """
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_MODE), "wb") as stream:
            yield stream
            stream.flush()
            _keep_owner(beside, path)
            _set_mode(beside, mode)
            os.fsync(stream.fileno())
    except BaseException:  # on a full card nothing of it is to be left
        beside.unlink(missing_ok=True)
        raise
    beside.replace(path)
    _sync_name(path)


def write(path: Path, data: bytes, mode: int = PRIVATE_MODE) -> None:
    """Puts a file with `data` at `path`, as `written` does."""
    with written(path, mode) as stream:
        stream.write(data)


def overwrite(path: Path, data: bytes) -> None:
    """Puts `data` where the file lies, empty lines over what is behind it, then cuts these off, each fsynced.

    So nothing of before stays elsewhere on a card; and what both begin with is there after a power cut on FAT
    too, where no other file takes the place of one whole.
    """
    file = os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    try:
        for part in (data, b"\n" * (os.fstat(file).st_size - len(data))):
            while part:
                part = part[os.write(file, part) :]
            os.fsync(file)
        os.ftruncate(file, len(data))
        os.fsync(file)
    finally:
        os.close(file)


def appear(part: Path, path: Path) -> None:
    """Gives the whole file `part` its name `path`, so that it survives a power cut."""
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(path)
    _sync_name(path)


def _sync_name(path: Path) -> None:
    """Makes the new name of a file survive a power cut.

    On FAT the name holds the file's size and place, and a rename leaves both empty until the file is synced
    once more: what a cut left there had 0 bytes.
    """
    _sync(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes renamed, new and removed names in `folder` survive a power cut."""
    _sync(folder)


def _sync(path: Path) -> None:
    if sys.platform == "win32":  # a folder cannot be opened there, and NTFS journals its names
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _keep_owner(file: Path, before: Path) -> None:
    if sys.platform == "win32":
        return
    try:
        old, new = before.stat(), file.stat()
    except FileNotFoundError:
        return
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        os.chown(file, old.st_uid, old.st_gid)


def _set_mode(file: Path, mode: int) -> None:
    if mode == file.stat().st_mode & 0o7777:
        return
    try:
        file.chmod(mode)
    except PermissionError:  # FAT: every file has the mode of the mount
        if sys.platform == "win32" or os.geteuid() != 0:
            raise


def take(descriptor: int) -> None:
    """Locks an open file, or folder, until it is closed, and notes this process in it.

    `InUse` if another process has it. On Windows nothing is locked.
    """
    if fcntl is None:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InUse(_holder(descriptor)) from error
    with contextlib.suppress(OSError):  # a folder or a full card: the number is only shown to people
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())


def _holder(descriptor: int) -> str:
    try:
        return os.read(descriptor, 20).decode("ascii", "replace").strip() or "another"
    except OSError:
        return "another"


@contextlib.contextmanager
def locked(path: Path, flags: int) -> Iterator[None]:
    """Locks the file, or folder, at `path`, opened with `flags`; `InUse` if another process has the lock."""
    descriptor = os.open(path, flags, 0o644)
    try:
        take(descriptor)
        yield
    finally:
        os.close(descriptor)


def is_locked(path: Path) -> bool:
    """True while another process has the lock of the file at `path`; to know, it is taken for a moment."""
    try:
        with locked(path, os.O_RDONLY):
            return False
    except InUse:
        return True
    except OSError:
        return False


@contextlib.contextmanager
def claimed(folder: Path, name: str, why: str) -> Iterator[None]:
    """Locks the data in `folder` by its file `name`; `BuncoError` says that the process which has it `why`.

    Where the file cannot be made, the folder itself is locked; where there is no folder, nothing is.
    `OSError` for what no card explains, such as a folder in place of the file.
    """
    with contextlib.ExitStack() as opened:
        if (descriptor := _opened(folder, name)) is not None:
            opened.callback(os.close, descriptor)
            try:
                take(descriptor)
            except InUse as error:
                raise BuncoError(f"process {error.process} {why}") from error
        yield


def _opened(folder: Path, name: str) -> int | None:
    path = folder / name
    for place, flags in ((path, os.O_RDWR | os.O_CREAT), (path, os.O_RDONLY), (folder, os.O_RDONLY)):
        try:
            return os.open(place, flags, 0o644)
        except OSError as error:
            if error.errno not in _CARD:
                raise
    return None
