"""The boxes, rendered: closed surfaces, small enough for a printer, and nothing in them runs into another."""

import itertools
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from hardware.test_drawings import HARDWARE, PICTURES, WAIT, words

sys.path.append(str(HARDWARE))

import exploded

BOXES = tuple(exploded.BOXES)
PRINTER_MM = 180.0
Corner = tuple[float, float, float]


def render(to: Path, box: str, part: str, *more: str) -> str:
    """OpenSCAD's output of a part: STL, or SVG of a flat one; "" where nothing is left of it."""
    file = to / f"{box}-{part}.{'stl' if part in ('lid', 'tray') else 'svg'}"
    settings = [f'box="{box}"', f'part="{part}"', *more]
    command = ["openscad", "-o", str(file), *(word for one in settings for word in ("-D", one))]
    scad = HARDWARE / "enclosure.scad"
    done = subprocess.run([*command, str(scad)], capture_output=True, text=True, timeout=WAIT, check=False)
    assert "WARNING" not in done.stderr, done.stderr
    if "Current top level object is empty" in done.stderr:
        return ""
    assert done.returncode == 0, done.stderr
    return file.read_text("utf-8")


def triangles(stl: str) -> list[tuple[Corner, ...]]:
    numbers = [(float(x), float(y), float(z)) for x, y, z in re.findall(r"vertex (\S+) (\S+) (\S+)", stl)]
    return [tuple(numbers[place : place + 3]) for place in range(0, len(numbers), 3)]


@pytest.mark.system("openscad")
@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("part", ["lid", "tray"])
def test_a_part_is_one_closed_surface_that_fits_a_printer(box: str, part: str, tmp_path: Path) -> None:
    found = triangles(render(tmp_path, box, part))
    edges = Counter((one[i], one[(i + 1) % 3]) for one in found for i in range(3))
    assert edges
    assert all(edges[end, begin] == number for (begin, end), number in edges.items())
    corners = [corner for one in found for corner in one]
    for axis in range(3):
        along = [corner[axis] for corner in corners]
        assert max(along) - min(along) <= PRINTER_MM
    volume = float(np.linalg.det(np.array(found)).sum()) / 6
    assert volume > 0, "its inside is inside"


@pytest.mark.system("openscad")
@pytest.mark.parametrize("box", BOXES)
def test_nothing_in_a_box_runs_into_it_or_into_something_else(box: str, tmp_path: Path) -> None:
    """Boards, their parts and plugs, buttons, lights, the display, cables behind their glands."""
    assert render(tmp_path, box, "clash") == ""


@pytest.mark.system("openscad")
@pytest.mark.parametrize(
    ("box", "larger"),
    [
        ("bell", "clearance=40"),
        ("panel", "display=[28, 28, 70]"),
        ("panel", "window=[10, 70, 27, 15]"),
        ("bell", "nut=[30, 8]"),
        ("bell", "cable=[6.5, 80]"),
        ("dice", "roll=[68, 70, 30]"),
        ("panel", "hat=[[65, 100], 1, [], [], []]"),
        ("bell", "bell_board=[[86, 52], 0, [], [], [[86, 10, 60, 5, 5]]]"),
    ],
)
def test_colliding_part_is_found(box: str, larger: str, tmp_path: Path) -> None:
    """A board, the display on the HAT and on a button, a gland, a cable, ROLL, the HAT in the Pi, a plug."""
    assert render(tmp_path, box, "clash", larger)


def within(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] > other[0] and one[1] > other[1] and one[2] < other[2] and one[3] < other[3]


@pytest.mark.system("openscad")
@pytest.mark.parametrize("box", BOXES)
def test_the_sheets_of_plywood_make_a_box(box: str) -> None:
    """Lid and floor are alike, front and back as long, the other two fit between; none lies on another."""
    rings, told = exploded.openscad(box, "drawing")
    across, deep, tall = told["size"][0]
    bounds = [(*map(min, zip(*ring, strict=True)), *map(max, zip(*ring, strict=True))) for ring in rings]
    sheets = [one for one in bounds if not any(within(one, other) for other in bounds)]
    sizes = Counter((round(one[2] - one[0]), round(one[3] - one[1])) for one in sheets)
    plate = (across + 6, deep + 6)
    assert sizes == Counter([plate, plate, *[(across + 6, tall), (deep, tall)] * 2])
    for one, other in itertools.combinations(sheets, 2):
        assert one[2] < other[0] or other[2] < one[0] or one[3] < other[1] or other[3] < one[1]


@pytest.mark.parametrize("box", BOXES)
def test_a_picture_of_a_box_taken_apart_names_all_that_comes_into_it(box: str) -> None:
    shown = set(words(PICTURES / f"box-{box}.svg"))
    assert {"tray", "lid", *exploded.BOARDS[box].values()} <= shown
    sheets = " ".join(words(PICTURES / f"plywood-{box}.svg"))
    assert all(f"{side}, " in sheets for side in ("lid", "floor", "front", "right side", "back", "left side"))


def test_nearer_faces_are_drawn_later() -> None:
    """The order in which they are given does not count; a part on another is drawn after it."""

    def thing(x: float, y: float, low: float, high: float) -> exploded.Slab:
        corners = ((x, y), (x + 2, y), (x + 2, y + 2), (x, y + 2))
        return exploded.Slab((corners,), low, high)

    near, far, above = thing(0, 0, 0, 1), thing(0, 5, 0, 1), thing(0, 5, 1, 2)
    for order in itertools.permutations([near, far, above]):
        found = exploded.back_to_front(list(order))
        assert found.index(far) < found.index(near)
        assert found.index(far) < found.index(above)
        assert found.index(near) < found.index(above)


def test_the_lid_has_every_hole_and_name_of_the_panel() -> None:
    scad = (HARDWARE / "panel-holes.scad").read_text("utf-8")
    (names,) = re.findall(r"names = \[(.*?)\n\];", scad, re.DOTALL)
    said = re.findall(r'"([^"]+)"', names)
    assert len(said) == len(set(said)) == 14 + 8
    assert {"ONE", "BUNCO", "OK", "HELP", "roll again"} <= set(said)
