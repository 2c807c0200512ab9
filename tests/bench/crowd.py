"""The head with a hundred tables at the pace of a party; `python -m tests.bench.crowd N` for another crowd.

The tables are played by one link: of each a roll every two seconds, and every second its sign of life and
its question for the time. Two bells a second (of a hundred tables; each has news for all of them) are more
than any party has, so that there are some to measure. While the head is behind by the rolls of half a second,
turns are left out: a machine that is too slow for the crowd measures something too.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from pi_bunco.wire import messages

from . import Figure
from ._hall import Cast, clock, hall
from ._show import show
from .services import bells

TABLES = 100
BELLS = 40
BETWEEN = (0.001, 0.002)  # s from one thing to the next, for each table
ROLL = 2.0  # s from one roll of a table to its next
STEP = 0.01  # s
BEHIND = 0.5  # s of rolls
FEW = 16  # rolls that may be under way in any case


def rows(repeats: int, tables: int = TABLES) -> Iterator[Figure]:
    """The benchmarks of the crowd."""
    with hall() as one:
        one.cast.open(tables)
        between = (BETWEEN[0] * tables, BETWEEN[1] * tables)
        with party(one.cast, tables) as playing:
            bells(one, 4, Random(1), between)
            cpu, began = one.head.cpu, time.perf_counter()
            ours, bare = bells(one, BELLS, Random(1), between)
            busy = (one.head.cpu - cpu) / (time.perf_counter() - began)
        what, message = f"{tables} tables", "a bare MQTT message meanwhile"
        yield Figure(f"{what}: roll to bell, median", ours.median, "ms", message, ours.median / bare.median)
        yield Figure(
            f"{what}: roll to bell, p99 of {BELLS}", ours.p99, "ms", message, ours.p99 / bare.p99, most=20.0
        )
        yield Figure(f"{what}: turns taken", 100 * playing.taken, "% of all")
        yield Figure(f"{what}: memory of the head", one.head.memory, "MB", most=100.0)
        yield Figure(f"{what}: CPU of the head", 100 * busy, "% of a core")


@contextmanager
def party(cast: Cast, tables: int) -> Iterator["Party"]:
    """Tables 2 and on play in the meantime."""
    playing = Party(cast, tables)
    try:
        yield playing
    finally:
        playing.end()


class Party:
    """Tables 2 and on, that roll and report at a steady pace in a thread of their own."""

    def __init__(self, cast: Cast, tables: int) -> None:
        self._cast = cast
        self._tables = tables
        self._random = Random(2)
        self._turns = self._left_out = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._play, name="party")
        self._thread.start()

    @property
    def taken(self) -> float:
        """The share of the turns that were not left out."""
        return 1 - self._left_out / max(self._turns, 1)

    def end(self) -> None:
        """Everybody goes home."""
        self._ended.set()
        self._thread.join()

    def _play(self) -> None:
        began = time.perf_counter()
        while not self._ended.wait(STEP):
            done, self._turns = self._turns, int((time.perf_counter() - began) / ROLL * self._tables)
            if self._cast.under_way >= max(self._tables * BEHIND / ROLL, FEW):
                self._left_out += self._turns - done
                continue
            for turn in range(done, self._turns):
                self._act(turn % self._tables + 1)

    def _act(self, table: int) -> None:
        """The table rolls, and it and the one across the hall report."""
        for other in (table, (table + self._tables // 2 - 1) % self._tables + 1):
            self._cast.say(other, "beat", messages.Beat(0, 0, 1.0, ("ok", "ok", "ok")))
            self._cast.say(other, "clock", messages.ClockRequest(clock.now()))
        if table > 1 and (round_ := self._cast.round):
            dice = self._random.choices(range(1, 7), k=3)
            fact = {"kind": "roll", "dice": dice, "source": "dice"}
            self._cast.tell(table, self._cast.envelope(table, fact, round_))


if __name__ == "__main__":
    show(rows(1, int(sys.argv[1])))
