"""A table that keeps a copy of the head's journal, for a head that loses its card."""

import msgspec

from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.journal.copies import Copies
from pi_bunco.journal.journal import Entry, Origin
from pi_bunco.table.effects import Effect, Warn
from pi_bunco.table.uplink import Options
from pi_bunco.wire import messages
from pi_bunco.wire.publish import Publish

AGAIN = 1000.0
"""Milliseconds between two questions for what is missing."""


class Keeper:
    """Takes the numbered entries of the journal into `copies` and asks for those that did not come."""

    def __init__(self, options: Options, copies: Copies | None, now: float) -> None:
        """`copies` is None where this table keeps no copy."""
        self.length = 0
        """How long the head's journal is known to be."""
        self._options = options
        self._copies = copies
        self._asked_at = now

    def take(self, copy: messages.LogCopy) -> list[Effect]:
        """Keeps an entry."""
        if self._copies is None:
            return []
        origin = Origin(*msgspec.structs.astuple(copy.origin)) if copy.origin else None
        try:
            self._copies.add(Entry(copy.n, copy.evening, facts.convert(copy.fact), origin))
        except FactError as error:
            return [Warn(f"An entry of the head's journal is not understood: {error}")]
        return []

    def need(self, evening: str | None, now: float) -> list[Effect]:
        """Asks for what is missing of `evening`."""
        if self._copies is None or evening is None or now - self._asked_at < AGAIN:
            return []
        missing = self._copies.missing_from(evening, self.length)
        if missing is None:
            return []
        self._asked_at = now
        return [Publish(self._options.up("need"), messages.Need(evening, missing), 1)]
