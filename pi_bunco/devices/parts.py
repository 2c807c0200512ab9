"""What the wiring check can ask for, each part with the lines and the cable that it hangs on. Pure."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.devices.pins import Line


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


def wired(key: str, name: str, lines: Sequence[Line], cable: str) -> Part:
    """The part that answers by these lines of that cable."""
    return Part(key, name, wires(lines, f"the {cable} cable"), tuple(lines))


def virtual(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The same parts without any wires."""
    return tuple(replace(part, place="a virtual device, moved by typing", lines=()) for part in parts)
