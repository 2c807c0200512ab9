"""Tracks for a board by its nets: two sides, a grid of 0.635 mm, vias, and ground where room is left.

A net grows from one pad to the next by the cheapest path (Dijkstra). A net that finds no way goes to the
front of the queue, and all begin anew. The same board gives the same tracks on every machine.
"""

import heapq
import itertools
from collections.abc import Mapping
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
"""What a step against a side's direction costs, and a via, in steps."""
ROUNDS = 60
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

    def net(self, name: str) -> bool:
        """Joins the pads of a net; False if one of them finds no way."""
        pads = [pad for pad in self.board.pads if pad.net == name]
        if len(pads) < 2:
            return True
        pads.sort(key=lambda pad: -self._width(pad))
        tree = set(self._cells(pads[0]))
        todo = pads[1:]
        while todo:
            width = self._width(todo[0])
            aims = {cell: pad for pad in todo if self._width(pad) == width for cell in self._cells(pad)}
            path = self._way(self._ids[name], width, tree, aims)
            if path is None:
                return False
            self._lay(name, width, path)
            tree |= {*path, *self._cells(aims[path[-1]])}
            todo.remove(aims[path[-1]])
        return True

    def fill(self) -> None:
        """Covers both sides with ground wherever it is joined to the ground's tracks."""
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
        """How wide the track to a pad is: as its net asks, but no wider than the pad."""
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

    def _way(self, net: int, width: float, tree: set[Cell], aims: Mapping[Cell, Pad]) -> list[Cell] | None:
        owner, size = self._owners[width], self.rows * self.columns
        free = ((owner == 0) | (owner == net)).ravel().tolist()
        change = ((self._holes == 0) | (self._holes == net)).all(axis=0) & (width <= WIDEST_AT_VIA)
        changes, ends = change.ravel().tolist(), {self._flat(cell) for cell in aims}
        cost = {self._flat(cell): 0.0 for cell in tree if free[self._flat(cell)]}
        came: dict[int, int] = {}
        todo = [(0.0, cell) for cell in sorted(cost)]
        steps = (((1, 1.0), (-1, 1.0), (self.columns, ACROSS), (-self.columns, ACROSS)),
                 ((1, ACROSS), (-1, ACROSS), (self.columns, 1.0), (-self.columns, 1.0)))  # fmt: skip
        while todo:
            so_far, cell = heapq.heappop(todo)
            if so_far > cost[cell]:
                continue
            if cell in ends:
                return self._back(cell, came)
            layer = cell // size
            onward = [(cell + step, price) for step, price in steps[layer]]
            if changes[cell % size]:
                onward.append((cell + size if layer == TOP else cell - size, CHANGE))
            for to, price in onward:
                if free[to] and so_far + price < cost.get(to, 1e9):
                    cost[to], came[to] = so_far + price, cell
                    heapq.heappush(todo, (so_far + price, to))
        return None

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


def route(board: Artwork, widths: Mapping[str, float], origin: Point, pour: str = "") -> None:
    """Adds tracks and vias for all nets of the board's pads; `widths` by net, where not thin."""
    order = sorted(
        {pad.net for pad in board.pads}, key=lambda net: (-widths.get(net, THIN), _span(board, net), net)
    )
    for _ in range(ROUNDS):
        board.tracks, board.vias = [], []
        router = Router(board, widths, origin, pour)
        stuck = next((net for net in order if not router.net(net)), None)
        if stuck is None:
            if pour:
                router.fill()
            return
        order.remove(stuck)
        order.insert(0, stuck)
    raise Unroutable(f"{board.name}: no way for {stuck}")


def _span(board: Artwork, net: str) -> float:
    places = [pad.at for pad in board.pads if pad.net == net]
    return float(sum(max(values) - min(values) for values in zip(*places, strict=True)))
