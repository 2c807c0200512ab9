"""The boxes, rendered: closed surfaces, small enough for a printer, and nothing inside runs into them."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from hardware.test_drawings import HARDWARE, WAIT

BOXES = ("panel", "dice", "bell", "horn")
PRINTER_MM = 180.0
Corner = tuple[float, float, float]


def render(to: Path, box: str, part: str, *more: str) -> str:
    """What OpenSCAD makes of a part as STL; "" where nothing is left of it."""
    file = to / f"{box}-{part}.stl"
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
def test_no_board_and_no_button_runs_into_a_box_or_each_other(box: str, tmp_path: Path) -> None:
    assert render(tmp_path, box, "clash") == ""


@pytest.mark.system("openscad")
def test_a_board_that_does_not_fit_is_found(tmp_path: Path) -> None:
    assert render(tmp_path, "bell", "clash", "clearance=40")


def test_the_lid_has_every_hole_and_name_of_the_panel() -> None:
    scad = (HARDWARE / "panel-holes.scad").read_text("utf-8")
    (names,) = re.findall(r"names = \[(.*?)\n\];", scad, re.DOTALL)
    said = re.findall(r'"([^"]+)"', names)
    assert len(said) == len(set(said)) == 14 + 8
    assert {"ONE", "BUNCO", "OK", "HELP", "roll again"} <= set(said)
