"""The evening as the page knows it: the log, folded by the engine that the head uses."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import overload

from msgspec import Struct, field

from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Branch, Fact
from pi_bunco.log.entry import Entry
from pi_bunco.reason import Reason
from pi_bunco.web.site.changes import stage, topic

FACTS_AT_A_TIME = 500
"""Facts that are read at a time."""
LATEST_HELD = 12
"""Facts that are held as the latest ones."""


def _latest() -> deque[tuple[int, Fact]]:
    return deque(maxlen=LATEST_HELD)


class Recent(Struct):
    """Times (ms of the evening clock), the dice of the latest round, and the latest facts.

    `opened` is when the latest round was opened, `changed` when that was or the latest seats were drawn. Of
    the latest round `dice` has what fell at a place of the log, `last_rolls` per table the place of the last
    roll that counted. `fell` counts the faces of the evening from 1 to 6 by tables, `lately` has places and
    facts, but not that a table knows of a bell.
    """

    opened: int = 0
    changed: int = -1_000_000
    dice: dict[int, tuple[int, ...]] = {}
    last_rolls: dict[int, int] = {}
    fell: dict[int, list[int]] = {}
    lately: deque[tuple[int, Fact]] = field(default_factory=_latest)

    def add(self, n: int, fact: Fact, counts: bool = True) -> None:
        """The fact at place `n`; not one that `counts` if it changed nothing."""
        if not isinstance(fact, facts.BellSeen):
            self.lately.append((n, fact))
        match fact:
            case facts.Roll(table=table, dice=dice) if counts:
                self.last_rolls[table] = n
                if dice:
                    self.dice[n] = dice
                    fell = self.fell.setdefault(table, [0] * 6)
                    for face in dice:
                        fell[face - 1] += 1
            case facts.RoundOpen():
                self.opened = self.changed = fact.t
                self.dice, self.last_rolls = {}, {}
            case facts.Seating():
                self.changed = fact.t


class LogPlace(Struct, frozen=True):
    """A place in the log of an evening."""

    evening: str
    branches: int
    n: int

    def __str__(self) -> str:
        return f"{self.evening}.{self.branches}.{self.n}"

    @classmethod
    def parse(cls, text: str) -> "LogPlace | None":
        """The place that `str` wrote; None for anything else."""
        evening, _, rest = text[:200].partition(".")
        branches, _, n = rest.partition(".")
        if not (evening and branches.isdecimal() and n.isdecimal()):
            return None
        return cls(evening, int(branches), int(n))


class StoredFacts(Sequence[Fact]):
    """The facts that are folded, read again from where they are stored: none is held in memory."""

    def __init__(self, read: Callable[[int, int], Iterable[Entry]]) -> None:
        """`read` returns that many entries from a number on."""
        self._read = read
        self.length = 0

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, place: int) -> Fact: ...
    @overload
    def __getitem__(self, place: slice) -> list[Fact]: ...
    def __getitem__(self, place: int | slice) -> Fact | list[Fact]:
        """A fact, or those of a slice without a step; `StoreError`, `FactError`."""
        if isinstance(place, int):
            return self[place : place + 1][0]
        start, stop, _ = place.indices(self.length)
        return [entry.decoded() for entry in self._read(start + 1, max(stop - start, 0))]

    def __iter__(self) -> Iterator[Fact]:
        for start in range(0, self.length, FACTS_AT_A_TIME):
            yield from self[start : start + FACTS_AT_A_TIME]


class FoldedLog:
    """The evening that the facts come to, and what else pages need of them; `stored` has the facts."""

    def __init__(self, stored: StoredFacts | None = None) -> None:
        """Without a store the facts are held here."""
        self._stored = stored
        self.begin("")

    def begin(self, evening: str) -> None:
        """Another evening, or another log of it: nothing of it is known yet."""
        self.id = evening
        """The evening's id; "" while none is known."""
        self.evening = Evening()
        self.recent = Recent()
        self.last_t = 0
        """The time of the last fact (ms of the evening clock)."""
        self.log: StoredFacts | list[Fact] = [] if self._stored is None else self._stored
        self.ignored: dict[int, Reason] = {}
        """Per place of a fact that changed nothing: why."""
        self.branches = 0
        if self._stored is not None:
            self._stored.length = 0

    @property
    def place(self) -> LogPlace:
        """The place up to which the log is folded."""
        return LogPlace(self.id, self.branches, len(self.log))

    def fold(self, fact: Fact) -> str:
        """Takes the next fact; one that cannot be folded counts as one that changed nothing.

        Returns the topic of the pages that is different now.
        """
        if isinstance(self.log, list):
            self.log.append(fact)
        else:
            self.log.length += 1
        before = stage(self.evening)
        try:
            why = apply(self.evening, fact)
        except FactError as error:
            why = error.reasons[0]
        if why is not None:
            self.ignored[len(self.log)] = why
        if isinstance(fact, Branch):
            self.branches += 1
        self.last_t = fact.t
        self.recent.add(len(self.log), fact, counts=why is None)
        return topic(fact, before, stage(self.evening))
