"""The panel's drilling template, 1:1 on a sheet of A4, from the buttons and lights of `pins.toml`.

One list of holes makes the picture, the PDF and the list that `enclosure.scad` reads.
"""

from dataclasses import dataclass

from header import leds, lines
from paper import Paper

SHEET = (297.0, 210.0)
PANEL = (220.0, 120.0)
CORNER = ((SHEET[0] - PANEL[0]) / 2, 40.0)
BUTTON_MM, LED_MM, SCREW_MM = 24.0, 5.0, 3.2
WINDOW = (27.0, 15.0)
"""The opening for the display; modules differ, so measure yours before you cut."""


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


def template() -> Paper:
    """The template on a sheet that prints at its size."""
    paper = Paper(*SHEET)
    paper.rect(*CORNER, *PANEL)
    paper.rect(*_at(*window()), *WINDOW)
    paper.text(SHEET[0] / 2, 14, "Panel of a table, from the front, 1:1", 5)
    note = "Print at 100 % (no fitting to the page). Measure the bar below before you drill."
    paper.text(SHEET[0] / 2, 21, note, 4)
    paper.text(*_at(PANEL[0] / 2, 112), "display", 3)
    for hole in holes():
        x, y = _at(hole.x, hole.y)
        reach = hole.diameter / 2 + 1.5
        paper.circle(x, y, hole.diameter / 2)
        paper.line(x - reach, y, x + reach, y)
        paper.line(x, y - reach, x, y + reach)
        if hole.name:
            paper.text(x, y + hole.diameter / 2 + 4, hole.name, 2.6)
    paper.rect(98.5, 178, 100, 4)
    paper.text(148.5, 188, "This bar is 100 mm long", 4)
    return paper


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


def _at(x: float, y: float) -> tuple[float, float]:
    return CORNER[0] + x, CORNER[1] + y
