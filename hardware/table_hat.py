"""The table's HAT: over the Pi registers, dice and EEPROM; beyond its header the panel's inputs."""

from header import leds, lines
from netlist import table_hat as nets
from placed import PlacedBoard

PIN_1 = (32.5 - 9.5 * 2.54, 52.5 - 1.27)
"""Header pin 1 from the corner at the Pi's power socket, mm (HAT's mechanical drawing)."""
HOLES = ((3.5, 3.5), (61.5, 3.5), (3.5, 52.5), (61.5, 52.5))
STANDS = ((3.5, 96.5), (61.5, 96.5))
HOLE = 2.75
WIDTHS = {"3.3 V": 0.4, "5 V": 0.8, "5 V out": 0.8, "G": 0.4}
CHANNEL = 3.81


def table_hat() -> PlacedBoard:
    """65 x 100 mm: the Pi lies under the lower 56 mm."""
    origin = (PIN_1[0] % 0.635, PIN_1[1] % 0.635)
    board = PlacedBoard("table-hat", "pi-bunco table HAT", (65.0, 100.0), nets(), WIDTHS, origin, "G")
    board.mounting = [(at, HOLE) for at in (*HOLES, *STANDS)]
    board.put("Pi", "socket 2x20, 11 mm", "header 2x20", (32.5, 52.5))
    panel = [line.short for line in lines("panel")]
    board.plug("panel", [*panel, "G"], (17.26 + 8 * CHANNEL, 92), 180)
    board.plug("button", ["9", "G"], (8, 90), 270)
    board.plug("bell", ["5 V", "bell", "horn", "G"], (8, 78), 270)
    board.plug("display", ["V", "G", "scl", "sda"], (8, 40), 270)
    dice = [line.short.replace("strobe", "s").replace("ing", "") for line in lines("dice")]
    board.plug("dice", [*dice, "G", "5 V"], (57, 60), 90)
    for number in range(1, 10):
        _channel(board, number, 17.26 + CHANNEL * (8 - number if number < 9 else -1))
    for place, line in enumerate(lines("dice")):
        board.put(f"R {line.short}", "1k", "0805", (52.1, 60 + 3.81 * place))
    _lights(board)
    _eeprom(board)
    board.put("F1", "0.5 A", "1812", (9, 59.5))
    return board


def _channel(board: PlacedBoard, number: int, x: float) -> None:
    """One input, from the plug down to the header."""
    board.put(f"R1.{number}", "470", "1206", (x, 87), 90)
    board.put(f"D.{number}", "BAT54S", "SOT-23 BAT54S", (x, 82))
    board.put(f"C1.{number}", "100n", "0805", (x, 78), 270)
    board.put(f"R3.{number}", "4k7", "0805", (x, 73.5), 90)
    board.put(f"R2.{number}", "1k", "0805", (x, 69), 270)


def _lights(board: PlacedBoard) -> None:
    board.put("lights", "box header 2x8", "box header 2x8", (57, 24), 90)
    for number, y in ((1, 34), (2, 15)):
        board.put(f"IC{number}", "74HC595", "SOIC-16", (33, y), 180)
        board.put(f"C{number}", "100n", "0805", (33, y + 6.5))
    for place, name in enumerate(leds()):
        board.put(f"R {name}", "330", "0805", (46, 41 - 2.54 * place))
    for place, name in enumerate(("data", "clock", "latch")):
        board.put(f"R {name}", "100", "0805", (26, 44 - 2.54 * place))


def _eeprom(board: PlacedBoard) -> None:
    board.put("U1", "24LC32", "SOIC-8", (22, 12))
    for name, value, y in (("R5", "3k9", 18), ("R6", "3k9", 20.5), ("R7", "10k", 23)):
        board.put(name, value, "0805", (22, y))
    board.put("C4", "100n", "0805", (22, 7.5))
    board.put("WP", "left open; bridged to write", "pads 2", (13, 5))
