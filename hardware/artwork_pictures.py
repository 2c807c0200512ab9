"""Both sides of a board as the factory delivers it: copper, pads, holes, print."""

import itertools
from collections.abc import Callable

from artwork import BOTTOM, TOP, Artwork, Point
from paper import Paper
from router import POUR

EDGE = 6.0
"""White around each side, mm."""
TIMES = 1.7
"""The picture's size as a multiple of the board's."""


def both_sides(board: Artwork) -> Paper:
    """The component side and, mirrored below it or beside it, the solder side."""
    width, height = board.size
    beside = height > width
    down, across = (1, 2) if beside else (2, 1)
    paper = Paper(TIMES * across * (width + 2 * EDGE), TIMES * down * (height + 2 * EDGE))
    _side(paper, board, TOP, EDGE, EDGE)
    _side(paper, board, BOTTOM, EDGE + beside * (width + 2 * EDGE), EDGE + (not beside) * (height + 2 * EDGE))
    return paper


def _side(paper: Paper, board: Artwork, side: int, left: float, top: float) -> None:
    width, height = board.size

    def at(point: Point) -> Point:
        x = width - point[0] if side == BOTTOM else point[0]
        return TIMES * (left + x), TIMES * (top + height - point[1])

    title = "component side" if side == TOP else "solder side, mirrored"
    paper.text(TIMES * (left + width / 2), TIMES * (top - 1.5), f"{board.title}: {title}", 5)
    paper.rect(TIMES * left, TIMES * top, TIMES * width, TIMES * height, "pale")
    for pen in sorted({track.width for track in board.tracks}, reverse=True):
        same = [track for track in board.tracks if (track.layer, track.width) == (side, pen)]
        ends = [(at(begin), at(end)) for track in same for begin, end in itertools.pairwise(track.points)]
        paper.lines(ends, "area" if pen == POUR else "copper", TIMES * pen)
    for pad in board.pads:
        x, y = at(pad.at)
        if pad.drill:
            paper.circle(x, y, TIMES * pad.size[0] / 2, "orange", "")
        elif side == TOP:
            w, h = TIMES * pad.size[0], TIMES * pad.size[1]
            paper.rect(x - w / 2, y - h / 2, w, h, "orange", "")
    for via in board.vias:
        paper.circle(*at(via.at), TIMES * via.size / 2, "copper", "grey")
    for hole, diameter in [*((pad.at, pad.drill) for pad in board.pads if pad.drill), *board.mounting]:
        paper.circle(*at(hole), TIMES * diameter / 2, "white", "grey")
    if side == TOP:
        _print(paper, board, at)


def _print(paper: Paper, board: Artwork, at: Callable[[Point], Point]) -> None:
    for points, pen in board.strokes:
        for begin, end in itertools.pairwise(points):
            paper.line(*at(begin), *at(end), "blue", TIMES * pen)
    for place, diameter in board.dots:
        paper.circle(*at(place), TIMES * diameter / 2, "blue", "")
    for words in board.words:
        x, y = at(words.at)
        paper.text(x, y + TIMES * 0.36 * words.height, words.text, TIMES * words.height, colour="blue")
