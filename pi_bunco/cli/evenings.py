"""Evenings to read: an evening log in a file, or an evening of a journal."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from pi_bunco.errors import FactError, LogError
from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.game.replay import read
from pi_bunco.journal import journal
from pi_bunco.runtime.store import StoreError, inspect


class Logged(Struct, frozen=True):
    """An evening and the facts that it is made of; `name` is the file's or the evening's id."""

    name: str
    evening: Evening
    log: list[facts.Fact]


def logged(name: str, path: Path | None = None) -> Logged:
    """The evening of the log `name`, or with `path` the evening `name` of that journal.

    Raises `LogError` or `StoreError`.
    """
    if path is None:
        return from_file(Path(name))
    if not inspect(path, journal.SCHEMA):
        raise StoreError(f"there is no journal {path}")
    return _played(name, journal.export(path, name))


def from_file(path: Path) -> Logged:
    """The evening of an evening log; raises `LogError`."""
    try:
        with path.open("rb") as lines:
            return _played(str(path), lines)
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from error


def _played(name: str, lines: Iterable[bytes]) -> Logged:
    evening = Evening()
    log = []
    for number, fact in read(lines, name):
        try:
            evening.apply(fact)
        except FactError as error:
            raise LogError(f"{name}, line {number}: {error}") from error
        log.append(fact)
    return Logged(name, evening, log)
