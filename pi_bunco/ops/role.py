"""Keeps the bell to one process: while a head service holds its role, nobody else sounds anything."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pi_bunco.errors import BuncoError

LOCK = "head.lock"
"""The file in the head's folder that a head service holds."""


class HeadRuns(BuncoError, RuntimeError):
    """A head service holds the bell."""


@contextmanager
def without_head(data: Path | None) -> Iterator[None]:
    """No head starts with the folder `data` meanwhile; `HeadRuns` if one runs there, or may."""
    if data is None or not (data / LOCK).exists():  # no head has ever been here
        yield
        return
    try:
        file = os.open(data / LOCK, os.O_RDWR)
    except OSError as error:
        raise HeadRuns(f"{data / LOCK} cannot be opened ({error.strerror}): a head may be running") from error
    try:
        _hold(file, data)
        yield
    finally:
        os.close(file)


def _hold(file: int, data: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.read(file, 20).decode("ascii", "replace").strip()
        raise HeadRuns(
            f"process {holder} is head with the data in {data} and has the bell: use pi-bunco host bell-test"
        ) from error
    os.ftruncate(file, 0)
    os.write(file, str(os.getpid()).encode())
