"""The cable plans, as WireViz reads them: who is wired to what, from `pins.toml`."""

from collections.abc import Iterable, Sequence
from typing import Any

from header import CLASSIC_GROUND, PICO, SUPPLY, HeaderLine, dice_box, lines, supply

Plan = dict[str, Any]
Terminal = int | str
Core = tuple[int, str, str, Terminal, str]
"""Header pin, what it is, colour, the far end's terminal and what that is."""
End = tuple[str, Terminal, str]
"""Colour, terminal, and what it is at the far end."""

CODES = {
    "black": "BK", "brown": "BN", "red": "RD", "orange": "OG", "yellow": "YE",
    "green": "GN", "blue": "BU", "violet": "VT", "grey": "GY", "white": "WH", "pink": "PK",
}  # fmt: skip
"""The ten colours of a bought cable (DIN 47100) and orange, and what WireViz calls them."""
GROUND = SUPPLY["ground"]
PI, INPUTS = "Pi", "Inputs"
KINDS = {
    PI: "Raspberry Pi header", "Box": "dice box", INPUTS: "input board", "Panel": "button panel",
    "Lights": "lights board", "Display": "128x64, I2C", "Relays": "relay board", "Button": "brass button",
    "Die 1": "divider board 1", "Die 2": "divider board 2", "Die 3": "divider board 3",
}  # fmt: skip


def plans() -> dict[str, Plan]:
    """All plans by their name."""
    return {
        "dice": _dice(),
        "panel": _panel(),
        "lights": _lights(),
        "head": _head(),
        "led7": _led7(),
    }


def _dice() -> Plan:
    box = dice_box()
    cores = [
        _core(line, line.short, f"GP{box[line.name]}, pin {PICO[box[line.name]]}, 330 Ω", " 1 kΩ")
        for line in lines("dice")
    ]
    cores += [
        _supply("dice box", "ground", "G", "GND, pin 23"),
        _supply("dice box", "5 V", "5 V", "VSYS, pin 39, 1N5817"),
    ]
    return _plan([("Dice cable", "at most 2 m", "Box", cores)])


def _panel() -> Plan:
    cores = [_core(line, number, f"input {number}") for number, line in enumerate(lines("panel"), 1)]
    cores += [_supply("input board", "ground", "G"), _supply("input board", "3.3 V", "V")]
    plan = _plan([("Inner wires", "at most 20 cm", INPUTS, cores)])
    ends: list[End] = [
        (line.wire, number, line.short.upper()) for number, line in enumerate(lines("panel"), 1)
    ]
    _onward(plan, "Panel cable", "at most 3 m", "Panel", [*ends, (GROUND, "G", "ground")])
    return plan


def _lights() -> Plan:
    chips = {"data": "SER, IC1 pin 14", "clock": "SRCLK, pins 11", "latch": "RCLK, pins 12"}
    board = [_core(line, line.short, chips[line.short]) for line in lines("lights")]
    board += [
        _supply("lights board", "ground", "G", "pins 8, 13"),
        _supply("lights board", "3.3 V", "V", "pins 10, 16"),
    ]
    display = [_core(line, line.short.upper(), line.short) for line in lines("display")]
    display += [_supply("display", "ground", "GND"), _supply("display", "3.3 V", "VCC")]
    return _plan(
        [
            ("Lights cable", "at most 50 cm", "Lights", board),
            ("Display cable", "at most 50 cm", "Display", display),
        ]
    )


def _head() -> Plan:
    relays = [_core(line, f"IN{number}", line.name) for number, line in enumerate(lines("bell", "horn"), 1)]
    relays += [_supply("relay board", "ground", "G"), _supply("relay board", "5 V", "V")]
    (line,) = lines("bell_button")
    plan = _plan(
        [
            ("Relay wires", "at most 30 cm", "Relays", relays),
            ("Button wire", "at most 20 cm", INPUTS, [_core(line, 9, "input 9")]),
        ]
    )
    plan["connectors"][INPUTS]["pins"].append("G")
    plan["connectors"][INPUTS]["pinlabels"].append("ground")
    ends: list[End] = [(line.wire, 9, "one side"), (GROUND, "G", "other side")]
    _onward(plan, "Bell button cable", "at most 5 m", "Button", ends)
    return plan


def _led7() -> Plan:
    cables = []
    for die, ground in CLASSIC_GROUND.items():
        groups = [line for line in lines("led7") if line.short.startswith(f"die{die}.")]
        cores = [_core(line, line.short[5:], line.short[5:]) for line in groups]
        cores.append((ground, "ground", GROUND, "G", "ground"))
        cables.append((f"Cable {die}", "at most 1 m", f"Die {die}", cores))
    return _plan(cables)


def _core(line: HeaderLine, terminal: Terminal, label: str, behind: str = "") -> Core:
    return line.pin, f"GPIO{line.gpio} {line.words}{behind}", line.wire, terminal, label


def _supply(board: str, kind: str, terminal: Terminal, label: str = "") -> Core:
    return supply(board, kind), kind, SUPPLY[kind], terminal, label or kind


def _plan(cables: Sequence[tuple[str, str, str, list[Core]]]) -> Plan:
    """From the header along each cable to its board."""
    every = [core for _, _, _, cores in cables for core in cores]
    plan: Plan = {
        "options": {"color_mode": "full", "fontname": "arial", "mini_bom_mode": False},
        "connectors": {PI: _connector(PI, ((core[0], core[1]) for core in every))},
        "cables": {},
        "connections": [],
    }
    for name, length, board, cores in cables:
        plan["connectors"][board] = _connector(board, ((core[3], core[4]) for core in cores))
        plan["cables"][name] = _cable(length, (core[2] for core in cores))
        plan["connections"].append(
            [
                {PI: [core[0] for core in cores]},
                {name: list(range(1, len(cores) + 1))},
                {board: [core[3] for core in cores]},
            ]
        )
    return plan


def _onward(plan: Plan, name: str, length: str, to: str, cores: Sequence[End]) -> None:
    """Adds the cable from the input board on: colour, terminal there, what it is at the far end."""
    plan["connectors"][to] = _connector(to, ((terminal, label) for _, terminal, label in cores))
    plan["cables"][name] = _cable(length, (colour for colour, _, _ in cores))
    terminals = [terminal for _, terminal, _ in cores]
    plan["connections"].append(
        [{INPUTS: terminals}, {name: list(range(1, len(cores) + 1))}, {to: list(terminals)}]
    )


def _connector(name: str, pins: Iterable[tuple[Terminal, str]]) -> dict[str, Any]:
    numbers, labels = zip(*pins, strict=True)
    return {"type": KINDS[name], "show_pincount": False, "pins": list(numbers), "pinlabels": list(labels)}


def _cable(length: str, colours: Iterable[str]) -> dict[str, Any]:
    codes = [CODES[colour] for colour in colours]
    return {"type": length, "wirecount": len(codes), "colors": codes, "show_wirecount": False}
