"""A table, or the page, that keeps a replica of the log, for a head that loses its journal."""

from collections.abc import Sequence
from typing import Protocol

from pi_bunco.log.entry import Entry, ReplicaClaim
from pi_bunco.log.replica import Replica
from pi_bunco.runtime.loop import Warn
from pi_bunco.runtime.store import StoreError
from pi_bunco.table.effects import TableEffect
from pi_bunco.wire import messages
from pi_bunco.wire.client import Publish
from pi_bunco.wire.entries import answer_of

AGAIN = 1000.0
"""Milliseconds between two questions for what is missing."""
GROWTH = 50
"""A replica that has grown by so many entries is told of again."""


class Sender(Protocol):
    """A node of the hall: a table, or the page."""

    def up(self, leaf: str) -> str:
        """The topic on which the node says `leaf`."""


class ReplicaSync:
    """Takes the entries of the log into `replica`, asks for those that did not come, and hands them back."""

    def __init__(self, options: Sender, replica: Replica | None, now: float) -> None:
        """`replica` is None where this table keeps none."""
        self._options = options
        self._replica = replica
        self._asked_at = now
        self._length = 0
        self._evening: str | None = None
        self._head = ""
        self._claimed = 0

    def head(self, status: messages.HeadStatus) -> None:
        """A head is there: how long its log is; of another session it may be another log."""
        self._length, self._evening = status.length, status.evening
        if status.state == "online" and status.session != self._head and self._replica:
            self._replica.doubt()
        self._head = status.session if status.state == "online" else ""

    def take(self, entries: Sequence[Entry], now: float) -> None:
        """Keeps entries that continue what is here, and asks at once for what comes after an answer."""
        if self._replica is None:
            return
        new = [self._replica.take(entry) for entry in entries]
        for entry in entries:
            if entry.evening == self._evening:
                self._length = max(self._length, entry.n)
        if len(entries) > 1 and any(new):
            self._asked_at = now - AGAIN

    def ask(self, now: float) -> list[TableEffect]:
        """Asks for what is missing of the head's evening."""
        if self._replica is None or self._evening is None or not self._head or now - self._asked_at < AGAIN:
            return []
        start = self._replica.missing_from(self._evening, self._length)
        if start is None:
            return []
        self._asked_at = now
        return [Publish(self._options.up("log_request"), messages.LogRequest(self._evening, start), 1)]

    def answer(self, request: messages.LogRequest) -> list[TableEffect]:
        """What a head asks for whose log may have lost its end; nothing, said so, where nothing is here."""
        try:
            entries = self._replica.read(request.evening, request.start) if self._replica else ()
            return [Publish(self._options.up("log"), answer_of(request, entries), 1)]
        except StoreError as error:
            return [Warn(f"The replica of the log cannot be read: {error}")]

    def claim(self) -> ReplicaClaim | None:
        """What is here at its best, to be told to the head."""
        self._claimed = self.length
        best = self._replica.best() if self._replica else None
        if best is None:
            return None
        rank = best.rank
        return ReplicaClaim(best.evening, rank.no, rank.branches, rank.length, best.newest)

    @property
    def grown(self) -> bool:
        """Whether what is here is to be told again."""
        return abs(self.length - self._claimed) >= GROWTH

    @property
    def length(self) -> int:
        """How long the best chain is."""
        best = self._replica.best() if self._replica else None
        return len(best) if best else 0
