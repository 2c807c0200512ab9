"""The pins of every part as seen from where one solders: from the copper side, the part behind the board."""

from header import PICO, dice_box, pico
from lights import OUTPUTS
from paper import Paper

RELAY = {1: "coil +", 4: "COM", 6: "rest", 8: "NO", 9: "NO", 11: "rest", 13: "COM", 16: "coil -"}
"""Omron G5V-2 and its like in a DIP-16 socket: both contacts alike, the left one is used."""
REGISTER = {
    8: "GND", 9: "QH'", 10: "SRCLR", 11: "SRCLK", 12: "RCLK", 13: "OE", 14: "SER", 16: "VCC",
    **{pin: name for name, pin in OUTPUTS},
}  # fmt: skip


def pinouts() -> Paper:
    """All parts on one sheet."""
    paper = Paper(200, 196)
    paper.text(100, 8, "Seen from the copper side, where you solder: left and right are swapped", 4.2)
    _dual(paper, 44, 20, "Pico, USB upwards", _pico(), 40, 17.8)
    _dual(paper, 142, 20, "74HC595, notch upwards", REGISTER, 16, 12)
    _dual(paper, 142, 72, "relay G5V-2, notch upwards", RELAY, 16, 12)
    _transistor(paper, 30, 145)
    _led(paper, 75, 145)
    _diode(paper, 115, 145)
    _car_relay(paper, 165, 148)
    _plain(paper)
    return paper


def _pico() -> dict[int, str]:
    board = pico()
    names = {PICO[gp]: name.removeprefix("dice.") for name, gp in dice_box().items()}
    for die, pins in enumerate(board["LEDS"], 1):
        for group, gp in zip(("centre", "diag. 1", "diag. 2", "sides"), pins, strict=True):
            names[PICO[gp]] = f"die {die} {group}"
    names |= {PICO[board["ROLL"]]: "ROLL", PICO[board["DIM"]]: "brightness", 39: "VSYS (5 V)"}
    names |= dict.fromkeys((3, 8, 13, 18, 23, 28, 33, 38), "GND")
    return {pin: f"GP{PICO.index(pin)} {name}" if pin in PICO else name for pin, name in names.items()}


def _dual(
    paper: Paper, middle: float, top: float, title: str, names: dict[int, str], pins: int, width: float
) -> None:
    """Two rows of pins from below: pin 1 is at the upper right."""
    half, pitch = pins // 2, 4.6 if pins == 16 else 5.2
    paper.text(middle, top, title, 3.4)
    left, right = middle - width / 2, middle + width / 2
    paper.rect(left - 1.5, top + 3, width + 3, half * pitch + 1, "body")
    paper.circle(middle, top + 3, 1.6, "white")
    for place in range(half):
        y = top + 6 + place * pitch
        for x, pin, side in ((right, place + 1, 1), (left, pins - place, -1)):
            paper.circle(x, y, 1.0, "copper" if pin in names else "white")
            paper.text(x - side * 2.6, y + 0.8, str(pin), 2.2)
            if pin in names:
                paper.text(x + side * 3, y + 0.8, names[pin], 2.6, "start" if side > 0 else "end")


def _transistor(paper: Paper, x: float, y: float) -> None:
    paper.text(x, y - 5, "BC337, flat side upwards", 3.2)
    paper.circle(x, y + 7, 7, "body")
    paper.rect(x - 8, y - 1, 16, 3.2, "white", "white")
    paper.line(x - 5.1, y + 2.2, x + 5.1, y + 2.2, "black", 0.6)
    for place, name in enumerate("CBE"):
        at = x + 4 * (place - 1)
        paper.circle(at, y + 6.5, 0.9, "copper")
        paper.text(at, y + 10.5, name, 2.8)


def _led(paper: Paper, x: float, y: float) -> None:
    paper.text(x, y - 5, "LED", 3.2)
    paper.circle(x, y + 7, 7, "body")
    paper.rect(x + 5.6, y, 3, 14, "white", "white")
    paper.line(x + 5.6, y + 2.8, x + 5.6, y + 11.2, "black", 0.6)
    for at, words in ((x - 3, "long: +"), (x + 3, "short, flat: -")):
        paper.circle(at, y + 7, 0.9, "copper")
        paper.text(at + (-6 if at < x else 6), y + (17 if at < x else 20), words, 2.6)


def _diode(paper: Paper, x: float, y: float) -> None:
    paper.text(x, y - 5, "diodes", 3.2)
    paper.line(x - 13, y + 7, x + 13, y + 7, "grey", 0.8)
    paper.rect(x - 6, y + 4, 12, 6, "grey")
    paper.rect(x + 3, y + 4, 1.6, 6, "black")
    paper.text(x - 11, y + 12, "A", 2.8)
    paper.text(x + 11, y + 12, "K: the ring", 2.8)


def _car_relay(paper: Paper, x: float, y: float) -> None:
    paper.text(x, y - 8, "K4, blades towards you", 3.2)
    paper.rect(x - 13, y - 4, 26, 26, "body")
    for dx, dy, wide, name in (
        (0, -1, True, "87"),
        (0, 17, False, "30"),
        (-9, 9, False, "86"),
        (9, 9, False, "85"),
    ):
        width, height = (6, 1.6) if wide else (1.6, 5)
        paper.rect(x + dx - width / 2, y + dy - height / 2 + 0.5, width, height, "copper")
        paper.text(x + dx + (6 if wide else -4 if dx > 0 else 4), y + dy + 1.4, name, 2.6)
    paper.text(x, y + 27, "the numbers stand beside the blades: go by them", 2.4)


def _plain(paper: Paper) -> None:
    for row, words in enumerate((
        "Either way round: resistors, 100 nF, buttons, the bell (look at its paper), bulb.",
        "Screw terminals: the openings look outwards. Sockets: the notch as in the board's picture.",
        "Switches S1, S0: either way round. Timer K3 (front): A1 plus, A2 minus, 15 and 18 the contact.",
        "Display: four pins with names; the order differs from maker to maker, so go by the names.",
    )):  # fmt: skip
        paper.text(8, 178 + 5 * row, words, 2.9, "start")
