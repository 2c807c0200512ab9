"""The bell board: the Pi's side left, 12 V, key and bell right."""

from netlist import bell_board as nets
from placed import PlacedBoard

HEAVY = 2.0
"""Width of tracks that carry the sounder's current (up to 3 A behind the fuse), mm."""
COIL = 0.8
WIDTHS = {
    **dict.fromkeys(("12 V", "fused", "armed", "fed", "sounder", "minus"), HEAVY),
    **dict.fromkeys(("V", "G", "bell coil", "coil"), COIL),
}


def bell_board() -> PlacedBoard:
    """One sounder; a second board switches the horn's relay."""
    board = PlacedBoard("bell-board", "pi-bunco bell board", (86.0, 52.0), nets(), WIDTHS)
    board.mounting = [((x, y), 3.2) for x in (4.0, 82.0) for y in (4.0, 48.0)]
    board.plug("Pi", ("5 V", "IN", "G"), (8, 29), 270)
    board.plug("12 V", ("+", "-"), (78, 36), 90)
    board.plug("key", ("1", "2"), (78, 22.5), 90)
    board.plug("bell", ("+", "-"), (78, 10), 90)
    board.put("R1.1", "1k", "0805", (15, 22))
    board.put("R2.1", "10k", "0805", (15, 18))
    board.put("Q1", "BC817-40", "SOT-23 NPN", (20, 22))
    board.put("D1", "S1M", "SMA", (19, 29))
    board.put("K1", "G5V-2 DC5", "G5V-2", (28, 26))
    board.put("F1", "3 A", "fuse 5x20", (56, 43))
    board.put("K2", "G5V-2 DC12", "G5V-2", (60, 24))
    board.put("U1", "TLC555", "SOIC-8", (44, 20))
    board.put("R3", "1M", "0805", (44, 26))
    board.put("C1", "4u7 X7R 50 V", "1206", (44, 30))
    board.put("D3", "1N4148W", "SOD-123", (36.5, 26))
    board.put("R4", "100k", "0805", (36.5, 22))
    board.put("D4", "1N4148W", "SOD-123", (36.5, 19))
    board.put("C2", "100n", "0805", (36.5, 15.5))
    board.put("C3", "100n", "0805", (44, 15))
    board.put("C4", "10n", "0805", (44, 11))
    board.put("R5", "2k2", "1206", (35.5, 11))
    board.put("R6", "4k7", "0805", (50, 15))
    board.put("Q2", "BC817-40", "SOT-23 NPN", (51, 21))
    board.put("D2", "1N4148W", "SOD-123", (51, 28))
    board.put("D5", "S1M", "SMA", (69, 13), 90)
    return board
