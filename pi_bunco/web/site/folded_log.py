"""The evening as the page knows it: the log, folded by the engine that the head uses."""

from functools import lru_cache
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.errors import FactError
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Branch, Fact, Roll
from pi_bunco.reason import InEnglish, Reason
from pi_bunco.web.site.changes import stage, topic

Value = TypeVar("Value")


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


class FoldedLog:
    """The facts of an evening from the first on, and what they come to."""

    def __init__(self) -> None:
        self.begin("")

    def begin(self, evening: str) -> None:
        """Another evening, or another log of it: nothing of it is known yet."""
        self.id = evening
        """The evening's id; "" while none is known."""
        self.evening = Evening()
        self.log: list[Fact] = []
        self.ignored: dict[int, Reason] = {}
        """Per place of a fact that changed nothing: why."""
        self.branches = 0

    @property
    def place(self) -> LogPlace:
        """The place up to which the log is folded."""
        return LogPlace(self.id, self.branches, len(self.log))

    def fold(self, fact: Fact) -> str:
        """Takes the next fact; one that cannot be folded counts as one that changed nothing.

        Returns the topic of the pages that is different now.
        """
        self.log.append(_thrifty(fact))
        before = stage(self.evening)
        try:
            why = apply(self.evening, fact)
        except FactError as error:
            why = InEnglish(str(error))
        if why is not None:
            self.ignored[len(self.log)] = why
        if isinstance(fact, Branch):
            self.branches += 1
        return topic(fact, before, stage(self.evening))


def _thrifty(fact: Fact) -> Fact:
    """The fact as it is kept for the evening: nearly all are rolls, and few of these differ in their dice."""
    if not isinstance(fact, Roll):
        return fact
    return replace(fact, dice=_same(fact.dice), source=_same(fact.source))


@lru_cache(maxsize=1000)
def _same(value: Value) -> Value:
    """The first value that was equal to this one."""
    return value
