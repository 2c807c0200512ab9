"""Taking a file over is a list of steps; each says what it does, does it, and can undo it."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from pi_bunco.runtime import files


class Content(Struct, frozen=True):
    """The content of a file, and its mode."""

    data: bytes
    mode: int


def nothing() -> None:
    """There is nothing to do."""


class Step(Struct, frozen=True):
    """One thing to do: `undo` bears that it was done half, `after` comes when all steps are undone."""

    says: str
    apply: Callable[[], None]
    undo: Callable[[], None] = nothing
    after: Callable[[], None] = nothing


def carry_out(steps: Iterable[Step], tell: Callable[[str], None]) -> None:
    """Does the steps in turn; if one fails, or somebody interrupts, undoes all and raises what it was."""
    begun: list[Step] = []
    try:
        for step in steps:
            tell(step.says)
            begun.append(step)
            step.apply()
    except BaseException:
        tell("That failed; putting back what was there before.")
        _undo(begun)
        raise


def _undo(begun: Sequence[Step]) -> None:
    for step in reversed(begun):
        step.undo()
    for step in begun:
        step.after()


def write(path: Path, new: Content | None, says: str) -> list[Step]:
    """Puts `new` at the path, unless it is there already; None takes away what lies there."""
    before = content(path)
    if before == new:
        return []
    made = tuple(_missing(path))
    return [Step(says, partial(_put, path, new), partial(_put_back, path, before, made))]


def content(path: Path) -> Content | None:
    """The content of the file now, None where there is none."""
    try:
        return Content(path.read_bytes(), path.stat().st_mode & 0o7777)
    except (FileNotFoundError, NotADirectoryError):
        return None


def free(path: Path) -> Path:
    """The path, or with a number behind it the first one that nothing lies at."""
    names = (path.with_name(f"{path.name}.{number}") for number in range(1, 10_000))
    return path if not os.path.lexists(path) else next(name for name in names if not os.path.lexists(name))


def _put(path: Path, new: Content | None) -> None:
    if new is None:
        path.unlink(missing_ok=True)
        files.sync_folder(path.parent)
    else:
        _folder(path.parent)
        files.write(path, new.data, new.mode)


def _put_back(path: Path, before: Content | None, made: Iterable[Path]) -> None:
    if content(path) != before:
        _put(path, before)
    for folder in made:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _folder(path: Path) -> None:
    """Makes the folder and those above it; a folder of secrets is its owner's alone."""
    if path.is_dir():
        return
    _folder(path.parent)
    path.mkdir(0o700)
    path.chmod(0o700 if "secrets" in path.parts else 0o755)
    files.sync_folder(path.parent)


def _missing(path: Path) -> Iterator[Path]:
    """Folders that have to be made for a file at `path`, the deepest first."""
    for above in path.parents:
        if above.is_dir():
            return
        yield above
