"""The panel's drilling template, 1:1 on a sheet of A4, from the buttons and lights of `pins.toml`.

One list of holes makes the picture, the PDF and the list that `enclosure.scad` reads, with the boards that go
into the boxes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import factory
from footprints import USB_PLUG_MM, Sides
from header import leds, lines
from paper import Paper
from table_hat import HOLES

HAT_LIFT = 12.6
"""From the Pi's lower side to the HAT's: 1.6 mm and a socket of 11 mm."""
PI_BODIES = ((66.0, 2.0, 22.0, 52.0, 16.0), (7.0, -1.5, 9.0, 8.0, 3.3))
"""USB and Ethernet, and the power socket, of a Pi 4 (mechanical drawing)."""
PI_PLUGS = ((88.0, 2.0, USB_PLUG_MM, 52.0, 16.0), (5.0, -1.5 - USB_PLUG_MM, 13.0, USB_PLUG_MM, 8.0))
DISPLAY = (28.0, 28.0, 16.0)
"""A display's board, and how deep it is with its pins and wires, mm; measure yours."""
SHEET = (297.0, 210.0)
PANEL = (176.0, 150.0)
CORNER = ((SHEET[0] - PANEL[0]) / 2, 24.0)
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
    found = [Hole(x, y, SCREW_MM) for x in (7.5, width - 7.5) for y in (7.5, height - 7.5)]
    lights = leds()
    step = (width - 32) / (len(lights) - 1)
    found += [Hole(16 + step * place, 20, LED_MM, name) for place, name in enumerate(lights)]
    names = [line.short.upper() for line in lines("panel")]
    first, second = names[:5], names[5:]
    found += [Hole(20 + 34 * place, 65, BUTTON_MM, name) for place, name in enumerate(first)]
    found += [Hole(x, 112, BUTTON_MM, name) for x, name in zip((20, 122, 156), second, strict=True)]
    return found


def below(hole: Hole) -> float:
    """From a hole's centre down to its name (mm); the lights' names stand in two rows."""
    first = hole.diameter != LED_MM or leds().index(hole.name) % 2 == 0
    return hole.diameter / 2 + (4 if first else 8)


def window() -> tuple[float, float]:
    """The upper left corner of the display's opening (mm)."""
    return (PANEL[0] - WINDOW[0]) / 2, 100.0


def template() -> Paper:
    """The template on a sheet that prints at its size."""
    paper = Paper(*SHEET)
    paper.rect(*CORNER, *PANEL)
    paper.rect(*_at(*window()), *WINDOW)
    paper.text(SHEET[0] / 2, 14, "Panel of a table, from the front, 1:1", 5)
    note = "Print at 100 % (no fitting to the page). Measure the bar below before you drill."
    paper.text(SHEET[0] / 2, 21, note, 4)
    paper.text(*_at(PANEL[0] / 2, 122), "display", 3)
    for hole in holes():
        x, y = _at(hole.x, hole.y)
        reach = hole.diameter / 2 + 1.5
        paper.circle(x, y, hole.diameter / 2)
        paper.line(x - reach, y, x + reach, y)
        paper.line(x, y - reach, x, y + reach)
        if hole.name:
            paper.text(x, y + below(hole), hole.name, 2.6)
    paper.rect(98.5, 184, 100, 4)
    paper.text(148.5, 193, "This bar is 100 mm long", 4)
    return paper


def scad() -> str:
    """The holes for `enclosure.scad`."""
    rows = ",\n".join(f"  [{hole.x:.2f}, {PANEL[1] - hole.y:.2f}, {hole.diameter:g}]" for hole in holes())
    names = ",\n".join(
        f'  [{hole.x:.2f}, {PANEL[1] - hole.y - below(hole):.2f}, 2.6, "{hole.name}"]'
        for hole in holes()
        if hole.name
    )
    x, y = window()
    return (
        "// Written by draw.py from pins.toml: x, y from the lower left corner, diameter (mm).\n"
        f"panel = [{PANEL[0]:g}, {PANEL[1]:g}];\n"
        f"window = [{x:.2f}, {PANEL[1] - y - WINDOW[1]:.2f}, {WINDOW[0]:g}, {WINDOW[1]:g}];\n"
        f"display = [{', '.join(f'{side:g}' for side in DISPLAY)}];\n"
        f"holes = [\n{rows}\n];\n"
        f"names = [\n{names}\n];\n{boards()}"
    )


def boards() -> str:
    """The boards for the boxes: size, lift, holes (x, y, diameter, more height), bodies, plugs."""
    every = factory.placed()
    lines = [
        f"pi = {_board((85, 56), 0, [(*at, 2.7, 0) for at in HOLES], PI_BODIES, PI_PLUGS)};",
        f"pips = {_list(part.at for part in every['dice-board'].parts if part.kind == 'PLCC-2')};",
    ]
    for name, board in every.items():
        hat = name == "table-hat"
        stands = [(*at, d, HAT_LIFT if hat else 0) for at, d in board.mounting if not hat or at[1] > 56]
        bodies = [_box(part.body(), part.shape.height) for part in board.parts]
        plugs = [
            _box(part.around(part.shape.plug), part.shape.plug_height)
            for part in board.parts
            if part.shape.plug
        ]
        short = "hat" if hat else name.replace("-", "_")
        lift = HAT_LIFT if hat else 0
        lines.append(f"{short} = {_board(board.size, lift, stands, bodies, plugs)};")
    return "\n".join([*lines, ""])


def _board(size: Iterable[float], lift: float, *lists: Iterable[Iterable[float]]) -> str:
    return f"[[{', '.join(f'{side:g}' for side in size)}], {lift:g}, {', '.join(map(_list, lists))}]"


def _box(sides: Sides, height: float) -> tuple[float, ...]:
    left, low, right, high = sides
    return left, low, right - left, high - low, height


def _list(rows: Iterable[Iterable[float]]) -> str:
    return "[" + ", ".join(f"[{', '.join(f'{number:g}' for number in row)}]" for row in rows) + "]"


def _at(x: float, y: float) -> tuple[float, float]:
    return CORNER[0] + x, CORNER[1] + y
