"""The 12 V box step by step: where its parts lie in the pictures, and every wire of it."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from paper import Anchor, Paper
from wiring_steps import steps

Place = tuple[float, float]


@dataclass(frozen=True)
class Wire:
    """A wire of the 12 V box: from terminal to terminal, with the corners between, in this step."""

    step: int
    ends: tuple[str, str]
    corners: tuple[Place, ...] = ()
    thick: bool = False

    @property
    def colour(self) -> str:
        """Black is minus, red is plus, blue is plus behind the key."""
        if "minus" in " ".join(self.ends) or self.ends[1] == "K3 A2":
            return "black"
        return "blue" if self.step in (3, 4, 5) else "red"


@dataclass(frozen=True)
class BoxPart:
    """A part of the 12 V box: its corners, its name, and where each of its terminals is."""

    corner: Place
    size: Place
    terminals: dict[str, Place]


PARTS = {
    "battery": BoxPart((4, 36), (18, 16), {"plus": (13, 36), "minus": (13, 52)}),
    "F1": BoxPart((8, 16), (10, 8), {"in": (13, 24), "out": (13, 16)}),
    "S0": BoxPart((20, 5), (12, 8), {"in": (20, 9), "out": (32, 9)}),
    "F2": BoxPart((37, 12), (6, 6), {"in": (40, 12), "out": (40, 18)}),
    "S1": BoxPart((44, 18), (12, 8), {"in": (44, 22), "out": (56, 22)}),
    "K1": BoxPart((60, 28), (12, 9), {"COM1": (66, 28), "NO1": (66, 37)}),
    "bell": BoxPart((60, 46), (12, 9), {"plus": (66, 46), "minus": (66, 55)}),
    "K2": BoxPart((80, 28), (12, 9), {"COM2": (86, 28), "NO2": (86, 37)}),
    "4.7 Ω": BoxPart((84, 40), (4, 6), {"in": (86, 40), "out": (86, 46)}),
    "converter": BoxPart((78, 49), (16, 9), {"22": (86, 49), "14": (94, 51), "16": (94, 56), "2": (86, 58)}),
    "K3": BoxPart((100, 28), (12, 31), {"15": (106, 28), "18": (112, 34), "A1": (100, 51), "A2": (100, 56)}),
    "K4": BoxPart((118, 28), (14, 12), {"30": (125, 28), "86": (118, 34), "85": (122, 40), "87": (132, 34)}),
    "horn": BoxPart((132, 46), (14, 10), {"plus": (139, 46), "minus": (139, 56)}),
}  # fmt: skip
BARS = {"minus": ((13, 66), (139, 66)), "armed": ((60, 22), (106, 22))}
"""Two lever connectors: minus, and plus behind the key S1."""
WIRES = (
    Wire(1, ("F1 out", "S0 in"), ((13, 9),), thick=True),
    Wire(1, ("S0 out", "F2 in"), ((40, 9),), thick=True),
    Wire(1, ("S0 out", "K4 30"), ((125, 9),), thick=True),
    Wire(1, ("K4 87", "horn plus"), ((139, 34),), thick=True),
    Wire(1, ("horn minus", "minus 139"), thick=True),
    Wire(2, ("F2 out", "S1 in"), ((40, 22),)),
    Wire(2, ("S1 out", "armed 60")),
    Wire(3, ("armed 66", "K1 COM1")),
    Wire(3, ("K1 NO1", "bell plus")),
    Wire(3, ("bell minus", "minus 66")),
    Wire(4, ("armed 86", "K2 COM2")),
    Wire(4, ("K2 NO2", "4.7 Ω in")),
    Wire(4, ("4.7 Ω out", "converter 22")),
    Wire(4, ("converter 2", "minus 86")),
    Wire(4, ("converter 14", "K3 A1")),
    Wire(4, ("converter 16", "K3 A2")),
    Wire(5, ("armed 106", "K3 15")),
    Wire(5, ("K3 18", "K4 86")),
    Wire(5, ("K4 85", "minus 122")),
    Wire(6, ("battery minus", "minus 13"), thick=True),
    Wire(6, ("battery plus", "F1 in"), thick=True),
)
DIODES = {
    "D1": (3, ("bell plus", "bell minus"), ((66, 42), (75, 42), (75, 60), (66, 60))),
    "D2": (5, ("K4 86", "K4 85"), ((115, 34), (115, 56), (122, 56))),
    "D3": (5, ("horn plus", "horn minus"), ((139, 42), (149, 42), (149, 60), (139, 60))),
}
"""In which step each comes, what it lies across, the ring at the first, and where its wires run."""
SOUNDER_STEPS = (
    "thick wires, no battery yet, for the tests a bulb as the horn; F2 at S0",
    "fuse F2 (3 A) and the key S1: plus comes to a lever connector",
    "bell, from K1 of the relay board; D1 with its ring at plus",
    "timer K3, from K2: 4.7 Ω, converter (22 and 23 in, 2 and 3 minus)",
    "coil of K4 from K3's contact; D2 at 86 and D3 at plus with the ring",
    "last of all, after the test without battery: minus, then plus; F1 goes in",
)


def drawing() -> Paper:
    """The 12 V box: what each step adds; what is there already is grey."""
    shown = [lambda paper, x, y, n=n: _box(paper, x, y, n) for n in range(1, len(SOUNDER_STEPS) + 1)]
    return steps(SOUNDER_STEPS, 156, 70, 2, shown)


def terminal(name: str) -> Place:
    """The place of a terminal, `K4 30` or, on a bar, `minus 66`."""
    part, _, at = name.rpartition(" ")
    return (float(at), BARS[part][0][1]) if part in BARS else PARTS[part].terminals[at]


def _box(paper: Paper, left: float, top: float, step: int) -> None:
    for wire in WIRES:
        if wire.step <= step:
            ink = wire.colour if wire.step == step else "faint"
            path: Sequence[Place] = [terminal(wire.ends[0]), *wire.corners, terminal(wire.ends[1])]
            for (ax, ay), (bx, by) in itertools.pairwise(path):
                paper.line(left + ax, top + ay, left + bx, top + by, ink, 1.3 if wire.thick else 0.6)
    for name, ((ax, ay), (bx, by)) in BARS.items():
        if step > 1 or name == "minus":
            paper.line(left + ax, top + ay, left + bx, top + by, "grey", 1.6)
            paper.text(
                left + bx + 2, top + by + 1, "minus" if name == "minus" else "+ behind S1", 2.4, "start"
            )
    fresh = {end.rpartition(" ")[0] for wire in WIRES if wire.step == step for end in wire.ends}
    there = {end.rpartition(" ")[0] for wire in WIRES if wire.step <= step for end in wire.ends}
    for name in PARTS:
        if name in there:
            _part(paper, left, top, name, name in fresh)
    for name, (when, _, path) in DIODES.items():
        if when <= step:
            _diode(paper, [(left + x, top + y) for x, y in path], name, when == step)


def _part(paper: Paper, left: float, top: float, name: str, fresh: bool) -> None:
    part, ink = PARTS[name], "black" if fresh else "grey"
    (x, y), (width, height) = part.corner, part.size
    paper.rect(left + x, top + y, width, height, "body" if fresh else "pale", ink)
    small = width < 8
    middle = left + x + (width / 2 if not small else width + 1), top + y + height / 2 + 0.9
    paper.text(*middle, name, 2.6, "start" if small else "middle", ink)
    for word, (at_x, at_y) in part.terminals.items():
        paper.dots([(left + at_x, top + at_y)], 0.8, ink)
        if word[0].isdigit() or word[0] in "ACN":
            sides = (at_x == x, at_x == x + width)
            dx, dy = (1.2 if sides[0] else -1.2 if sides[1] else 0), (2.6 if at_y == y else -1.0)
            anchor: Anchor = "start" if sides[0] else "end" if sides[1] else "middle"
            paper.text(left + at_x + dx, top + at_y + (0.7 if any(sides) else dy), word, 2, anchor, ink)


def _diode(paper: Paper, path: Sequence[Place], name: str, fresh: bool) -> None:
    """A diode in the longest piece of its wires, which is upright."""
    ink = "black" if fresh else "faint"
    for (ax, ay), (bx, by) in itertools.pairwise(path):
        paper.line(ax, ay, bx, by, ink, 0.4)
    (x, begin), (_, end) = max(itertools.pairwise(path), key=lambda piece: piece[1][1] - piece[0][1])
    middle = (begin + end) / 2
    paper.rect(x - 1, middle - 2.5, 2, 5, "grey" if fresh else "faint", ink)
    paper.line(x - 1, middle - 1.5, x + 1, middle - 1.5, ink, 0.8)
    paper.text(x + 1.6, middle + 1, name, 2.2, "start", ink)
