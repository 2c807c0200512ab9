"""The dice box of firmware/README.md, as a model: throws in, edges of seven lines out."""

from bisect import bisect
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from pi_bunco.devices.gpio.decoding import Change

SETUP, STROBE, HOLD = 10.0, 25.0, 10.0
SECOND = {1: 5, 2: 3, 3: 1, 4: 6, 5: 4, 6: 2}
"""The number on the face wires when a face is told the second time."""
SPIKED = ("b0", "b1", "b2", "rolling", "strobe1")


class Landing(NamedTuple):
    """A die comes to rest on a face, ms after the throw began."""

    after: float
    die: int
    face: int


class Box:
    """Reports one die after the other; `edges` are what its lines have done so far."""

    def __init__(self) -> None:
        self.edges: list[Change] = []
        self.free_at = 0.0
        self._face = 0

    def throw(self, began: float, landings: list[Landing]) -> float:
        """Rolling from `began` to the last landing; returns when all has been told."""
        self._edge(began, "rolling", True)
        self.prove(max(began, self.free_at) + STROBE)
        self._edge(began + max(landing.after for landing in landings), "rolling", False)
        for landing in sorted(landings):
            self.report(began + landing.after, landing.die, landing.face)
        return self.free_at

    def prove(self, at: float) -> None:
        """Each face wire rises alone."""
        self._show(self.free_at, 0)
        for wire in (1, 2, 4, 0):
            self._show(at, wire)
            at += STROBE
        self.free_at = at - STROBE

    def report(self, at: float, die: int, face: int) -> None:
        """Tells the face of a die, when those before have been told."""
        start = max(at, self.free_at)
        if start > self.free_at + SETUP:
            self._show(self.free_at, 0)
        for value in (face, SECOND.get(face, face)):
            self._show(start, value)
            self._edge(start + SETUP, f"strobe{die}", True)
            self._edge(start + SETUP + STROBE, f"strobe{die}", False)
            start += SETUP + STROBE + HOLD
        self.free_at = start

    def rest(self) -> None:
        """Nothing is told any more."""
        self._show(self.free_at, 0)

    def _show(self, at: float, face: int) -> None:
        for place in range(3):
            bit = 1 << place
            if (face ^ self._face) & bit:
                self._edge(at, f"b{place}", bool(face & bit))
        self._face = face

    def _edge(self, at: float, name: str, on: bool) -> None:
        self.edges.append(Change(at, name, on))


def landings(random: Random, faces: tuple[int, int, int], nudged: bool) -> list[Landing]:
    """Three dice land one after the other or at once; nudged, one of them had landed otherwise before."""
    all_ = [Landing(random.uniform(300, 2500), die, face) for die, face in enumerate(faces, 1)]
    if random.random() < 0.3:
        all_ = [Landing(900, landing.die, landing.face) for landing in all_]
    elif nudged:
        last = max(all_)
        all_.append(Landing(random.uniform(0.3, 0.9) * last.after, last.die, random.randint(1, 6)))
    return all_


def worn(random: Random, edges: list[Change], jitter: float, bounce: float) -> list[Change]:
    """The same edges as a worse wire tells them: late or early, but in order, and with bounces."""
    rough: list[Change] = []
    latest: dict[str, float] = {}
    for edge in sorted(edges, key=lambda change: change.at):
        at = max(edge.at + random.uniform(-jitter, jitter), latest.get(edge.name, 0))
        latest[edge.name] = at
        rough += _bounced(random, edge._replace(at=at), bounce)
    return sorted(rough, key=lambda change: change.at)


def _bounced(random: Random, edge: Change, bounce: float) -> Iterator[Change]:
    yield edge
    for n, after in enumerate(sorted(random.uniform(0, bounce) for _ in range(2 * random.randint(0, 3)))):
        yield edge._replace(at=edge.at + after, on=edge.on == bool(n % 2))


def spikes(random: Random, edges: list[Change], count: int, longest: float) -> list[Change]:
    """Short pulses on lines that do nothing else just then, as a horn makes them."""
    found: list[Change] = []
    lines = {name: [edge for edge in edges if edge.name == name] for name in SPIKED}
    while len(found) < 2 * count:
        at, name = random.uniform(0, edges[-1].at), random.choice(SPIKED)
        place = bisect(lines[name], at, key=lambda edge: edge.at)
        around = lines[name][max(place - 1, 0) : place + 1]
        if any(abs(edge.at - at) < 3 * longest for edge in around):
            continue
        level = place > 0 and lines[name][place - 1].on
        width = random.uniform(0.1, longest)
        found += [Change(at, name, not level), Change(at + width, name, level)]
    return found
