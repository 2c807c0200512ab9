"""The links between all parts, and their places on the header."""

from header import LEFT_ALONE, SUPPLIES, SUPPLY, HeaderLine, lines, voltage
from sheet import Align, Sheet

FILLS = {
    "black": "#333333", "brown": "#8a5a3c", "red": "#e0402f", "orange": "#f39a2d", "yellow": "#f5dc3b",
    "green": "#46b04a", "blue": "#3b78e7", "violet": "#9b59d0", "grey": "#9aa0a6", "white": "#ffffff",
    "pink": "#f4a6c0",
}  # fmt: skip


def overview() -> str:
    """The parts of a table, and what the head table has besides."""
    sheet = Sheet()
    sheet.box((-8, 3.6), (11, -3.2), style="--")
    sheet.text((-7.7, 3.2), "every table")
    sheet.box((-8, -3.7), (11, -8.2), style="--")
    sheet.text((-7.7, -7.8), "the head table besides")
    sheet.block((0, 1.8), (3.6, -2), "Raspberry Pi,\n5 V supply\nof its own")
    parts = (
        (-7.4, 2.2, "dice box or\nclassic dice"), (-7.4, -0.8, "panel:\n8 buttons"),
        (-3.6, -0.8, "input board"),
        (7.4, 2.2, "lights:\n14 LEDs"), (7.4, -0.8, "display\n(may be left out)"),
        (-7.4, -4.6, "brass button"), (0.2, -4.6, "relay board"),
    )  # fmt: skip
    for x, y, words in parts:
        sheet.block((x, y), (x + 3, y - 1.6), words)
    sheet.block(
        (5.6, -4.2),
        (10.4, -7.7),
        "12 V: battery,\nfuses, isolator, arm\nswitch, timer, 40 A\nrelay, bell, horn",
    )
    sheet.wire((-4.4, 1.4), (0, 1.4))
    sheet.wire((-4.4, -1.6), (-3.6, -1.6))
    sheet.wire((-0.6, -1.6), (0, -1.6))
    sheet.wire((3.6, 1.4), (7.4, 1.4))
    sheet.wire((3.6, -1.6), (7.4, -1.6))
    sheet.wire((-4.4, -5.4), (-2.1, -5.4), (-2.1, -2.4))
    sheet.wire((1.7, -2), (1.7, -4.6))
    sheet.wire((3.2, -5.4), (5.6, -5.4))
    count = {group: len(lines(group)) for group in ("dice", "led7", "lights")}
    for x, y, words in (
        (-2.2, 1.7, f"{count['dice']} lines ({count['led7']}),"), (-2.2, 1.1, "or USB"),
        (5.5, 1.7, f"{count['lights']} lines"), (5.5, -1.3, "I2C"),
        (4.4, -5.1, "contacts"), (4.4, -5.7, "only"),
    ):  # fmt: skip
        sheet.text((x, y), words, "center", 9)
    sheet.text((1.9, -3.45), "bell, horn", size=9)
    return sheet.svg()


def header() -> str:
    """The 40 pins of a head table with a dice box, as one looks at the board, its corner pin 1 top left."""
    sheet = Sheet()
    used = {
        line.pin: line for line in lines("dice", "panel", "lights", "display", "bell", "horn", "bell_button")
    }
    sheet.box((-1.3, 0.7), (1.3, -20 * 0.7 + 0.2), fill="#f4f4f0")
    sheet.text((0, 1.1), "pin 1: the corner of the board, where its soldered pad is square", "center", 9)
    for pin in range(1, 41):
        row, right = divmod(pin - 1, 2)
        x, y = (0.6 if right else -0.6), -0.7 * row
        words, fill = _pin(pin, used.get(pin))
        sheet.disc((x, y), 0.26, fill)
        sheet.text((x + (0.48 if right else -0.48), y), str(pin), "center", 9)
        align: Align = "left" if right else "right"
        sheet.text((1.5 if right else -1.5, y), words, align, 10)
    return sheet.svg()


def _pin(pin: int, line: HeaderLine | None) -> tuple[str, str]:
    if line is not None:
        return f"{line.name.replace('.', ' ').replace('_', ' ')}, {line.wire} (GPIO{line.gpio})", FILLS[
            line.wire
        ]
    if not (kind := voltage(pin)):
        return LEFT_ALONE.get(pin, "free"), "#d9d9d4"
    user = f": {SUPPLIES[pin]}" if pin in SUPPLIES else ""
    return f"{kind}{user}", FILLS[SUPPLY[kind]]
