"""The panel's drilling template, 1:1 on a sheet of A4, from the buttons and lights of `pins.toml`.

One list of holes makes the picture, the PDF and the list that `enclosure.scad` reads.
"""

from dataclasses import dataclass

from header import leds, lines

SHEET = (297.0, 210.0)
PANEL = (220.0, 120.0)
CORNER = ((SHEET[0] - PANEL[0]) / 2, 40.0)
BUTTON_MM, LED_MM, SCREW_MM = 24.0, 5.0, 3.2
WINDOW = (27.0, 15.0)
"""The opening for the display; modules differ, so measure yours before you cut."""
POINT = 72 / 25.4
ROUND = 0.5523
"""How far a circle's Bézier handles reach, in radii."""


@dataclass(frozen=True)
class Hole:
    """A hole of the panel: its centre from the upper left corner, its diameter, what comes into it (mm)."""

    x: float
    y: float
    diameter: float
    name: str = ""


def holes() -> list[Hole]:
    """All holes: screws, lights in the order of the registers, buttons in the order of the inputs."""
    width, height = PANEL
    found = [Hole(x, y, SCREW_MM) for x in (6, width - 6) for y in (6, height - 6)]
    lights = leds()
    step = (width - 36) / (len(lights) - 1)
    found += [Hole(18 + step * place, 18, LED_MM, name) for place, name in enumerate(lights)]
    names = [line.short.upper() for line in lines("panel")]
    first, second = names[:5], names[5:]
    found += [Hole(22 + 44 * place, 62, BUTTON_MM, name) for place, name in enumerate(first)]
    found += [Hole(x, 98, BUTTON_MM, name) for x, name in zip((22, 154, 198), second, strict=True)]
    return found


def window() -> tuple[float, float]:
    """The upper left corner of the display's opening (mm)."""
    return (PANEL[0] - WINDOW[0]) / 2, 88.0


def svg() -> str:
    """The template as a picture that prints at its size."""
    width, height = SHEET
    parts = [_rect(*CORNER, *PANEL), _rect(*_at(*window()), *WINDOW), _text(width / 2, 14, _HEAD, 5)]
    parts += [_text(width / 2, 21, _NOTE, 4), _text(*_at(PANEL[0] / 2, 112), "display", 3)]
    for hole in holes():
        x, y = _at(hole.x, hole.y)
        radius = hole.diameter / 2
        parts.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:.2f}" {_LINE}/>')
        for dx, dy in ((radius + 1.5, 0), (0, radius + 1.5)):
            parts.append(
                f'<line x1="{x - dx:.2f}" y1="{y - dy:.2f}" x2="{x + dx:.2f}" y2="{y + dy:.2f}" {_LINE}/>'
            )
        if hole.name:
            parts.append(_text(x, y + radius + 4, hole.name, 2.6))
    ruler = [_rect(98.5, 178, 100, 4), _text(148.5, 188, _RULER, 4)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm"'
    paper = _rect(0, 0, *SHEET, "white")
    return f'{head} viewBox="0 0 {width:g} {height:g}">{paper}{"".join(parts + ruler)}</svg>'


def pdf() -> bytes:
    """The template as a PDF of one page, to be printed at 100 %."""
    draw = [f"{0.3 * POINT:.3f} w", _pdf_rect(*CORNER, *PANEL), _pdf_rect(*_at(*window()), *WINDOW)]
    draw += [_pdf_text(SHEET[0] / 2, 14, _HEAD, 5), _pdf_text(SHEET[0] / 2, 21, _NOTE, 4)]
    draw += [_pdf_text(*_at(PANEL[0] / 2, 112), "display", 3)]
    for hole in holes():
        x, y = _at(hole.x, hole.y)
        draw.append(_pdf_circle(x, y, hole.diameter / 2))
        reach = hole.diameter / 2 + 1.5
        draw += [_pdf_line(x - reach, y, x + reach, y), _pdf_line(x, y - reach, x, y + reach)]
        if hole.name:
            draw.append(_pdf_text(x, y + hole.diameter / 2 + 4, hole.name, 2.6))
    draw += [_pdf_rect(98.5, 178, 100, 4), _pdf_text(148.5, 188, _RULER, 4)]
    return _pdf_file("\n".join(draw))


def scad() -> str:
    """The holes for `enclosure.scad`."""
    rows = ",\n".join(f"  [{hole.x:.2f}, {PANEL[1] - hole.y:.2f}, {hole.diameter:g}]" for hole in holes())
    x, y = window()
    return (
        "// Written by draw.py from pins.toml: x, y from the lower left corner, diameter (mm).\n"
        f"panel = [{PANEL[0]:g}, {PANEL[1]:g}];\n"
        f"window = [{x:.2f}, {PANEL[1] - y - WINDOW[1]:.2f}, {WINDOW[0]:g}, {WINDOW[1]:g}];\n"
        f"holes = [\n{rows}\n];\n"
    )


_HEAD = "Panel of a table, from the front, 1:1"
_NOTE = "Print at 100 % (no fitting to the page). Measure the bar below before you drill."
_RULER = "This bar is 100 mm long"
_LINE = 'fill="none" stroke="black" stroke-width="0.3"'


def _at(x: float, y: float) -> tuple[float, float]:
    return CORNER[0] + x, CORNER[1] + y


def _rect(x: float, y: float, width: float, height: float, fill: str = "none") -> str:
    place = f'x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
    return f'<rect {place} fill="{fill}" stroke="{"black" if fill == "none" else fill}" stroke-width="0.3"/>'


def _text(x: float, y: float, words: str, size: float) -> str:
    return f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size}" text-anchor="middle">{words}</text>'


def _points(*places: float) -> str:
    """Places in mm from the upper left corner, as PDF has them."""
    pairs = zip(places[::2], places[1::2], strict=True)
    return " ".join(f"{x * POINT:.3f} {(SHEET[1] - y) * POINT:.3f}" for x, y in pairs)


def _pdf_rect(x: float, y: float, width: float, height: float) -> str:
    return f"{_points(x, y + height)} {width * POINT:.3f} {height * POINT:.3f} re S"


def _pdf_line(x: float, y: float, to_x: float, to_y: float) -> str:
    return f"{_points(x, y)} m {_points(to_x, to_y)} l S"


def _pdf_circle(x: float, y: float, r: float) -> str:
    k = ROUND * r
    curves = (
        (x + r, y + k, x + k, y + r, x, y + r), (x - k, y + r, x - r, y + k, x - r, y),
        (x - r, y - k, x - k, y - r, x, y - r), (x + k, y - r, x + r, y - k, x + r, y),
    )  # fmt: skip
    return f"{_points(x + r, y)} m " + " ".join(f"{_points(*curve)} c" for curve in curves) + " S"


def _pdf_text(x: float, y: float, words: str, size: float) -> str:
    left = x - 0.25 * size * len(words)  # half of Helvetica's mean width
    escaped = words.replace("(", "[").replace(")", "]")
    return f"BT /F1 {size * POINT:.2f} Tf {_points(left, y)} Td ({escaped}) Tj ET"


def _pdf_file(content: str) -> bytes:
    box = f"[0 0 {SHEET[0] * POINT:.2f} {SHEET[1] * POINT:.2f}]"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents 4 0 R"
        " /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{one}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R >>\n"
    return data + f"{end}startxref\n{len(data)}\n%%EOF\n".encode("latin-1")
