"""The stripboards join what the circuits join, and nothing else."""

import dataclasses
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

HARDWARE = Path(__file__).parents[2] / "hardware"
sys.path.append(str(HARDWARE))

import layouts  # noqa: E402
import netlist  # noqa: E402
from board_pictures import PITCH, STEPS  # noqa: E402
from stripboard import Placed, Stripboard, problems  # noqa: E402

from hardware.test_drawings import bought, rows  # noqa: E402

BOARDS = layouts.boards()
NETS = netlist.nets()
LONG, WIDE = 62, 39
"""Holes along and across a stripboard of 160 by 100 mm."""


@pytest.mark.parametrize("name", BOARDS)
def test_every_net_is_joined_and_no_two_touch(name: str) -> None:
    assert list(problems(BOARDS[name], NETS[name])) == []


@pytest.mark.parametrize("name", BOARDS)
def test_a_cut_or_a_link_left_out_is_found(name: str) -> None:
    board = BOARDS[name]
    for hole in board.cuts:
        assert list(problems(dataclasses.replace(board, cuts=board.cuts - {hole}), NETS[name])), hole
    for link in board.links:
        left = [one for one in board.links if one != link]
        assert list(problems(dataclasses.replace(board, links=left), NETS[name])), link


@pytest.mark.parametrize("name", BOARDS)
def test_a_part_the_wrong_way_round_is_found(name: str) -> None:
    board = BOARDS[name]
    for place, part in enumerate(board.parts):
        if len(part.pins) == 1:
            continue
        turned = dataclasses.replace(
            part, pins=dict(zip(part.pins, reversed(list(part.pins.values())), strict=True))
        )
        parts = [*board.parts[:place], turned, *board.parts[place + 1 :]]
        assert list(problems(dataclasses.replace(board, parts=parts), NETS[name])), part.name


def body(part: Placed) -> list[tuple[float, float]]:
    """Points along what lies between two holes (mm), without its leads."""
    (top, left), (bottom, right) = part.pins.values()
    long = PITCH * ((bottom - top) ** 2 + (right - left) ** 2) ** 0.5
    half = min(3.2, 0.36 * long) / long
    at = [0.5 - half + step * half / 10 for step in range(21)]
    return [(PITCH * (top + one * (bottom - top)), PITCH * (left + one * (right - left))) for one in at]


@pytest.mark.parametrize("name", BOARDS)
def test_no_two_bodies_lie_in_each_other(name: str) -> None:
    lying = {part.name: body(part) for part in BOARDS[name].parts if part.kind in ("resistor", "diode")}
    for (one, its), (other, others) in combinations(lying.items(), 2):
        nearest = min((x - u) ** 2 + (y - v) ** 2 for x, y in its for u, v in others) ** 0.5
        assert nearest >= 2.3, f"{one} and {other}: {nearest:.1f} mm"


@pytest.mark.parametrize("name", BOARDS)
def test_no_link_lies_upon_another_or_across_a_pin(name: str) -> None:
    board = BOARDS[name]
    columns: dict[int, set[int]] = {}
    for (top, left), (bottom, right) in board.links:
        assert left == right, "every link runs straight across the strips"
        covered = set(range(min(top, bottom), max(top, bottom) + 1))
        assert not covered & columns.setdefault(left, set())
        columns[left] |= covered
    for pin, (row, column) in board.pins().items():
        assert row not in columns.get(column, ()), pin


def test_every_board_fits_the_one_that_is_bought() -> None:
    for board in BOARDS.values():
        assert board.columns <= LONG
        assert board.rows <= WIDE
    assert BOARDS["dice-box"].columns + BOARDS["die"].columns <= LONG
    assert 3 * BOARDS["divider"].rows <= WIDE


def test_every_kind_of_part_has_its_step() -> None:
    kinds = {part.kind for board in BOARDS.values() for part in board.parts}
    assert kinds <= {kind for _, kinds in STEPS for kind in kinds}


VALUES = {
    **{
        value: f"resistor {words} 0.25 W"
        for value, words in (
            ("100", "100 Ω"), ("330", "330 Ω"), ("470", "470 Ω"), ("1k", "1 kΩ"), ("4k7", "4.7 kΩ"),
            ("10k", "10 kΩ"), ("18k", "18 kΩ"),
        )
    },
    **{value: f"diode {value}" for value in ("BAT85", "1N4007", "1N5817")},
    "100n": "capacitor 100 nF",
    "74HC595": "74HC595 (DIP-16)",
    "BC337": "transistor BC337-40",
    "G5V-2": "relay 5 V in a DIP-16 socket",
}  # fmt: skip


def count(board: Stripboard) -> Counter[str]:
    return Counter(VALUES[part.value] for part in board.parts if part.value in VALUES)


def test_the_boards_take_what_is_bought() -> None:
    """Besides: 1 kΩ at the Pi's terminals for the dice cable, and three diodes of the 12 V box."""
    head = count(BOARDS["input"]) + count(BOARDS["lights"]) + count(BOARDS["relays"])
    dice = count(BOARDS["dice-box"]) + Counter(dict.fromkeys(["resistor 1 kΩ 0.25 W"], 3 * 7 + 7))
    dividers = Counter({part: 3 * number for part, number in count(BOARDS["divider"]).items()})
    sold = {part: bought()[part] for part in VALUES.values()}
    for part, number in head.items():
        spare = {"diode 1N4007": 2}.get(part, 0)
        assert sum(sold[part][variant] for variant in ("panel", "bell", "horn")) == number + spare, part
    for part, number in dice.items():
        assert sold[part]["gpio dice"] == number, part
    for part, number in dividers.items():
        assert sold[part]["led7 dice"] == number, part


def test_every_line_can_be_ordered_and_its_estimate_is_called_one() -> None:
    for row in rows():
        assert row["order number"] != "to be checked", row["part"]
        assert float(row["price"]) > 0, row["part"]
    intro = (HARDWARE / "bom-intro.md").read_text("utf-8")
    page = (HARDWARE / "bom.md").read_text("utf-8")
    assert "order number | number checked? | price in €, guessed" in page
    assert "estimate" in intro
    assert "November 2026" in intro
