"""Throws of the real firmware behind bad wires, as two readers take them that share no code.

`python -m tests.firmware.comparison THROWS` counts, for each fault of seven wires and of a serial line, what
was accepted, what of it was wrong, and where the two readers differ.
"""

from __future__ import annotations

import subprocess
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from firmware.independent import Outcome, Thrown, Wires
from firmware.toolchain import MICROPYTHON, TESTS, environment
from gpio.cable import (
    WIRES,
    Fault,
    Moment,
    at_times,
    edges,
    good,
    loose,
    polled,
    read,
    stuck,
    swapped,
    touching,
)
from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.protocols import DiceEvent, DiceState, Throw
from pi_bunco.devices.throws.bus import BusDice

Faces = tuple[int, int, int]
WAYS = ("edges", "polled")
POLL_LATE_MS = 20.0
HOWS = ("or", "and", "keeps", "one", "other", "any")
"""Of two wires that touch: high or low wins, the level stays, one driver always wins, nobody knows."""


class Box:
    """The firmware in MicroPython, in steps of virtual time."""

    def __init__(self, seed: int) -> None:
        self._process = subprocess.Popen(
            [MICROPYTHON, "-m", "firmware.lockstep", str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
            cwd=TESTS,
            text=True,
        )

    def run(
        self, ms: int, pressed: bool = False, data: bytes = b"", late: int = 3
    ) -> tuple[bytes, list[Change]]:
        """Lets `ms` pass; returns what the box sent, and the changes of its lines."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{ms} {late} {int(pressed)} {data.hex()}\n")
        self._process.stdin.flush()
        sent, *changes = self._process.stdout.readline()[:-1].split(" ")
        parted = [change.split(":") for change in changes if change]
        return bytes.fromhex(sent), [Change(float(at), line, level == "1") for at, line, level in parted]

    def close(self) -> None:
        """Switches it off."""
        self._process.communicate(timeout=60)


def recorded(throws: int, seed: int) -> list[Change]:
    """Changes of the firmware's lines, its loop late, its button pressed long and short."""
    box, random = Box(seed), Random(seed)
    _, changes = box.run(1500)
    for _ in range(throws):
        late = random.choice((0, 3, 15))
        changes += box.run(random.choice((60, 300, 2000)), pressed=True, late=late)[1]
        for _ in range(random.choice((4, 5, 20))):  # all that it sends in one answer must fit its memory
            changes += box.run(900, late=late)[1]
    box.close()
    return changes


def moments(changes: Iterable[Change]) -> list[Moment]:
    """The levels after each change."""
    levels = dict.fromkeys(WIRES, False)
    found = [Moment(0.0, dict(levels))]
    for change in changes:
        levels[change.name] = change.on
        found.append(Moment(change.at, dict(levels)))
    return found


def faults(random: Random) -> Iterator[tuple[str, Fault]]:
    """Each wire and each two of them."""
    yield "good", good
    for wire in WIRES:
        yield f"{wire} open or at ground", stuck(wire, False)
        yield f"{wire} at a supply", stuck(wire, True)
        yield f"{wire} loose", loose(wire, random)
    for one, other in combinations(WIRES, 2):
        for how in HOWS:
            yield f"{one} and {other} touch: {how}", touching(one, other, how, random)
    for one, other in combinations(WIRES[:3], 2):
        yield f"{one} and {other} swapped", swapped(one, other)


def now_and_then(driven: list[Moment], fault: Fault, throws: int, random: Random) -> list[Moment]:
    """The levels behind a fault that comes in the midst of about half of the throws, and goes."""
    begins = [at + random.uniform(-30, 60) for at, _ in random.choices(driven, k=throws // 2)]
    return at_times(driven, fault, [(at, at + random.choice((1, 8, 15, 30, 60, 500, 3000))) for at in begins])


def without(changes: list[Change], share: float, random: Random) -> list[Change]:
    """The changes that were not lost."""
    return [change for change in changes if random.random() >= share]


@dataclass
class Tally:
    """The outcomes of throws behind one fault."""

    throws: int = 0
    accepted: int = 0
    wrong: int = 0
    second_wrong: int = 0
    only_first: int = 0
    only_second: int = 0
    named: int = 0
    late_named: int = 0
    """Faults whose name came after the first throw that they hid, or never."""
    differences: list[str] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        mine, its = vars(self), vars(other)
        return Tally(**{name: mine[name] + its[name] for name in mine})


class Both:
    """The two readers at the same lines."""

    def __init__(self) -> None:
        self.package = BusDice()
        self.second = Wires()
        self.events: list[DiceEvent] = []
        self.outcomes: list[Outcome] = []

    def change(self, change: Change) -> None:
        """A line changed."""
        self.events += self.package.change(change)
        self.outcomes += self.second.edge(change.at, change.name, int(change.on))

    def quiet(self, now: float) -> None:
        """Nothing changed up to `now`."""
        self.events += self.package.quiet(now)
        self.outcomes += self.second.passed(now)


def both(seen: list[Moment], way: str, random: Random, share: float = 0.0) -> Both:
    """The readings of the lines by both readers, by their edges or polled."""
    readers = Both()
    if way == "edges":
        for edge in without(list(edges(seen)), share, random):
            readers.change(edge)
    else:
        for now, change in polled(seen, random, late_ms=1.0):
            if change is None:
                readers.quiet(now - POLL_LATE_MS)
            else:
                readers.change(change)
    readers.quiet(seen[-1].at + 60_000)
    return readers


def compared(readers: Both, starts: list[float], truth: list[Faces], what: str) -> Tally:
    """The outcomes in both readers of the throws that began at `starts`."""
    first = {
        _place(starts, event.settled): event.faces for event in readers.events if isinstance(event, Throw)
    }
    second = {_place(starts, one.settled): one.faces for one in readers.outcomes if isinstance(one, Thrown)}
    tally = Tally(throws=len(truth), accepted=len(first))
    for place, faces in enumerate(truth):
        package, other = first.get(place), second.get(place)
        tally.wrong += package not in (None, faces)
        tally.second_wrong += other not in (None, faces)
        tally.only_first += other is None and package is not None
        tally.only_second += package is None and other is not None
        if package != other:
            tally.differences.append(f"{what}, throw {place}: {faces}, read as {package} and {other}")
    if what.partition(",")[0] != "good":
        named = _named(readers.events)
        lasting = not any(word in what for word in ("loose", "lost", "now and then"))
        tally.named, tally.late_named = int(named is not None), int(lasting and not named)
    return tally


def _place(starts: list[float], at: float) -> int:
    return bisect_right(starts, at) - 1


def _named(events: Iterable[DiceEvent]) -> bool | None:
    """True if a fault was named before the first throw was accepted, False if later, None if never."""
    thrown = False
    for event in events:
        if isinstance(event, DiceState) and event.state != "ok" and event.why:
            return not thrown
        thrown = thrown or isinstance(event, Throw)
    return None


def told(changes: list[Change]) -> tuple[list[float], list[Faces]]:
    """The starts of the throws, and the firmware's report, read off the good lines without any reader."""
    starts, dice = list[float](), list[int]()
    levels = dict.fromkeys(WIRES, False)
    for change in changes:
        levels[change.name] = change.on
        if change.name == "rolling" and change.on:
            starts.append(change.at)
        elif change.name.startswith("strobe") and change.on:
            dice.append(sum(levels[f"b{bit}"] << bit for bit in range(3)))
    faces = dice[::2]
    return starts, list(zip(faces[::3], faces[1::3], faces[2::3], strict=True))


def wires(throws: int, seed: int = 1) -> Iterator[tuple[str, Tally]]:
    """Each fault of the wires, with its counts."""
    changes = recorded(throws, seed)
    starts, truth = told(changes)
    assert len(starts) == len(truth) == throws
    driven = moments(changes)
    for way in WAYS:
        random = Random(f"{way}{seed}")
        for what, fault in faults(random):
            moving = now_and_then(driven, fault, throws, random)
            for name, seen in (what, read(driven, fault)), (f"{what}, now and then", moving):
                name = f"{name}, {way}"
                yield name, compared(both(seen, way, random), starts, truth, name)
    for share in (0.002, 0.01, 0.05, 0.2):
        what = f"{share:.1%} of edges lost"
        yield what, compared(both(driven, "edges", Random(seed), share), starts, truth, what)


def main(throws: int) -> int:
    """Prints the counts, and the first differences of each fault; 1 if a roll was wrong."""
    whole = Tally()
    for what, tally in wires(throws):
        whole += tally
        if tally.wrong or tally.differences or tally.late_named or tally.second_wrong:
            print(f"{what}: {_counts(tally)}")
            for line in tally.differences[:2]:
                print("   ", line)
    print(f"all: {_counts(whole)}")
    return int(whole.wrong > 0)


def _counts(tally: Tally) -> str:
    return ", ".join(f"{name} {value}" for name, value in vars(tally).items() if not isinstance(value, list))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
