"""True time, in which everything of a simulated hall happens, and the clocks that machines have of it."""

import heapq
from collections.abc import Callable
from itertools import count
from math import inf
from random import Random
from typing import Final

BOOT_MS: Final = (4000.0, 9000.0)
"""Uptime that a boot takes: as much of it as passed without power, for a hall has more to do than to wait."""


class Clockwork:
    """Events in one heap: each happens as soon as the one before is done, whatever lies between (ms)."""

    def __init__(self) -> None:
        self.time = 0.0
        self._heap: list[tuple[float, int, Callable[[], object]]] = []
        self._order = count()

    def now(self) -> float:
        """True time (ms), as a clock tells it."""
        return self.time

    def at(self, time: float, happen: Callable[[], None]) -> None:
        """`happen` is called at that time, or at once where that is over."""
        heapq.heappush(self._heap, (time if time > self.time else self.time, next(self._order), happen))

    def later(self, ms: float, happen: Callable[[], object]) -> None:
        """`happen` is called in `ms`."""
        heapq.heappush(self._heap, (self.time + ms, next(self._order), happen))

    def run(self, end: float, done: Callable[[], bool] | None = None) -> bool:
        """Lets time pass until `end`, or until `done` says so, which is returned."""
        heap, next_ = self._heap, heapq.heappop
        while heap and heap[0][0] <= end:
            self.time, _, happen = next_(heap)
            happen()
            if done is not None and done():
                return True
        self.time = end
        return False


class Machine:
    """A Pi: its boot, its clock since then, which no other machine's goes quite like, and its bell notes."""

    def __init__(self, clockwork: Clockwork, name: str, random: Random) -> None:
        self.name = name
        self._clockwork = clockwork
        self._random = random
        self._drift = 1 + random.uniform(-25e-6, 25e-6)
        self.boots = 0
        self.on = False
        self._off_at = -inf
        self.notes: dict[str, float] = {}
        """The content of the runtime directory, which lies in memory."""
        self.wall_ahead_s = 0.0
        self.boot_up()

    def go_off(self) -> None:
        """The power is gone."""
        self.on, self._off_at = False, self._clockwork.time

    def boot_up(self) -> None:
        """The power is there again: another boot, another zero of the clock, behind the last one."""
        self.boots += 1
        self.boot = f"{self.name}-{self.boots}"
        self._began = max(self._clockwork.time - self._random.uniform(*BOOT_MS), self._off_at)
        self.on = True
        self.notes.clear()

    def up(self, true: float | None = None) -> float:
        """Milliseconds since boot, at true time `true` or now."""
        return ((self._clockwork.time if true is None else true) - self._began) * self._drift

    def true(self, up: float) -> float:
        """The true time at which this machine's clock said `up`."""
        return up / self._drift + self._began
