"""The stripboards as pictures: both sides at their size, and what each step of soldering adds."""

from collections.abc import Iterable
from dataclasses import dataclass

from paper import Paper
from stripboard import Hole, Placed, Stripboard

PITCH = 2.54
SHEET = (210.0, 297.0)
"""A4, upright (mm)."""
STEPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("cut the strips (copper side)", ("cut",)),
    ("links: insulated wire", ("link",)),
    ("resistors, diodes (mind the ring)", ("resistor", "diode")),
    ("what stands (mind notch and flat)", ("chip", "capacitor", "transistor", "led")),
    ("terminals, wires to elsewhere", ("terminal", "pad")),
)
ALL = tuple(kind for _, kinds in STEPS for kind in kinds)
BODY = {"resistor": ("body", 2.2), "diode": ("grey", 1.9), "capacitor": ("copper", 2.0)}
"""Colour and thickness (mm) of what lies between two holes."""


@dataclass(frozen=True)
class BoardView:
    """A board on paper: its upper left corner, from the copper side or not."""

    paper: Paper
    board: Stripboard
    left: float
    top: float
    copper: bool = False

    def place(self, hole: Hole) -> tuple[float, float]:
        """The hole's place on the paper (mm)."""
        row, column = hole
        across = self.board.columns + 1 - column if self.copper else column
        return self.left + (across - 0.5) * PITCH, self.top + (row - 0.5) * PITCH

    @property
    def right(self) -> float:
        """The right edge (mm)."""
        return self.left + self.board.columns * PITCH


def sheet(board: Stripboard) -> Paper:
    """A sheet of A4 with the board at its size, from the component side and from the copper side."""
    paper = Paper(*SHEET)
    left = (SHEET[0] - board.columns * PITCH) / 2
    height = board.rows * PITCH
    paper.text(105, 12, f"{board.title}: {board.rows} strips of {board.columns} holes", 4.5)
    paper.text(105, 18, "Print at 100 %; the bar below is 100 mm long. Strips run from left to right.", 3.2)
    for top, title, copper in (
        (32.0, "component side", False),
        (50.0 + height, "copper side (mirrored): cut at each cross", True),
    ):
        paper.text(105, top - 7, title, 3.6)
        view = BoardView(paper, board, left, top, copper)
        _bare(view)
        _numbers(view)
        draw(view, ALL if not copper else ("cut",), ALL)
        if copper:
            paper.dots([view.place(hole) for hole in _soldered(board)], 0.75, "grey")
    bar = 62 + 2 * height
    paper.rect(55, bar, 100, 3)
    paper.text(105, bar + 7, "100 mm", 3.2)
    return paper


def steps(board: Stripboard) -> Paper:
    """Each step's additions, in black and colour; all that is there already is grey."""
    width, height = board.columns * PITCH, board.rows * PITCH
    across = 2
    room = max(width, 58) + 36
    kinds_there = {part.kind for part in board.parts} | {"cut", "link"}
    added = [step for step in STEPS if kinds_there & set(step[1])]
    down = -(-len(added) // across)
    paper = Paper(across * room, down * (height + 14) + 4)
    done: tuple[str, ...] = ()
    for number, (title, kinds) in enumerate(added):
        row, column = divmod(number, across)
        view = BoardView(paper, board, 18 + column * room, 12 + row * (height + 14), copper=kinds == ("cut",))
        paper.text(view.left, view.top - 4, f"{number + 1}  {title}", 2.9, "start")
        _bare(view)
        _numbers(view)
        draw(view, (*done, *kinds), kinds)
        done += kinds
    return paper


def draw(view: BoardView, shown: Iterable[str], fresh: Iterable[str]) -> None:
    """Draws what is of the kinds `shown`; what is not `fresh` is faint."""
    shown, fresh = set(shown), set(fresh)
    if "cut" in shown:
        for hole in sorted(view.board.cuts):
            _cross(view, hole, "red" if "cut" in fresh and view.copper else "faint")
    if "link" in shown:
        for begin, end in view.board.links:
            colour = "green" if "link" in fresh else "faint"
            view.paper.line(*view.place(begin), *view.place(end), colour, 0.7)
            view.paper.dots([view.place(begin), view.place(end)], 0.5, colour)
    for part in view.board.parts:
        if part.kind in shown:
            _part(view, part, part.kind in fresh)


def _bare(view: BoardView) -> None:
    board, paper = view.board, view.paper
    paper.rect(view.left, view.top, board.columns * PITCH, board.rows * PITCH, "pale")
    for row in range(1, board.rows + 1):
        y = view.top + (row - 0.5) * PITCH
        paper.line(view.left + 0.8, y, view.right - 0.8, y, "copper", 1.7 if view.copper else 0.25)
    every = [(row, column) for row in range(1, board.rows + 1) for column in range(1, board.columns + 1)]
    paper.dots([view.place(hole) for hole in every], 0.3, "white" if view.copper else "faint")


def _numbers(view: BoardView) -> None:
    for column in (1, *range(5, view.board.columns + 1, 5)):
        view.paper.text(view.place((1, column))[0], view.top - 1.2, str(column), 2, "middle", "grey")
    for row in (1, *range(5, view.board.rows + 1, 5)):
        for x in (view.left - 15, view.right + 15):
            view.paper.text(x, view.place((row, 1))[1] + 0.7, str(row), 2, "middle", "grey")


def _soldered(board: Stripboard) -> list[Hole]:
    return sorted({*board.pins().values(), *(hole for link in board.links for hole in link)})


def _cross(view: BoardView, hole: Hole, colour: str) -> None:
    x, y = view.place(hole)
    for rise in (-0.9, 0.9):
        view.paper.line(x - 0.9, y - rise, x + 0.9, y + rise, colour, 0.6)


def _part(view: BoardView, part: Placed, fresh: bool) -> None:
    ink = "black" if fresh else "faint"
    if part.kind in BODY:
        _lying(view, part, fresh, ink)
    elif part.kind in ("terminal", "pad"):
        _outlet(view, part, ink)
    else:
        _upright(view, part, fresh, ink)


def _lying(view: BoardView, part: Placed, fresh: bool, ink: str) -> None:
    (ax, ay), (bx, by) = (view.place(hole) for hole in part.pins.values())
    colour, pen = BODY[part.kind] if fresh else ("faint", BODY[part.kind][1])
    long = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
    half = min(0.36, 2.2 / long)
    view.paper.line(ax, ay, bx, by, ink, 0.4)
    middle = ((ax + bx) / 2, (ay + by) / 2)
    ends = [(middle[0] + side * half * (bx - ax), middle[1] + side * half * (by - ay)) for side in (-1, 1)]
    view.paper.line(*ends[0], *ends[1], colour, pen)
    if part.kind == "diode":  # the second pin is the cathode
        x, y = (middle[i] + 0.8 * (ends[1][i] - middle[i]) for i in (0, 1))
        ux, uy = (bx - ax) / long, (by - ay) / long
        view.paper.line(x - uy * 0.8, y + ux * 0.8, x + uy * 0.8, y - ux * 0.8, ink, 0.7)
    view.paper.dots([(ax, ay), (bx, by)], 0.45, ink)
    if fresh and part.kind == "resistor":
        view.paper.text(middle[0], middle[1] + 0.55, part.value, 1.6)
    elif fresh and part.kind == "capacitor":
        view.paper.text(max(ax, bx) + 1.2, middle[1] + 0.55, part.value, 1.6, "start")


def _outlet(view: BoardView, part: Placed, ink: str) -> None:
    (hole,) = part.pins.values()
    x, y = view.place(hole)
    if part.kind == "terminal":
        view.paper.rect(x - 4, y - 2.5, 8, 5, "", ink)
        view.paper.circle(x, y, 1.3, "white", ink)
    else:
        view.paper.circle(x, y, 0.9, "white", ink)
    view.paper.dots([(x, y)], 0.4, ink)
    left = hole[1] < view.board.columns / 2
    edge = min(hole[1] - 1, view.board.columns - hole[1])
    if ink != "black":
        return
    if edge > 2:
        view.paper.text(x, y - 1.3, part.name, 1.8, "middle", "blue")
    elif left:
        view.paper.text(view.left - 1, y + 0.6, part.name, 1.8, "end", "blue")
    else:
        view.paper.text(view.right + 1, y + 0.6, part.name, 1.8, "start", "blue")


def _upright(view: BoardView, part: Placed, fresh: bool, ink: str) -> None:
    places = [view.place(hole) for hole in part.pins.values()]
    xs, ys = [x for x, _ in places], [y for _, y in places]
    middle = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
    if part.kind == "led":
        view.paper.circle(*middle, 2.9, "body" if fresh else "pale", ink)
        view.paper.line(middle[0] - 1.8, ys[1] + 1.0, middle[0] + 1.8, ys[1] + 1.0, ink, 0.6)
    elif part.kind == "transistor":
        view.paper.rect(middle[0] - 1.2, middle[1] - 2.6, 3.4, 5.2, "body" if fresh else "pale", ink)
        view.paper.line(middle[0] - 1.2, middle[1] - 2.6, middle[0] - 1.2, middle[1] + 2.6, ink, 0.7)
    else:
        view.paper.rect(
            min(xs) - 0.4, min(ys) - 1.2, max(xs) - min(xs) + 0.8, max(ys) - min(ys) + 2.4,
            "body" if fresh else "pale", ink,
        )  # fmt: skip
        view.paper.circle(middle[0], min(ys) - 1.2, 0.8, "white", ink)
    view.paper.dots(places, 0.45, ink)
    if not fresh:
        return
    if part.kind == "transistor":
        for pin, (x, y) in zip(part.pins, places, strict=True):
            view.paper.text(x - 2.6, y + 0.6, pin, 1.6)
        view.paper.text(middle[0], min(ys) - 3.2, part.value, 1.6)
    elif part.kind == "led":
        view.paper.text(
            middle[0], middle[1] + 0.6, part.name.replace("bottom", "b.").replace("top", "t."), 1.5
        )
    else:
        view.paper.text(middle[0], middle[1] - 0.6, part.name, 1.9)
        if part.value != part.name:
            view.paper.text(middle[0], middle[1] + 1.8, part.value, 1.5)
