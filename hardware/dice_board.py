"""The dice board: three dice above, the Pico below them with its USB at the right edge."""

from header import dice_box
from netlist import dice_board_of_one as nets
from placed import PlacedBoard

PIP = 10.16
"""From one pip of a die to the next, mm."""
DIE = 31.75
WIDTHS = {"G": 0.6, "5 V": 0.8, "VSYS": 0.8}
SPOTS = {
    "top left": (-1, 1), "top right": (1, 1), "left": (-1, 0), "centre": (0, 0), "right": (1, 0),
    "bottom left": (-1, -1), "bottom right": (1, -1),
}  # fmt: skip


def dice_board() -> PlacedBoard:
    """Everything of the dice box but the large button."""
    board = PlacedBoard("dice-board", "pi-bunco dice board", (100.0, 76.0), nets(), WIDTHS, pour="G")
    board.mounting = [((x, y), 3.2) for x in (4.0, 96.0) for y in (4.0, 72.0)]
    for die in (1, 2, 3):
        for spot, (across, up) in SPOTS.items():
            x, y = 50 + (die - 2) * DIE + across * PIP, 57 + up * PIP
            board.put(f"L{die} {spot}", "red", "PLCC-2", (x, y), 180)
            board.put(f"R{die} {spot}", "1k", "0805", (x, y - 3.2))
    board.put("Pico", "Raspberry Pi Pico H in sockets", "Pico", (70, 27), 270)
    names = [name.removeprefix("dice.") for name in dice_box()]
    for place, name in enumerate(names):
        board.put(f"R {name}", "330", "0805", (18 + 3.81 * place, 13.5), 90)
    board.put("D1", "SS14", "SMA", (40, 30), 90)
    board.plug(
        "Pi", [*(name.replace("strobe", "s").replace("ing", "") for name in names), "G", "5 V"], (14.5, 8)
    )
    board.plug("ROLL", ["1", "2"], (62, 8))
    board.put("DIM", "push button", "button 6x6", (80, 7))
    return board
