"""The machine under examination: its files below a root, and what its programs say."""

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from pi_bunco.provision.places import Places

Run = Callable[[Sequence[str]], str | None]
PATIENCE = 3.0
"""Seconds that a program has to answer."""


def run(command: Sequence[str], seconds: float = PATIENCE) -> str | None:
    """What the program prints, None if there is none, it fails without a word, or takes too long."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode and not done.stdout:
        return None
    return done.stdout.decode("utf-8", "replace")


class Machine(Struct, frozen=True):
    """Where the files are, and how programs are asked."""

    places: Places = Places()
    run: Run = run

    def at(self, path: str | Path) -> Path:
        """The file at an absolute path of the machine."""
        return self.places.root / str(path).lstrip("/")

    def text(self, path: str | Path) -> str | None:
        """What is in the file, None if it cannot be read."""
        try:
            return self.at(path).read_text("utf-8", "replace")
        except OSError:
            return None

    def first(self, pattern: str) -> str | None:
        """What is in the first file that matches `pattern` below the root and can be read."""
        found = (self.text(path.relative_to(self.places.root)) for path in self.glob(pattern))
        return next((text for text in found if text is not None), None)

    def glob(self, pattern: str) -> list[Path]:
        """The files below the root that match, sorted."""
        return sorted(self.places.root.glob(pattern))

    def names(self, file: str, name: str) -> list[str] | None:
        """The fields of `name` in a file such as `passwd(5)` or `group(5)`, None if it is not in there."""
        rows = (row.split(":") for row in (self.text(f"etc/{file}") or "").splitlines())
        return next((row for row in rows if row[0] == name), None)
