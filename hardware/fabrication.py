"""A board as a fabricator takes it: one archive of Gerber X2 and drill files, parts and places."""

import csv
import io
import zipfile
from collections.abc import Iterable
from itertools import groupby

from artwork import BOTTOM, TOP, Artwork, BoardPart
from gerber import Layer, drill

MASK = 0.1
"""By which the solder mask stays away from a pad, mm."""
LINE = 0.15
_DAY = (2026, 1, 1, 0, 0, 0)


def archive(board: Artwork) -> bytes:
    """The archive for a fabricator, always the same bytes for the same board."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, text in files(board).items():
            folder.writestr(zipfile.ZipInfo(name, _DAY), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def files(board: Artwork) -> dict[str, str]:
    """The files of a board by their names."""
    name = board.name
    flat = any(not pad.drill for pad in board.pads)
    found = {
        f"{name}-F_Cu.gbr": _copper(board, TOP, "Copper,L1,Top"),
        f"{name}-B_Cu.gbr": _copper(board, BOTTOM, "Copper,L2,Bot"),
        f"{name}-F_Mask.gbr": _mask(board, TOP, "Soldermask,Top"),
        f"{name}-B_Mask.gbr": _mask(board, BOTTOM, "Soldermask,Bot"),
        f"{name}-F_Silkscreen.gbr": _print(board),
        f"{name}-Edge_Cuts.gbr": _edge(board),
        f"{name}.drl": _drilled(board),
        f"{name}-parts.csv": _table(("part", "value", "kind"), _parts(board.parts)),
        f"{name}-places.csv": _table(("part", "x mm", "y mm", "side", "turn"), map(_place, board.parts)),
    }
    if flat:
        found[f"{name}-F_Paste.gbr"] = _paste(board)
    if board.mounting:
        found[f"{name}-NPTH.drl"] = drill(board.mounting)
    return found


def _drilled(board: Artwork) -> str:
    pads = [(pad.at, pad.drill) for pad in board.pads if pad.drill]
    return drill([*pads, *((via.at, via.drill) for via in board.vias)])


def _copper(board: Artwork, side: int, function: str) -> str:
    layer = Layer(function)
    for pad in board.pads:
        if side in pad.layers:
            layer.net(pad.net)
            layer.flash(pad.at, pad.size[0] if pad.drill else pad.size)
    for via in board.vias:
        layer.net(via.net)
        layer.flash(via.at, via.size)
    for track in board.tracks:
        if track.layer == side:
            layer.net(track.net)
            layer.track(track.points, track.width)
    return layer.file()


def _mask(board: Artwork, side: int, function: str) -> str:
    """Vias are covered."""
    layer = Layer(function)
    for pad in board.pads:
        if side in pad.layers:
            grown = (pad.size[0] + 2 * MASK, pad.size[1] + 2 * MASK)
            layer.flash(pad.at, grown[0] if pad.drill else grown)
    return layer.file()


def _paste(board: Artwork) -> str:
    layer = Layer("Paste,Top")
    for pad in board.pads:
        if not pad.drill:
            layer.flash(pad.at, pad.size)
    return layer.file()


def _print(board: Artwork) -> str:
    layer = Layer("Legend,Top")
    for words in board.words:
        layer.text(words.text, words.at, words.height)
    for points, width in board.strokes:
        layer.track(points, width)
    for at, diameter in board.dots:
        layer.flash(at, diameter)
    return layer.file()


def _edge(board: Artwork) -> str:
    layer = Layer("Profile,NP")
    width, height = board.size
    layer.track([(0, 0), (width, 0), (width, height), (0, height), (0, 0)], LINE)
    return layer.file()


def _parts(parts: Iterable[BoardPart]) -> Iterable[tuple[str, str, str]]:
    """Parts of one value and kind in one line, as assemblers want them."""
    ordered = sorted(parts, key=lambda part: (part.kind, part.value, part.name))
    for (kind, value), same in groupby(ordered, key=lambda part: (part.kind, part.value)):
        yield " ".join(part.name.replace(" ", "_") for part in same), value, kind


def _place(part: BoardPart) -> tuple[str, str, str, str, str]:
    x, y = part.at
    return part.name.replace(" ", "_"), f"{x:.2f}", f"{y:.2f}", "top", str(part.turn)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(heads)
    table.writerows(rows)
    return out.getvalue()
