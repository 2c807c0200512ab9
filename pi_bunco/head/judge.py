"""When something happened, by the evening clock: the table's word, bounded by what the head knows."""

from collections.abc import Mapping

from pi_bunco.wire.messages import Envelope

TRUSTED = 250.0
"""A time with a greater bound of its error (ms) condemns no roll that the table made before it heard."""


class Judge:
    """Judges the times of tables' facts; remembers how each table's uptime maps to the evening clock."""

    def __init__(self) -> None:
        self._ahead: dict[tuple[int, str], float] = {}
        self._latest: dict[tuple[int, str], int] = {}

    def t(
        self, table: int, envelope: Envelope, now: float, bell_t: int | None, heard: Mapping[int, int]
    ) -> int:
        """The judged time (ms) of a fact: never falling within its stream, never later than `now`.

        `bell_t` is the bell of the running round, `heard` per table the last round of whose bell it knows.
        """
        t = min(self._told(table, envelope, now), now)
        doubtful = envelope.err is None or envelope.err > TRUSTED
        if bell_t is not None and doubtful and heard.get(table, 0) < envelope.epoch:
            t = min(t, bell_t)
        key = (table, envelope.stream)
        judged = self._latest[key] = max(int(t), self._latest.get(key, 0))
        return judged

    def note(self, table: int, stream: str, t: int) -> None:
        """Remembers the time of a fact in the journal, so that none of its stream falls below it."""
        self._latest[(table, stream)] = max(t, self._latest.get((table, stream), 0))

    def _told(self, table: int, envelope: Envelope, now: float) -> float:
        boot = (table, envelope.boot)
        if envelope.t is not None:
            self._ahead[boot] = envelope.t - envelope.up
            return envelope.t
        return envelope.up + self._ahead[boot] if boot in self._ahead else now
