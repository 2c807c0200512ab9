"""When something happened, by the evening clock: the table's word, bounded by what the head knows."""

from collections.abc import Mapping

from pi_bunco.wire.messages import Envelope

TRUSTED = 250.0
"""A time with a greater bound of its error (ms) condemns no roll that comes before `bell_seen`."""
FAR = 12 * 3_600_000
"""A time that is more than so many ms ahead of the head's clock counts as unmeasured."""
TIMED = ("roll", "faceoff")
"""The facts whose times never fall within a stream."""


class ClockJudge:
    """Judges the times of tables' facts; remembers how each table's uptime maps to the evening clock."""

    def __init__(self) -> None:
        self._ahead: dict[tuple[int, str], float] = {}
        self._latest: dict[tuple[int, str], int] = {}

    def t(
        self, table: int, envelope: Envelope, now: float, bell_t: int | None, bell_seen: Mapping[int, int]
    ) -> int:
        """The judged time (ms) of a fact, never later than `now`; a roll's never falls within its stream.

        `bell_t` is the bell of the running round, `bell_seen` per table the last round whose bell it knows.
        """
        measured = envelope.t is not None and envelope.t <= now + FAR
        t = min(self._estimate(table, envelope, now, measured), now)
        doubtful = not measured or envelope.err is None or envelope.err > TRUSTED or _to_come(envelope, now)
        if bell_t is not None and doubtful and bell_seen.get(table, 0) < envelope.epoch:
            t = min(t, bell_t)
        key = (table, envelope.stream)
        judged = max(int(t), self._latest.get(key, 0))
        if envelope.fact.get("kind") not in TIMED:
            return max(int(t), 0)
        self._latest[key] = judged
        return judged

    def note(self, table: int, stream: str, t: int) -> None:
        """Remembers the time of a roll in the journal, so that none of its stream falls below it."""
        self._latest[(table, stream)] = max(t, self._latest.get((table, stream), 0))

    def _estimate(self, table: int, envelope: Envelope, now: float, measured: bool) -> float:
        boot = (table, envelope.boot)
        if measured and envelope.t is not None:
            self._ahead[boot] = envelope.t - envelope.up
            return envelope.t
        return envelope.up + self._ahead[boot] if boot in self._ahead else now


def _to_come(envelope: Envelope, now: float) -> bool:
    """Whether the fact's time has not come yet: it is by the clock of before the head lost its own."""
    return envelope.t is not None and envelope.t > now + (envelope.err or 0) + 1
