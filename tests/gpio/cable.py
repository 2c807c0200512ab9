"""Seven wires between the dice box and a Pi, good or bad, read by their edges or every 5 ms.

Written from firmware/README.md alone: the box's side of it, and a reader of its own.
"""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import NamedTuple

from pi_bunco.devices.gpio.debounce import Readings
from pi_bunco.devices.gpio.decoding import Change

WIRES = ("b0", "b1", "b2", "strobe1", "strobe2", "strobe3", "rolling")
POLL_MS = 5.0
SECOND = {1: 5, 2: 3, 3: 1, 4: 6, 5: 4, 6: 2}
"""The number on the face wires when a face is told the second time."""
Levels = dict[str, bool]
Fault = Callable[[Levels], Levels]


class Moment(NamedTuple):
    """From `at` (ms) on the box drives these levels."""

    at: float
    levels: Levels


def driven(throws: Iterable[tuple[int, int, int]], random: Random) -> list[Moment]:
    """The box's levels for these throws: its dice settle one after the other, or all at once."""
    levels = dict.fromkeys(WIRES, False)
    moments = [Moment(0.0, dict(levels))]
    now = 1000.0

    def drive(at: float, **changes: bool) -> None:
        levels.update(changes)
        moments.append(Moment(at, dict(levels)))

    for faces in throws:
        drive(now, rolling=True)
        for step, wire in enumerate(("b0", "b1", "b2"), 1):
            drive(now + 25 * step, **{bit: bit == wire for bit in WIRES[:3]})
        drive(now + 100, b2=False)
        landings = [(now + after, die) for die, after in zip((1, 2, 3), _landings(random), strict=True)]
        last = max(at for at, _ in landings)
        free, pending = now, list[tuple[float, Levels]]()
        for at, die in sorted(landings):
            start = max(at, free)
            pending += _told(start, die, faces[die - 1])
            free = start + 90
        for at, changes in sorted([*pending, (last, {"rolling": False})], key=lambda change: change[0]):
            drive(at, **changes)
        now = max(free, last) + random.choice([500, 3000, 20_000])
    return moments


def _landings(random: Random) -> tuple[float, float, float]:
    if random.random() < 0.3:
        together = random.choice((110.0, 900.0))  # as soon as the proof is over, or later
        return together, together, together
    one, two, three = (random.uniform(300, 2500) for _ in range(3))
    return one, two, three


def _told(start: float, die: int, face: int) -> Iterator[tuple[float, Levels]]:
    """10 ms of setup, 25 ms of strobe, 10 ms of hold; then the same with its second number."""
    for value in (face, SECOND[face]):
        yield start, {f"b{bit}": bool(value >> bit & 1) for bit in range(3)}
        yield start + 10, {f"strobe{die}": True}
        yield start + 35, {f"strobe{die}": False}
        start += 45
    yield start, {f"b{bit}": False for bit in range(3)}


def read(moments: Iterable[Moment], fault: Fault) -> list[Moment]:
    """The levels at the Pi's terminals."""
    return [Moment(at, fault(dict(levels))) for at, levels in moments]


def at_times(moments: list[Moment], fault: Fault, spans: list[tuple[float, float]]) -> list[Moment]:
    """The levels at the Pi's terminals under a fault that is there in the spans (ms) alone."""
    found, place = list[Moment](), 0
    for at in sorted({moment.at for moment in moments} | {max(time, 0.0) for span in spans for time in span}):
        while place + 1 < len(moments) and moments[place + 1].at <= at:
            place += 1
        levels = dict(moments[place].levels)
        found.append(Moment(at, fault(levels) if any(a <= at < b for a, b in spans) else levels))
    return found


def edges(moments: Iterable[Moment]) -> Iterator[Change]:
    """The changes, each at its time."""
    before = dict.fromkeys(WIRES, False)
    for at, levels in moments:
        for wire in WIRES:
            if levels[wire] != before[wire]:
                yield Change(at, wire, levels[wire])
        before = levels


def polled(moments: list[Moment], random: Random, late_ms: float) -> Iterator[tuple[float, Change | None]]:
    """Readings every 5 ms or up to `late_ms` later, and the changes that they make known then."""
    readings = {wire: Readings(0) for wire in WIRES}
    now, place, seen = random.uniform(0, POLL_MS), 0, -1
    while now < moments[-1].at + 3000:
        while place + 1 < len(moments) and moments[place + 1].at <= now:
            place += 1
        for wire in WIRES if place > seen else ():  # where all is as it was read before, nothing follows
            since = readings[wire].reading(int(moments[place].levels[wire]), now)
            if since is not None:
                yield now, Change(since, wire, bool(readings[wire].level))
        yield now, None
        if place > seen and not any(one._other for one in readings.values()):
            seen = place
        idle = seen == place < len(moments) - 1 and moments[place + 1].at - now > 100
        now = moments[place + 1].at - 50 if idle else now + POLL_MS + random.uniform(0, late_ms)


# What can be wrong with wires.


def good(levels: Levels) -> Levels:
    return levels


def stuck(wire: str, level: bool) -> Fault:
    """Open (the Pi's pull holds it low), at ground, or at a supply."""
    return lambda levels: {**levels, wire: level}


def swapped(one: str, other: str) -> Fault:
    """Two wires at each other's terminals."""
    return lambda levels: {**levels, one: levels[other], other: levels[one]}


def loose(wire: str, random: Random) -> Fault:
    """Makes contact now and then."""

    def fault(levels: Levels) -> Levels:
        return {**levels, wire: levels[wire] and random.random() < 0.7}

    return fault


def touching(one: str, other: str, how: str, random: Random) -> Fault:
    """Two wires that carry the same: high or low wins, what was before, one driver, or nobody knows."""
    last = [False]

    def fault(levels: Levels) -> Levels:
        a, b = levels[one], levels[other]
        if a != b:
            known = {"or": True, "and": False, "keeps": last[0], "one": a, "other": b}
            last[0] = known.get(how, random.random() < 0.5)
        both = a if a == b else last[0]
        last[0] = both
        return {**levels, one: both, other: both}

    return fault
