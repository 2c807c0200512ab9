"""What can be checked on a machine, each part with the lines and the cable that it hangs on. Pure."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.devices.panel import BUTTONS
from pi_bunco.devices.pins import Line, Plan, leds
from pi_bunco.devices.throws import DICE

OUTPUTS = "ABCDEFGH"
"""The outputs of one 74HC595, QA to QH."""
RELAYS = ("bell", "horn")


class Part(Struct, frozen=True):
    """One thing that answers or does not: its key and name, where it is wired, and by which lines.

    `question` is what the host is asked about a part that cannot answer by itself.
    """

    key: str
    name: str
    place: str
    lines: tuple[Line, ...] = ()
    question: str = ""


def wires(lines: Sequence[Line], cable: str) -> str:
    """Where lines are to be found: number, header pin and colour of each, and the cable."""
    if len(lines) == 1:
        (line,) = lines
        return f"GPIO{line.gpio}, header pin {line.pin}, the {line.wire} wire of {cable}".replace("  ", " ")
    *most, last = (f"GPIO{line.gpio} (header pin {line.pin}, {line.wire})" for line in lines)
    return f"{', '.join(most)} and {last} of {cable}"


def virtual(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The same parts without any wires."""
    return tuple(replace(part, place="a virtual device, moved by typing", lines=()) for part in parts)


def buttons(plan: Plan) -> tuple[Part, ...]:
    """The eight buttons of the panel."""
    return tuple(_wired(name, f"Button {name.upper()}", [plan[f"panel.{name}"]], "panel") for name in BUTTONS)


def dice(plan: Plan, encoding: str) -> tuple[Part, ...]:
    """Three dice at lines: on the box's bus, or each at its LEDs (`led7`)."""
    if encoding == "led7":
        return tuple(_classic(plan, die) for die in DICE)
    shared = [plan[f"dice.{name}"] for name in ("b0", "b1", "b2", "rolling")]
    return tuple(_wired(str(die), f"Die {die}", [plan[f"dice.strobe{die}"], *shared], "dice") for die in DICE)


def box(path: str) -> tuple[Part, ...]:
    """Three dice in a box at the serial port `path`."""
    return tuple(Part(str(die), f"Die {die}", f"the dice box and its USB cable at {path}") for die in DICE)


def lights(plan: Plan) -> tuple[Part, ...]:
    """Every LED at its output of the shift registers."""
    return tuple(_lights([line for name, line in plan.items() if name.startswith("lights.")]))


def display(plan: Plan) -> Part:
    """The display at the I2C bus, which is asked whether it shows `CHECK`."""
    lines = [plan["display.sda"], plan["display.scl"]]
    question = "Does the display say CHECK? (y/n)"
    return Part("display", "The display", wires(lines, "the display cable"), tuple(lines), question)


def bell_button(plan: Plan) -> Part:
    """The host's brass button."""
    return _wired("bell_button", "The bell button", [plan["bell_button"]], "bell button")


def relays(plan: Plan) -> tuple[Part, ...]:
    """Bell and horn."""
    return tuple(
        Part(name, f"The {name}", wires([plan[name]], "the relay ribbon"), (plan[name],)) for name in RELAYS
    )


def _wired(key: str, name: str, lines: Sequence[Line], cable: str) -> Part:
    return Part(key, name, wires(lines, f"the {cable} cable"), tuple(lines))


def _classic(plan: Plan, die: int) -> Part:
    lines = [line for name, line in plan.items() if name.startswith(f"led7.die{die}.")]
    return Part(str(die), f"Die {die}", wires(lines, f"cable {die}"), tuple(lines))


def _lights(lines: Sequence[Line]) -> Iterator[Part]:
    cable = wires(lines, "the lights cable")
    for place, led in enumerate(leds()):
        chip, output = divmod(place, len(OUTPUTS))
        where = f"output Q{OUTPUTS[output]} of the {('first', 'second')[chip]} 74HC595 (all dark: {cable})"
        question = f"Is the light {led.upper()} on, and no other? (y/n)"
        yield Part(led, f"The light {led.upper()}", where, tuple(lines), question)
