"""The machine under examination: its files below a root, and the output of its programs."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from pi_bunco.provision import system
from pi_bunco.provision.places import Places

Run = Callable[[Sequence[str]], str | None]
PROGRAM_TIMEOUT_S = 3.0


def run(command: Sequence[str], timeout_s: float = PROGRAM_TIMEOUT_S) -> str | None:
    """The output of a program, None if there is none, it fails without a word, or takes too long."""
    done = system.command(command, timeout_s)
    return None if done.status and not done.out else done.out


def text_of(file: Path) -> str | None:
    """The text of a file, None if it cannot be read."""
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return None


class Machine(Struct, frozen=True):
    """The places of the files, and the way to ask programs."""

    places: Places = Places()
    run: Run = run

    def at(self, path: str | Path) -> Path:
        """The file at an absolute path of the machine."""
        return self.places.root / str(path).lstrip("/")

    def text(self, path: str) -> str | None:
        """The text of a file of the machine, None if it cannot be read."""
        return text_of(self.at(path))

    def texts(self, pattern: str) -> Iterator[str]:
        """The texts of the files that match `pattern` below the root and can be read, in order."""
        yield from (text for path in self.glob(pattern) if (text := text_of(path)) is not None)

    def glob(self, pattern: str) -> list[Path]:
        """The files below the root that match, sorted."""
        return sorted(self.places.root.glob(pattern))

    def names(self, file: str, name: str) -> list[str] | None:
        """The fields of `name` in a file such as `passwd(5)` or `group(5)`, None if it is not in there."""
        rows = (row.split(":") for row in (self.text(f"etc/{file}") or "").splitlines())
        return next((row for row in rows if row[0] == name), None)
