"""Times of a bell for which nobody was there: from the head's return to the relay.

Table 1 rolls the Bunco while the head is dead. Its outbox sends it as soon as it hears of the new head's
session, which the head publishes when its subscriptions are acknowledged: that moment is the zero.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import json

from pi_bunco.wire import broker

from . import Figure, spread
from ._hall import Cast, Program, bells, clock, service

RETURNS = 30
MOST = 300.0
"""Milliseconds that wire/README.md gives the slowest."""


def rows(repeats: int) -> Iterator[Figure]:
    """The benchmark; its counts are its own."""
    times = sorted(returned(RETURNS))
    ours = spread(times)
    yield Figure("head back to bell: median", ours.median, "ms")
    yield Figure(f"head back to bell: slowest of {RETURNS}", times[-1], "ms", most=MOST)


def returned(count: int) -> list[float]:
    """Rounds that end while the head is dead: milliseconds from its return to the bell."""
    times = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        address = stack.enter_context(broker.start(folder / "broker")).address
        cast = Cast(address)
        stack.callback(cast.close)
        table = stack.enter_context(
            service("table", folder / "table1", address, "--number", "1", "--stdin", told=True)
        )
        head = _head(folder, address)
        try:
            cast.meet()
            cast.open(1)
            for _ in range(count):
                cast.start()
                _lit(table, b"round running")
                head.kill()
                _lit(table, b"looking for the head")
                cast.forget("head")
                _roll(table)
                head = _head(folder, address)
                cast.meet()
                back = clock.now()
                cast.bell()
                rang: float = json.decode(bells(folder).read_bytes().splitlines()[-1])["t"]
                times.append(max(rang - back, 0.0))
                cast.cancel()
        finally:
            head.kill()
    return times


def _head(folder: Path, address: str) -> Program:
    bell = "--bell", f"virtual:{bells(folder)}", "--no-bell-limits"
    return service("head", folder / "head", address, *bell)


def _roll(table: Program) -> None:
    table.input.write(b"roll 1 1 1\n")
    table.input.flush()
    time.sleep(0.05)


def _lit(table: Program, what: bytes) -> None:
    """Waits until the table says that its lights show this."""
    while what not in table.errors.readline():
        pass
