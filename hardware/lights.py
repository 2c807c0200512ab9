"""The lights board."""

from header import SUPPLY, leds, lines, supply
from sheet import Sheet

OUTPUTS = (("QA", 15), ("QB", 1), ("QC", 2), ("QD", 3), ("QE", 4), ("QF", 5), ("QG", 6), ("QH", 7))
"""A 74HC595's outputs and their pins (datasheet SCLS041)."""


def lights() -> str:
    """The lights board: two shift registers in a chain, an LED with its resistor at each output."""
    sheet = Sheet()
    data, clock, latch = lines("lights")
    for number, top in ((1, 0.0), (2, -9.6)):
        _register(sheet, number, top)
    for x, row, line in ((1.0, 0, data), (1.6, 1, clock), (2.2, 2, latch)):
        y = -0.9 * row
        sheet.resistor((-2.2, y), (0, y), "")
        sheet.text((-1.1, y), "100 Ω", "center", 9)
        sheet.wire((0, y), (4, y))
        sheet.terminal((-2.32, y), f"{line.short}, {line.wire}: {line.where}")
        if row:
            sheet.dot((x, y))
            sheet.wire((x, y), (x, y - 9.6), (4, y - 9.6))
    sheet.wire((7, -7.2), (7.6, -7.2), (7.6, -8.4), (2.8, -8.4), (2.8, -9.6), (4, -9.6))
    power, ground = supply("lights board", "3.3 V"), supply("lights board", "ground")
    notes = (
        f"3.3 V, {SUPPLY['3.3 V']}: Pi pin {power}",
        f"ground, {SUPPLY['ground']}: Pi pin {ground}",
        "100 nF close to each chip,",
        "from pin 16 to pin 8",
    )
    for row, note in enumerate(notes):
        sheet.text((-6.6, -4.5 - 0.6 * row), note)
    return sheet.svg()


def _register(sheet: Sheet, number: int, top: float) -> None:
    sheet.box((4, top + 0.9), (7, top - 7.6), f"IC{number} 74HC595")
    inputs = (("SER", 14), ("SRCLK", 11), ("RCLK", 12), ("SRCLR", 10), ("OE", 13), ("VCC", 16), ("GND", 8))
    for row, (name, pin) in enumerate(inputs):
        y = top - 0.9 * row
        sheet.text((4.15, y), name)
        sheet.text((3.9, y + 0.22), str(pin), "right", 9)
    for row, to in ((3, "3.3 V"), (4, "ground"), (5, "3.3 V"), (6, "ground")):
        y = top - 0.9 * row
        sheet.wire((3.4, y), (4, y))
        sheet.terminal((3.28, y), "")
        sheet.text((3.1, y), to, "right", 9)
    names = leds()[8 * (number - 1) :][:8]
    for row, (output, pin) in enumerate(OUTPUTS):
        y = top - 0.9 * row
        sheet.text((6.85, y), output, "right")
        sheet.text((7.1, y + 0.22), str(pin), size=9)
        _led(sheet, y, names[row] if row < len(names) else "")
    sheet.text((6.85, top - 7.2), "QH'", "right")
    sheet.text((7.1, top - 6.98), "9", size=9)
    last = top - 0.9 * (len(names) - 1)
    sheet.wire((12.6, top), (12.6, last - 0.5))
    sheet.ground((12.6, last - 0.5))


def _led(sheet: Sheet, y: float, name: str) -> None:
    if not name:
        sheet.wire((7, y), (7.6, y))
        sheet.text((7.75, y), "free", size=9)
        return
    sheet.wire((7, y), (8.2, y))
    sheet.resistor((8.2, y), (10.4, y), "")
    sheet.text((9.3, y), "330 Ω", "center", 9)
    sheet.led((10.4, y), (12.6, y))
    sheet.text((12.9, y), name)
