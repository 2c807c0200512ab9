"""Lines of the header: `hardware/pins.toml`, a config's changes, what cannot be, and the parts at them."""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from pi_bunco import validator
from pi_bunco.devices.protocols import DeviceError
from pi_bunco.errors import ProblemsError

LineDirection = Literal["in", "out", "i2c"]
Active = Literal["high", "low"]
Pull = Literal["up", "down", "none"]
PinPlan = Mapping[str, "Line"]

PINS_FILE = Path(__file__).with_name("pins.toml")
HEADER = {
    0: 27, 1: 28, 2: 3, 3: 5, 4: 7, 5: 29, 6: 31, 7: 26, 8: 24, 9: 21, 10: 19, 11: 23, 12: 32, 13: 33,
    14: 8, 15: 10, 16: 36, 17: 11, 18: 12, 19: 35, 20: 38, 21: 40, 22: 15, 23: 16, 24: 18, 25: 22, 26: 37,
    27: 13,
}  # fmt: skip
"""The header's pin for each line (https://pinout.xyz, and `pinout` of gpiozero)."""
UP_AT_BOOT = range(9)
FIXED_UP = (2, 3)
Relay = Literal["bell", "horn"]
RELAYS: tuple[Relay, ...] = get_args(Relay)
_RESERVED = {
    0: "the HAT EEPROM", 1: "the HAT EEPROM", 14: "the serial port (UART)", 15: "the serial port (UART)",
}  # fmt: skip
_GPIO = {pin: gpio for gpio, pin in HEADER.items()}
_FIELDS: dict[str, Any] = {
    "gpio": Annotated[int, Meta(ge=min(HEADER), le=max(HEADER))],
    "pin": Literal.__getitem__(tuple(sorted(_GPIO))),
    "direction": LineDirection,
    "active": Active,
    "pull": Pull,
    "wire": Annotated[str, Meta(description="the name of a colour")],
}


class Line(Struct, frozen=True):
    """One line of the header: its name in the file, its number (BCM), its pin, and how it is wired."""

    name: str
    gpio: int
    pin: int
    direction: LineDirection
    active: Active = "high"
    pull: Pull = "none"
    wire: str = ""

    def __str__(self) -> str:
        return f"GPIO{self.gpio} (header pin {self.pin})"


class PinsError(ProblemsError, DeviceError):
    """Lines that cannot be."""


@cache
def shipped() -> PinPlan:
    """The lines of `hardware/pins.toml`, by name, in the file's order."""
    return {
        name: msgspec.convert({"name": name, **fields}, Line) for name, fields in _named(_file()) if fields
    }


@cache
def leds() -> tuple[str, ...]:
    """The lights at the outputs of the shift registers, the Pi's nearest first."""
    return tuple(_file()["leds"])


def plan(changes: Mapping[str, Any], used: Collection[str] = ()) -> PinPlan:
    """The shipped lines with the `changes` of a config, by name; `used` are the groups that have hardware.

    A group is the first part of a name: `bell`, `panel`. Raises `PinsError` with everything that is wrong
    with what is used or changed.
    """
    lines, problems = _changed(changes)
    concerned = [line for name, line in lines.items() if name.partition(".")[0] in used]
    for line in [*concerned, *(line for line in lines.values() if line not in shipped().values())]:
        problems += [why for why in _wrong(line) if why not in problems]
    problems += _twice(concerned)
    if problems:
        raise PinsError(problems)
    return lines


def used(changes: Mapping[str, Any], groups: Collection[str]) -> list[Line]:
    """The lines of these groups, as `plan` has them."""
    return [line for name, line in plan(changes, groups).items() if name.partition(".")[0] in groups]


def _file() -> dict[str, Any]:
    return tomllib.loads(PINS_FILE.read_text("utf-8"))


def _named(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each table with its dotted name and the values that are no tables."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield prefix + key, {name: one for name, one in value.items() if not isinstance(one, Mapping)}
            yield from _named(value, f"{prefix}{key}.")


def _changed(changes: Mapping[str, Any]) -> tuple[dict[str, Line], list[str]]:
    lines, problems = dict(shipped()), list[str]()
    problems += [
        f"{key} is no line; write [pins.{key}]"
        for key, one in changes.items()
        if not isinstance(one, Mapping)
    ]
    for name, fields in _named(changes):
        if name in lines:
            wrong = _wrong_fields(lines[name], fields)
            problems += wrong
            if not wrong:
                lines[name] = replace(lines[name], **_placed(fields))
        elif fields:
            problems.append(f"[{name}] is no line; {validator.nearest(name, lines)}")
    return lines, problems


def _placed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The line with both number and pin, where only one is given."""
    if "gpio" in fields:
        return {"pin": HEADER[fields["gpio"]], **fields}
    return {**fields, "gpio": _GPIO[fields["pin"]]} if "pin" in fields else dict(fields)


def _wrong_fields(line: Line, fields: Mapping[str, Any]) -> list[str]:
    types = {**_FIELDS, "direction": Literal.__getitem__(line.direction)}

    def expected(key: str) -> str:
        fixed = ": what is wired cannot change that" if key == "direction" else ""
        return validator.expected(types[key], {}) + fixed

    declared = validator.Declared("a property of a line", types, expected)
    return [one.english() for one in declared.check(fields, f"[{line.name}] ")[1]]


def _wrong(line: Line) -> Iterator[str]:
    """Everything that is wrong with the line by itself."""
    place = f"[{line.name}] {line}"
    if HEADER[line.gpio] != line.pin:
        yield f"{place}: GPIO{line.gpio} is at header pin {HEADER[line.gpio]}; give only one of them"
    if line.gpio in _RESERVED:
        yield f"{place} belongs to {_RESERVED[line.gpio]}; use another line"
    if line.direction == "i2c" and line.gpio != shipped()[line.name].gpio:
        yield f"{place} is not on the I2C bus; it has to be {shipped()[line.name]}"
    if line.name in RELAYS:
        yield from _wrong_relay(line, place)
    if line.direction == "in":
        yield from _wrong_input(line, place)


def _wrong_relay(line: Line, place: str) -> Iterator[str]:
    if line.active == "low":
        yield (
            f"{place} is for an active-low relay, which sounds whenever nothing drives its line,"
            " at boot or after a crash; use an active-high relay"
        )
    if line.gpio in UP_AT_BOOT:
        yield (
            f"{place} is pulled up while the Pi boots, so that the {line.name} would sound;"
            " use one of GPIO9 to GPIO13 or GPIO16 to GPIO27"
        )


def _wrong_input(line: Line, place: str) -> Iterator[str]:
    rest: Pull = "up" if line.active == "low" else "down"
    if line.pull == "none":
        yield f'{place} would float while nothing drives it; use pull = "{rest}"'
    elif line.pull != rest:
        yield f'{place} is pulled {line.pull} and active {line.active}: always on; use pull = "{rest}"'
    if line.gpio in FIXED_UP and rest == "down":
        yield f"{place} is pulled up on the board, so that an open line would be on; use another line"


def _twice(lines: Collection[Line]) -> Iterator[str]:
    users: dict[int, list[Line]] = {}
    for line in lines:
        users.setdefault(line.gpio, []).append(line)
    for sharing in users.values():
        if len(sharing) > 1:
            *most, last = (f"[{line.name}]" for line in sharing)
            times = "twice" if len(sharing) == 2 else f"{len(sharing)} times"
            yield f"{sharing[0]} is used {times}: {', '.join(most)} and {last}"


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
    """The place of the lines: number, header pin and colour of each, and the cable."""
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
