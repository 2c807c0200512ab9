"""Benchmarks: each module has `rows(repeats)`; `python -m tests.bench [NAME...] [--repeats N]` prints them.

A number alone says more of the machine than of the code, so each stands beside a baseline that was measured
in the same run, in turn with it.

engine     the pure game: facts, logs, whole evenings
services   the bell, the lights of all tables, and the journal, over a real broker
crowd      the head with a hundred tables; `python -m tests.bench.crowd 300` for another crowd
conductor  starts and ends by the clock at 363 tables, each on a link of its own
returns    the bell that rings when a dead head is back
processes  start, memory and idle CPU of the programs
pages      a hall full of phones and TVs; `python -m tests.bench.pages 60 300 20` for one crowd; first visits
"""

import math
import time
from collections.abc import Callable, Sequence

from msgspec import Struct


class Took(Struct, frozen=True):
    """Seconds of this process's CPU time and of wall time; the least of several repeats."""

    cpu: float
    wall: float


class Row(Struct, frozen=True):
    """One line of the table: a rate in `unit`s a second, and how that compares with `baseline`.

    `per_cpu_second` is None where the time is spent in other processes.
    """

    what: str
    unit: str
    per_cpu_second: float | None
    per_wall_second: float
    baseline: str
    ratio: float
    """Multiple of the baseline's time (CPU time, or wall time where several cores work)."""
    target: float | None = None
    """The least that `per_cpu_second` should be."""


class Figure(Struct, frozen=True):
    """One line of the other table: `value`, which should be small, in `unit`, and how it compares."""

    what: str
    value: float
    unit: str
    baseline: str = ""
    ratio: float | None = None
    """Multiple of the baseline."""
    most: float | None = None
    """The most that `value` should be."""
    most_ratio: float | None = None
    """The most that `ratio` should be."""


class Spread(Struct, frozen=True):
    """The middle of some times, and what one of a hundred exceeds."""

    median: float
    p99: float


def spread(times: Sequence[float]) -> Spread:
    """The spread of at least one time."""
    ordered = sorted(times)
    return Spread(ordered[len(ordered) // 2], ordered[math.ceil(len(ordered) * 0.99) - 1])


def took(work: Callable[[], object]) -> Took:
    """Does `work` once."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Took(time.process_time() - cpu, time.perf_counter() - wall)


def in_turn(repeats: int, *works: Callable[[], object]) -> list[Took]:
    """The least time of each of `works`, done in turn so that a busy machine is busy for all of them."""
    runs = [[took(work) for work in works] for _ in range(repeats)]
    return [
        Took(min(one.cpu for one in times), min(one.wall for one in times))
        for times in zip(*runs, strict=True)
    ]
