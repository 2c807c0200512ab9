"""Wires that are not soldered, step by step: the panel from behind, and the header."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from header import SUPPLIES, SUPPLY, HeaderLine, leds, lines, voltage
from panel import PANEL, holes, window
from paper import Anchor, Paper

Place = tuple[float, float]
Shown = Callable[[Paper, float, float], None]
SMALL = 0.5
"""The panel's size in its pictures."""


def drawings() -> dict[str, Paper]:
    """All of them, by their name."""
    return {"panel": panel_steps(), "header": header_steps()}


def steps(titles: Sequence[str], width: float, height: float, across: int, shown: Sequence[Shown]) -> Paper:
    """The pictures of the steps, numbered, in rows of `across`."""
    paper = Paper(across * width + 4, -(-len(titles) // across) * (height + 12) + 4)
    for number, (title, draw) in enumerate(zip(titles, shown, strict=True)):
        row, column = divmod(number, across)
        left, top = 4 + column * width, 12 + row * (height + 12)
        paper.text(left, top - 4, f"{number + 1}  {title}", 2.9, "start")
        draw(paper, left, top)
    return paper


# The panel, from behind.


def panel_steps() -> Paper:
    """Buttons, their common ground, their wires, the lights: as they lie when the panel is on its face."""
    titles = (
        "from behind: buttons and LEDs into their holes",
        "black from button to button, one side of each; a wire on to G",
        "the other side of each: its wire of the panel cable",
        "LEDs: short legs to one bare wire to “LEDs”, long legs each to its wire",
    )
    shown = [lambda paper, x, y, step=step: _panel(paper, x, y, step) for step in range(1, 5)]
    return steps(titles, PANEL[0] * SMALL + 8, PANEL[1] * SMALL + 12, 2, shown)


def _panel(paper: Paper, left: float, top: float, step: int) -> None:
    paper.rect(left, top, PANEL[0] * SMALL, PANEL[1] * SMALL, "pale")
    x, y = window()
    paper.rect(*_behind(left, top, x + 27, y), 27 * SMALL, 15 * SMALL, "white")
    wires = {line.short.upper(): line.wire for line in lines("panel")}
    for hole in holes():
        at = _behind(left, top, hole.x, hole.y)
        ink = "black" if step == 1 or (hole.name in wires) == (step < 4) else "faint"
        paper.circle(*at, hole.diameter * SMALL / 2, "white", ink)
        if hole.name:
            over = (
                -4.2 - 2.6 * (leds().index(hole.name) % 2)
                if hole.name not in wires
                else -hole.diameter * SMALL / 2 - 1
            )
            paper.text(at[0], at[1] + over, hole.name, 2.4 if hole.name in wires else 1.7, colour=ink)
        if hole.name in wires:
            _button(paper, at, hole.name, wires[hole.name], step)
    if step >= 2:
        _common(paper, left, top, fresh=step == 2)
    if step == 4:
        _lights(paper, left, top)


def _behind(left: float, top: float, x: float, y: float) -> Place:
    return left + (PANEL[0] - x) * SMALL, top + y * SMALL


def _button(paper: Paper, at: Place, name: str, wire: str, step: int) -> None:
    x, y = at
    if step >= 3:
        ink = wire if step == 3 else "faint"
        paper.line(x + 2, y, x + 2, y + 9, "black" if wire == "white" and step == 3 else ink, 1.3)
        paper.line(x + 2, y, x + 2, y + 9, ink, 0.8)
        if step == 3:
            number = [line.short.upper() for line in lines("panel")].index(name) + 1
            at_edge = name in ("ONE", "UNDO")
            paper.text(
                x + (0.8 if at_edge else 3.2),
                y + (11.4 if at_edge else 8.8),
                f"{wire}: {number}",
                2.2,
                "end" if at_edge else "start",
            )
    paper.dots([(x - 2, y), (x + 2, y)], 0.8, "grey")


def _common(paper: Paper, left: float, top: float, fresh: bool) -> None:
    ink = "black" if fresh else "faint"
    buttons = [hole for hole in holes() if hole.name in {line.short.upper() for line in lines("panel")}]
    rows = [[one for one in buttons if one.y == y] for y in sorted({one.y for one in buttons})]
    chain = [*sorted(rows[0], key=lambda one: one.x), *sorted(rows[1], key=lambda one: -one.x)]
    places = [(x - 2, y) for x, y in (_behind(left, top, one.x, one.y) for one in chain)]
    for (ax, ay), (bx, by) in itertools.pairwise(places):
        paper.line(ax, ay, bx, by, ink, 0.7)
    end_x, end_y = places[-1]
    paper.line(end_x, end_y, end_x, end_y + 9, ink, 0.7)
    if fresh:
        paper.text(end_x - 1.2, end_y + 8.8, "black: G", 2.2, "end")


def _lights(paper: Paper, left: float, top: float) -> None:
    places = [_behind(left, top, hole.x, hole.y) for hole in holes() if hole.name in leds()]
    for number, (x, y) in enumerate(places, 1):
        paper.line(x + 0.7, y, x + 0.7, y + 6, "green", 0.6)
        paper.text(x + 0.7, y + 8.4, str(number), 2, colour="green")
        paper.line(x - 0.7, y, x - 0.7, y - 2.6, "black", 0.5)
        paper.dots([(x - 0.7, y), (x + 0.7, y)], 0.35, "grey")
    (first, y), (last, _) = places[-1], places[0]
    paper.line(first - 0.7, y - 2.6, last - 0.7, y - 2.6, "black", 0.5)
    paper.line(first - 0.7, y - 2.6, first - 4, y - 2.6, "black", 0.5)


# The header.


def header_steps() -> Paper:
    """The screw terminals by their numbers: what each cable brings, one cable after the other."""
    boards = (
        ("supply and ground", ()),
        ("panel, over the input board", ("panel",)),
        ("lights and display", ("lights", "display")),
        ("at the head: bell, horn, brass button", ("bell", "horn", "bell_button")),
        ("last: dice box, 1 kΩ in each line", ("dice",)),
    )
    titles = [title for title, _ in boards]
    before: list[HeaderLine] = []
    shown: list[Shown] = []
    for number, (_, groups) in enumerate(boards):
        fresh = lines(*groups)
        old = tuple(line.pin for line in before)
        shown.append(partial(_header, fresh=tuple(fresh), old=old, power=number == 0))
        before += fresh
    return steps(titles, 76, 20 * 3.4 + 4, 3, shown)


def _header(
    paper: Paper, edge: float, top: float, fresh: Iterable[HeaderLine], old: Iterable[int], power: bool
) -> None:
    left = edge + 32
    there = set(old)
    named = {
        line.pin: (line.wire, line.name.replace("panel.", "").replace("_", " ").replace(".", " "))
        for line in fresh
    }
    powered = {pin: (SUPPLY[kind], boards) for pin, kind, boards in _powered()}
    paper.rect(left - 1, top, 14, 20 * 3.4 + 1, "pale")
    for pin in range(1, 41):
        x, y = left + (3 if pin % 2 else 9), top + ((pin + 1) // 2 - 0.4) * 3.4
        colour, words = named.get(pin, powered.get(pin, ("", "")) if power else ("", ""))
        taken = pin in there or (pin in powered and not power)
        paper.circle(x, y, 1.2, colour or ("faint" if taken else "white"), "black" if colour else "faint")
        side: Anchor = "end" if pin % 2 else "start"
        to = x - 5 if pin % 2 else x + 5
        if colour:
            says = f"{words}, {colour}  {pin}" if pin % 2 else f"{pin}  {words}, {colour}"
            paper.text(to, y + 0.7, says, 2, side)


def _powered() -> Iterable[tuple[int, str, str]]:
    return [(pin, voltage(pin), boards) for pin, boards in SUPPLIES.items()]
