"""The evening as the page knows it: the numbered log, folded by the engine that the head uses."""

from functools import lru_cache
from typing import TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from pi_bunco.errors import FactError
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Fact, Roll
from pi_bunco.log.chain import Macs
from pi_bunco.reason import InEnglish, Reason

AGAIN = 1000.0
"""Milliseconds between two questions for what is missing."""
EARLY = 5000
"""So many entries that came before their turn are kept."""


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


class Follower:
    """Takes the entries of the log in whatever order they come, and folds those that follow each other."""

    def __init__(self) -> None:
        self.evening = Evening()
        self.id = ""
        """The evening's id; "" while none is known."""
        self.log: list[Fact] = []
        self._macs = Macs()
        self.ignored: dict[int, Reason] = {}
        """Per place of a fact that changed nothing: why."""
        self.branches = 0
        self.newest = 0
        """The greatest number that the head is known to have given."""
        self._early: dict[int, tuple[Fact, str, str | UnsetType]] = {}
        self._asked_at = -AGAIN
        self._doubts = False

    @property
    def place(self) -> LogPlace:
        """Up to where the log is folded."""
        return LogPlace(self.id, self.branches, len(self.log))

    @property
    def lag(self) -> int:
        """So many entries of the head are not known here."""
        return max(self.newest - len(self.log), 0)

    def begin(self, evening: str) -> None:
        """Another evening: nothing of it is known yet."""
        self._clear()
        self.id, self.newest = evening, 0

    def take(self, n: int, fact: Fact, mac: str, before: str | UnsetType = UNSET) -> int:
        """Takes entry `n` of this evening; how many facts were folded, -1 if the log is another than before.

        `before` is the mac of the entry before, if known. A fact that cannot be folded counts as one that
        changed nothing.
        """
        self.newest = max(self.newest, n)
        if n <= len(self.log):
            if not self._macs.has(n, mac):
                return self._fork()
            self._doubts = self._doubts and n < len(self.log)
            return 0
        if len(self._early) < EARLY or n == len(self.log) + 1:
            self._early[n] = fact, mac, before
        folded = 0
        while following := self._early.pop(len(self.log) + 1, None):
            fact, mac, before = following
            if self._macs and before not in (UNSET, self._macs.newest):
                return self._fork()
            self._fold(fact, mac)
            folded += 1
        return folded

    def head_has(self, length: int) -> None:
        """The head's log has so many entries, fewer than before where the host chose another one."""
        self.newest = max(length, *self._early, 0)

    def compare(self) -> None:
        """Another head is there: whether its log is this one is to be asked."""
        self._doubts, self._asked_at = True, -AGAIN

    def wanted(self, now: float) -> int | None:
        """The number from which on to ask the head now (ms), None for nothing to ask.

        The last entry that is here is asked for again: what comes behind it may be of another log.
        """
        if not self.id or now - self._asked_at < AGAIN or not (self._doubts or self.lag):
            return None
        self._asked_at = now
        return max(len(self.log), 1)

    def _fold(self, fact: Fact, mac: str) -> None:
        self.log.append(_thrifty(fact))
        self._macs.append(mac)
        try:
            why = apply(self.evening, fact)
        except FactError as error:
            why = InEnglish(str(error))
        if why is not None:
            self.ignored[len(self.log)] = why
        if fact.__struct_config__.tag == "branch":
            self.branches += 1

    def _fork(self) -> int:
        """The head goes on from a log that differs: all is asked for again, from the first on."""
        self._clear()
        self._asked_at = -AGAIN
        return -1

    def _clear(self) -> None:
        self.evening = Evening()
        self.log, self._macs, self.ignored = [], Macs(), {}
        self.branches, self._early, self._doubts = 0, {}, False


def _thrifty(fact: Fact) -> Fact:
    """The fact as it is kept for the evening: nearly all are rolls, and few of these differ in their dice."""
    if not isinstance(fact, Roll):
        return fact
    return replace(fact, dice=_same(fact.dice), source=_same(fact.source))


@lru_cache(maxsize=1000)
def _same(value: Value) -> Value:
    """The first value that was equal to this one."""
    return value
