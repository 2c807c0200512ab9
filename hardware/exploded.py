"""The boxes taken apart, and their sheets of plywood: drawn from what OpenSCAD makes of `enclosure.scad`."""

import hashlib
import itertools
import json
import math
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from paper import Paper

SCAD = Path(__file__).parent / "enclosure.scad"
BOXES = {"panel": "The panel's box", "dice": "The dice box", "bell": "The bell box", "horn": "The 12 V box"}
GAP = 16.0
"""Between two parts that are pulled apart, mm."""
VIEW = 0.45
"""Of a box's depth, below its lid, so that one sees into it."""
WALL = 3.0
ENGRAVED = 1.0
"""A layer that is thinner has names, whose sides are too small to be drawn, mm."""
LINE = 5.0
"""Between two names, mm."""
MARGIN, NAMES = 8.0, 64.0
BETWEEN = 200.0
"""From one layer to the next in OpenSCAD's drawing, mm."""
TURN, TILT = math.radians(28), math.radians(32)
"""The eye stands before the left front corner, above the box."""
SHARP = 0.8
"""The cosine from which on two sides of a shape meet in an edge that is drawn."""
SHADES = {
    "box": ("pale", "area", "copper"), "board": ("green", "leaf", "leaf"), "part": ("grey", "dark", "dark"),
    "plug": ("white", "faint", "faint"), "button": ("red", "wine", "wine"),
    "light": ("yellow", "orange", "orange"), "display": ("body", "blue", "blue"),
}  # fmt: skip
"""Of a thing's upper side, of the sides towards the front, and of those towards the left."""
BOARDS = {
    "panel": {"board 1": "table HAT", "board 2": "Raspberry Pi"},
    "dice": {"board 1": "dice board"},
    "bell": {"board 1": "bell board"},
    "horn": {"board 1": "bell board"},
}
FLOOR = {"horn": "K4 and F1"}
Point = tuple[float, float]
Ring = tuple[Point, ...]


@dataclass(frozen=True)
class Slab:
    """A shape between two heights; its rings are its edge and, the other way round, its holes."""

    rings: tuple[Ring, ...]
    low: float
    high: float
    kind: str = "box"


@dataclass(frozen=True)
class GlandHole:
    """A hole in a wall, and its place in the order of drawing."""

    ring: tuple[tuple[float, float, float], ...]
    order: tuple[bool, float]


@dataclass(frozen=True)
class Enclosure:
    """A box of `enclosure.scad`: its layers, and the things in it by their owner."""

    tray: tuple[Slab, ...]
    lid: tuple[Slab, ...]
    things: dict[str, list[Slab]]
    size: tuple[float, float, float]
    glands: tuple[tuple[int, float, float, float], ...]

    def holes(self) -> Iterator["GlandHole"]:
        """The glands' holes: outside in the two walls towards the eye, inside in the others."""
        across, deep = self.size[0] + 2 * WALL, self.size[1] + 2 * WALL
        for wall, along, diameter, height in self.glands:
            ring = []
            for x, z in _round(along + WALL - diameter / 2, height - diameter / 2, diameter):
                ring.append(
                    {0: (x, 0.0, z), 1: (across - WALL, x, z), 2: (x, deep - WALL, z), 3: (0.0, x, z)}[wall]
                )
            outside = wall in (0, 3)
            middle = {0: 0.0, 1: _depth((across, deep / 2)), 2: _depth((across / 2, deep)), 3: 0.0}[wall]
            depth = -1.0 if outside else min(middle, _depth(ring[0][:2])) - 1
            yield GlandHole(tuple(ring), (outside, -depth))


def openscad(box: str, part: str) -> tuple[tuple[Ring, ...], dict[str, list[Any]]]:
    """The closed lines of a flat part, y up, and the values that it tells by their names."""
    with tempfile.TemporaryDirectory() as folder:
        svg = Path(folder) / "part.svg"
        command = ["openscad", "-o", str(svg), "-D", f'box="{box}"', "-D", f'part="{part}"', str(SCAD)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        (path,) = re.findall(r'<path d="(.*?)"', svg.read_text("utf-8"), re.DOTALL)
    told: dict[str, list[Any]] = {}
    for line in re.findall(r"^ECHO: (.*)$", done.stderr, re.MULTILINE):
        for name, value in re.findall(r"(\w+) = (\[.*?\](?=, \w+ = |$))", line):
            told.setdefault(name, []).append(json.loads(value))
    rings = []
    for line in path.split("z"):
        points = [(float(x), -float(y)) for x, y in re.findall(r"([-\d.e]+),([-\d.e]+)", line)]
        if points:
            rings.append(tuple(points))
    return tuple(rings), told


@cache
def box(name: str) -> Enclosure:
    """A box as OpenSCAD has it."""
    rings, told = openscad(name, "layers")
    layers: dict[int, list[Ring]] = {}
    for ring in rings:
        layer = int((min(x for x, _ in ring) + 0.01) // BETWEEN)
        layers.setdefault(layer, []).append(tuple((x - BETWEEN * layer, y) for x, y in ring))
    heights: list[float] = told["levels"][0]
    lids: list[float] = told["lid_levels"][0]
    spans = [*itertools.pairwise(heights), *itertools.pairwise(lids)]
    slabs = [Slab(directed(layers[number]), low, high) for number, (low, high) in enumerate(spans)]
    things: dict[str, list[Slab]] = {}
    for owner, kind, x, y, width, depth, low, high in told["thing"]:
        ring = _round(x, y, width) if kind in ("button", "light") else _square(x, y, width, depth)
        things.setdefault(str(owner), []).append(Slab((ring,), low, high, str(kind)))
    count = len(heights) - 1
    return Enclosure(
        tuple(slabs[:count]), tuple(slabs[count:]), things, tuple(told["size"][0]),
        tuple(tuple(one) for one in told["glands"][0]),
    )  # fmt: skip


def directed(rings: list[Ring]) -> tuple[Ring, ...]:
    """Edges against the clock and holes with it, so that the shape is at the left of each line."""
    found = []
    for ring in rings:
        around = sum(_inside(ring[0], other) for other in rings if other is not ring)
        area = sum(a[0] * b[1] - b[0] * a[1] for a, b in _sides(ring))
        found.append(ring if (area > 0) == (around % 2 == 0) else ring[::-1])
    return tuple(found)


def apart(name: str) -> Paper:
    """A box taken apart, upwards: tray, boards, what is behind the lid, lid, buttons."""
    it = box(name)
    lids = [*it.things["lid's"], *it.things.get("display", [])]
    groups = [("tray", list(it.tray))]
    owners = [owner for owner in it.things if owner not in ("lid's", "display", "cable")]
    for owner in sorted(owners, key=lambda one: min(slab.low for slab in it.things[one])):
        groups.append(({**BOARDS[name], "floor": FLOOR.get(name, "")}[owner], it.things[owner]))
    behind = [slab for slab in lids if slab.kind != "button"]
    if behind:
        groups.append(("lights and display, from behind", behind))
    groups.append(("lid", list(it.lid)))
    before = [slab for slab in lids if slab.kind == "button"]
    groups.append(
        ("buttons, from the front" if name == "panel" else "ROLL" if name == "dice" else "switches", before)
    )
    lifts, top = [], -GAP
    for title, slabs in groups:
        top += VIEW * it.size[1] * (title == "lid")
        lifts.append(top + GAP - min(slab.low for slab in slabs))
        top += GAP + max(slab.high for slab in slabs) - min(slab.low for slab in slabs)
    width, depth = it.size[0] + 2 * WALL, it.size[1] + 2 * WALL
    ends = [_at(x, y, z) for x in (0.0, width) for y in (0.0, depth) for z in (0.0, top)]
    left, high = min(x for x, _ in ends), min(y for _, y in ends)
    right, low = max(x for x, _ in ends), max(y for _, y in ends)
    scene = _Scene(
        Paper(right - left + 2 * MARGIN + NAMES, low - high + 2 * MARGIN + 8),
        (MARGIN - left, MARGIN + 8 - high),
    )
    scene.paper.text((right - left) / 2 + MARGIN, 8, f"{BOXES[name]}, taken apart", 5)
    for number, ((title, slabs), lift) in enumerate(zip(groups, lifts, strict=True)):
        solid = title in ("tray", "lid")
        for slab in slabs if solid else back_to_front(slabs):
            above = next((one.rings for one in slabs if solid and one.low == slab.high), ())
            scene.slab(slab, lift, above, it.holes() if title == "tray" else ())
        if number == 0:
            scene.screws(
                it, lifts[number] + it.tray[-1].high, lifts[[title for title, _ in groups].index("lid")] - 3
            )
        middle = lift + (min(slab.low for slab in slabs) + max(slab.high for slab in slabs)) / 2
        x, y = max((x, y) for slab in slabs for ring in slab.rings for x, y in ring)
        scene.name(title, (x, depth / 2 if solid else y - 2, middle), right)
    return scene.paper


def lettering() -> str:
    """Tells apart how machines' fonts look: the exact bytes of names on lids depend on them."""
    return hashlib.sha256(repr([one.lid[-1].rings for one in map(box, BOXES)]).encode()).hexdigest()[:8]


def back_to_front(slabs: list[Slab]) -> list[Slab]:
    """Things side by side in an order in which a nearer one covers those behind it."""
    left, found = list(slabs), list[Slab]()
    while left:
        free = next(
            (one for one in left if not any(_behind(other, one) for other in left if other is not one)),
            left[0],
        )
        left.remove(free)
        found.append(free)
    return found


def plywood(name: str) -> Paper:
    """The lid, the floor and the four sides of a box for a laser cutter, at their size."""
    rings, told = openscad(name, "drawing")
    across, deep, tall = (float(side) for side in told["size"][0])
    xs, ys = [x for ring in rings for x, _ in ring], [y for ring in rings for _, y in ring]
    paper = Paper(max(xs) - min(xs) + 2 * MARGIN, max(ys) - min(ys) + 2 * MARGIN + 10)

    def at(x: float, y: float) -> Point:
        return MARGIN + x - min(xs), MARGIN + 10 + max(ys) - y

    paper.text(
        paper.width / 2,
        9,
        f"{BOXES[name]} of plywood of 3 mm, 1:1: black lines are cut, blue words are not",
        5,
    )
    for ring in rings:
        paper.shape([[at(x, y) for x, y in ring]], "", "black", 0.2)
    names = [("lid", across + 6, deep + 6, 0.0, 0.0), ("floor", across + 6, deep + 6, 0.0, -deep - 14)]
    for wall, side in enumerate(("front", "right side", "back", "left side")):
        names.append((side, across + 6 if wall % 2 == 0 else deep, tall, across + 14, wall * (tall + 8)))
    for words, width, height, x, y in names:
        place, down = at(x + width / 2, y + 4)
        paper.text(place, down, f"{words}, {width:g} x {height:g} mm", 4, colour="blue")
    return paper


class _Scene:
    """A sheet with things on it, seen from above; whoever draws does so from below and from behind."""

    def __init__(self, paper: Paper, corner: Point) -> None:
        self.paper = paper
        self._corner = corner
        self._named = list[float]()

    def slab(
        self, slab: Slab, lift: float, above: tuple[Ring, ...] = (), holes: Iterable[GlandHole] = ()
    ) -> None:
        """A slab; lines on its upper side are drawn where it does not go on `above`."""
        top, front, left = SHADES[slab.kind]
        faces = _visible(slab.rings)
        for hole in holes:
            flat = [(x, y, min(max(z, slab.low), slab.high)) for x, y, z in hole.ring]
            if len({z for _, _, z in flat}) > 1:
                faces.append(_Face(hole.order, flat=flat))
        if slab.high - slab.low < ENGRAVED:
            faces = [face for face in faces if face.order[0]]
        for face in sorted(faces, key=lambda face: face.order):
            if face.flat:
                self.paper.shape([[self._place(*at, lift) for at in face.flat]], "dark")
                continue
            corners = [
                (*at, z) for at, z in zip(face.side * 2, (slab.low,) * 2 + (slab.high,) * 2, strict=True)
            ]
            corners[2:] = corners[:1:-1]
            fill = front if face.front else left
            self.paper.shape([[self._place(*at, lift) for at in corners]], fill, fill, 0.1)
            if face.sharp:
                x, y = self._place(*corners[0], lift)
                self.paper.line(x, y, *self._place(*corners[3], lift), "black", 0.15)
        rings = [[self._place(*at, slab.high, lift) for at in ring] for ring in slab.rings]
        self.paper.shape(rings, top)
        edges = [ring for ring, flat in zip(rings, slab.rings, strict=True) if flat not in above]
        self.paper.shape(edges, "", "black", 0.15)

    def screws(self, it: Enclosure, low: float, high: float) -> None:
        """The ways of the four screws."""
        for x in (7.5, it.size[0] - 1.5):
            for y in (7.5, it.size[1] - 1.5):
                a, b = self._place(x, y, 0, low), self._place(x, y, 0, high)
                self.paper.line(*a, *b, "grey", 0.2)

    def name(self, title: str, place: tuple[float, float, float], right: float) -> None:
        """A thing's name at the right, above those that are there already."""
        x, y = self._place(*place, 0)
        edge = right + self._corner[0]
        height = next(up for step in range(99) if self._free(up := y - step))
        self._named.append(height)
        self.paper.line(x, y, edge, height, "grey", 0.2)
        self.paper.text(edge + 1.5, height + 1.4, title, 4, "start")

    def _free(self, height: float) -> bool:
        return all(abs(height - other) >= LINE for other in self._named)

    def _place(self, x: float, y: float, z: float, lift: float) -> Point:
        across, down = _at(x, y, z + lift)
        return across + self._corner[0], down + self._corner[1]


def _at(x: float, y: float, z: float) -> Point:
    """The point on the paper at which a place is seen, in mm to the right and down."""
    return x * math.cos(TURN) - y * math.sin(TURN), -_depth((x, y)) * math.sin(TILT) - z * math.cos(TILT)


def _depth(at: Point) -> float:
    return at[0] * math.sin(TURN) + at[1] * math.cos(TURN)


@dataclass(frozen=True)
class _Face:
    """A side of a slab towards the eye: to the `front` or to the left; `sharp` where an edge is drawn."""

    order: tuple[bool, float]
    side: tuple[Point, ...] = ()
    front: bool = False
    sharp: bool = False
    flat: Sequence[tuple[float, float, float]] = ()
    """A hole in a side, instead."""


def _visible(rings: Iterable[Ring]) -> list[_Face]:
    """The sides towards the eye: first those within holes, which the outer ones cover; far ones first."""
    found = []
    for ring in rings:
        outer = sum(a[0] * b[1] - b[0] * a[1] for a, b in _sides(ring)) > 0
        ways = [_way(begin, end) for begin, end in _sides(ring)]
        for number, side in enumerate(_sides(ring)):
            x, y = ways[number]
            before = ways[number - 1]
            if y * math.sin(TURN) - x * math.cos(TURN) < 0:
                depths = sorted(map(_depth, side))
                order = outer, -(depths[0] if outer else sum(depths) / 2)
                found.append(_Face(order, side, x > -y, x * before[0] + y * before[1] < SHARP))
    return found


def _way(begin: Point, end: Point) -> Point:
    length = math.dist(begin, end) or 1.0
    return (end[0] - begin[0]) / length, (end[1] - begin[1]) / length


def _sides(ring: Ring) -> list[tuple[Point, Point]]:
    return [*zip(ring, (*ring[1:], ring[0]), strict=True)]


def _inside(at: Point, ring: Ring) -> bool:
    x, y = at
    crossed = [
        x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        for a, b in _sides(ring)
        if (a[1] > y) != (b[1] > y)
    ]
    return sum(crossed) % 2 == 1


def _behind(one: Slab, other: Slab) -> bool:
    """One thing lies under the other; else it is further from the eye along an axis, nearer along none."""
    if one.high <= other.low or other.high <= one.low:
        return one.high <= other.low
    mine, its = (
        [(min(axis), max(axis)) for axis in zip(*slab.rings[0], strict=True)] for slab in (one, other)
    )
    further = [mine[axis][0] >= its[axis][1] for axis in (0, 1)]
    nearer = [its[axis][0] >= mine[axis][1] for axis in (0, 1)]
    return any(further) and not any(nearer)


def _square(x: float, y: float, width: float, depth: float) -> Ring:
    return (x, y), (x + width, y), (x + width, y + depth), (x, y + depth)


def _round(x: float, y: float, width: float) -> Ring:
    middle, around = width / 2, [math.radians(angle) for angle in range(0, 360, 15)]
    return tuple((x + middle + middle * math.cos(a), y + middle + middle * math.sin(a)) for a in around)
