"""GoDice: what each die says over Bluetooth, and throws of three of them. Pure.

A die notifies `R` when it begins to roll and `S` with its gravity when it lies; `FS`, `MS` and `TS` are said
of a die that was turned, moved or lies tilted. Nothing in it tells a time or a number: a message is as old as
the radio made it, and what a die said while its link was down is lost. So a throw in which a link broke is
void, and a throw is timed with the bound that BlueZ gives a link: it is down when nothing came for that long.
"""

import math
from collections.abc import Iterator, Sequence
from struct import unpack
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.devices.protocols import AllReported, DiceEvent, DiceState, DieState, Throw, ThrowVoid
from pi_bunco.devices.throws.throw_rule import Outcome, Throws

LINK_MS = 500.0
"""A link that delivers nothing for 420 ms is down (BlueZ's supervision timeout); and one interval more."""
WEAK_PERCENT = 15
FLAT = 48
"""Gravity along a side's axis when the die lies flat, of 64 in all: at most 41 degrees from it."""
SIDES = {(0, -1): 1, (2, 1): 2, (1, 1): 3, (1, -1): 4, (2, -1): 5, (0, 1): 6}
"""The face by the axis of the gravity (x, y, z) and its sign."""


class DieRolls(Struct, frozen=True):
    """The die began to roll."""


class DieLies(Struct, frozen=True):
    """The die lies after a roll; the face is None where it is not flat."""

    face: int | None


class Disturbed(Struct, frozen=True):
    """The die was `moved` by hand, or is `cocked`: no roll."""

    state: Literal["moved", "cocked"]


class Battery(Struct, frozen=True):
    """The charge in percent."""

    percent: int


Said = DieRolls | DieLies | Disturbed | Battery


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
    if abs(strength) < FLAT * math.dist(gravity, (0, 0, 0)) / 64 or not strength:
        return None
    return SIDES[axis, 1 if strength > 0 else -1]


class GoDiceThrows:
    """Three dice, each at a link of its own; times are ms and do not fall."""

    def __init__(self) -> None:
        self._throws = Throws()
        self._states: dict[int, tuple[DieState, str]] = {}
        self._batteries: dict[int, int] = {}
        self._linked: set[int] = set()
        self._until: list[float] = []

    def linked(self, die: int, at: float) -> Iterator[DiceEvent]:
        """The die can be read (again); what it did in a throw that is open is unknown."""
        self._linked.add(die)
        yield from self._outcome(self._throws.void(f"die {die} was out of reach", at))
        yield from self._state(die, "ok")

    def unlinked(self, die: int, at: float, why: str) -> Iterator[DiceEvent]:
        """The die cannot be read: what it does now is unknown, and so is a throw that is open."""
        self._linked.discard(die)
        yield from self._outcome(self._throws.void(f"die {die} is out of reach", at))
        yield from self._state(die, "unheard", why)

    def take(self, die: int, data: bytes, at: float) -> Iterator[DiceEvent]:
        """The events that follow from a notification."""
        match read(data):
            case DieRolls():
                yield from self._outcome(self._throws.tumbled(die, at))
                yield from self._state(die, "ok")
            case DieLies(None):
                yield from self._disturbed(die, "cocked", at)
            case DieLies(int(face)):
                yield from self._state(die, "ok")
                yield from self._outcome(self._throws.settled(die, face, at))
            case Disturbed(state):
                yield from self._disturbed(die, state, at)
            case Battery(percent):
                self._batteries[die] = percent
                yield from self._state(die, self._states.get(die, ("ok", ""))[0])

    def tick(self, now: float) -> Iterator[DiceEvent]:
        """The events due by `now`: a throw that took too long, and what was asked by `report_until`."""
        yield from self._outcome(self._throws.tick(now - LINK_MS))
        while self._until and (self._until[0] + LINK_MS <= now or not self._linked):
            yield AllReported(self._until.pop(0))

    def report_until(self, at: float) -> None:
        """`AllReported` follows when a message of that time is here or its link is down."""
        self._until.append(at)

    def _disturbed(self, die: int, state: DieState, at: float) -> Iterator[DiceEvent]:
        yield from self._state(die, state)
        yield from self._outcome(self._throws.invalid(die, state, at))

    def _state(self, die: int, state: DieState, why: str = "") -> Iterator[DiceState]:
        percent = self._batteries.get(die, 100)
        if state == "ok" and percent <= WEAK_PERCENT:
            state, why = "weak", f"its battery has {percent} %"
        if self._states.get(die) != (state, why):
            self._states[die] = (state, why)
            yield DiceState(die, state, why)

    @staticmethod
    def _outcome(outcome: Outcome) -> Iterator[Throw | ThrowVoid]:
        if isinstance(outcome, Throw):
            yield replace(outcome, err=LINK_MS)
        elif outcome is not None:
            yield outcome
