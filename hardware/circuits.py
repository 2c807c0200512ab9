"""The circuits, drawn with the names and numbers of `pins.toml` and of the dice box's `firmware/board.py`."""

from header import CLASSIC_GROUND, PICO, SUPPLY, HeaderLine, dice_box, lines, pico, supply
from lights import lights
from overview import header, overview
from sheet import Place, Sheet, elm


def drawings() -> dict[str, str]:
    """All of them as SVG, by their name."""
    return {
        "overview": overview(),
        "header": header(),
        "die": die(),
        "dice-box": box(),
        "input": button_input(),
        "lights": lights(),
        "relays": relays(),
        "sounders": sounders(),
        "led7": classic(),
    }


def die() -> str:
    """One die of the box: seven LEDs at four pins of the Pico."""
    sheet = Sheet()
    sheet.box((0, 0.9), (2.6, -6.7), "Pico")
    spots = ("centre", "top left", "bottom right", "top right", "bottom left", "left", "right")
    groups = ("centre", "diagonal 1", "diagonal 2", "sides")
    rows = ((0,), (1, 2), (3, 4), (5, 6))
    for gp, group, leds_of in zip(pico()["LEDS"][0], groups, rows, strict=True):
        y = -sum(leds_of) / len(leds_of)
        sheet.text((2.45, y), f"GP{gp}", "right")
        sheet.text((2.75, y + 0.25), f"pin {PICO[gp]}", size=9)
        sheet.text((0.15, y), group, size=9)
        sheet.wire((2.6, y), (3.9, y), *((3.9, -row) for row in leds_of), (3.9, y))
        for row in leds_of:
            sheet.wire((3.9, -row), (5.2, -row))
            sheet.text((4.05, -row + 0.25), spots[row], size=9)
            sheet.led((5.2, -row), (7.2, -row))
            sheet.resistor((7.2, -row), (9.4, -row), "")
            sheet.text((8.3, -row), "1 kΩ", "center", 9)
    for row in range(1, len(spots)):
        sheet.dot((9.4, -row))
    sheet.wire((9.4, 0), (9.4, -7))
    sheet.ground((9.4, -7))
    sheet.text((9.9, -7.2), "GND: pin 3, 8 or 13")
    _face(sheet)
    others = [f"die {number}: GP{gps[0]} to GP{gps[-1]}" for number, gps in enumerate(pico()["LEDS"], 1)]
    sheet.text((10.6, -5.3), "\n".join(others))
    return sheet.svg()


def _face(sheet: Sheet) -> None:
    """The places of each group's LEDs."""
    sheet.box((10.6, -0.2), (14.2, -3.8))
    columns, rows = (11.4, 12.4, 13.4), (-1.0, -2.0, -3.0)
    for column, row, name in (
        (0, 0, "1"), (2, 2, "1"), (2, 0, "2"), (0, 2, "2"), (0, 1, "S"), (2, 1, "S"), (1, 1, "C"),
    ):  # fmt: skip
        sheet.disc((columns[column], rows[row]), 0.36, "white")
        sheet.text((columns[column], rows[row]), name, "center")
    sheet.text((10.6, -4.2), "C centre, 1 and 2 diagonals, S sides", size=9)


def box() -> str:
    """The other parts on the Pico: the lines to the Pi, the supply, two buttons."""
    sheet = Sheet()
    board = pico()
    sheet.box((6, 0.9), (9, -6.7), "Pico")
    for row, line in enumerate(lines("dice")):
        gp = dice_box()[line.name]
        _pico_pin(sheet, (9, -row), gp)
        sheet.wire((9, -row), (10, -row))
        sheet.resistor((10, -row), (12.2, -row), "")
        sheet.text((11.1, -row), "330 Ω", "center", 9)
        sheet.wire((12.2, -row), (14.6, -row), style="--")
        sheet.resistor((14.6, -row), (16.8, -row), "")
        sheet.text((15.7, -row), "1 kΩ", "center", 9)
        sheet.wire((16.8, -row), (17.5, -row))
        sheet.terminal((17.5, -row), f"{line.short}, {line.wire}: {line.where}", "left")
    sheet.text((11.1, 0.7), "in the box", "center", 9)
    sheet.text((13.4, 0.7), "cable", "center", 9)
    sheet.text((15.7, 0.7), "at the Pi's terminals", "center", 9)
    sheet.text((5.95, 0.25), "pin 39", "right", 9)
    sheet.text((6.15, 0), "VSYS")
    sheet.wire((4.6, 0), (6, 0))
    sheet.part(elm.Schottky(), (2.2, 0), (4.6, 0), "1N5817")
    sheet.wire((1.2, 0), (2.2, 0))
    sheet.terminal((1.2, 0), f"5 V, {SUPPLY['5 V']}: Pi pin {supply('dice box', '5 V')}")
    sheet.text((5.95, -1.25), "pin 23", "right", 9)
    sheet.text((6.15, -1.5), "GND")
    sheet.wire((1.2, -1.5), (6, -1.5))
    sheet.terminal((1.2, -1.5), f"ground, black: Pi pin {supply('dice box', 'ground')}")
    for y, gp, name in ((-3.2, board["ROLL"], "ROLL"), (-5.2, board["DIM"], "brightness")):
        sheet.text((6.15, y), f"GP{gp}")
        sheet.text((5.95, y + 0.25), f"pin {PICO[gp]}", "right", 9)
        sheet.part(elm.Button(), (6, y), (2.4, y), name, "above")
        sheet.wire((2.4, y), (2.4, y - 0.4))
        sheet.ground((2.4, y - 0.4))
    return sheet.svg()


def _pico_pin(sheet: Sheet, at: Place, gp: int) -> None:
    sheet.text((at[0] - 0.15, at[1]), f"GP{gp}", "right")
    sheet.text((at[0] + 0.12, at[1] + 0.25), f"pin {PICO[gp]}", size=9)


def button_input() -> str:
    """One input of the input board: a button on a long wire, and what keeps its evils from the Pi."""
    sheet = Sheet()
    sheet.box((2.6, 4.1), (13.2, -3.9), "input board, one of eight (at the head of nine)", style="--")
    sheet.part(elm.Button(), (0, 0), (0, -2.6), "button", "left")
    sheet.wire((0, 0), (2.6, 0), style="--")
    sheet.wire((0, -2.6), (2.6, -2.6), style="--")
    sheet.text((1.3, 0.35), "long wire", "center", 9)
    sheet.terminal((2.6, 0), "")
    sheet.terminal((2.6, -2.6), "")
    sheet.resistor((2.72, 0), (5.6, 0), "R1 470 Ω")
    sheet.wire((5.6, 0), (10.4, 0))
    sheet.resistor((6, 2.8), (6, 0), "R3 4.7 kΩ")
    sheet.part(elm.Schottky(), (8.6, 0), (8.6, 2.8), "D1 BAT85")
    sheet.part(elm.Schottky(), (8.6, -2.6), (8.6, 0), "D2 BAT85")
    sheet.part(elm.Capacitor(), (6, 0), (6, -2.6), "C1 100 nF")
    sheet.resistor((10.4, 0), (13.08, 0), "R2 1 kΩ")
    for place in ((6, 0.0), (8.6, 0.0), (8.6, 2.8), (8.6, -2.6), (6, -2.6)):
        sheet.dot(place)
    sheet.wire((6, 2.8), (13.08, 2.8))
    sheet.wire((2.72, -2.6), (13.08, -2.6))
    sheet.terminal((13.2, 2.8), f"V: 3.3 V, Pi pin {supply('input board', '3.3 V')}", "left")
    sheet.terminal((13.2, 0), "to the Pi's line:", "left")
    sheet.terminal((13.2, -2.6), f"G: ground, Pi pin {supply('input board', 'ground')}", "left")
    names = [f"{number} {line.words}: {line.where}" for number, line in enumerate(_buttons(), 1)]
    for row, name in enumerate(names):
        sheet.text((17.6, 2.0 - row * 0.5), name, size=9)
    return sheet.svg()


def _buttons() -> list[HeaderLine]:
    return lines("panel", "bell_button")


def relays() -> str:
    """The relay board: a transistor for each relay, what keeps it off, and what takes the coil's kick."""
    sheet = Sheet()
    for number, (line, top) in enumerate(zip(lines("bell", "horn"), (0.0, -7.6), strict=True), 1):
        _driver(sheet, line, number, top)
    return sheet.svg()


def _driver(sheet: Sheet, line: HeaderLine, number: int, y: float) -> None:
    sheet.terminal((0, y), f"IN{number} {line.name}, {line.wire}:\n{line.where}")
    sheet.wire((0.12, y), (2.4, y))
    sheet.dot((1.4, y))
    sheet.resistor((1.4, y), (1.4, y - 2.4), "10 kΩ")
    sheet.ground((1.4, y - 2.4))
    sheet.resistor((2.4, y), (4.8, y), "1 kΩ")
    collector, emitter = sheet.transistor((4.8, y), "BC337-40")
    x = collector[0]
    sheet.wire(emitter, (x, y - 2.4))
    sheet.ground((x, y - 2.4))
    sheet.wire(collector, (x, y + 1.4))
    sheet.dot((x, y + 1.4))
    sheet.coil((x, y + 3.8), (x, y + 1.4), f"K{number}")
    sheet.wire((x, y + 1.4), (x - 2, y + 1.4))
    sheet.part(elm.Diode(), (x - 2, y + 1.4), (x - 2, y + 3.8), "1N4007", "left")
    sheet.wire((0.12, y + 3.8), (x, y + 3.8))
    sheet.dot((x - 2, y + 3.8))
    sheet.terminal((0, y + 3.8), f"V: 5 V, {SUPPLY['5 V']}: Pi pin {supply('relay board', '5 V')}")
    sheet.wire((x + 0.8, y + 2.6), (x + 2.9, y + 2.6), style=":")
    sheet.part(elm.Switch(), (x + 3, y + 1.4), (x + 3, y + 3.8))
    for height, name in ((3.8, "COM"), (1.4, "NO")):
        sheet.wire((x + 3, y + height), (x + 4.4, y + height))
        sheet.terminal((x + 4.5, y + height), f"{name}: to the 12 V box", "left")


def sounders() -> str:
    """The 12 V box: bell and horn, and what silences them when all else fails."""
    sheet = Sheet()
    _battery(sheet)
    sheet.wire((5.8, 8.4), (25, 8.4), (25, 8.0))
    sheet.wire((11.4, 6.4), (20.2, 6.4), (20.2, 5.9))
    for x, words in ((12.2, "K1 bell,\nrelay board"), (16.2, "K2 horn,\nrelay board")):
        sheet.dot((x, 6.4))
        sheet.wire((x, 6.4), (x, 5.9))
        sheet.part(elm.Switch(), (x, 3.7), (x, 5.9), words, "right")
    sheet.text((16.55, 3.45), "4.7 Ω before it", size=9)
    sheet.part(elm.Switch(), (20.2, 3.7), (20.2, 5.9), "K3 opens\nafter 4 s", "right")
    sheet.part(elm.Switch(), (25, 5.8), (25, 8.0), "K4, 40 A\n30 to 87", "right")
    for x, words in ((12.2, "bell"), (20.2, "K4 coil")):
        sheet.coil((x, 3.7), (x, 0), words)
        sheet.dot((x, 0))
    sheet.wire((16.2, 3.7), (16.2, 3.2))
    sheet.block((15.2, 3.2), (17.2, 2.2), "9-18 V\nto 12 V")
    sheet.wire((16.2, 2.2), (16.2, 1.5))
    sheet.block((15.2, 1.5), (17.2, 0.7), "K3 timer")
    sheet.wire((16.2, 0.7), (16.2, 0))
    sheet.dot((16.2, 0))
    sheet.part(elm.Motor(), (25, 0), (25, 5.8))
    sheet.text((25.9, 2.9), "horn")
    sheet.text((25, 2.9), "M", "center")
    for x, load, top, name in ((10.6, 12.2, 3.3, "D1"), (18.6, 20.2, 3.3, "D2"), (23.4, 25, 4.9, "D3")):
        sheet.part(elm.Diode(), (x, 0.4), (x, top), name, "left")
        sheet.wire((x, top), (load, top))
        sheet.wire((x, 0.4), (x, 0))
        sheet.dot((load, top))
        sheet.dot((x, 0))
    sheet.wire((0, 0), (25, 0))
    sheet.text(
        (0.4, 0.9),
        "battery, F1, S0, K4, horn and back,\nand from S0 to F2: 2.5 mm² up to 20 A,\n"
        "4 mm² up to 30 A; F2 within 10 cm of S0",
    )
    sheet.text((0.4, 2.4), "D1, D2 1N4007, D3 1N5408\nno wire from here to the Pi")
    sheet.text((0.4, 3.6), "bell: under 1 A and made to sound\nfor ever (100 %)")
    sheet.text((0.4, 4.9), "K3 has 12 V down to 9 V of the battery:\na converter of 9 to 18 V feeds it")
    return sheet.svg()


def _battery(sheet: Sheet) -> None:
    sheet.part(elm.Battery(), (0, 8.4), (0, 0), "")
    sheet.text((-0.8, 4.2), "12 V, 7 Ah", "right")
    sheet.text((0.35, 6.6), "+")
    sheet.wire((0, 8.4), (0.6, 8.4))
    sheet.part(elm.FuseIEC(), (0.6, 8.4), (3.2, 8.4), "F1 as the horn\nsays, 15 to 30 A")
    sheet.wire((3.2, 8.4), (3.6, 8.4))
    sheet.part(elm.Switch(), (3.6, 8.4), (5.8, 8.4), "S0 isolator", "below")
    sheet.dot((6.4, 8.4))
    sheet.wire((6.4, 8.4), (6.4, 6.4), (6.8, 6.4))
    sheet.part(elm.FuseIEC(), (6.8, 6.4), (9, 6.4), "F2 3 A")
    sheet.wire((9, 6.4), (9.2, 6.4))
    sheet.part(elm.Switch(), (9.2, 6.4), (11.4, 6.4), "S1 arm (key)", "below")


def classic() -> str:
    """A line of a classic LED die, brought down to what a Pi bears."""
    sheet = Sheet()
    line = lines("led7")[0]
    sheet.box((-4.6, 1.2), (-0.4, -3.4), "classic die, 5 V")
    sheet.text((-4.4, 0), "LED group's pin")
    sheet.wire((-0.4, 0), (1.4, 0))
    sheet.resistor((1.4, 0), (4.2, 0), "10 kΩ")
    sheet.wire((4.2, 0), (7, 0))
    sheet.dot((5, 0))
    sheet.resistor((5, 0), (5, -2.6), "18 kΩ")
    sheet.wire((-0.4, -2.6), (6.88, -2.6))
    sheet.dot((5, -2.6))
    sheet.text((-4.4, -2.6), "ground of the die")
    sheet.terminal((7, 0), f"{line.short}, {line.wire}: {line.where}", "left")
    sheet.terminal((7, -2.6), f"G: ground, black: Pi pin {CLASSIC_GROUND[1]}", "left")
    sheet.text((7.3, -1.3), "12 times, four for each die", size=9)
    return sheet.svg()
