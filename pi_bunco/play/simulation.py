"""Many evenings on all cores, and their sums. Each has its own dice, so any core may play it."""

import os
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from math import sqrt
from multiprocessing import get_context, parent_process
from operator import add
from random import Random
from threading import Thread
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import astuple, replace

from pi_bunco.errors import RulesError
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import EveningOpen
from pi_bunco.game.opening import chairs
from pi_bunco.game.prizes import awards
from pi_bunco.game.round import Round
from pi_bunco.play.whole_evenings import ROLL_EVERY_MS, opening, play
from pi_bunco.reason import InEnglish
from pi_bunco.rules import RuleSet
from pi_bunco.rules.odds import TABLES, BellOdds, odds
from pi_bunco.rules.patterns import BUNCO

CHUNK_TABLES = 100
"""Tables times sets that a process plays at a time; to start it takes as long as two or three of these."""


class Added(Struct, frozen=True):
    """Counts over many evenings: integers, so that neither order nor cores change a digit."""

    def __add__(self, other: Self) -> Self:
        return type(self)(*map(_added, astuple(self), astuple(other)))


def _added(one: Any, other: Any) -> Any:
    match one:
        case dict():
            return {key: one.get(key, 0) + other.get(key, 0) for key in {**one, **other}}
        case tuple():
            return tuple(map(add, one, other))
        case _:
            return one + other


class Sum(Added, frozen=True):
    """A number of observations, their sum and the sum of their squares."""

    count: int = 0
    total: int = 0
    squares: int = 0

    @classmethod
    def of(cls, values: Iterable[int]) -> Self:
        """The sum of `values`."""
        values = list(values)
        return cls(len(values), sum(values), sum(value * value for value in values))

    @property
    def mean(self) -> float | None:
        """The mean, None without observations."""
        return self.total / self.count if self.count else None

    @property
    def error(self) -> float | None:
        """The standard error of the mean, None for fewer than two observations."""
        if self.count < 2:
            return None
        return sqrt((self.count * self.squares - self.total**2) / (self.count - 1)) / self.count


class FaceSums(Added, frozen=True):
    """The rounds of one target face: rolls to the bell, and which bell rolls were US's or a Bunco."""

    rolls_to_bell: Sum = Sum()
    us_rings: Sum = Sum()
    bunco_rings: Sum = Sum()


class Sums(Added, frozen=True):
    """Evenings, throws of three dice, roll-offs, and the rounds of face 1 to 6.

    `buncos` were rolled in the rounds; `lengths` are evenings by their rolls at one table after the other;
    `winners` are people who win a prize or are tied for one, and `tied` evenings with a tie for each prize.
    """

    evenings: int = 0
    rolls: int = 0
    rolloffs: int = 0
    faces: tuple[FaceSums, ...] = (FaceSums(),) * 6
    buncos: int = 0
    winners: int = 0
    lengths: dict[int, int] = {}
    tied: dict[str, int] = {}


def summed(evening: Evening, rolls: int) -> Sums:
    """The sums of one finished evening in which three dice rolled `rolls` times."""
    tables = [table for round_ in evening.rounds for table in round_.tables]
    prizes, _ = awards(evening, None)
    names = {award.category: set(award.winners or award.tied) for award in prizes if not award.counts}
    by_face = [[round_ for round_ in evening.rounds if round_.target == face] for face in range(1, 7)]
    return Sums(
        evenings=1,
        rolls=rolls,
        rolloffs=sum(table.rolloffs for table in tables),
        faces=tuple(map(_face, by_face)),
        buncos=sum(sum(table.rolled_buncos) for table in tables),
        winners=len(set().union(*names.values())),
        lengths={evening.finished_t // ROLL_EVERY_MS: 1},
        tied={category: int(len(tied) > 1) for category, tied in names.items()},
    )


def _face(rounds: Sequence[Round]) -> FaceSums:
    rung = [found for round_ in rounds if (found := _ringer(round_)) is not None]
    return FaceSums(
        # All tables roll at one pace, the head table first: it has made as many rolls as the one that rang.
        rolls_to_bell=Sum.of(round_.tables[0].before_bell for round_ in rounds),
        us_rings=Sum.of(seat & rounds[0].rules.side_bits == 0 for seat, _ in rung),
        bunco_rings=Sum.of(kind == BUNCO for _, kind in rung),
    )


def _ringer(round_: Round) -> tuple[int, int] | None:
    """Seat that rang the bell and the kind of its roll; None where the time was over."""
    assert round_.bell is not None
    player = round_.bell.player
    if player is None:
        return None
    table = next(table for table in round_.tables if player in table.seats)
    outcome = table.entries[table.before_bell - 1][0]
    return table.seats.index(player), table.effects(outcome).kind


class Simulation(Struct, frozen=True):
    """Evenings of `players` under `rules` with the dice of `seed`; `check` it before it is played."""

    rules: RuleSet
    players: int
    seed: int

    @property
    def tables(self) -> int:
        """The number of tables."""
        return (self.players + chairs(self.rules, self.players)[1]) // 4

    def check(self) -> None:
        """Raises `FactError` where this many players cannot play, `RulesError` where no round would end."""
        opening(self.rules, self.players)
        faces = self.rules.evening.faces
        if self.rules.end.limit_s is None and not all(odds(self.rules, face).bell for face in faces):
            raise RulesError(
                InEnglish(
                    "no dice ring the bell under these rules; set end.points, end.minutes or end.bunco=true"
                )
            )

    def chunk(self, evenings: range) -> Sums:
        """Plays the evenings of these numbers; each is the same whenever it is played."""
        first = opening(self.rules, self.players)
        return sum((_played(first, f"{self.seed}/{number}") for number in evenings), Sums())

    def parts(self, evenings: int, processes: int) -> Generator[Sums]:
        """Plays `evenings`: chunk after chunk, from the first evening to the last."""
        size = max(1, CHUNK_TABLES // (self.tables * self.rules.evening.sets))
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
        if end.limit_s is not None or (end.tables == "any" and self.tables != TABLES):
            return None
        return odds(self.rules, face).bell


def _played(first: EveningOpen, seed: str) -> Sums:
    evening = Evening()
    rolls = play(evening, replace(first, seed=seed), Random(seed))
    return summed(evening, rolls)


def cores() -> int:
    """The number of cores that this process may use."""
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
