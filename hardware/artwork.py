"""A circuit board as copper, holes and print, before it is files.

Places are in mm from the board's lower left corner, seen from the component side; y goes up.
"""

from dataclasses import dataclass, field

Point = tuple[float, float]
TOP, BOTTOM = 0, 1


@dataclass(frozen=True)
class Pad:
    """The place where a part's pin is soldered: round with a hole on both sides, else a rectangle on top."""

    pin: str
    at: Point
    size: Point
    drill: float = 0.0
    net: str = ""

    @property
    def layers(self) -> tuple[int, ...]:
        """The sides on which there is copper."""
        return (TOP, BOTTOM) if self.drill else (TOP,)


@dataclass(frozen=True)
class Track:
    """A line of copper on one side."""

    layer: int
    points: tuple[Point, ...]
    width: float
    net: str = ""


@dataclass(frozen=True)
class Via:
    """A plated hole that joins both sides; the solder mask covers it."""

    at: Point
    size: float
    drill: float
    net: str = ""


@dataclass(frozen=True)
class BoardPart:
    """A part as the lists name it; `turn` is degrees against the clock."""

    name: str
    value: str
    kind: str
    at: Point
    turn: int = 0


@dataclass(frozen=True)
class PrintedWords:
    """Print: words around a place, `height` mm high."""

    text: str
    at: Point
    height: float


@dataclass
class Artwork:
    """A board: all that its files are made from."""

    name: str
    title: str
    size: Point
    pads: list[Pad] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    vias: list[Via] = field(default_factory=list)
    mounting: list[tuple[Point, float]] = field(default_factory=list)
    parts: list[BoardPart] = field(default_factory=list)
    words: list[PrintedWords] = field(default_factory=list)
    strokes: list[tuple[tuple[Point, ...], float]] = field(default_factory=list)
    dots: list[tuple[Point, float]] = field(default_factory=list)
