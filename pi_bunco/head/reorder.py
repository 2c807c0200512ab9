"""The tables' streams put in order: every fact once, none out of its turn (PROTOCOL.md section 2)."""

from collections.abc import Mapping

from pi_bunco.wire.messages import Envelope, FactPlace

Sequenced = Envelope | FactPlace

WAITING = 256
"""Facts that wait behind a gap, per table; a table has at most 64 in flight."""


class Reorder:
    """Where each stream of each table stands; `upto` maps (table, stream) to the last place taken."""

    def __init__(self, upto: Mapping[tuple[int, str], int] | None = None) -> None:
        self.upto = dict(upto or {})
        self._behind: dict[tuple[int, str], dict[int, Sequenced]] = {}

    def take(self, table: int, envelope: Sequenced) -> list[Sequenced]:
        """The facts that can be applied now that `envelope` came, in order; a repeat gives none.

        The first fact of a new stream closes the table's earlier ones, whatever waited behind a gap there: a
        table sends oldest first, and sends again what it has.
        """
        key = (table, envelope.stream)
        if envelope.seq <= self.upto.get(key, 0):
            return []
        if envelope.seq == self.upto.get(key, 0) + 1 or self._waiting(table) < WAITING:
            self._behind.setdefault(key, {})[envelope.seq] = envelope
        ready = self._in_order(key)
        if ready and ready[0].seq == 1:
            self._behind = {
                other: waiting for other, waiting in self._behind.items() if other[0] != table or other == key
            }
        return ready

    def skip(self, table: int, envelope: Sequenced) -> bool:
        """Passes over all of a stream up to `envelope`, which is not applied; False for a repeat."""
        key = (table, envelope.stream)
        if envelope.seq <= self.upto.get(key, 0):
            return False
        self.upto[key] = envelope.seq
        self._behind.pop(key, None)
        return True

    def _waiting(self, table: int) -> int:
        return sum(len(waiting) for key, waiting in self._behind.items() if key[0] == table)

    def _in_order(self, key: tuple[int, str]) -> list[Sequenced]:
        waiting, ready = self._behind.get(key, {}), []
        while envelope := waiting.pop(self.upto.get(key, 0) + 1, None):
            self.upto[key] = envelope.seq
            ready.append(envelope)
        if not waiting:
            self._behind.pop(key, None)
        return ready
