"""Layers for a circuit board's fabricator: Gerber (X2) and drill files (Excellon), in millimetres.

Written from "The Gerber Layer Format Specification", revision 2021.02, and Excellon's format 2; y goes up.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from artwork import Point
from ziafont.font import Font

STEPS = 2
"""Straight lines for each curve of a letter."""


@dataclass
class Layer:
    """One layer, seen from the component side; `function` is its `.FileFunction`."""

    function: str
    _apertures: dict[float | Point, int] = field(default_factory=dict)
    _lines: list[str] = field(default_factory=list)
    _net: str = ""

    def net(self, name: str) -> None:
        """The net of what follows, for the fabricator's electrical test."""
        if name != self._net:
            self._lines.append(f"%TO.N,{name.replace(',', ' ')}*%" if name else "%TD.N*%")
            self._net = name

    def flash(self, at: Point, size: float | Point) -> None:
        """A pad: round, or a rectangle where width and height are given."""
        self._use(size)
        self._lines.append(f"{_place(at)}D03*")

    def track(self, points: Sequence[Point], width: float) -> None:
        """A line through the points, with round ends."""
        self._use(width)
        first, *others = points
        self._lines.append(f"{_place(first)}D02*")
        self._lines += [f"{_place(point)}D01*" for point in others]

    def area(self, corners: Sequence[Point], clear: bool = False) -> None:
        """A filled shape, or with `clear` a hole in what was drawn before."""
        first, *others = corners
        outline = [f"{_place(first)}D02*", *(f"{_place(corner)}D01*" for corner in (*others, first))]
        self._lines += ["%LPC*%" if clear else "%LPD*%", "G36*", *outline, "G37*", "%LPD*%"]

    def text(self, words: str, at: Point, height: float) -> None:
        """Words whose middle is at the place."""
        scale = height / _font().info.layout.unitsperem
        x = at[0] - sum(_advance(letter) for letter in words) * scale / 2
        y = at[1] - 0.36 * height
        for letter in words:
            for contour, clear in _contours(letter):
                self.area([(x + a * scale, y + b * scale) for a, b in contour], clear)
            x += _advance(letter) * scale

    def file(self) -> str:
        """The layer's file."""
        tools = [f"%ADD{code}{_shape(size)}*%" for size, code in self._apertures.items()]
        about = ["Part,Single", f"FileFunction,{self.function}", "SameCoordinates,pi-bunco"]
        if not self.function.startswith("Profile"):
            about.append("FilePolarity,Positive")
        head = ["%FSLAX44Y44*%", "%MOMM*%", *(f"%TF.{words}*%" for words in about), *tools, "G01*"]
        return "\n".join([*head, *self._lines, "M02*", ""])

    def _use(self, size: float | Point) -> None:
        code = self._apertures.setdefault(size, 10 + len(self._apertures))
        self._lines.append(f"D{code}*")


def drill(holes: Iterable[tuple[Point, float]]) -> str:
    """A drill file of holes, each with its diameter."""
    by_size: dict[float, list[Point]] = {}
    for at, size in holes:
        by_size.setdefault(size, []).append(at)
    sizes = sorted(by_size)
    lines = ["M48", "METRIC,TZ", "G90", *(f"T{tool}C{size:.3f}" for tool, size in enumerate(sizes, 1)), "%"]
    for tool, size in enumerate(sizes, 1):
        lines += [f"T{tool}", *(f"X{x:.3f}Y{y:.3f}" for x, y in by_size[size])]
    return "\n".join([*lines, "M30", ""])


def _shape(size: float | Point) -> str:
    return f"C,{size:.3f}" if isinstance(size, float | int) else f"R,{size[0]:.3f}X{size[1]:.3f}"


def _place(at: Point) -> str:
    return f"X{round(at[0] * 1e4)}Y{round(at[1] * 1e4)}"


def _inside(point: Point, contour: Sequence[Point]) -> bool:
    """True where a ray from the point crosses the contour an odd number of times."""
    x, y = point
    crossed = False
    for (x1, y1), (x2, y2) in zip(contour, (*contour[1:], contour[0]), strict=True):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            crossed = not crossed
    return crossed


@cache
def _contours(letter: str) -> list[tuple[list[Point], bool]]:
    """A letter's outlines in the font's units, and for each whether it is a hole; holes come last."""
    found: list[list[Point]] = []
    for step in _font().glyph(letter).operators:
        match type(step).__name__:
            case "Moveto":
                found.append([(step.p.x, step.p.y)])
            case "Lineto":
                found[-1].append((step.p.x, step.p.y))
            case "Quad":
                begin, by, end = found[-1][-1], step.p1, step.p2
                parts = [part / STEPS for part in range(1, STEPS + 1)]
                found[-1] += [
                    (
                        (1 - t) ** 2 * begin[0] + 2 * t * (1 - t) * by.x + t**2 * end.x,
                        (1 - t) ** 2 * begin[1] + 2 * t * (1 - t) * by.y + t**2 * end.y,
                    )
                    for t in parts
                ]
    shapes = [
        (contour, any(_inside(contour[0], other) for other in found if other is not contour))
        for contour in found
    ]
    return sorted(shapes, key=lambda shape: shape[1])


@cache
def _advance(letter: str) -> float:
    return float(_font().glyph(letter).advance())


@cache
def _font() -> Any:
    return Font()
