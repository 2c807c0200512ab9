"""A plan is a list of small steps; each says what it does, does it, and can undo it, finished or not."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.ops.install import files
from pi_bunco.ops.install.files import Content


class InstallError(BuncoError, RuntimeError):
    """Nothing was installed, removed or taken; `problems` has a sentence for each reason, all at once."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


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


def write(path: Path, new: Content, says: str) -> list[Step]:
    """Puts `new` at the path, unless it is there already."""
    before = files.content(path)
    if before == new:
        return []
    made = tuple(files.missing(path))
    return [Step(says, partial(files.write, path, new), partial(_unwrite, path, before, made))]


def _unwrite(path: Path, before: Content | None, made: Iterable[Path]) -> None:
    files.restore(path, before)
    for folder in made:
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def link(path: Path, target: str, says: str) -> list[Step]:
    """Makes the path a link to `target`, unless it is one."""
    before = files.target(path)
    if before == target:
        return []
    return [Step(says, partial(files.link, path, target), partial(files.relink, path, before))]


def move(path: Path, to: Path, says: str) -> Step:
    """Gives what lies at the path another name."""

    def back() -> None:
        if not path.exists() and to.exists():
            files.move(to, path)

    return Step(says, partial(files.move, path, to), back)
