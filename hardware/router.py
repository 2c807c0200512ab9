"""Tracks for a board by its nets: two sides, a grid of 0.635 mm, vias, and ground where room is left.

A net grows from one pad to the next by the cheapest path (A*). A net that finds no way goes over others,
which are taken away and laid again; each time such a place costs more.
"""

import heapq
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from artwork import BOTTOM, TOP, Artwork, Pad, Point, Track, Via

GRID = 0.635
CLEARANCE = 0.3
VIA, VIA_DRILL = 0.8, 0.4
EDGE = 0.5
"""Between copper and the board's edge, mm."""
POUR = 0.7
"""Lines of the ground's area: wider than the grid, so that they leave no gap."""
RELIEF = 0.35
"""Around a pad of the ground, so that the iron can heat it: tracks alone lead to it."""
THIN = 0.3
WIDEST_AT_VIA = 1.0
"""A wider track changes sides only where a part's pin goes through: a via is narrower than it."""
ACROSS, CHANGE = 1.8, 8.0
"""The cost of a step against a side's direction, and of a via, in steps."""
PUSH, PUSHES = 10.0, 1500
"""The first cost of a step over another net's track, and the most nets that are laid."""
BLOCKED = -1
Array = np.ndarray[Any, np.dtype[np.int32]]
Cell = tuple[int, int, int]
"""Side, row, column."""


class Unroutable(ValueError):
    """Some net finds no way however the others are ordered."""


@dataclass
class Router:
    """The grid of one attempt: for each width of a track whose each place is."""

    board: Artwork
    widths: Mapping[str, float]
    origin: Point
    pour: str = ""
    _owners: dict[float, Array] = field(default_factory=dict)
    _holes: Array = field(init=False)
    _pour: Array = field(init=False)

    def __post_init__(self) -> None:
        width, height = self.board.size
        self.columns = int((width - self.origin[0]) / GRID) + 1
        self.rows = int((height - self.origin[1]) / GRID) + 1
        self._x = self.origin[0] + GRID * np.arange(self.columns)
        self._y = self.origin[1] + GRID * np.arange(self.rows)
        self._ids = {
            net: number for number, net in enumerate(sorted({pad.net for pad in self.board.pads}), 1)
        }
        shape = (2, self.rows, self.columns)
        for size in sorted({THIN, *self.widths.values(), *(min(pad.size) for pad in self.board.pads)}):
            self._owners[size] = np.zeros(shape, np.int32)
        self._holes, self._pour = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        for owner, half in self._grids():
            near = EDGE + half
            owner[:, (self._y < near) | (self._y > height - near), :] = BLOCKED
            owner[:, :, (self._x < near) | (self._x > width - near)] = BLOCKED
        for pad in self.board.pads:
            self._claim_pad(pad)
        for at, diameter in self.board.mounting:
            self._claim((TOP, BOTTOM), at, at, diameter / 2 + 1.6, BLOCKED)
        self._clean = [owner.copy() for owner, _ in self._grids()]
        self._tolls = np.full(shape, PUSH)

    def net(self, name: str, push: bool = False) -> bool:
        """Joins the pads of a net, with `push` through other nets; False if one of them finds no way."""
        pads = [pad for pad in self.board.pads if pad.net == name]
        if len(pads) < 2:
            return True
        pads.sort(key=lambda pad: -self._width(pad))
        tree = set(self._cells(pads[0]))
        todo = pads[1:]
        while todo:
            width = self._width(todo[0])
            aims = {cell: pad for pad in todo if self._width(pad) == width for cell in self._cells(pad)}
            path = self._way(self._ids[name], width, tree, aims, push)
            if path is None:
                return False
            self._lay(name, width, path)
            tree |= {*path, *self._cells(aims[path[-1]])}
            todo.remove(aims[path[-1]])
        return True

    def crossed(self, name: str) -> set[str]:
        """The nets whose copper is too close to that of this net."""
        own = [shape for shape in self._shapes() if shape[0] == name]
        return {
            net
            for net, layers, (left, low), (right, high), half in self._shapes()
            for _, sides, (a, b), (c, d), other in own
            if net != name and set(layers) & set(sides)
            and math.hypot(max(left - c, a - right, 0), max(low - d, b - high, 0))
            < half + other + CLEARANCE - 1e-6
        }  # fmt: skip

    def rip(self, *names: str) -> None:
        """Takes the copper of these nets away."""
        self.board.tracks = [track for track in self.board.tracks if track.net not in names]
        self.board.vias = [via for via in self.board.vias if via.net not in names]
        for (owner, _), clean in zip(self._grids(), self._clean, strict=True):
            owner[:] = clean
        for net, layers, low, high, half in self._shapes():
            self._claim(layers, low, high, half, self._ids[net])
        for via in self.board.vias:
            self._mark(self._holes, (TOP, BOTTOM), via.at, via.at, VIA + 0.15, BLOCKED)

    def _shapes(self) -> Iterator[tuple[str, tuple[int, ...], Point, Point, float]]:
        """Of all tracks and vias: net, sides, lower left and upper right end, radius."""
        for track in self.board.tracks:
            for (x, y), (u, v) in itertools.pairwise(track.points):
                low, high = (min(x, u), min(y, v)), (max(x, u), max(y, v))
                yield track.net, (track.layer,), low, high, track.width / 2
        for via in self.board.vias:
            yield via.net, (TOP, BOTTOM), via.at, via.at, via.size / 2

    def fill(self) -> None:
        """Covers both sides with ground wherever it is joined to the ground's tracks."""
        if not self.pour:
            return
        ground = self._ids[self.pour]
        for layer in (TOP, BOTTOM):
            free = (self._pour[layer] == 0) | (self._pour[layer] == ground)
            own = [track for track in self.board.tracks if (track.net, track.layer) == (self.pour, layer)]
            reached = {cell for track in own for cell in self._along(track.points)}
            covered, todo = set[tuple[int, int]](), [cell for cell in sorted(reached) if free[cell]]
            while todo:
                row, column = cell = todo.pop()
                if cell in covered or not free[cell]:
                    continue
                covered.add(cell)
                near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
                todo += [(r, c) for r, c in near if 0 <= r < self.rows and 0 <= c < self.columns]
            self._strokes(layer, covered)

    def _strokes(self, layer: int, covered: set[tuple[int, int]]) -> None:
        for row, column in sorted(covered):
            if (row, column - 1) not in covered:
                last = column
                while (row, last + 1) in covered:
                    last += 1
                ends = (self._point((layer, row, column)), self._point((layer, row, last)))
                self.board.tracks.append(Track(layer, ends, POUR, self.pour))

    def _along(self, points: tuple[Point, ...]) -> list[tuple[int, int]]:
        places = [self._nearest(point) for point in points]
        found = [places[0]]
        for (row, column), (to_row, to_column) in itertools.pairwise(places):
            steps = max(abs(to_row - row), abs(to_column - column))
            found += [
                (row + (to_row - row) * step // steps, column + (to_column - column) * step // steps)
                for step in range(1, steps + 1)
            ]
        return found

    def _nearest(self, point: Point) -> tuple[int, int]:
        x, y = point
        return round((y - self.origin[1]) / GRID), round((x - self.origin[0]) / GRID)

    def _width(self, pad: Pad) -> float:
        """The width of the track to a pad: as its net asks, but no wider than the pad."""
        return min(self.widths.get(pad.net, THIN), *pad.size)

    def _grids(self) -> list[tuple[Array, float]]:
        widths = [(owner, width / 2) for width, owner in self._owners.items()]
        return [*widths, (self._holes, VIA / 2), (self._pour, POUR / 2)]

    def _claim_pad(self, pad: Pad) -> None:
        (x, y), (width, height) = pad.at, pad.size
        if pad.drill:
            low, high, half = pad.at, pad.at, width / 2
        else:
            low, high, half = (x - width / 2, y - height / 2), (x + width / 2, y + height / 2), 0.0
        self._claim(pad.layers, low, high, half, self._ids[pad.net])
        self._mark(self._holes, (TOP, BOTTOM), low, high, half + VIA / 2 + 0.15, BLOCKED)
        if pad.net == self.pour:
            self._mark(self._pour, pad.layers, low, high, half + POUR / 2 + RELIEF, BLOCKED)

    def _claim(self, layers: tuple[int, ...], low: Point, high: Point, half: float, net: int) -> None:
        for owner, room in self._grids():
            both = (TOP, BOTTOM) if owner is self._holes else layers
            self._mark(owner, both, low, high, half + room + CLEARANCE, net)

    def _mark(
        self, owner: Array, layers: tuple[int, ...], low: Point, high: Point, reach: float, net: int
    ) -> None:
        """Gives what is nearer than `reach` to the rectangle to the net; what two want is nobody's."""
        columns = slice(*np.searchsorted(self._x, (low[0] - reach, high[0] + reach)))
        rows = slice(*np.searchsorted(self._y, (low[1] - reach, high[1] + reach)))
        x, y = self._x[columns], self._y[rows, None]
        across = np.maximum(np.maximum(low[0] - x, x - high[0]), 0)
        up = np.maximum(np.maximum(low[1] - y, y - high[1]), 0)
        near = across**2 + up**2 < reach**2 - 1e-6
        for layer in layers:
            part = owner[layer, rows, columns]
            part[near & (part != 0) & (part != net)] = BLOCKED
            part[near & (part == 0)] = net

    def _cells(self, pad: Pad) -> list[Cell]:
        (x, y), (width, height) = pad.at, pad.size
        if pad.drill:
            inside = (self._x - x) ** 2 + (self._y[:, None] - y) ** 2 <= (width / 2 - 0.05) ** 2
        else:
            inside = (abs(self._x - x) <= width / 2 - 0.05) & (abs(self._y[:, None] - y) <= height / 2 - 0.05)
        return [(layer, int(row), int(column)) for row, column in np.argwhere(inside) for layer in pad.layers]

    def _way(
        self, net: int, width: float, tree: set[Cell], aims: Mapping[Cell, Pad], push: bool
    ) -> list[Cell] | None:
        """The cheapest path from the tree to an aim, over others' tracks for a toll if it may push."""
        kept, holes, tolls = self._owners[width], self._holes, np.zeros(self._tolls.shape)
        if push:
            taken = (kept != 0) & (kept != net)
            kept, holes = self._clean[list(self._owners).index(width)], self._clean[-2]
            tolls = np.where(taken, self._tolls, 0.0)
        size = self.rows * self.columns
        free, toll = ((kept == 0) | (kept == net)).ravel().tolist(), tolls.ravel().tolist()
        change = ((holes == 0) | (holes == net)).all(axis=0) & (width <= WIDEST_AT_VIA)
        changes, ends, ahead = change.ravel().tolist(), {self._flat(cell) for cell in aims}, self._ahead(aims)
        cost = {self._flat(cell): 0.0 for cell in tree if free[self._flat(cell)]}
        came: dict[int, int] = {}
        todo = [(ahead[cell % size], 0.0, cell) for cell in sorted(cost)]
        heapq.heapify(todo)
        steps = (((1, 1.0), (-1, 1.0), (self.columns, ACROSS), (-self.columns, ACROSS)),
                 ((1, ACROSS), (-1, ACROSS), (self.columns, 1.0), (-self.columns, 1.0)))  # fmt: skip
        while todo:
            _, so_far, cell = heapq.heappop(todo)
            if so_far > cost[cell]:
                continue
            if cell in ends:
                path = self._back(cell, came)
                if push:
                    places = tuple(np.array(path).T)
                    self._tolls[places] += np.where(tolls[places] > 0, PUSH, 0.0)
                return path
            onward = [(cell + step, price) for step, price in steps[cell // size]]
            if changes[cell % size]:
                onward.append((cell + size if cell < size else cell - size, CHANGE))
            for to, price in onward:
                if free[to] and (then := so_far + price + toll[to]) < cost.get(to, 1e9):
                    cost[to], came[to] = then, cell
                    heapq.heappush(todo, (then + ahead[to % size], then, to))
        return None

    def _ahead(self, aims: Mapping[Cell, Pad]) -> list[float]:
        """For each place of the grid the steps that are at least left to the rectangle around the aims."""
        rows, columns = {cell[1] for cell in aims}, {cell[2] for cell in aims}
        row, column = np.arange(self.rows)[:, None], np.arange(self.columns)
        up = np.maximum(np.maximum(min(rows) - row, row - max(rows)), 0)
        across = np.maximum(np.maximum(min(columns) - column, column - max(columns)), 0)
        return [float(steps) for steps in (up + across).ravel()]

    def _flat(self, cell: Cell) -> int:
        layer, row, column = cell
        return (layer * self.rows + row) * self.columns + column

    def _back(self, cell: int, came: Mapping[int, int]) -> list[Cell]:
        path = [cell]
        while path[-1] in came:
            path.append(came[path[-1]])
        rows = [divmod(one, self.columns) for one in reversed(path)]
        return [(row // self.rows, row % self.rows, column) for row, column in rows]

    def _lay(self, name: str, width: float, path: list[Cell]) -> None:
        """Copper along the path: a track for each stretch on one side, a via where the side changes."""
        stretch = [path[0]]
        for before, cell in itertools.pairwise(path):
            if cell[0] != before[0]:
                self._track(name, width, stretch)
                at = self._point(cell)
                self.board.vias.append(Via(at, VIA, VIA_DRILL, name))
                self._claim((TOP, BOTTOM), at, at, VIA / 2, self._ids[name])
                self._mark(self._holes, (TOP, BOTTOM), at, at, VIA + 0.15, BLOCKED)
                stretch = []
            stretch.append(cell)
        self._track(name, width, stretch)

    def _track(self, name: str, width: float, cells: list[Cell]) -> None:
        if len(cells) < 2:
            return
        corners = [
            here
            for before, here, after in zip(cells, cells[1:], cells[2:], strict=False)
            if (before[1] == here[1]) != (here[1] == after[1])
        ]
        points = tuple(self._point(cell) for cell in (cells[0], *corners, cells[-1]))
        self.board.tracks.append(Track(cells[0][0], points, width, name))
        for begin, end in itertools.pairwise(points):
            low = (min(begin[0], end[0]), min(begin[1], end[1]))
            high = (max(begin[0], end[0]), max(begin[1], end[1]))
            self._claim((cells[0][0],), low, high, width / 2, self._ids[name])

    def _point(self, cell: Cell) -> Point:
        return round(float(self._x[cell[2]]), 4), round(float(self._y[cell[1]]), 4)


def route(router: Router) -> None:
    """Lays the tracks and vias of all nets of the router's board."""
    board, widths = router.board, router.widths
    nets = {pad.net for pad in board.pads}
    order = sorted(nets, key=lambda net: (-widths.get(net, THIN), _span(board, net), net))
    for _ in range(PUSHES):
        if not order:
            return
        net = order.pop(0)
        if not router.net(net):
            router.rip(net)
            if not router.net(net, push=True):
                raise Unroutable(f"{board.name}: no way for {net}")
            pushed = router.crossed(net)
            router.rip(*pushed)
            order = [*sorted(pushed), *order]
        order.sort(key=lambda net: net == router.pour)
    raise Unroutable(f"{board.name}: {', '.join(order)} push each other away")


def _span(board: Artwork, net: str) -> float:
    places = [pad.at for pad in board.pads if pad.net == net]
    return float(sum(max(values) - min(values) for values in zip(*places, strict=True)))
