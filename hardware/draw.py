"""Draws every picture of the hardware: `python hardware/draw.py`, or `--to DIR` to look at them elsewhere.

Needs `dot` (apt install graphviz), `openscad` and the package's `dev` extra.
"""

import argparse
import csv
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import artwork_pictures
import board_pictures
import cables
import circuits
import exploded
import fabrication
import factory
import layouts
import panel
import paper
import pinouts
import resvg_py
import sounder_steps
import way_steps
import wiring_steps
import yaml  # type: ignore[import-untyped]
from outline import outlined
from wireviz.wireviz import parse  # type: ignore[import-untyped]

HERE = Path(__file__).parent
PROGRAMS = {"dot": "graphviz", "openscad": "openscad"}
"""Programs that are run, and the packages that have them."""
LIBRARIES = ("wireviz", "schemdraw", "ziafont", "resvg_py")
DOUBTS = {"checked": "number checked?", "price": "price in €, guessed"}
"""Words of warning in the table for a buyer who reads no further."""
WIDEST = 1900
"""Pixels of a PNG."""


def main() -> None:
    """Draws all of it below the folder that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=HERE, metavar="DIR")
    missing = [package for program, package in PROGRAMS.items() if shutil.which(program) is None]
    if missing:
        parser.error(f"programs are missing: apt install {' '.join(missing)}")
    draw(parser.parse_args().to)


def draw(to: Path) -> None:
    """Writes `cables/*.yml`, `bom.md`, and pictures of the plans, the circuits and the panel."""
    for folder in ("cables", "pictures", "boards", "stripboard"):
        (to / folder).mkdir(parents=True, exist_ok=True)
    for name, plan in cables.plans().items():
        source = yaml.safe_dump(plan, sort_keys=False, default_flow_style=None, width=110, allow_unicode=True)
        (to / "cables" / f"{name}.yml").write_text(source, "utf-8")
        _save(to, f"cable-{name}", cable_plan(source))
    for name, circuit in circuits.drawings().items():
        _save(to, name, circuit)
    _save(to, "panel-template", panel.template().svg())
    (to / "pictures" / "panel-template.pdf").write_bytes(paper.pdf([panel.template()]))
    _boards(to)
    for name, steps in {
        **wiring_steps.drawings(),
        **way_steps.drawings(),
        "sounders": sounder_steps.drawing(),
    }.items():
        _save(to, f"steps-{name}", steps.svg())
    _save(to, "pinouts", pinouts.pinouts().svg())
    (to / "panel-holes.scad").write_text(panel.scad(), "utf-8")
    for name in exploded.BOXES:
        _save(to, f"box-{name}", exploded.apart(name).svg(0.8))
        _save(to, f"plywood-{name}", exploded.plywood(name).svg())
    (to / "bom.md").write_text(parts(), "utf-8")
    (to / "pictures" / "drawn-with.txt").write_text(tools(), "utf-8")


def _boards(to: Path) -> None:
    """Each board for a fabricator, its two sides, its steps, and all of them on sheets to print."""
    sheets = {name: board_pictures.sheet(board) for name, board in layouts.boards().items()}
    for name, board in layouts.boards().items():
        _save(to, f"board-{name}", sheets[name].svg())
        _save(to, f"steps-{name}", board_pictures.steps(board).svg())
    for placed in factory.placed().values():
        placed.keep_tracks()
    for name, art in factory.artworks().items():
        (to / factory.archive(name)).write_bytes(fabrication.archive(art))
    for name in factory.placed():
        _save(to, name, artwork_pictures.both_sides(factory.artworks()[name]).svg())
    (to / "stripboard" / "boards.pdf").write_bytes(paper.pdf(list(sheets.values())))


def parts() -> str:
    """`bom.csv` as a page to read."""
    with (HERE / "bom.csv").open(encoding="utf-8", newline="") as file:
        heads, *rows = csv.reader(file)
    table = [[DOUBTS.get(head, head) for head in heads], ["---"] * len(heads), *rows]
    intro = (HERE / "bom-intro.md").read_text("utf-8")
    return intro + "".join(f"| {' | '.join(row)} |\n" for row in table)


def tools() -> str:
    """The versions on which the exact bytes of the pictures depend."""
    dot = subprocess.run(["dot", "-V"], capture_output=True, text=True, check=True).stderr.strip()
    scad = subprocess.run(
        ["openscad", "--version"], capture_output=True, text=True, check=True
    ).stderr.strip()
    font = f"lettering {exploded.lettering()}"
    return "\n".join(
        [dot, scad, font, *(f"{name} {version(name)}" for name in LIBRARIES), platform.machine(), ""]
    )


def cable_plan(source: str) -> str:
    """The WireViz plan as an SVG."""
    graph = parse(yaml.safe_load(source), return_types="harness").graph.source.replace(
        "ranksep=2", "ranksep=0.8"
    )
    with _dot_without_fonts() as environment:
        command = ["dot", "-Tsvg"]
        done = subprocess.run(
            command, input=graph, text=True, capture_output=True, check=True, env=environment
        )
    return re.sub(r'<!DOCTYPE.*?>|<!--.*?-->|(?<=\d)pt(?=")', "", done.stdout, flags=re.DOTALL)


def on_white(svg: str) -> str:
    """The picture on a white ground of its own, so that it can be read on a dark page too."""
    place = re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', svg)
    x, y, width, height = place.groups() if place else ("0", "0", "100%", "100%")
    ground = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="white"/>'
    return re.sub(r"<svg\b[^>]*>", lambda head: f"{head[0]}\n{ground}", svg, count=1)


def _save(to: Path, name: str, svg: str) -> None:
    svg = on_white(outlined(svg))
    (to / "pictures" / f"{name}.svg").write_text(svg, "utf-8")
    width = float(re.findall(r'width="([\d.]+)', svg)[0])
    png = resvg_py.svg_to_bytes(
        svg_string=svg, zoom=min(1.5, WIDEST / width), dpi=96.0, skip_system_fonts=True
    )
    (to / "pictures" / f"{name}.png").write_bytes(bytes(png))


@contextmanager
def _dot_without_fonts() -> Iterator[dict[str, str]]:
    """An environment in which dot takes the width of text from its own table, the same on every machine.

    That is what it does without its plugins for fonts.
    """
    with tempfile.TemporaryDirectory() as plugins:
        for name in ("core", "dot_layout"):
            (plugin,) = _plugins().glob(f"libgvplugin_{name}.so.[0-9]")
            (Path(plugins) / plugin.name).symlink_to(plugin)
        environment = {**os.environ, "GVBINDIR": plugins}
        subprocess.run(["dot", "-c"], check=True, env=environment)
        yield environment


def _plugins() -> Path:
    answer = subprocess.run(["dot", "-v"], input="", text=True, capture_output=True, check=True).stderr
    found = re.search(r'^libdir = "(.+)"', answer, re.MULTILINE)
    if found is None:
        raise SystemExit(f"dot does not say where its plugins are:\n{answer}")
    return Path(found[1])


if __name__ == "__main__":
    main()
