"""The files for a fabricator, read back by another program: the same nets, room between them, and holes."""

import csv
import io
import sys
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from gerbonara import ExcellonFile, GerberFile  # type: ignore[import-untyped]
from gerbonara.apertures import RectangleAperture  # type: ignore[import-untyped]
from gerbonara.graphic_objects import Flash, Line  # type: ignore[import-untyped]

HARDWARE = Path(__file__).parents[2] / "hardware"
sys.path.append(str(HARDWARE))

import bell_board  # noqa: E402  (a program's folder, not a package)
import fabrication  # noqa: E402
import factory  # noqa: E402
import netlist  # noqa: E402

from pi_bunco.devices.bell.limits import LONGEST_MS  # noqa: E402

ART = factory.artworks()
PLACED = factory.placed()
LEAST_MM = {name: 0.25 if name in PLACED else 0.5 for name in ART}
"""Between copper of two nets; any fabricator makes 0.2."""
RING_MM = 0.2
"""Of copper around a hole."""
Grid = np.ndarray[Any, np.dtype[np.float64]]


class Copper(NamedTuple):
    """The area under a round pen of a radius along a rectangle, mostly of no width; mm."""

    layer: str
    left: float
    low: float
    right: float
    high: float
    half: float
    pad: bool


class Board(NamedTuple):
    """A board as another program read it."""

    copper: list[Copper]
    holes: dict[tuple[float, float], float]
    mounting: dict[tuple[float, float], float]
    width: float
    height: float
    tables: dict[str, list[dict[str, str]]]


@pytest.fixture(scope="module")
def read() -> dict[str, Board]:
    return {name: _read(HARDWARE / factory.archive(name)) for name in ART}


def _read(path: Path) -> Board:
    with zipfile.ZipFile(path) as archive:
        texts = {name.removeprefix(path.stem): archive.read(name).decode() for name in archive.namelist()}
    copper = [piece for layer in ("F_Cu", "B_Cu") for piece in _copper(layer, texts[f"-{layer}.gbr"])]
    (left, low), (right, high) = GerberFile.from_string(texts["-Edge_Cuts.gbr"]).bounding_box()
    tables = {name: list(csv.DictReader(io.StringIO(texts[f"-{name}.csv"]))) for name in ("parts", "places")}
    mounting = _holes(texts["-NPTH.drl"]) if "-NPTH.drl" in texts else {}
    return Board(copper, _holes(texts[".drl"]), mounting, right - left, high - low, tables)


def _holes(text: str) -> dict[tuple[float, float], float]:
    return {_round(hole.x, hole.y): hole.tool.diameter for hole in ExcellonFile.from_string(text).objects}


def _round(x: float, y: float) -> tuple[float, float]:
    return round(x, 3), round(y, 3)


def _copper(layer: str, text: str) -> Iterator[Copper]:
    for shape in GerberFile.from_string(text).objects:
        if isinstance(shape, Line):
            xs, ys = sorted((shape.x1, shape.x2)), sorted((shape.y1, shape.y2))
            assert xs[0] == xs[1] or ys[0] == ys[1], "every line runs along or across"
            yield Copper(layer, xs[0], ys[0], xs[1], ys[1], shape.aperture.diameter / 2, False)
            continue
        assert isinstance(shape, Flash)
        x, y, aperture = shape.x, shape.y, shape.aperture
        if isinstance(aperture, RectangleAperture):
            w, h = aperture.w / 2, aperture.h / 2
            yield Copper(layer, x - w, y - h, x + w, y + h, 0.0, True)
        else:
            yield Copper(layer, x, y, x, y, aperture.diameter / 2, True)


def _rooms(copper: list[Copper]) -> Grid:
    """The distances of all pieces of one side from each other; below zero where they overlap."""
    left, low, right, high, half = (
        np.array([getattr(piece, name) for piece in copper])
        for name in ("left", "low", "right", "high", "half")
    )
    across = np.maximum(left[:, None], left) - np.minimum(right[:, None], right)
    up = np.maximum(low[:, None], low) - np.minimum(high[:, None], high)
    rooms: Grid = np.hypot(across.clip(0), up.clip(0)) - half[:, None] - half
    layer = np.array([piece.layer for piece in copper])
    rooms[layer[:, None] != layer] = np.inf
    return rooms


def _nets(board: Board, narrowest: float = 0.0) -> dict[Copper, int]:
    """For each piece of copper the number of its net: what touches, and what a plated hole joins."""
    copper = [piece for piece in board.copper if piece.pad or 2 * piece.half >= narrowest - 1e-6]
    touching = _rooms(copper) < -1e-6
    by_place: dict[tuple[float, float], list[int]] = {}
    for number, piece in enumerate(copper):
        middle = _round((piece.left + piece.right) / 2, (piece.low + piece.high) / 2)
        if piece.pad and middle in board.holes:
            by_place.setdefault(middle, []).append(number)
    for same in by_place.values():
        for one, other in pairwise(same):
            touching[one, other] = touching[other, one] = True
    net: dict[int, int] = {}
    for first in range(len(copper)):
        todo = [first]
        while todo:
            if (here := todo.pop()) not in net:
                net[here] = net.get(first, first)
                todo += np.flatnonzero(touching[here]).tolist()
    return {piece: net[number] for number, piece in enumerate(copper)}


def _pins(name: str, net: dict[Copper, int]) -> dict[str, int]:
    """The net of each pin's pad."""
    at: dict[tuple[float, float], int] = {}
    for piece, number in net.items():
        if piece.pad:
            at[_round((piece.left + piece.right) / 2, (piece.low + piece.high) / 2)] = number
    return {pad.pin: at[_round(*pad.at)] for pad in ART[name].pads}


@pytest.mark.parametrize("name", ART)
def test_the_copper_joins_what_the_circuit_joins(name: str, read: dict[str, Board]) -> None:
    found: dict[int, set[str]] = {}
    for pin, number in _pins(name, _nets(read[name])).items():
        found.setdefault(number, set()).add(pin)
    assert {frozenset(pins) for pins in found.values()} == {
        frozenset(pins) for pins in netlist.nets()[name].values()
    }


@pytest.mark.parametrize("name", ART)
def test_there_is_room_between_nets_around_holes_and_to_the_edge(name: str, read: dict[str, Board]) -> None:
    board = read[name]
    nets = _nets(board)
    number = np.array([nets[piece] for piece in board.copper])
    rooms = _rooms(board.copper)
    assert rooms[number[:, None] != number].min() >= LEAST_MM[name] - 1e-6
    for at, diameter in board.holes.items():
        pads = [piece for piece in nets if piece.pad and _round(piece.left, piece.low) == at]
        assert {piece.layer for piece in pads} == {"F_Cu", "B_Cu"}
        assert min(piece.half for piece in pads) - diameter / 2 >= RING_MM - 1e-6
    for piece in board.copper:
        assert piece.left - piece.half >= 0.45
        assert piece.right + piece.half <= board.width - 0.45
        assert piece.low - piece.half >= 0.45
        assert piece.high + piece.half <= board.height - 0.45
        for (x, y), diameter in board.mounting.items():
            across, up = max(piece.left - x, x - piece.right, 0), max(piece.low - y, y - piece.high, 0)
            assert np.hypot(across, up) - piece.half - diameter / 2 >= 1.5, "a screw's head is wider"


@pytest.mark.parametrize("name", ART)
def test_no_two_holes_run_into_each_other(name: str, read: dict[str, Board]) -> None:
    holes = [*read[name].holes.items(), *read[name].mounting.items()]
    for place, ((x, y), diameter) in enumerate(holes):
        for (u, v), other in holes[:place]:
            assert np.hypot(x - u, y - v) - (diameter + other) / 2 >= 0.3


def test_a_terminals_holes_take_its_pins(read: dict[str, Board]) -> None:
    for name, art in ART.items():
        terminals = {part.name for part in art.parts if part.kind.split()[0] in ("terminal", "pluggable")}
        for pad in art.pads:
            if pad.pin.rpartition(".")[0] in terminals:
                assert read[name].holes[_round(*pad.at)] == 1.3, pad.pin


@pytest.mark.parametrize("name", PLACED)
def test_no_two_parts_stand_in_each_other_or_on_a_screw(name: str) -> None:
    board = PLACED[name]
    bodies = {part.name: part.body() for part in board.parts}
    bodies |= {f"screw {at}": (at[0] - 3, at[1] - 3, at[0] + 3, at[1] + 3) for at, _ in board.mounting}
    named = list(bodies.items())
    for place, (one, (left, low, right, high)) in enumerate(named):
        for other, (a, b, c, d) in named[:place]:
            assert left >= c - 1e-6 or right <= a + 1e-6 or low >= d - 1e-6 or high <= b + 1e-6, (one, other)


@pytest.mark.parametrize("name", PLACED)
def test_power_nets_have_wide_tracks_alone(name: str, read: dict[str, Board]) -> None:
    """Between pins that go through the board; what is flat takes little."""
    board = PLACED[name]
    through = {pad.pin for pad in ART[name].pads if pad.drill}
    assert board.widths
    for net, width in board.widths.items():
        pins = _pins(name, _nets(read[name], width))
        assert len({pins[pin] for pin in board.nets[net] if pin in through}) <= 1, net


def test_the_sounders_current_has_two_millimetres(read: dict[str, Board]) -> None:
    pins = _pins("bell-board", _nets(read["bell-board"], bell_board.HEAVY))
    for one, other in (
        ("12 V.1", "F1.1"), ("F1.2", "key.1"), ("key.2", "K1.4"), ("K1.8", "K2.4"), ("K2.8", "bell.1"),
        ("12 V.2", "bell.2"),
    ):  # fmt: skip
        assert pins[one] == pins[other]
    assert bell_board.HEAVY >= 2.0


@pytest.mark.parametrize("name", PLACED)
def test_parts_and_places_name_every_part_once(name: str, read: dict[str, Board]) -> None:
    names = sorted(part.name.replace(" ", "_") for part in PLACED[name].parts)
    tables = read[name].tables
    assert sorted(" ".join(row["part"] for row in tables["parts"]).split()) == names
    assert sorted(row["part"] for row in tables["places"]) == names
    assert all(row["value"] and row["kind"] for row in tables["parts"])


def test_a_short_and_a_break_are_found(read: dict[str, Board]) -> None:
    for name in ("relays", "bell-board"):
        board = read[name]
        pins = len(set(_pins(name, _nets(board)).values()))
        nets = _nets(board)
        tracks = [piece for piece in board.copper if not piece.pad]
        for net in {nets[track] for track in tracks}:
            left = [piece for piece in board.copper if piece.pad or nets[piece] != net]
            assert len(set(_pins(name, _nets(board._replace(copper=left))).values())) > pins
        short = board._replace(copper=[*board.copper, tracks[0]._replace(half=4.0)])
        assert len(set(_pins(name, _nets(short)).values())) < pins


@pytest.mark.filterwarnings("ignore:path is deprecated:DeprecationWarning")
def test_the_archives_are_those_of_the_boards() -> None:
    for name, art in ART.items():
        with (
            zipfile.ZipFile(HARDWARE / factory.archive(name)) as kept,
            zipfile.ZipFile(io.BytesIO(fabrication.archive(art))) as drawn,
        ):
            assert kept.namelist() == drawn.namelist()
            assert all(kept.read(file) == drawn.read(file) for file in kept.namelist()), name


def test_the_bell_boards_timer_outlasts_the_longest_ring_and_ends_soon_after() -> None:
    """A monostable of a CMOS 555: 1.1 RC; the capacitor 10 % off, and 20 % less under voltage."""
    values = {part.name: part.value for part in PLACED["bell-board"].parts}
    assert (values["R3"], values["C1"].split()[0]) == ("1M", "4u7")
    nominal_s = 1.1 * 1e6 * 4.7e-6
    assert 0.9 * 0.8 * nominal_s > LONGEST_MS / 1000 + 0.5
    assert 1.1 * nominal_s < 6.0


def test_the_hats_holes_and_header_are_where_the_pi_has_them(read: dict[str, Board]) -> None:
    """HAT mechanical drawing: holes 58 by 49 mm apart, 3.5 mm from the edges; the header between two."""
    hat = read["table-hat"]
    assert (hat.width, hat.height) == pytest.approx((65 + fabrication.LINE, 100 + fabrication.LINE))
    assert {(3.5, 3.5), (61.5, 3.5), (3.5, 52.5), (61.5, 52.5)} < set(hat.mounting)
    assert set(hat.mounting.values()) == {2.75}
    pins = {pad.pin: pad.at for pad in ART["table-hat"].pads if pad.pin.startswith("Pi.")}
    assert pins["Pi.1"] == pytest.approx((32.5 - 9.5 * 2.54, 52.5 - 1.27))
    assert pins["Pi.40"] == pytest.approx((32.5 + 9.5 * 2.54, 52.5 + 1.27))
    assert all(_round(*at) in hat.holes for at in pins.values())


@pytest.mark.parametrize(("board", "by_hand"), [("table-hat", 84), ("dice-board", 55), ("bell-board", 27)])
def test_the_guides_joints_are_those_of_the_boards(board: str, by_hand: int) -> None:
    shapes = {part.name: part.shape for part in PLACED[board].parts if part.name != "WP"}
    assert sum(len(shape.pads) for shape in shapes.values() if shape.soldered) == by_hand
    assert f"| {by_hand} | 0 |" in (HARDWARE / "boards.md").read_text("utf-8")
