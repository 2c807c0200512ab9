"""Entries of the log in whatever order they come: those that follow, and those to ask for."""

from collections.abc import Sequence
from math import inf

from pi_bunco.log.chain import Chain, Judged
from pi_bunco.log.entry import Entry

ASK_EVERY_MS = 1000.0
"""Milliseconds between two questions for what is missing."""
MAX_EARLY = 5000
"""Entries that came before their turn and are kept, at most."""


class Follower:
    """Takes entries into `chain` as they follow each other, and knows what to ask for."""

    def __init__(self) -> None:
        self.begin(Chain())

    def begin(self, chain: Chain) -> None:
        """Another evening, of which the chain is here already."""
        self.newest = 0
        """The greatest number that the writer is known to have given."""
        self.begin_again(chain)
        self._doubts = False

    def begin_again(self, chain: Chain) -> None:
        """The writer goes on from a log that differs: all of it is asked for, from the first entry on."""
        self.chain = chain
        self._early: dict[int, Entry] = {}
        self._doubts = False
        self.ask_at_once()

    @property
    def lag(self) -> int:
        """The number of entries that the writer has and that are not here."""
        return max(self.newest - len(self.chain), 0)

    def take(self, entry: Entry) -> tuple[Judged, Sequence[Entry]]:
        """Takes an entry of this evening; the entries that follow now, in order."""
        self.newest = max(self.newest, entry.n)
        judged = self.chain.judge(entry)
        if judged == "repeats":
            self._doubts = self._doubts and entry.n < len(self.chain)
        elif judged == "gap" and len(self._early) < MAX_EARLY:
            self._early[entry.n] = entry
        following: list[Entry] = []
        next_: Entry | None = entry if judged == "continues" else None
        while next_ is not None:
            self.chain.add(next_)
            following.append(next_)
            next_ = self._early.pop(len(self.chain) + 1, None)
            if next_ is not None and self.chain.judge(next_) != "continues":
                next_ = None  # it is of another writer, and is asked for
        return judged, following

    def writer_has(self, length: int) -> None:
        """The length of the writer's log, which is shorter than before where the host chose another one."""
        self.newest = max(length, *self._early, 0)

    def writer_changed(self) -> None:
        """Another writer is there: its log is compared from the last entry on."""
        self._early.clear()
        self._doubts = len(self.chain) > 0
        self.ask_at_once()

    def ask_at_once(self) -> None:
        """The last question is answered, or is no longer the right one."""
        self._asked_at = -inf

    def wants(self, now: float) -> bool:
        """True if something is missing that the writer is to be asked for now."""
        return bool(self.newest and (self._doubts or self.lag)) and now - self._asked_at >= ASK_EVERY_MS

    def wanted(self, now: float) -> int | None:
        """The number from which on to ask the writer now, None for nothing to ask.

        The last entry that is here is asked for again: what comes behind it may be of another log.
        """
        if not self.wants(now):
            return None
        self._asked_at = now
        return max(min(len(self.chain), self.newest), 1)
