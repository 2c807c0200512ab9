"""Files that are old or new, and whole, after a power cut: written beside, fsynced, renamed, fsynced."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

NOW = ".new"
"""How the name of a file ends while it is being written."""


class Content(Struct, frozen=True):
    """What a file holds, and its mode."""

    data: bytes
    mode: int


def content(path: Path) -> Content | None:
    """What is in the file now, None where there is none."""
    try:
        return Content(path.read_bytes(), path.stat().st_mode & 0o7777)
    except (FileNotFoundError, NotADirectoryError):
        return None


def write(path: Path, new: Content) -> None:
    """Puts the file in its place, for the owner of the one before it.

    Without modes where the file system has none, as on a boot partition.
    """
    folder(path.parent)
    beside = path.with_name(f".{path.name}{NOW}")
    beside.unlink(missing_ok=True)
    try:
        _filled(beside, path, new)
    except OSError:  # on a full card nothing is to be left of it
        beside.unlink(missing_ok=True)
        raise
    os.replace(beside, path)
    sync(path.parent)


def _filled(beside: Path, path: Path, new: Content) -> None:
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(new.data)
        file.flush()
        _own(file.fileno(), path)
        if new.mode != os.fstat(file.fileno()).st_mode & 0o7777:
            _mode(file.fileno(), new.mode)
        os.fsync(file.fileno())


def _own(file: int, before: Path) -> None:
    try:
        old, new = before.stat(), os.fstat(file)
    except FileNotFoundError:
        return
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        os.fchown(file, old.st_uid, old.st_gid)


def _mode(file: int, mode: int) -> None:
    try:
        os.fchmod(file, mode)
    except PermissionError:  # FAT: every file has the mode of the mount
        if os.geteuid() != 0:
            raise


def restore(path: Path, before: Content | None) -> None:
    """Puts back what `content` found."""
    if before is None:
        remove(path)
    elif content(path) != before:
        write(path, before)


def link(path: Path, target: str) -> None:
    """Makes `path` a link to `target`, in one go also where there was another one."""
    folder(path.parent)
    beside = path.with_name(f".{path.name}{NOW}")
    beside.unlink(missing_ok=True)
    beside.symlink_to(target)
    os.replace(beside, path)
    sync(path.parent)


def target(path: Path) -> str | None:
    """Where the link points, None where there is no link."""
    return str(path.readlink()) if path.is_symlink() else None


def relink(path: Path, before: str | None) -> None:
    """Puts back the link that `target` found."""
    if before is None:
        remove(path)
    else:
        link(path, before)


def remove(path: Path) -> None:
    """Takes a file, a link or a whole folder away."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
    else:
        shutil.rmtree(path)
    if path.parent.is_dir():
        sync(path.parent)


def move(path: Path, to: Path) -> None:
    """Gives a file or folder another name on the same file system."""
    folder(to.parent)
    os.rename(path, to)
    sync(path.parent)
    sync(to.parent)


def folder(path: Path) -> None:
    """Makes the folder and those above it; a folder of secrets is its owner's alone."""
    if path.is_dir():
        return
    folder(path.parent)
    path.mkdir(0o700)
    path.chmod(0o700 if "secrets" in path.parts else 0o755)
    sync(path.parent)


def missing(path: Path) -> Iterator[Path]:
    """The folders that have to be made for a file at `path`, the deepest first."""
    for above in path.parents:
        if above.is_dir():
            return
        yield above


def free(path: Path) -> Path:
    """The path, or with a number behind it the first one that nothing lies at."""
    names = (path.with_name(f"{path.name}.{number}") for number in range(1, 10_000))
    return path if not os.path.lexists(path) else next(name for name in names if not os.path.lexists(name))


def sync(folder: Path) -> None:
    """What was renamed or removed in the folder stays so."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
