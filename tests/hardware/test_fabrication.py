"""What a fabricator gets, read back by another program: the same nets, room between them, and holes."""

import io
import zipfile
from collections.abc import Iterator
from itertools import combinations, pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from gerbonara import ExcellonFile, GerberFile  # type: ignore[import-untyped]
from gerbonara.graphic_objects import Flash, Line  # type: ignore[import-untyped]

from hardware.test_boards import BOARDS, HARDWARE, NETS

LEAST_MM = 0.5
"""Between copper of two nets, and of copper around a hole; any fabricator makes 0.2."""


class Copper(NamedTuple):
    """A line of a width with round ends, of no length for a pad; mm."""

    layer: str
    x1: float
    y1: float
    x2: float
    y2: float
    half: float


class Board(NamedTuple):
    """What another program read."""

    copper: list[Copper]
    holes: dict[tuple[float, float], float]
    width: float
    height: float


@pytest.fixture(scope="module")
def read() -> dict[str, Board]:
    return {name: _read(HARDWARE / "boards" / f"{name}.zip") for name in BOARDS}


def _read(path: Path) -> Board:
    with zipfile.ZipFile(path) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    copper: list[Copper] = []
    for layer in ("F_Cu", "B_Cu"):
        (text,) = (text for name, text in texts.items() if name.endswith(f"{layer}.gbr"))
        copper += _copper(layer, GerberFile.from_string(text))
    (drill,) = (text for name, text in texts.items() if name.endswith(".drl"))
    holes = {
        (round(hole.x, 2), round(hole.y, 2)): hole.tool.diameter
        for hole in ExcellonFile.from_string(drill).objects
    }
    (edge,) = (text for name, text in texts.items() if "Edge" in name)
    (left, low), (right, high) = GerberFile.from_string(edge).bounding_box()
    return Board(copper, holes, right - left, high - low)


def _copper(layer: str, file: GerberFile) -> Iterator[Copper]:
    for shape in file.objects:
        if isinstance(shape, Flash):
            yield Copper(layer, shape.x, shape.y, shape.x, shape.y, shape.aperture.diameter / 2)
        else:
            assert isinstance(shape, Line)
            yield Copper(layer, shape.x1, shape.y1, shape.x2, shape.y2, shape.aperture.diameter / 2)


def _apart(one: Copper, other: Copper) -> float:
    """The distance of two lines that run along or across, as all do, less their widths."""
    across = max(
        min(one.x1, one.x2) - max(other.x1, other.x2), min(other.x1, other.x2) - max(one.x1, one.x2), 0
    )
    up = max(min(one.y1, one.y2) - max(other.y1, other.y2), min(other.y1, other.y2) - max(one.y1, one.y2), 0)
    return float((across**2 + up**2) ** 0.5) - one.half - other.half


def _nets(board: Board) -> dict[Copper, int]:
    """For each piece of copper the number of its net: what touches, and what a plated hole joins."""
    net = {piece: number for number, piece in enumerate(board.copper)}

    def join(one: Copper, other: Copper) -> None:
        old, new = net[one], net[other]
        if old != new:
            net.update({piece: new for piece, number in net.items() if number == old})

    for one, other in combinations(net, 2):
        if one.layer == other.layer and _apart(one, other) < 0:
            join(one, other)
    for x, y in board.holes:
        at = [piece for piece in net if (round(piece.x1, 2), round(piece.y1, 2)) == (x, y) and _pad(piece)]
        for one, other in pairwise(at):
            join(one, other)
    return net


def _pad(piece: Copper) -> bool:
    return (piece.x1, piece.y1) == (piece.x2, piece.y2)


@pytest.mark.parametrize("name", BOARDS)
def test_the_copper_joins_what_the_circuit_joins(name: str, read: dict[str, Board]) -> None:
    import fabrication

    board = read[name]
    net = _nets(board)
    at = {(round(piece.x1, 2), round(piece.y1, 2)): number for piece, number in net.items() if _pad(piece)}
    found: dict[int, set[str]] = {}
    for pin, hole in BOARDS[name].pins().items():
        x, y = fabrication.place(BOARDS[name], hole)
        found.setdefault(at[round(x, 2), round(y, 2)], set()).add(pin)
    assert {frozenset(pins) for pins in found.values()} == {frozenset(pins) for pins in NETS[name].values()}


@pytest.mark.parametrize("name", BOARDS)
def test_there_is_room_between_nets_and_around_holes(name: str, read: dict[str, Board]) -> None:
    board = read[name]
    net = _nets(board)
    room = min(
        _apart(one, other)
        for one, other in combinations(net, 2)
        if one.layer == other.layer and net[one] != net[other]
    )
    assert room >= LEAST_MM
    for (x, y), diameter in board.holes.items():
        pads = [piece for piece in net if (round(piece.x1, 2), round(piece.y1, 2)) == (x, y) and _pad(piece)]
        assert {piece.layer for piece in pads} == {"F_Cu", "B_Cu"}
        assert min(piece.half for piece in pads) - diameter / 2 >= LEAST_MM / 2
        assert all(2 < place < side - 2 for place, side in ((x, board.width), (y, board.height)))


@pytest.mark.parametrize("name", BOARDS)
def test_every_line_runs_along_or_across(name: str, read: dict[str, Board]) -> None:
    assert all(piece.x1 == piece.x2 or piece.y1 == piece.y2 for piece in read[name].copper)


def test_a_short_and_a_break_are_found(read: dict[str, Board]) -> None:
    board = read["relays"]
    nets = len(set(_nets(board).values()))
    tracks = [piece for piece in board.copper if not _pad(piece)]
    for track in tracks:
        left = board._replace(copper=[piece for piece in board.copper if piece != track])
        assert len(set(_nets(left).values())) > nets
    short = tracks[0]._replace(half=4.0)
    assert len(set(_nets(board._replace(copper=[*board.copper, short])).values())) < nets


@pytest.mark.filterwarnings("ignore:path is deprecated:DeprecationWarning")
def test_the_archives_are_those_of_the_layouts() -> None:
    import fabrication

    for name, board in BOARDS.items():
        with (
            zipfile.ZipFile(HARDWARE / "boards" / f"{name}.zip") as kept,
            zipfile.ZipFile(io.BytesIO(fabrication.archive(board))) as drawn,
        ):
            assert kept.namelist() == drawn.namelist()
            assert all(kept.read(file) == drawn.read(file) for file in kept.namelist()), name
