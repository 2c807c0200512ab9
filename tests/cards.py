"""Real cards that cannot be written: a file system in memory that is mounted read-only, or is full."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


class Card:
    """A card of 1 MB at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def turn_read_only(self) -> None:
        """As Linux does after a fault of the card."""
        _mount("-o", "remount,ro", self.path)

    def turn_writable(self) -> None:
        _mount("-o", "remount,rw", self.path)

    def fill(self) -> None:
        """Nothing more has room."""
        with (self.path / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))

    def clear(self) -> None:
        (self.path / "filler").unlink()


def _mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


@contextlib.contextmanager
def card(path: Path) -> Iterator[Card]:
    """A new card at `path`; without the right to mount one the test is skipped."""
    path.mkdir()
    try:
        _mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", path)
    except (OSError, subprocess.CalledProcessError):
        if os.environ.get("CI") == "true" and os.geteuid() == 0:
            raise
        pytest.skip("needs root, to mount a card")
    try:
        yield Card(path)
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)
