"""The tables' streams put in order: every fact once, none out of its turn (PROTOCOL.md section 2)."""

from collections.abc import Mapping

from pi_bunco.wire.messages import Envelope

HELD = 256
"""Facts that wait behind a gap, per table; a table has at most 64 in flight."""


class Streams:
    """Where each stream of each table stands; `upto` maps (table, stream) to the last place taken."""

    def __init__(self, upto: Mapping[tuple[int, str], int] | None = None) -> None:
        self.upto = dict(upto or {})
        self._held: dict[tuple[int, str], dict[int, Envelope]] = {}

    def take(self, table: int, envelope: Envelope) -> list[Envelope]:
        """The facts that can be applied now that `envelope` came, in order; a repeat gives none.

        The first fact of a new stream closes the table's earlier ones, whatever waited behind a gap there: a
        table sends oldest first, and sends again what it has.
        """
        key = (table, envelope.stream)
        if envelope.seq <= self.upto.get(key, 0):
            return []
        if envelope.seq == self.upto.get(key, 0) + 1 or self._waiting(table) < HELD:
            self._held.setdefault(key, {})[envelope.seq] = envelope
        ready = self._in_order(key)
        if ready and ready[0].seq == 1:
            self._held = {
                other: held for other, held in self._held.items() if other[0] != table or other == key
            }
        return ready

    def skip(self, table: int, envelope: Envelope) -> bool:
        """Passes over all of a stream up to `envelope`, which is not applied; False for a repeat."""
        key = (table, envelope.stream)
        if envelope.seq <= self.upto.get(key, 0):
            return False
        self.upto[key] = envelope.seq
        self._held.pop(key, None)
        return True

    def _waiting(self, table: int) -> int:
        return sum(len(held) for key, held in self._held.items() if key[0] == table)

    def _in_order(self, key: tuple[int, str]) -> list[Envelope]:
        held, ready = self._held.get(key, {}), []
        while envelope := held.pop(self.upto.get(key, 0) + 1, None):
            self.upto[key] = envelope.seq
            ready.append(envelope)
        if not held:
            self._held.pop(key, None)
        return ready
