"""Many evenings on all cores. Each has dice of its own, so which core plays it does not matter."""

import os
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from random import Random
from threading import Thread

from msgspec import Struct

from pi_bunco.errors import FactError, RulesError
from pi_bunco.game import seating
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import EveningOpen
from pi_bunco.rules import RuleSet
from pi_bunco.rules.odds import TABLES, BellOdds, odds
from pi_bunco.sim.evenings import opening, play
from pi_bunco.sim.sums import Sums, summed

CHUNK = 100
"""Tables times sets that a process plays at a time; to start it takes as long as two or three of these."""


class Simulation(Struct, frozen=True):
    """Evenings of `players` under `rules` with the dice of `seed`; `check` it before it is played."""

    rules: RuleSet
    players: int
    seed: int

    @property
    def tables(self) -> int:
        """How many tables play."""
        return -(-self.players // 4)

    def check(self) -> None:
        """Raises `FactError` where so many players cannot play, `RulesError` where no round would end."""
        first = opening(self.rules, self.players)
        found = seating.problems(first.players, ghosts_allowed=self.rules.ghosts)
        if found:
            raise FactError("; ".join(found))
        end = self.rules.end
        if end.points is None and not end.bunco and end.minutes is None:
            raise RulesError(
                ["no dice ring the bell under these rules; set end.points, end.minutes or end.bunco=true"]
            )

    def chunk(self, evenings: range) -> Sums:
        """Plays the evenings of these numbers; each is the same whenever it is played."""
        first = opening(self.rules, self.players)
        return sum((_played(first, f"{self.seed}/{number}") for number in evenings), Sums())

    def parts(self, evenings: int, processes: int) -> Generator[Sums]:
        """Plays so many evenings: chunk after chunk, from the first evening to the last."""
        size = max(1, CHUNK // (self.tables * self.rules.evening.sets))
        every = range(evenings)
        chunks = (every[start : start + size] for start in range(0, evenings, size))
        if processes == 1 or evenings <= 3 * size:
            yield from map(self.chunk, chunks)
        else:
            yield from self._shared(chunks, processes)

    def _shared(self, chunks: Iterable[range], processes: int) -> Iterator[Sums]:
        pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=_end_with_parent)
        pending: deque[Future[Sums]] = deque()
        try:
            for chunk in chunks:
                with _ctrl_c_waits():
                    pending.append(pool.submit(self.chunk, chunk))
                if len(pending) > 3 * processes:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)

    def bell(self, face: int) -> BellOdds | None:
        """The exact odds of the bell in the round of `face`, None where none are known."""
        end = self.rules.end
        if end.minutes is not None or (end.tables == "any" and self.tables != TABLES):
            return None
        return odds(self.rules, face).bell


def _played(first: EveningOpen, seed: str) -> Sums:
    evening = Evening()
    rolls = play(evening, first, Random(seed))
    return summed(evening, rolls)


def cores() -> int:
    """How many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    else:  # noqa: RET505 (mypy reads the two apart)
        return os.cpu_count() or 1


def _end_with_parent() -> None:
    """Lets this process end when the one that started it does, however that ends."""
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    Thread(target=wait, daemon=True).start()


@contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Holds Ctrl-C back for a moment; a process that is started meanwhile inherits that and never gets it."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
