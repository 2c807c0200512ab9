"""Benchmarks: each module has `rows(repeats)`; `python -m tests.bench [NAME...] [--repeats N]` prints them.

A number alone says more of the machine than of the code, so each stands beside a baseline that was measured
in the same run, in turn with it.
"""

import time
from collections.abc import Callable

from msgspec import Struct


class Took(Struct, frozen=True):
    """Seconds of this process's CPU time and of wall time; the least of several repeats."""

    cpu: float
    wall: float


class Row(Struct, frozen=True):
    """One line of the table: so many `unit`s a second, and how that compares with `baseline`.

    `per_cpu_second` is None where the time is spent in other processes.
    """

    what: str
    unit: str
    per_cpu_second: float | None
    per_wall_second: float
    baseline: str
    ratio: float
    """How many times as long as the baseline it takes (CPU time, or wall time where several cores work)."""
    target: float | None = None
    """What `per_cpu_second` should be at least."""


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
