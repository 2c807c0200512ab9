"""The head role on this machine: one process holds it, by a lock in the folder of its data."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from pi_bunco.errors import BuncoError
from pi_bunco.runtime.files import InUse, locked, locked_folder

LOCK = "head.lock"


class HeadTaken(BuncoError):
    """Another process is head; the text says which."""


class HeadRuns(BuncoError, RuntimeError):
    """A head service has the bell."""


@contextlib.contextmanager
def head_role(folder: Path) -> Iterator[None]:
    """Holds the head role for the data in `folder`; `HeadTaken` says who has it."""
    with contextlib.ExitStack() as lock:
        try:
            lock.enter_context(locked_folder(folder, LOCK))
        except InUse as error:
            raise HeadTaken(f"process {error.process} is head already with the data in {folder}") from error
        yield


@contextlib.contextmanager
def without_head(data: Path | None) -> Iterator[None]:
    """Keeps the bell to one process: no head starts with the folder `data` meanwhile.

    `HeadRuns` if one runs there, or may.
    """
    if data is None or not (data / LOCK).exists():  # no head has ever been here
        yield
        return
    with contextlib.ExitStack() as lock:
        try:
            lock.enter_context(locked(data / LOCK, os.O_RDWR))
        except InUse as error:
            raise HeadRuns(
                f"process {error.process} is head with the data in {data} and has the bell:"
                " use pi-bunco host bell-test"
            ) from error
        except OSError as error:
            raise HeadRuns(
                f"{data / LOCK} cannot be opened ({error.strerror}): a head may be running"
            ) from error
        yield
