"""Files in the root folder of a machine, to be compared."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

VOLATILE = ("dev", "proc", "run", "srv", "sys", "tmp", "var/log", "var/tmp", "var/lib/systemd", "var/cache")
"""Folders that change while a machine runs, whoever does what on it."""


def tree(root: Path, *apart: str) -> dict[str, str]:
    """Every file, link and folder with its mode and content, but for what is volatile or `apart`."""
    left_out = {root / name for name in (*VOLATILE, *apart)}
    return {str(path.relative_to(root)): told(path) for path in walk(root, left_out)}


def walk(folder: Path, left_out: set[Path]) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path not in left_out:
            yield path
            if path.is_dir() and not path.is_symlink():
                yield from walk(path, left_out)


def told(path: Path) -> str:
    found = path.lstat()
    if path.is_symlink():
        return f"-> {os.readlink(path)}"
    what = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
    return f"{found.st_mode:o} {found.st_uid}:{found.st_gid} {what}"


def differing(one: dict[str, str], other: dict[str, str]) -> set[str]:
    return {path for path in one.keys() | other.keys() if one.get(path) != other.get(path)}
