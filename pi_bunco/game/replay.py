"""An evening log played again."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from pi_bunco.errors import FactError, LogError
from pi_bunco.game import codec, facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening

LONGEST = 512 * 1024
"""Bytes of a line: an evening of 1,200 players with long names has less."""


class Replay(Struct, frozen=True):
    """The evening that a log makes, and what in the log changed nothing: its line (from 1) and why."""

    evening: Evening
    ignored: list[tuple[int, str]]


def read(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, facts.Fact]]:
    """The facts of a log with their line numbers; blank lines are passed over.

    Raises `LogError`, which names `name`, the line and what was expected.
    """
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST:
            raise LogError(f"{name}, line {number}: more than {LONGEST} bytes are no fact")
        if line.strip():
            try:
                yield number, codec.decode(line)
            except FactError as error:
                raise LogError(f"{name}, line {number}: {error}") from error


def replay(lines: Iterable[bytes], name: str) -> Replay:
    """The evening of the log `name`; raises `LogError`, also for facts of which none opens an evening."""
    evening = Evening()
    ignored = []
    for number, fact in read(lines, name):
        try:
            why = apply(evening, fact)
        except FactError as error:
            raise LogError(f"{name}, line {number}: {error}") from error
        if why is not None:
            ignored.append((number, why))
    if evening.rules is None and ignored:
        first = ignored[0][0]
        raise LogError(f"{name}, line {first}: a log begins with the fact evening, and there is none")
    return Replay(evening, ignored)
