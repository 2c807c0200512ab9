"""The stripboards as a fabricator makes them: the same parts in the same places, strips and links as copper.

No strip is cut and no link is soldered by hand: a piece of strip is a track at the solder side from its first
to its last hole that is used, a link a track at the component side.
"""

from collections.abc import Mapping

from artwork import BOTTOM, TOP, Artwork, BoardPart, Pad, Point, PrintedWords, Track, Via
from footprints import TERMINAL_DRILL
from stripboard import Hole, Placed, Stripboard

PITCH = 2.54
EDGE = 3.0
"""From the outermost holes to the board's edge, mm."""
TRACK, LINK = 1.4, 1.0
"""Widths of tracks at the solder side and at the component side, mm."""
PAD, VIA = 1.9, 1.4
"""Diameters of a part's pad and of a link's end, mm: between two pads 0.64 is left."""
SILK = 0.15
LETTER = 1.1
DRILLS: Mapping[str, float] = {
    "terminal": TERMINAL_DRILL, "pad": 1.2, "diode": 1.0, "transistor": 0.9, "led": 0.9,
}  # fmt: skip
"""Holes in mm for the leads of each kind of part; what is not named here has thin ones."""
THIN = 0.8
PICO = 1.0


def artwork(board: Stripboard) -> Artwork:
    """The stripboard as copper, holes and print."""
    width, height = 2 * EDGE + (board.columns - 1) * PITCH, 2 * EDGE + (board.rows - 1) * PITCH
    art = Artwork(board.name, board.title, (width, height))
    art.words.append(PrintedWords(board.title, (width / 2, height - EDGE / 2 + 0.1), LETTER))
    for part in sorted(board.parts, key=lambda part: part.name):
        drill = PICO if part.value == "Pico" else DRILLS.get(part.kind, THIN)
        pads = [
            Pad(f"{part.name}.{pin}", place(board, hole), (PAD, PAD), drill)
            for pin, hole in part.pins.items()
        ]
        art.pads += pads
        middle = _middle([pad.at for pad in pads])
        art.parts.append(BoardPart(part.name, part.value, part.kind, middle))
        _print(art, part, middle)
    for begin, end in board.links:
        ends = place(board, begin), place(board, end)
        art.vias += [Via(at, VIA, THIN) for at in ends]
        art.tracks.append(Track(TOP, ends, LINK))
    pieces: dict[Hole, list[Hole]] = {}
    for hole in (*board.pins().values(), *(end for link in board.links for end in link)):
        pieces.setdefault(board.piece(hole), []).append(hole)
    for used in pieces.values():
        if len(used) > 1:
            art.tracks.append(Track(BOTTOM, (place(board, min(used)), place(board, max(used))), TRACK))
    return art


def place(board: Stripboard, hole: Hole) -> Point:
    """The hole on the board, in mm from its lower left corner."""
    row, column = hole
    return EDGE + (column - 1) * PITCH, EDGE + (board.rows - row) * PITCH


def _print(art: Artwork, part: Placed, middle: Point) -> None:
    """A part's outline and name between its pins; the name of a place for a wire beside it."""
    points = [pad.at for pad in art.pads if pad.pin.rpartition(".")[0] == part.name]
    x, y = middle
    if len(points) == 1:
        towards = 1 if x < art.size[0] / 2 else -1
        beside = x + towards * (PAD + len(part.name) * LETTER * 0.28)
        art.words.append(PrintedWords(part.name, (beside, y), LETTER))
        return
    left, right = min(a for a, _ in points), max(a for a, _ in points)
    low, high = min(b for _, b in points), max(b for _, b in points)
    room = PAD / 2 + SILK
    if len(points) == 2:
        art.strokes.append((tuple(points), SILK))
        if part.kind == "diode":
            ring = points[list(part.pins).index("K")]
            art.dots.append(((ring[0] + 0.45 * (x - ring[0]), ring[1] + 0.45 * (y - ring[1])), 4 * SILK))
    else:
        corners = [(left - room, low - room), (right + room, low - room), (right + room, high + room)]
        art.strokes.append(((*corners, (left - room, high + room), corners[0]), SILK))
    words = part.name if part.value in ("", part.name) else f"{part.name} {part.value}"
    upright = right - left < PITCH  # the words stand beside it
    at = (right + PAD / 2 + len(words) * LETTER * 0.28, y) if upright else (x, y + 0.75)
    art.words.append(PrintedWords(words, at, LETTER))


def _middle(points: list[Point]) -> Point:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
