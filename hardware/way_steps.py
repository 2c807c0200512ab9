"""The steps of the ways without an iron: ordinary dice with phones or a number pad, and dice from a shop."""

import itertools
import tomllib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from paper import Paper
from wiring_steps import Shown, steps

WIDTH, HEIGHT = 84.0, 46.0
KEYS = (
    ("NUMLOCK", "KPSLASH", "KPASTERISK", "KPMINUS"), ("KP7", "KP8", "KP9", "KPPLUS"),
    ("KP4", "KP5", "KP6", ""),
    ("KP1", "KP2", "KP3", "KPENTER"), ("KP0", "", "KPDOT", ""),
)  # fmt: skip
"""Most number pads' keys by the kernel's names."""
SIGNS = {
    "KPMINUS": "-",
    "KPPLUS": "+",
    "KPENTER": "Enter",
    "KPASTERISK": "*",
    "KPDOT": ".",
    "KPSLASH": "/",
    "NUMLOCK": "Num",
}
DOTS = ("red", "green", "blue")
"""A colour for each of three tables."""


def drawings() -> dict[str, Paper]:
    """All of them, by their name."""
    tonight: dict[str, Shown] = {
        "the laptop, in the room's Wi-Fi": partial(_laptop, words=("pi-bunco hall",), code=True),
        "a phone of each table reads the code": _scan,
        "the laptop's loudspeaker is the bell": partial(
            _laptop, words=("pi-bunco bell test", "--bell sound"), rings=True
        ),
    }
    pad: dict[str, Shown] = {
        "a card for each Pi": partial(
            _laptop, words=("pi-bunco provision", "--out ~/hall", "--packages ~/packages"), card=True
        ),
        "card, number pad, then its supply": _pi,
        "names onto the keys": _keys,
        "each key is asked for": partial(_screen, words=("pi-bunco check --dice none", "...", "8 fine.")),
    }
    shop: dict[str, Shown] = {
        "a dot of paint: one colour a table": _marked,
        "Pixels: today's firmware, by the maker's app": _phone_with_dice,
        "charged; this table's three out of the case": _case,
        "shake them one after the other": partial(
            _screen, words=("pi-bunco pair", "Shake and roll die 1.", "..."), dice=True
        ),
        "its line into the settings": partial(
            _screen, words=("pi-bunco.toml:", 'dice = "godice:', 'C4:..., D1:..., E7:..."')
        ),
        "each die shows what it said": partial(
            _screen, words=("pi-bunco check", "...", "11 fine."), dice=True
        ),
        "the table plays": partial(_screen, words=("sudo systemctl start", "pi-bunco-table")),
    }
    return {
        name: steps([*shown], WIDTH, HEIGHT, 2, [*shown.values()])
        for name, shown in (("tonight", tonight), ("pad", pad), ("shop", shop))
    }


def _screen(paper: Paper, left: float, top: float, words: Sequence[str], dice: bool = False) -> None:
    paper.rect(left, top, 58, 32, "dark")
    for line, text in enumerate(words):
        paper.text(left + 3, top + 8 + 7 * line, text, 3.6, "start", "white")
    if dice:
        for number in (1, 2, 3):
            _die(paper, left + 62, top + 11 * number - 10, number, "red")


def _laptop(
    paper: Paper, left: float, top: float, words: Sequence[str], code: bool = False, card: bool = False,
    rings: bool = False,
) -> None:  # fmt: skip
    _screen(paper, left, top, words)
    paper.rect(left - 2, top + 32, 62, 4, "grey")
    if code:
        _code(paper, left + 40, top + 14, 15)
    if card:
        paper.rect(left + 66, top + 14, 11, 15, "blue")
        paper.text(left + 71.5, top + 34, "card", 3)
        _arrow(paper, left + 60, top + 21, left + 65)
    if rings:
        for radius in (4, 8, 12):
            _wave(paper, left + 60, top + 18, radius)


def _scan(paper: Paper, left: float, top: float) -> None:
    _code(paper, left + 2, top + 8, 20)
    _arrow(paper, left + 25, top + 18, left + 33)
    paper.rect(left + 36, top, 20, 36, "dark")
    paper.rect(left + 38, top + 3, 16, 28, "white")
    for row, name in enumerate(("ONE", "TWO", "MINI", "BUNCO")):
        paper.rect(left + 39.5, top + 4.5 + 6.5 * row, 13, 5, "pale")
        paper.text(left + 46, top + 8 + 6.5 * row, name, 2.6)
    paper.text(left + 70, top + 18, "table 2", 4)


def _pi(paper: Paper, left: float, top: float) -> None:
    paper.rect(left + 22, top + 8, 34, 24, "green")
    paper.text(left + 39, top + 21, "Raspberry Pi", 3.4, colour="white")
    paper.rect(left + 52, top + 11, 8, 7, "grey")
    paper.line(left + 60, top + 14.5, left + 68, top + 14.5, "dark", 1)
    paper.rect(left + 68, top + 6, 11, 17, "faint")
    paper.text(left + 73.5, top + 27, "pad: 2", 3)
    paper.rect(left + 4, top + 15, 11, 9, "blue")
    _arrow(paper, left + 15.5, top + 19.5, left + 21)
    paper.text(left + 9, top + 29, "card: 1", 3)
    paper.line(left + 30, top + 32, left + 30, top + 38, "black", 1)
    paper.text(left + 32, top + 38, "supply: 3, last", 3, "start")


def _keys(paper: Paper, left: float, top: float) -> None:
    read = tomllib.loads((Path(__file__).parent / "keypad.toml").read_text("utf-8"))["keys"]
    names = {key: name.upper() for name, keys in read.items() for key in keys}
    for row, keys in enumerate(KEYS):
        for column, key in enumerate(keys):
            if not key:
                continue
            x, y = left + 15 * column, top + 8.2 * row
            paper.rect(x, y, 14, 7.4, "yellow" if key in names else "white")
            sign = SIGNS.get(key, key.removeprefix("KP"))
            paper.text(x + 2 + 0.7 * len(sign), y + 2.6, sign, 2, colour="dark")
            paper.text(x + 7, y + 6.4, names.get(key, ""), 3.2)


def _marked(paper: Paper, left: float, top: float) -> None:
    for table, colour in enumerate(DOTS):
        for number in (1, 2, 3):
            _die(paper, left + 11 * number - 9, top + 12 * table, number, colour)
        paper.text(left + 38, top + 12 * table + 6, f"table {table + 1}", 3.6, "start")


def _phone_with_dice(paper: Paper, left: float, top: float) -> None:
    paper.rect(left + 4, top, 20, 36, "dark")
    paper.rect(left + 6, top + 3, 16, 28, "white")
    paper.text(left + 14, top + 15, "Pixels", 3.4)
    paper.text(left + 14, top + 21, "up to date", 2.6)
    for number in (1, 2, 3):
        _die(paper, left + 36, top + 12 * number - 11, number, "red")
        _wave(paper, left + 26, top + 12 * number - 6, 4)


def _case(paper: Paper, left: float, top: float) -> None:
    paper.rect(left, top + 2, 44, 30, "faint")
    for place in range(6):
        x, y = left + 3 + 14 * (place % 3), top + 5 + 13 * (place // 3)
        paper.rect(x, y, 11, 11, "white")
        if place > 2:
            _die(paper, x + 0.5, y + 0.5, place - 2, "green")
    for number in (1, 2, 3):
        _die(paper, left + 56, top + 11 * number - 8, number, "red")
    _arrow(paper, left + 45, top + 11, left + 54)
    paper.text(left + 22, top + 37, "the others stay in", 3)


def _die(paper: Paper, left: float, top: float, face: int, dot: str) -> None:
    """A die of 10 mm that shows 1, 2 or 3, with its table's dot of paint at a corner."""
    paper.rect(left, top, 10, 10, "white")
    for x, y in {1: [(5, 5)], 2: [(2.5, 7.5), (7.5, 2.5)], 3: [(2.5, 7.5), (5, 5), (7.5, 2.5)]}[face]:
        paper.circle(left + x, top + y, 0.9, "black")
    paper.circle(left + 8.2, top + 8.2, 1.2, dot, "")


def _code(paper: Paper, left: float, top: float, size: float) -> None:
    """A sign for a QR code, which is none."""
    paper.rect(left, top, size, size, "white")
    step = size / 7
    for x, y in ((0, 0), (4, 0), (0, 4)):
        paper.rect(left + step * (x + 0.4), top + step * (y + 0.4), 2.2 * step, 2.2 * step, "black")
    for x, y in ((4, 4), (6, 4), (5, 5), (4, 6), (6, 6), (3, 3)):
        paper.rect(left + step * x, top + step * y, 0.8 * step, 0.8 * step, "black")


def _wave(paper: Paper, x: float, y: float, radius: float) -> None:
    """A part of a circle, open to the left."""
    places = [
        (x + radius * across, y + radius * up)
        for across, up in ((0.5, -0.87), (0.94, -0.34), (0.94, 0.34), (0.5, 0.87))
    ]
    for begin, end in itertools.pairwise(places):
        paper.line(*begin, *end, "blue", 0.6)


def _arrow(paper: Paper, x: float, y: float, to: float) -> None:
    paper.line(x, y, to, y, "red", 0.7)
    for up in (-1.6, 1.6):
        paper.line(to, y, to - 2, y + up, "red", 0.7)
