"""A sheet to draw a circuit on, in absolute places: x to the right, y up, about a centimetre each."""

from typing import Any, Literal

import schemdraw
import schemdraw.elements
from schemdraw.segments import Segment, SegmentCircle, SegmentPoly, SegmentText

Place = tuple[float, float]
Align = Literal["left", "center", "right"]
Style = Literal["-", "--", ":"]

elm: Any = schemdraw.elements
"""The symbols; Any, because their constructors have no types."""

schemdraw.use("svg")
schemdraw.svgconfig.text = "text"


class Sheet:
    """A drawing; every method adds to it."""

    def __init__(self) -> None:
        self._drawing = schemdraw.Drawing(show=False)
        self._drawing.config(fontsize=11, lw=1.6, bgcolor="white", margin=0.4)

    def svg(self) -> str:
        """The drawing with its text still as text."""
        return bytes(self._drawing.get_imagedata("svg")).decode("utf-8")

    def wire(self, *places: Place, style: Style = "-", colour: str = "black") -> None:
        """A line from place to place."""
        self._shape(Segment(list(places), ls=style, color=colour))

    def part(self, kind: Any, begin: Place, end: Place, words: str = "", at: str = "") -> None:
        """A component between two places; `at` is where its words stand: above, below, left, right."""
        self._drawing.add(kind.at(begin).to(end))
        if words:
            side = at or ("above" if begin[1] == end[1] else "right")
            middle = ((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)
            self._beside(middle, side, words)

    def resistor(self, begin: Place, end: Place, words: str, at: str = "") -> None:
        """A resistor."""
        self.part(elm.ResistorIEC(), begin, end, words, at)

    def transistor(self, base: Place, words: str) -> tuple[Place, Place]:
        """An NPN transistor; returns where its collector and its emitter are."""
        drawn = self._drawing.add(elm.BjtNpn(circle=True).at(base).anchor("base"))
        collector, emitter = tuple(drawn.collector), tuple(drawn.emitter)
        self.text((collector[0] + 0.55, base[1]), words)
        return collector, emitter

    def coil(self, top: Place, bottom: Place, words: str) -> None:
        """A relay's coil, upright: a box with its name."""
        x, middle = top[0], (top[1] + bottom[1]) / 2
        self.wire(top, (x, middle + 0.4))
        self.wire((x, middle - 0.4), bottom)
        self.block((x - 0.8, middle + 0.4), (x + 0.8, middle - 0.4), words)

    def block(self, one: Place, other: Place, words: str) -> None:
        """A rectangle with words in its middle."""
        self.box(one, other)
        self.text(((one[0] + other[0]) / 2, (one[1] + other[1]) / 2), words, "center")

    def led(self, begin: Place, end: Place) -> None:
        """An LED, small enough for many."""
        middle = (begin[0] + end[0]) / 2
        self.wire(begin, (middle - 0.2, begin[1]))
        self._drawing.add(elm.LED().scale(0.7).at((middle - 0.35, begin[1])).to((middle + 0.35, end[1])))
        self.wire((middle + 0.2, end[1]), end)

    def box(self, one: Place, other: Place, words: str = "", fill: str = "white", style: Style = "-") -> None:
        """A rectangle with words at its top."""
        corners = [one, (other[0], one[1]), other, (one[0], other[1])]
        self._shape(SegmentPoly(corners, closed=True, fill=fill, ls=style, zorder=0))
        if words:
            top = max(one[1], other[1]) - 0.15
            self._shape(
                SegmentText(((one[0] + other[0]) / 2, top), words, align=("center", "top"), fontsize=11)
            )

    def disc(self, centre: Place, radius: float, fill: str) -> None:
        """A filled circle."""
        self._shape(SegmentCircle(centre, radius, fill=fill, zorder=1))

    def dot(self, place: Place) -> None:
        """A junction."""
        self.disc(place, 0.08, "black")

    def terminal(self, place: Place, words: str, align: Align = "right") -> None:
        """An end where a cable comes; `align` right puts its words to the left."""
        self._shape(SegmentCircle(place, 0.12, fill="white", zorder=4))
        self.text((place[0] + (-0.3 if align == "right" else 0.3), place[1]), words, align)

    def ground(self, place: Place) -> None:
        """The ground symbol below a place."""
        self._drawing.add(elm.Ground().at(place))

    def text(self, place: Place, words: str, align: Align = "left", size: float = 11) -> None:
        """Words that are centred upright at a place."""
        self._shape(SegmentText(place, words, align=(align, "center"), fontsize=size, rotation_global=False))

    def _beside(self, middle: Place, side: str, words: str) -> None:
        x, y = middle
        rise = 0.5 + 0.15 * words.count("\n")
        places: dict[str, tuple[Place, Align]] = {
            "above": ((x, y + rise), "center"),
            "below": ((x, y - rise), "center"),
            "left": ((x - 0.45, y), "right"),
            "right": ((x + 0.45, y), "left"),
        }
        place, align = places[side]
        self.text(place, words, align)

    def _shape(self, *segments: Any) -> None:
        shape = elm.Element()
        shape.segments.extend(segments)
        self._drawing.add(shape.at((0, 0)).theta(0))
