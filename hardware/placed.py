"""Boards that a factory makes and fills: each part's place by hand, the tracks by the router."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from artwork import Artwork, BoardPart, Pad, Point, PrintedWords, Track, Via
from footprints import Footprint, Sides, footprint
from netlist import Nets
from router import GRID, VIA, VIA_DRILL, Router, route

TRACKS = Path(__file__).parent / "tracks"

LETTER = 1.0
PEN = 0.15


@dataclass(frozen=True)
class PlacedPart(BoardPart):
    """A part with its footprint, whose origin is its place."""

    @property
    def shape(self) -> Footprint:
        """Its footprint."""
        return footprint(self.kind)

    def place(self, point: Point) -> Point:
        """The place on the board of a point of the footprint."""
        x, y = point
        for _ in range(self.turn // 90):
            x, y = -y, x
        return round(self.at[0] + x, 4), round(self.at[1] + y, 4)

    def body(self) -> Sides:
        """The parts that stand on the board."""
        return self.around(self.shape.body)

    def around(self, sides: Sides) -> Sides:
        """A rectangle of the footprint on the board."""
        left, low, right, high = sides
        xs, ys = zip(self.place((left, low)), self.place((right, high)), strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def pads(self, nets: Mapping[str, str]) -> Iterable[Pad]:
        """Its pads, each with its net by the pin's name."""
        for pin, at, (width, height), drill in self.shape.pads:
            name = f"{self.name}.{pin}"
            size = (height, width) if self.turn % 180 else (width, height)
            yield Pad(name, self.place(at), size, drill, nets[name])


@dataclass
class PlacedBoard:
    """A board before its tracks: its circuit, its parts, and which nets are wide (mm)."""

    name: str
    title: str
    size: Point
    nets: Nets
    widths: Mapping[str, float]
    origin: Point = (0.0, 0.0)
    pour: str = ""
    parts: list[PlacedPart] = field(default_factory=list)
    mounting: list[tuple[Point, float]] = field(default_factory=list)
    words: list[PrintedWords] = field(default_factory=list)

    def put(self, name: str, value: str, kind: str, at: Point, turn: int = 0) -> None:
        """Puts a part on the grid's nearest place."""
        x, y = (o + GRID * round((a - o) / GRID) for a, o in zip(at, self.origin, strict=True))
        self.parts.append(PlacedPart(name, value, kind, (x, y), turn))

    def plug(self, name: str, poles: Iterable[str], at: Point, turn: int = 0) -> None:
        """Pluggable terminals, pin 1 at the place, each pole with its name printed behind it."""
        poles = list(poles)
        self.put(name, f"{len(poles)} poles", f"pluggable {len(poles)}", at, turn)
        part = self.parts[-1]
        for pole, words in enumerate(poles):
            length = 0.0 if turn % 180 == 0 else 0.31 * LETTER * len(words)
            self.words.append(PrintedWords(words, part.place((pole * 3.81, 2.2 + length)), LETTER))

    def artwork(self) -> Artwork:
        """The board with the tracks that are kept for it."""
        board = self._bare()
        kept = self._kept()
        if kept.get("parts") != self._mark(board):
            raise ValueError(f"the tracks of {self.name} are not of these parts: python hardware/draw.py")
        board.tracks = [
            Track(layer, tuple((x, y) for x, y in points), width, net)
            for layer, net, width, points in kept["tracks"]
        ]
        board.vias = [Via((x, y), VIA, VIA_DRILL, net) for net, (x, y) in kept["vias"]]
        router = Router(board, self.widths, self.origin, self.pour)
        router.rip()
        router.fill()
        return board

    def keep_tracks(self) -> None:
        """Finds tracks, which may take minutes, and keeps them in `tracks`, if something has moved."""
        board = self._bare()
        if self._kept().get("parts") == self._mark(board):
            return
        route(Router(board, self.widths, self.origin, self.pour))
        tracks = [[track.layer, track.net, track.width, track.points] for track in board.tracks]
        vias = [[via.net, via.at] for via in board.vias]
        found = {"parts": self._mark(board), "tracks": tracks, "vias": vias}
        TRACKS.mkdir(exist_ok=True)
        text = json.dumps(found, separators=(",", ":")).replace("]]],", "]]],\n")
        (TRACKS / f"{self.name}.json").write_text(text + "\n", "utf-8")

    def _bare(self) -> Artwork:
        of = {pin: net for net, pins in self.nets.items() for pin in pins}
        board = Artwork(self.name, self.title, self.size, mounting=self.mounting, words=list(self.words))
        for part in self.parts:
            board.pads += part.pads(of)
            board.parts.append(part)
            _print(board, part)
        return board

    def _kept(self) -> dict[str, Any]:
        path = TRACKS / f"{self.name}.json"
        return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}

    def _mark(self, board: Artwork) -> str:
        """Tells boards apart for which tracks are found."""
        parts = (board.pads, board.mounting, sorted(self.widths.items()), self.size, self.pour)
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def _print(board: Artwork, part: PlacedPart) -> None:
    """A part's outline and name; a dot at the pin that tells which way round it goes."""
    left, low, right, high = part.body()
    if part.shape.soldered or len(part.shape.pads) > 4:
        corners = ((left, low), (right, low), (right, high), (left, high), (left, low))
        board.strokes.append((corners, PEN))
    first = next((pad for pad in part.shape.pads if pad[0] in ("1", "K")), None)
    if first and (len(part.shape.pads) > 2 or first[0] == "K"):
        (x, y), (width, height) = first[1], first[2]
        beside = (x - width / 2 - 0.4, y) if x < 0 else (x, y + height / 2 + 0.4)
        board.dots.append((part.place(beside), 0.5))
    pads = [pad.at for pad in board.pads if pad.pin.rpartition(".")[0] == part.name]
    top = max(high, *(y + 0.6 for _, y in pads)) + 0.55
    between = len(pads) == 2 and part.turn % 180 and not part.shape.soldered  # the neighbours are close
    middle = (left + right) / 2, (low + high) / 2 if between else top
    board.words.append(PrintedWords(part.name, middle, 0.8))
