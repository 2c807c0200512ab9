"""A table that keeps a copy of the head's journal, for a head that loses its card."""

from typing import Any

from pi_bunco.errors import FactError
from pi_bunco.journal.copies import Copies, checksum
from pi_bunco.journal.journal import Entry
from pi_bunco.logcopy import copy_of, entry_of
from pi_bunco.runtime.store import StoreError
from pi_bunco.table.effects import Effect, Warn
from pi_bunco.table.uplink import TableOptions
from pi_bunco.wire import messages
from pi_bunco.wire.messages import BATCH
from pi_bunco.wire.publish import Publish

AGAIN = 1000.0
"""Milliseconds between two questions for what is missing."""


class ReplicaSync:
    """Takes the numbered entries of the journal into `copies` and asks for those that did not come."""

    def __init__(self, options: TableOptions, copies: Copies | None, now: float) -> None:
        """`copies` is None where this table keeps no copy."""
        self._options = options
        self._copies = copies
        self._asked_at = now
        self._length = 0
        self._head = ""
        self._doubts = False

    def see(self, status: messages.HeadStatus) -> None:
        """A head is there: how long its journal is, and it may not be the one that was copied last."""
        self._length = status.journal
        online = status.state == "online"
        self._doubts = online and (self._doubts or status.session != self._head)
        self._head = status.session if online else ""

    def take(self, copy: messages.LogCopy) -> list[Effect]:
        """Keeps an entry."""
        if self._copies is None:
            return []
        try:
            self._copies.add(entry_of(copy))
        except FactError as error:
            return [Warn(f"An entry of the head's journal is not understood: {error}")]
        return []

    def need(self, evening: str | None, now: float) -> list[Effect]:
        """Asks for what is missing of `evening`; of each head once for its newest entries, to compare."""
        if self._copies is None or evening is None or now - self._asked_at < AGAIN:
            return []
        missing = self._copies.missing_from(evening, self._length)
        if missing is None and self._doubts:
            both = min(self._copies.lengths().get(evening, 0), self._length)
            missing, self._doubts = max(both - BATCH, 0) + 1, False
        if missing is None:
            return []
        self._asked_at = now
        return [Publish(self._options.up("need"), messages.Need(evening, missing), 1)]

    def answer(self, need: messages.Need, bell: Any) -> list[Effect]:
        """What a head that has lost its journal asks for; `bell` is the last one that was heard of."""
        try:
            if need.evening is None:
                return [Publish(self._options.up("held"), messages.Held(self._held(), _heard(bell)), 1)]
            entries = self._copies.read(need.evening, need.start, BATCH) if self._copies else []
            return [Publish(self._options.up("log"), copy_of(entry), 1) for entry in entries]
        except StoreError as error:
            return [Warn(f"The copy of the head's journal cannot be read: {error}")]

    def _held(self) -> tuple[messages.HeldEvening, ...]:
        copies = self._copies
        return tuple(_summary(name, copies.read(name)) for name in copies.lengths()) if copies else ()


def _heard(bell: Any) -> messages.HeardBell | None:
    match bell:
        case [str(evening), int(epoch), int(t)]:
            return messages.HeardBell(evening, epoch, t)
    return None


def _summary(evening: str, entries: list[Entry]) -> messages.HeldEvening:
    total = 0
    for entry in entries:
        total = checksum(entry, total)
    return messages.HeldEvening(evening, len(entries), total)
