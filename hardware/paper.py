"""Paper to draw on in millimetres, x to the right and y down: the same shapes make the SVG and the PDF."""

import itertools
from dataclasses import dataclass, field
from typing import Literal

POINT = 72 / 25.4
ROUND = 0.5523
"""The reach of a circle's Bézier handles, in radii."""
COLOURS = {
    "black": (0.0, 0.0, 0.0), "white": (1.0, 1.0, 1.0), "grey": (0.6, 0.6, 0.6), "pale": (0.93, 0.93, 0.9),
    "copper": (0.87, 0.72, 0.53), "red": (0.85, 0.15, 0.1), "blue": (0.1, 0.3, 0.8), "green": (0.1, 0.5, 0.2),
    "body": (0.8, 0.87, 0.95), "faint": (0.8, 0.8, 0.8), "brown": (0.54, 0.35, 0.24),
    "area": (0.93, 0.84, 0.7),
    "pink": (0.96, 0.65, 0.75), "yellow": (0.96, 0.86, 0.23), "violet": (0.61, 0.35, 0.82),
    "orange": (0.95, 0.6, 0.18), "dark": (0.35, 0.35, 0.38), "leaf": (0.06, 0.35, 0.14),
    "wine": (0.6, 0.1, 0.08),
}  # fmt: skip
Anchor = Literal["start", "middle", "end"]


@dataclass
class Paper:
    """A sheet of `width` by `height` mm; every method adds a shape."""

    width: float
    height: float
    _svg: list[str] = field(default_factory=list)
    _pdf: list[str] = field(default_factory=list)

    def line(
        self, x: float, y: float, to_x: float, to_y: float, colour: str = "black", pen: float = 0.3
    ) -> None:
        """A straight line."""
        ends = f'x1="{x:.2f}" y1="{y:.2f}" x2="{to_x:.2f}" y2="{to_y:.2f}"'
        self._svg.append(
            f'<line {ends} stroke="{_hex(colour)}" stroke-width="{pen:g}" stroke-linecap="round"/>'
        )
        ink = f"{_rgb(colour)} RG {pen * POINT:.2f} w 1 J"
        self._pdf.append(f"{ink} {self._points(x, y)} m {self._points(to_x, to_y)} l S")

    def lines(
        self, ends: list[tuple[tuple[float, float], tuple[float, float]]], colour: str, pen: float
    ) -> None:
        """Many straight lines of one colour and width."""
        marks = "".join(f"M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}" for (x, y), (to_x, to_y) in ends)
        stroke = f'stroke="{_hex(colour)}" stroke-width="{pen:g}" stroke-linecap="round"'
        self._svg.append(f'<path d="{marks}" {stroke}/>')
        points = " ".join(f"{self._points(*one)} m {self._points(*other)} l" for one, other in ends)
        self._pdf.append(f"{_rgb(colour)} RG {pen * POINT:.2f} w 1 J {points} S")

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str = "", edge: str = "black"
    ) -> None:
        """A rectangle from its upper left corner."""
        place = f'x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
        self._svg.append(f"<rect {place} {_paint(fill, edge)}/>")
        size = f"{width * POINT:.2f} {height * POINT:.2f} re {_how(fill, edge)}"
        self._pdf.append(f"{_inks(fill, edge)} {self._points(x, y + height)} {size}")

    def circle(self, x: float, y: float, r: float, fill: str = "", edge: str = "black") -> None:
        """A circle."""
        self._svg.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{r:.2f}" {_paint(fill, edge)}/>')
        k = ROUND * r
        curves = (
            (x + r, y + k, x + k, y + r, x, y + r), (x - k, y + r, x - r, y + k, x - r, y),
            (x - r, y - k, x - k, y - r, x, y - r), (x + k, y - r, x + r, y - k, x + r, y),
        )  # fmt: skip
        round_ = " ".join(f"{self._points(*curve)} c" for curve in curves)
        self._pdf.append(f"{_inks(fill, edge)} {self._points(x + r, y)} m {round_} {_how(fill, edge)}")

    def shape(
        self, rings: list[list[tuple[float, float]]], fill: str = "", edge: str = "", pen: float = 0.3
    ) -> None:
        """A shape within closed lines; one within another is a hole."""
        if not rings:
            return
        marks = "".join(map(_closed, rings))
        inside, line = _hex(fill) if fill else "none", _hex(edge) if edge else "none"
        self._svg.append(
            f'<path d="{marks}" fill="{inside}" fill-rule="evenodd" stroke="{line}" stroke-width="{pen:g}"/>'
        )
        points = " ".join(
            f"{self._points(*ring[0])} m {' '.join(f'{self._points(*at)} l' for at in ring[1:])} h"
            for ring in rings
        )
        how = {"B": "B*", "f": "f*", "S": "S"}[_how(fill, edge)]
        self._pdf.append(f"{_inks(fill, edge)} {pen * POINT:.2f} w {points} {how}")

    def dots(self, places: list[tuple[float, float]], r: float, colour: str) -> None:
        """Many small discs of one size."""
        marks = "".join(f"M{x:.2f} {y:.2f}h0" for x, y in places)
        stroke = f'stroke="{_hex(colour)}" stroke-width="{2 * r:g}" stroke-linecap="round"'
        self._svg.append(f'<path d="{marks}" {stroke}/>')
        points = " ".join(f"{self._points(x, y)} m {self._points(x, y)} l" for x, y in places)
        self._pdf.append(f"{_rgb(colour)} RG {2 * r * POINT:.2f} w 1 J {points} S")

    def text(
        self, x: float, y: float, words: str, size: float, anchor: Anchor = "middle", colour: str = "black"
    ) -> None:
        """Words on the line `y`, `size` mm high."""
        escaped = words.replace("&", "&amp;").replace("<", "&lt;")
        self._svg.append(
            f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:g}" text-anchor="{anchor}"'
            f' fill="{_hex(colour)}">{escaped}</text>'
        )
        left = x - {"start": 0.0, "middle": 0.25, "end": 0.5}[anchor] * size * len(words)
        shown = words.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        font = f"{_rgb(colour)} rg /F1 {size * POINT:.2f} Tf {self._points(left, y)} Td"
        self._pdf.append(f"BT {font} ({shown}) Tj ET")

    def svg(self, times: float = 1.0) -> str:
        """The sheet as a picture, `times` its size."""
        size = f'width="{self.width * times:g}mm" height="{self.height * times:g}mm"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {self.width:g} {self.height:g}">'
        paper = f'<rect x="0" y="0" width="{self.width:g}" height="{self.height:g}" fill="white"/>'
        return f"{head}{paper}{''.join(self._svg)}</svg>"

    def page(self) -> tuple[float, float, str]:
        """Width and height in points, and what a PDF draws."""
        return self.width * POINT, self.height * POINT, "\n".join(self._pdf)

    def _points(self, *places: float) -> str:
        pairs = zip(places[::2], places[1::2], strict=True)
        return " ".join(f"{x * POINT:.2f} {(self.height - y) * POINT:.2f}" for x, y in pairs)


def pdf(sheets: list[Paper]) -> bytes:
    """A PDF with these sheets, at their size."""
    kids = " ".join(f"{4 + 2 * place} 0 R" for place in range(len(sheets)))
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(sheets)} >>",
        font,
    ]
    for place, sheet in enumerate(sheets):
        width, height, content = sheet.page()
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2f} {height:.2f}]"
            f" /Contents {5 + 2 * place} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        length = len(content.encode("cp1252"))
        objects.append(f"<< /Length {length} >>\nstream\n{content}\nendstream")
    data, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{one}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R >>\n"
    return data + f"{end}startxref\n{len(data)}\n%%EOF\n".encode("latin-1")


def _closed(ring: list[tuple[float, float]]) -> str:
    """A closed line of an SVG's path, short: in tenths of a mm, each place from the one before."""
    tenths = [(round(10 * x), round(10 * y)) for x, y in ring]
    steps = [f"{(x - a) / 10:g} {(y - b) / 10:g}" for (a, b), (x, y) in itertools.pairwise(tenths)]
    return f"M{tenths[0][0] / 10:g} {tenths[0][1] / 10:g}l{' '.join(steps)}z"


def _hex(colour: str) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in COLOURS[colour])


def _rgb(colour: str) -> str:
    return " ".join(f"{part:g}" for part in COLOURS[colour])


def _paint(fill: str, edge: str) -> str:
    inside = _hex(fill) if fill else "none"
    return f'fill="{inside}" stroke="{_hex(edge) if edge else "none"}" stroke-width="0.3"'


def _inks(fill: str, edge: str) -> str:
    inks = [f"{_rgb(fill)} rg"] if fill else []
    return " ".join([*inks, f"{_rgb(edge or 'black')} RG", f"{0.3 * POINT:.2f} w"])


def _how(fill: str, edge: str) -> str:
    return {(True, True): "B", (True, False): "f", (False, True): "S"}[bool(fill), bool(edge)]
