"""The parts of the boards that a factory makes: their pads, their bodies and their heights, in mm.

Sizes are those of the makers' families named beside them, from memory where `FIRST-BUILD.md` says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from artwork import Point

TERMINAL_DRILL = 1.3
PITCH = 3.81
"""Of the pluggable terminals."""
PLUG_MM = 22.0
"""A plug before its header, 12 mm, and the bend of thin wires."""
USB_PLUG_MM = 28.0
"""A plug of USB before its socket, and the bend of its cable."""


Sides = tuple[float, float, float, float]
"""Left, low, right and high side, mm."""


@dataclass(frozen=True)
class Footprint:
    """A part from above: pin, place, size and hole of each pad; what it takes, and the plug in it."""

    pads: tuple[tuple[str, Point, Point, float], ...]
    body: Sides
    height: float
    plug: Sides | None = None
    plug_height: float = 0.0

    @property
    def soldered(self) -> bool:
        """True for a part whose pins go through holes: by hand, unless the factory solders those too."""
        return all(drill for _, _, _, drill in self.pads)


def _flat(size: Point, body: Point, height: float, places: Iterable[tuple[str, float, float]]) -> Footprint:
    pads = tuple((pin, (x, y), size, 0.0) for pin, x, y in places)
    return Footprint(pads, (-body[0] / 2, -body[1] / 2, body[0] / 2, body[1] / 2), height)


def _holes(
    size: float, drill: float, body: Sides, height: float, places: Iterable[tuple[str, float, float]],
    plug: Sides | None = None, plug_height: float = 0.0,
) -> Footprint:  # fmt: skip
    pads = tuple((pin, (x, y), (size, size), drill) for pin, x, y in places)
    return Footprint(pads, body, height, plug, plug_height)


def pluggable(poles: int) -> Footprint:
    """A header for pluggable terminals (Phoenix MC 1,5/n-G-3,81): pin 1 left, the plug comes from below."""
    pins = [(str(pole + 1), pole * PITCH, 0.0) for pole in range(poles)]
    left, right = -2.6, (poles - 1) * PITCH + 2.6
    plug = (left, -8.0 - PLUG_MM, right, -8.0)
    return _holes(2.2, TERMINAL_DRILL, (left, -8.0, right, 1.2), 7.3, pins, plug, 11.0)


def double_row(
    columns: int, size: float = 1.5, height: float = 9.0, drill: float = 1.0,
    plug: Sides | None = None, plug_height: float = 0.0,
) -> Footprint:  # fmt: skip
    """Two rows of pins 2.54 mm apart, odd ones in the lower row, counted from the left; around its middle."""
    first = -(columns - 1) * 1.27
    pins = [
        (str(2 * column + row + 1), first + 2.54 * column, 2.54 * row - 1.27)
        for column in range(columns)
        for row in (0, 1)
    ]
    half = columns * 1.27
    return _holes(size, drill, (-half, -2.54, half, 2.54), height, pins, plug, plug_height)


def _dual(pins: Iterable[int], row: float, pitch: float) -> list[tuple[str, float, float]]:
    """Pins of a part of two rows, number 1 at the upper left, counted against the clock."""
    pins = list(pins)
    half, high = max(pins) // 2, (max(pins) // 2 - 1) * pitch / 2
    return [
        (str(pin), -row / 2, high - (pin - 1) * pitch)
        if pin <= half
        else (str(pin), row / 2, high - (2 * half - pin) * pitch)
        for pin in pins
    ]


FOOTPRINTS = {
    "0805": _flat((1.0, 1.3), (2.0, 1.25), 1.0, [("1", -0.95, 0), ("2", 0.95, 0)]),
    "1206": _flat((1.2, 1.7), (3.2, 1.6), 1.2, [("1", -1.5, 0), ("2", 1.5, 0)]),
    "1812": _flat((1.3, 3.2), (4.6, 3.2), 1.5, [("1", -2.1, 0), ("2", 2.1, 0)]),
    "SOD-123": _flat((1.0, 1.2), (2.8, 1.6), 1.2, [("K", -1.65, 0), ("A", 1.65, 0)]),
    "SMA": _flat((2.4, 1.8), (4.4, 2.7), 2.4, [("K", -2.0, 0), ("A", 2.0, 0)]),
    "SOT-23 BAT54S": _flat(
        (0.8, 1.2), (2.9, 1.4), 1.1, [("A", -0.95, -1.1), ("K", 0.95, -1.1), ("M", 0, 1.1)]
    ),
    "SOT-23 NPN": _flat((0.8, 1.2), (2.9, 1.4), 1.1, [("B", -0.95, -1.1), ("E", 0.95, -1.1), ("C", 0, 1.1)]),
    "PLCC-2": _flat((1.5, 2.2), (3.5, 2.8), 1.9, [("K", -1.5, 0), ("A", 1.5, 0)]),
    "SOIC-8": _flat((1.5, 0.6), (3.9, 4.9), 1.75, _dual(range(1, 9), 5.4, 1.27)),
    "SOIC-16": _flat((1.5, 0.6), (3.9, 9.9), 1.75, _dual(range(1, 17), 5.4, 1.27)),
    "G5V-2": _holes(2.2, 1.0, (-5.0, -10.1, 5.0, 10.1), 11.5, _dual((1, 4, 6, 8, 9, 11, 13, 16), 7.62, 2.54)),
    "fuse 5x20": _holes(3.0, 1.5, (-13.0, -4.8, 13.0, 4.8), 12.0, [("1", -11.25, 0), ("2", 11.25, 0)]),
    "button 6x6": _holes(
        1.8, 1.0, (-3.0, -3.0, 3.0, 3.0), 5.0,
        [("1", -3.25, 2.25), ("2", -3.25, -2.25), ("3", 3.25, 2.25), ("4", 3.25, -2.25)],
    ),
    "Pico": _holes(
        1.7, 1.0, (-10.5, -25.5, 10.5, 25.5), 12.5, _dual(range(1, 41), 17.78, 2.54),
        (-6.0, 25.5, 6.0, 25.5 + USB_PLUG_MM), 16.0,
    ),
    "pads 2": _holes(1.7, 1.0, (-1.3, -1.3, 3.8, 1.3), 0.0, [("1", 0, 0), ("2", 2.54, 0)]),
    "header 2x20": double_row(20),
    "box header 2x8": double_row(8, plug=(-15.0, -4.5, 15.0, 4.5), plug_height=18.0),
}  # fmt: skip


def footprint(kind: str) -> Footprint:
    """The footprint by its name; `pluggable 3` has three poles."""
    name, _, poles = kind.partition(" ")
    return pluggable(int(poles)) if name == "pluggable" else FOOTPRINTS[kind]
