"""The wires at the Pi: `pins.toml`, the dice box's side in `firmware/board.py`, and the supply pins."""

import ast
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
GROUND = frozenset({6, 9, 14, 20, 25, 30, 34, 39})
THREE_VOLTS = frozenset({1, 17})
FIVE_VOLTS = frozenset({2, 4})
SUPPLY = {"ground": "black", "3.3 V": "orange", "5 V": "red"}
"""The colours of the supply in every cable, as in a PC; no signal has one of them."""
SUPPLIES = {
    1: "display", 2: "relay board", 4: "dice box", 9: "display", 14: "relay board",
    17: "input board, lights board", 20: "input board", 25: "lights board", 34: "dice box",
}  # fmt: skip
"""Parts that take supply or ground, by header pin; a table of classic dice differs."""
CLASSIC_GROUND = {1: 34, 2: 39, 3: 9}
"""The ground of each classic die, at a table that has no dice box and no display."""
LEFT_ALONE = {27: "HAT EEPROM", 28: "HAT EEPROM", 8: "serial TX", 10: "serial RX"}
PICO = (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29)
"""The pin of each GP number on a Pico (https://pico.pinout.xyz)."""


@dataclass(frozen=True)
class HeaderLine:
    """One line: its name in `pins.toml`, GPIO number, header pin, and the colour of its wire."""

    name: str
    gpio: int
    pin: int
    wire: str

    @property
    def group(self) -> str:
        """The first part of the name: `dice`, `panel`."""
        return self.name.partition(".")[0]

    @property
    def short(self) -> str:
        """The name within its group."""
        return self.name.partition(".")[2] or self.name

    @property
    def words(self) -> str:
        """The short name as a picture has it."""
        return self.short.replace("_", " ")

    @property
    def where(self) -> str:
        """The pin's place on the Pi."""
        return f"GPIO{self.gpio}, pin {self.pin}"


def lines(*groups: str) -> list[HeaderLine]:
    """The lines of these groups in the file's order."""
    every = [HeaderLine(name, row["gpio"], row["pin"], row["wire"]) for name, row in _rows(_file())]
    return [line for group in groups for line in every if line.group == group]


def voltage(pin: int) -> str:
    """The voltage at the header pin: `ground`, `3.3 V`, `5 V`, or nothing."""
    kinds = (("ground", GROUND), ("3.3 V", THREE_VOLTS), ("5 V", FIVE_VOLTS))
    return next((name for name, pins in kinds if pin in pins), "")


def supply(board: str, kind: str) -> int:
    """The header pin from which the board takes its `ground`, `3.3 V` or `5 V`."""
    return next(pin for pin, users in SUPPLIES.items() if board in users and voltage(pin) == kind)


def leds() -> list[str]:
    """The LEDs at the outputs of the shift registers."""
    return list(_file()["leds"])


def pico() -> dict[str, Any]:
    """The pins of the dice box's Pico: the constants of `firmware/board.py`, by name."""
    tree = ast.parse((HERE.parent / "firmware" / "board.py").read_text("utf-8"))
    found: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and _is_literal(node.value):
            target, value = node.targets[0], ast.literal_eval(node.value)
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            values = value if isinstance(target, ast.Tuple) else [value]
            found |= {ast.unparse(name): one for name, one in zip(names, values, strict=True)}
    return found


def dice_box() -> dict[str, int]:
    """The GP number of the Pico for each line of the dice box, by its name in `pins.toml`."""
    board = pico()
    face = {f"dice.b{bit}": gp for bit, gp in enumerate(board["FACE"])}
    strobes = {f"dice.strobe{die}": gp for die, gp in enumerate(board["STROBES"], 1)}
    return face | strobes | {"dice.rolling": board["ROLLING"]}


def _file() -> dict[str, Any]:
    return tomllib.loads((HERE / "pins.toml").read_text("utf-8"))


def _rows(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for key, value in table.items():
        if isinstance(value, dict):
            if "gpio" in value:
                yield prefix + key, value
            yield from _rows(value, f"{prefix}{key}.")


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
