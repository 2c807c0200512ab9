"""Tables' facts of another end of the log that are missing here, by their identity. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.log.entry import Entry, Origin


class MissingFact(Struct, frozen=True):
    """An entry of another end; `last` there, or with the bell behind it that rang at `rang_t`."""

    entry: Entry
    origin: Origin
    last: bool
    rang_t: int | None


def missing(log: Iterable[Entry], other: Sequence[Entry]) -> Iterator[MissingFact]:
    """The facts of tables in the `other` end that are neither in the log nor came before, in order."""
    known = {name for entry in log if entry.origin for name in _names(entry.origin)}
    for entry, behind in zip_longest(other, other[1:]):
        if entry.origin is None or not known.isdisjoint(_names(entry.origin)):
            continue
        known.update(_names(entry.origin))
        bell = behind.decoded() if behind else None
        rang_t = bell.t if isinstance(bell, facts.BellRang) else None
        yield MissingFact(entry, entry.origin, behind is None, rang_t)


def _names(origin: Origin) -> list[tuple[object, ...]]:
    """Place of the fact in its stream, and the dice box's name for its throw."""
    place = (origin.table, origin.stream, origin.seq)
    return [place] if origin.mark is None else [place, (origin.table, origin.mark)]
