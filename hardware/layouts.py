"""The places of all parts on the stripboards; `netlist.py` says what must come out."""

from header import PICO, dice_box, leds, lines, pico
from lights import OUTPUTS
from stripboard import Hole, Stripboard


def boards() -> dict[str, Stripboard]:
    """All boards by their name."""
    return {
        "input": input_board(),
        "lights": lights_board(),
        "relays": relay_board(),
        "dice-box": dice_board(),
        "die": die_board(),
        "divider": divider_board(),
    }


def input_board() -> Stripboard:
    """A strip for each channel between one of 3.3 V and one of ground; the Pi's side is left."""
    board = Stripboard("input", "Input board (head: 9 channels, table: leave out number 9)", 25, 38)
    count = len(lines("panel", "bell_button"))
    board.terminals((1, 2), ["V", "G", *(f"Pi {number}" for number in range(1, count + 1))])
    board.terminals((3, 37), ["panel G", *(f"panel {number}" for number in range(1, count + 1)), "button G"])
    for number in range(1, count + 1):
        row, odd = 3 + 2 * number, number % 2
        plus, ground = (row + 1, row - 1) if odd else (row - 1, row + 1)
        board.cut(9, row)
        board.cut(30, row)
        board.put(f"R2.{number}", "1k", "resistor", _1=(row, 11), _2=(row, 6))
        pairs = ((12, 16), (17, 20), (21, 24)) if odd else ((16, 12), (20, 17), (24, 21))  # so they lie alike
        r3, d2, d1 = pairs
        board.put(f"R3.{number}", "4k7", "resistor", _1=(row, r3[0]), _2=(plus, r3[1]))
        board.put(f"D2.{number}", "BAT85", "diode", A=(ground, d2[1]), K=(row, d2[0]))
        board.put(f"D1.{number}", "BAT85", "diode", A=(row, d1[0]), K=(plus, d1[1]))
        at = 25 if odd else 26
        board.put(f"C1.{number}", "100n", "capacitor", _1=(row, at), _2=(ground, at))
        board.put(f"R1.{number}", "470", "resistor", _1=(row, 33), _2=(row, 28))
    for column, rows in ((34, (1, 6)), (35, (6, 10)), (34, (10, 14)), (35, (14, 18)), (34, (18, 22))):
        board.link((rows[0], column), (rows[1], column))
    for column, rows in ((4, (3, 4)), (5, (4, 8)), (4, (8, 12)), (5, (12, 16)), (4, (16, 20)), (5, (20, 23))):
        board.link((rows[0], column), (rows[1], column))
    return board


def lights_board() -> Stripboard:
    """Two registers one above the other; the LEDs' wires go off at the left, that of QA at the right."""
    board = Stripboard("lights", "Lights board", 26, 36)
    board.terminals((4, 35), ["G", "V", "data", "latch", "clock"])
    names = leds()
    for number, row in ((1, 6), (2, 18)):
        _register(board, number, row, names[8 * (number - 1) :][:8])
    board.cut(29, 8, 10, 12)
    board.put("R data", "100", "resistor", _1=(8, 31), _2=(8, 26))
    board.put("R latch", "100", "resistor", _1=(10, 31), _2=(10, 26))
    board.put("R clock", "100", "resistor", _1=(12, 31), _2=(11, 26))
    board.pad("LEDs", (5, 3))
    for begin, end in (
        ((4, 30), (5, 30)), ((5, 1), (17, 1)), ((6, 33), (18, 33)), ((11, 24), (23, 24)),
        ((10, 25), (22, 25)), ((13, 22), (20, 22)), ((12, 22), (6, 22)), ((24, 27), (18, 27)),
    ):  # fmt: skip
        board.link(begin, end)
    return board


def _register(board: Stripboard, number: int, row: int, names: list[str]) -> None:
    pins = {str(pin): (row + pin - 1, 11) if pin <= 8 else (row + 16 - pin, 14) for pin in range(1, 17)}
    board.put(f"IC{number}", "74HC595", "chip", **pins)
    board.cut(12, *range(row, row + 8))
    for name, (_, pin) in zip(names, OUTPUTS, strict=False):
        at = pins[str(pin)][0]
        first, second, cut, pad = (16, 21, 19, 23) if pin == 15 else (9, 4, 7, 2)
        board.cut(cut, at)
        board.put(f"R {name}", "330", "resistor", _1=(at, first), _2=(at, second))
        board.pad(name, (at, pad))
    board.put(f"C{number}", "100n", "capacitor", _1=(row, 17), _2=(row - 1, 17))
    board.link((row + 3, 15), (row - 1, 15))
    board.link((row + 7, 10), (row - 1, 10))


def relay_board() -> Stripboard:
    """Contacts left, the Pi's side right."""
    board = Stripboard("relays", "Relay board (horn left out: the upper half)", 26, 35)
    for number, row in ((1, 5), (2, 18)):
        pins = {"1": 0, "4": 3, "6": 5, "8": 7}
        left: dict[str, Hole] = {pin: (row + down, 10) for pin, down in pins.items()}
        right: dict[str, Hole] = {str(17 - int(pin)): (row + down, 13) for pin, down in pins.items()}
        board.put(f"K{number}", "G5V-2", "chip", **left, **right)
        board.cut(11, *(row + down for down in pins.values()))
        board.cut(8, row + 5)
        board.terminals((row + 3, 2), [f"COM{number}", f"NO{number}"])
        board.link((row + 7, 6), (row + 5, 6))
        board.link((row, 9), (row - 4, 9))
        board.put(f"D{number}", "1N4007", "diode", A=(row, 15), K=(row - 4, 15))
        board.put(f"Q{number}", "BC337", "transistor", C=(row, 18), B=(row + 1, 18), E=(row + 2, 18))
        board.cut(23, row + 1)
        board.put(f"R1.{number}", "1k", "resistor", _1=(row + 1, 25), _2=(row + 1, 20))
        board.put(f"R2.{number}", "10k", "resistor", _1=(row + 1, 27), _2=(row + 2, 30))
    board.cut(20, 8)
    board.terminals((6, 34), ["IN1", "G"])
    board.terminals((17, 34), ["V", "IN2"])
    for begin, end in (((7, 31), (8, 31)), ((14, 31), (17, 31)), ((1, 7), (14, 7)), ((7, 16), (20, 16))):
        board.link(begin, end)
    return board


def dice_board() -> Stripboard:
    """The Pico in its sockets, USB upwards; wires to dice and buttons left, the cable to the Pi right."""
    board = Stripboard("dice-box", "Dice box: main board", 23, 31)
    pins = {str(pin): (1 + pin, 6) if pin <= 20 else (42 - pin, 13) for pin in range(1, 41)}
    board.put("Pico", "Pico", "chip", **pins)
    board.cut(9, *(row for row in range(2, 22) if row not in (4, 9, 14, 19)))
    names = {PICO[gp]: name.removeprefix("dice.") for name, gp in dice_box().items()}
    spare = iter((11, 9, 7))
    for pin in sorted(names):
        name, row = names[pin], pins[str(pin)][0]
        board.cut(19, row)
        board.put(f"R {name}", "330", "resistor", _1=(row, 16), _2=(row, 21))
        if row % 2:
            board.terminals((row, 29), [name])
            continue
        pole = next(spare)
        board.cut(15, pole)
        board.link((row, 20 + pole // 2), (pole, 20 + pole // 2))
        board.terminals((pole, 29), [name])
    board.cut(19, 3)
    board.put("D1", "1N5817", "diode", A=(3, 21), K=(3, 16))
    board.terminals((3, 29), ["5 V"])
    board.terminals((19, 29), ["G"])
    for die, gps in enumerate(pico()["LEDS"], 1):
        for group, gp in zip("C12S", gps, strict=True):
            board.pad(f"die {die} {group}", (pins[str(PICO[gp])][0], 2))
        board.pad(f"die {die} G", (5 * die - 1, 2))
    for name, gp in (("ROLL", pico()["ROLL"]), ("DIM", pico()["DIM"])):
        board.pad(name, (pins[str(PICO[gp])][0], 2))
    board.pad("ROLL G", (19, 2))
    for begin, end in (((4, 4), (9, 4)), ((9, 3), (14, 3)), ((14, 4), (19, 4))):
        board.link(begin, end)
    return board


def die_board() -> Stripboard:
    """Seven LEDs as they lie on a die, 15 mm apart."""
    board = Stripboard("die", "Dice box: one die (three of them)", 19, 19)
    columns = {"left": 4, "centre": 10, "right": 16}
    for row, spots in ((2, ("left", "right")), (8, ("left", "centre", "right")), (14, ("left", "right"))):
        for spot in spots:
            name = spot if row == 8 else f"{'top' if row == 2 else 'bottom'} {spot}"
            at = columns[spot]
            board.put(name, "", "led", A=(row, at), K=(row + 1, at))
            board.put(f"R {name}", "1k", "resistor", _1=(row + 1, at + 2), _2=(row + 5, at + 2))
        for cut in (7, 13) if row == 8 else (10,):
            board.cut(cut, row, row + 1)
    for name, hole in (("C", (8, 8)), ("1", (5, 18)), ("2", (4, 18)), ("S", (11, 10)), ("G", (19, 10))):
        board.pad(name, hole)
    for begin, end in (
        ((2, 8), (5, 8)), ((5, 14), (14, 14)), ((2, 12), (4, 12)), ((4, 2), (14, 2)), ((8, 1), (11, 1)),
        ((11, 19), (8, 19)), ((7, 13), (13, 13)), ((13, 7), (19, 7)),
    ):  # fmt: skip
        board.link(begin, end)
    return board


def divider_board() -> Stripboard:
    """Four dividers: the die's wires left, the Pi's side right."""
    board = Stripboard("divider", "Dividers of one classic die (three of them)", 10, 24)
    groups = ("centre", "diagonal1", "diagonal2", "sides")
    board.terminals((1, 23), ["G", *groups])
    board.pad("die G", (1, 2))
    for place, group in enumerate(groups):
        row = 3 + 2 * place
        ground = 4 if place < 2 else 8
        board.cut(9, row)
        board.pad(f"die {group}", (row, 2))
        board.put(f"R1 {group}", "10k", "resistor", _1=(row, 6), _2=(row, 11))
        begin, end = (17, 13) if place % 2 else (13, 17)
        board.put(f"R2 {group}", "18k", "resistor", _1=(row, begin), _2=(ground, end))
    board.link((1, 4), (4, 4))
    board.link((4, 5), (8, 5))
    return board
