"""Evenings to read: an evening log in a file, or an evening of a journal."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from pi_bunco.errors import FactError, LogError
from pi_bunco.game import facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.replay import read
from pi_bunco.log import journal
from pi_bunco.runtime.clock import date
from pi_bunco.runtime.writer import load_kept


class Logged(Struct, frozen=True):
    """An evening and the facts that it is made of; `name` is the file's or the evening's id.

    `day` is the day on which it was opened, as a host reads it; empty where a log does not say.
    """

    name: str
    evening: Evening
    log: list[facts.Fact]
    day: str = ""


def journaled(path: Path, ids: Sequence[str] = ()) -> list[Logged]:
    """The evenings of a journal by their `ids`, all of them where none is named, the oldest first.

    Raises `StoreError` if there is no journal, no such evening, or damage.
    """
    kept = load_kept(journal.journal_at(path), journal.SCHEMA)
    return [
        _played(id, journal.export(path, id), _day(kept.get(f"opened {id}")))
        for id in ids or [one.id for one in journal.evenings(path)]
    ]


def _day(opened: object) -> str:
    return date(opened).partition(",")[0] if isinstance(opened, int | float) else ""


def from_file(path: Path) -> Logged:
    """The evening of an evening log; raises `LogError`."""
    try:
        with path.open("rb") as lines:
            return _played(str(path), lines)
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from error


def _played(name: str, lines: Iterable[bytes], day: str = "") -> Logged:
    evening = Evening()
    log = []
    for number, fact in read(lines, name):
        try:
            apply(evening, fact)
        except FactError as error:
            raise LogError(f"{name}, line {number}: {error}") from error
        log.append(fact)
    return Logged(name, evening, log, day)
