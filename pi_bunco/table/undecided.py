"""Throws that wait until it is known to which round they belong."""

from collections.abc import Iterator

from pi_bunco.devices.protocols import Throw
from pi_bunco.table.prediction import Prediction
from pi_bunco.table.rounds import Rounds
from pi_bunco.table.uplink import Uplink

UNDECIDED = 3000.0
"""Milliseconds that a throw may wait; none overtakes another."""


class UndecidedThrows:
    """A throw is decided at once, but for one that was made before the news of its round came."""

    def __init__(self, prediction: Prediction, rounds: Rounds, uplink: Uplink) -> None:
        self._prediction = prediction
        self._rounds = rounds
        self._uplink = uplink
        self._waiting: list[tuple[Throw, float]] = []

    def add(self, throw: Throw, now: float) -> None:
        """A throw came."""
        self._waiting.append((throw, now))

    def __contains__(self, throw: Throw) -> bool:
        return throw.mark is not None and any(throw.mark == one.mark for one, _ in self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)

    def decided(self, now: float) -> Iterator[tuple[Throw, int]]:
        """Each throw whose round is known, with that; 0 if it was made while none was open."""
        while self._waiting:
            throw, came = self._waiting[0]
            epoch = self._epoch(throw, now - came >= UNDECIDED, now)
            if epoch is None:
                return
            del self._waiting[0]
            yield throw, epoch

    def _epoch(self, throw: Throw, given_up: bool, now: float) -> int | None:
        rounds = self._rounds
        if self._prediction.view is None:
            return 0
        t = self._uplink.evening_clock(throw.settled, now)
        epoch = rounds.of(throw.settled, t[0] if t else None)
        if epoch is None:
            return rounds.before() if given_up else None
        if epoch < rounds.epoch or self._prediction.table is not None or self._prediction.awaited:
            return epoch
        if throw.settled >= rounds.since:  # none is open, unless the news of one is late
            return 0 if given_up else None
        return epoch
