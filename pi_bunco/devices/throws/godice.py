"""GoDice: what each die says over Bluetooth. Pure.

A die notifies `R` when it begins to roll and `S` with its gravity when it lies; `FS`, `MS` and `TS` are said
of a die that was turned, moved or lies tilted. The maker's libraries are for personal use and may not be
redistributed (LICENSE.md of ParticulaCode/GoDiceJavaScriptAPI), so none of them is used here.
"""

import math
from collections.abc import Sequence
from struct import unpack

from pi_bunco.devices.throws.radio_dice import Battery, DieLies, DieRolls, Disturbed, RadioModel, Said

FLAT_64THS = 48
"""Gravity along a side's axis when the die lies flat, of 64 in all: at most 41 degrees from it."""
FACE_BY_AXIS = {(0, -1): 1, (2, 1): 2, (1, 1): 3, (1, -1): 4, (2, -1): 5, (0, 1): 6}
"""The face by the axis of the gravity (x, y, z) and its sign."""


def read(data: bytes) -> Said | None:
    """The meaning of a notification; None for what means nothing here."""
    if data[:1] == b"R":
        return DieRolls()
    if data[:3] == b"Bat" and len(data) >= 4:
        return Battery(min(data[3], 100))
    if data[:1] == b"S" and len(data) >= 4:
        return DieLies(side(unpack("3b", data[1:4])))
    if data[:2] in (b"FS", b"MS") and len(data) >= 5:
        return Disturbed("moved")
    if data[:2] == b"TS" and len(data) >= 5:
        return Disturbed("cocked")
    return None


def side(gravity: Sequence[int]) -> int | None:
    """The face on top, None for a die that stands on an edge."""
    axis = max(range(3), key=lambda place: abs(gravity[place]))
    strength = gravity[axis]
    if abs(strength) < FLAT_64THS * math.dist(gravity, (0, 0, 0)) / 64 or not strength:
        return None
    return FACE_BY_AXIS[axis, 1 if strength > 0 else -1]


GODICE = RadioModel(
    word="godice",
    name="GoDice",
    advertises=lambda name, _services: name.startswith("GoDice_"),
    notifies="6e400003-b5a3-f393-e0a9-e50e24dcca9e",  # Nordic's UART service
    takes="6e400002-b5a3-f393-e0a9-e50e24dcca9e",
    battery=b"\x03",
    read=read,
)
