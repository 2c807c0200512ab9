"""The boards as a fabricator makes them: the same parts in the same places, strips and links as copper.

No strip is cut and no link is soldered by hand: a piece of strip is a track at the solder side from its first
to its last hole that is used, a link a track at the component side. Each board is one archive of Gerber and
drill files, with its parts and their places.
"""

import csv
import io
import zipfile
from collections.abc import Iterator, Mapping

from gerber import Layer, Point, drill
from stripboard import Hole, Placed, Stripboard

PITCH = 2.54
EDGE = 3.0
"""From the outermost holes to the board's edge, mm."""
TRACK, LINK = 1.4, 1.0
"""Widths of tracks at the solder side and at the component side, mm."""
PAD, VIA = 1.9, 1.4
"""Diameters of a part's pad and of a link's end, mm: between two pads 0.64 is left."""
MASK = 0.1
"""By which the solder mask stays away from a pad, mm."""
SILK = 0.15
LETTER = 1.1
DRILLS: Mapping[str, float] = {"terminal": 1.3, "pad": 1.2, "diode": 1.0, "transistor": 0.9, "led": 0.9}
"""Holes in mm for the leads of each kind of part; what is not named here has thin ones."""
THIN = 0.8
PICO = 1.0
_DAY = (2026, 1, 1, 0, 0, 0)


def archive(board: Stripboard) -> bytes:
    """What is sent to a fabricator, always the same bytes for the same board."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, text in files(board).items():
            folder.writestr(zipfile.ZipInfo(name, _DAY), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def files(board: Stripboard) -> dict[str, str]:
    """The files of a board by their names."""
    name = board.name
    return {
        f"{name}-F_Cu.gbr": _top(board).file(),
        f"{name}-B_Cu.gbr": _bottom(board).file(),
        f"{name}-F_Mask.gbr": _mask(board, "Soldermask,Top").file(),
        f"{name}-B_Mask.gbr": _mask(board, "Soldermask,Bot").file(),
        f"{name}-F_Silkscreen.gbr": _silk(board).file(),
        f"{name}-Edge_Cuts.gbr": _edge(board).file(),
        f"{name}.drl": drill((place(board, hole), size) for hole, size in holes(board)),
        f"{name}-parts.csv": _table(("part", "value", "kind"), _parts(board)),
        f"{name}-places.csv": _table(("part", "x mm", "y mm"), _places(board)),
    }


def place(board: Stripboard, hole: Hole) -> Point:
    """The hole on the board, in mm from its lower left corner."""
    row, column = hole
    return EDGE + (column - 1) * PITCH, EDGE + (board.rows - row) * PITCH


def size(board: Stripboard) -> Point:
    """Width and height in mm."""
    return 2 * EDGE + (board.columns - 1) * PITCH, 2 * EDGE + (board.rows - 1) * PITCH


def holes(board: Stripboard) -> Iterator[tuple[Hole, float]]:
    """Every hole with its diameter in mm, those of the links last."""
    for part in board.parts:
        lead = PICO if part.value == "Pico" else DRILLS.get(part.kind, THIN)
        yield from ((hole, lead) for hole in part.pins.values())
    yield from ((end, THIN) for link in board.links for end in link)


def _top(board: Stripboard) -> Layer:
    layer = Layer("Copper,L1,Top")
    _copper(board, layer)
    for begin, end in board.links:
        layer.track([place(board, begin), place(board, end)], LINK)
    return layer


def _bottom(board: Stripboard) -> Layer:
    layer = Layer("Copper,L2,Bot")
    _copper(board, layer)
    pieces: dict[Hole, list[Hole]] = {}
    for hole, _ in holes(board):
        pieces.setdefault(board.piece(hole), []).append(hole)
    for used in pieces.values():
        if len(used) > 1:
            layer.track([place(board, min(used)), place(board, max(used))], TRACK)
    return layer


def _copper(board: Stripboard, layer: Layer) -> None:
    for hole in board.pins().values():
        layer.flash(place(board, hole), PAD)
    for link in board.links:
        for end in link:
            layer.flash(place(board, end), VIA)


def _mask(board: Stripboard, function: str) -> Layer:
    layer = Layer(function)
    for hole in board.pins().values():  # the ends of links are covered
        layer.flash(place(board, hole), PAD + 2 * MASK)
    return layer


def _silk(board: Stripboard) -> Layer:
    layer = Layer("Legend,Top")
    width, height = size(board)
    layer.text(board.title, (width / 2, height - EDGE / 2 + 0.1), LETTER)
    for part in board.parts:
        _drawn(board, layer, part)
    return layer


def _drawn(board: Stripboard, layer: Layer, part: Placed) -> None:
    """A part's outline and name between its pins; the name of a place for a wire beside it."""
    points = [place(board, hole) for hole in part.pins.values()]
    x, y = _middle(points)
    if len(points) == 1:
        towards = 1 if x < size(board)[0] / 2 else -1
        layer.text(part.name, (x + towards * (PAD + len(part.name) * LETTER * 0.28), y), LETTER)
        return
    left, right = min(a for a, _ in points), max(a for a, _ in points)
    low, high = min(b for _, b in points), max(b for _, b in points)
    room = PAD / 2 + SILK
    if len(points) == 2:
        layer.track(points, SILK)
        if "K" in part.pins and part.kind == "diode":
            layer.flash(_between(place(board, part.pins["K"]), (x, y), 0.45), 4 * SILK)
    else:
        corners = [(left - room, low - room), (right + room, low - room), (right + room, high + room)]
        layer.track([*corners, (left - room, high + room), corners[0]], SILK)
    words = part.name if part.value in ("", part.name) else f"{part.name} {part.value}"
    if right - left < PITCH:  # upright: the words stand beside it
        layer.text(words, (right + PAD / 2 + len(words) * LETTER * 0.28, y), LETTER)
    else:
        layer.text(words, (x, y + 0.75), LETTER)


def _between(begin: Point, end: Point, share: float) -> Point:
    return begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1])


def _middle(points: list[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _edge(board: Stripboard) -> Layer:
    layer = Layer("Profile,NP")
    width, height = size(board)
    layer.track([(0, 0), (width, 0), (width, height), (0, height), (0, 0)], SILK)
    return layer


def _parts(board: Stripboard) -> Iterator[tuple[str, ...]]:
    for part in sorted(board.parts, key=lambda part: part.name):
        yield part.name, part.value, part.kind


def _places(board: Stripboard) -> Iterator[tuple[str, ...]]:
    for part in sorted(board.parts, key=lambda part: part.name):
        x, y = _middle([place(board, hole) for hole in part.pins.values()])
        yield part.name, f"{x:.2f}", f"{y:.2f}"


def _table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(heads)
    table.writerows(rows)
    return out.getvalue()
