"""The head role on this machine: one process holds it, by a lock in the folder of its data."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pi_bunco.errors import BuncoError
from pi_bunco.runtime.files import InUse, locked_folder

LOCK = "head.lock"


class HeadTaken(BuncoError):
    """Another process is head; the text says which."""


@contextlib.contextmanager
def head_role(folder: Path) -> Iterator[None]:
    """Holds the head role for the data in `folder`; `HeadTaken` says who has it."""
    with contextlib.ExitStack() as lock:
        try:
            lock.enter_context(locked_folder(folder, LOCK))
        except InUse as error:
            raise HeadTaken(f"process {error.process} is head already with the data in {folder}") from error
        yield
