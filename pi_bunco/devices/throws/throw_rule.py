"""The rule of what a throw is (firmware/README.md), on whatever link the dice are."""

import math
from functools import reduce

from pi_bunco.devices.protocols import DICE, Throw, ThrowVoid
from pi_bunco.devices.throws import reasons
from pi_bunco.reason import Reason

LIMIT_MS = 10_000
_WHY = {"cocked": reasons.Tilted, "moved": reasons.MovedByHand, "weak": reasons.WeakBattery}

ThrowOutcomes = list[Throw | ThrowVoid]
"""The throw that has ended, if one has."""


class Throws:
    """Puts tumbling and settling dice together into throws.

    A throw opens with the first tumble after the last throw closed. It closes when all three dice have
    tumbled and settled, within `LIMIT_MS` of its opening; otherwise it is void. Each method returns the end
    of a throw that it brought about. Times are ms and do not fall.
    """

    def __init__(self) -> None:
        self._opened: float | None = None
        self._given_up = -math.inf
        self._faces: dict[int, int | None] = {}
        self._reasons: dict[int, str] = {}

    @property
    def open(self) -> bool:
        """True while a throw is in progress."""
        return self._opened is not None

    @property
    def opened(self) -> float | None:
        """Time (ms) at which the throw in progress began; None if there is none."""
        return self._opened

    def has(self, die: int) -> bool:
        """True if the die has tumbled in the throw in progress."""
        return die in self._faces

    def tumbled(self, die: int, at: float) -> ThrowOutcomes:
        """The die began to tumble; what it showed before does not count any more.

        A tumble that is reported late belongs to the throw that was given up meanwhile, and opens none.
        """
        overdue = self.tick(at)
        if self._opened is None and at >= self._given_up:
            self._opened = at
        if self._opened is not None:
            self._faces[die] = None
            self._reasons.pop(die, None)
        return overdue

    def settled(self, die: int, face: int, at: float) -> ThrowOutcomes:
        """The die lies still on `face`; one that has not tumbled in this throw is no part of it."""
        overdue = self.tick(at)
        if die not in self._faces:
            return overdue
        self._faces[die] = face
        self._reasons.pop(die, None)
        match [self._faces.get(die) for die in DICE]:
            case [int(one), int(two), int(three)] if self._opened is not None:
                throw = Throw((one, two, three), self._opened, at)
                self._close()
                return [throw]
        return []

    def invalid(self, die: int, why: str, at: float) -> ThrowOutcomes:
        """The die lies still and shows no valid face, because it is `cocked`, was `moved`, or is `weak`."""
        overdue = self.tick(at)
        if die in self._faces:
            self._faces[die] = None
            self._reasons[die] = why
        return overdue

    def tick(self, now: float) -> ThrowOutcomes:
        """Voids a throw that has been open for longer than `LIMIT_MS`."""
        if self._opened is None or now <= self._opened + LIMIT_MS:
            return []
        self._given_up = self._opened + LIMIT_MS
        missing = [self._state(die) for die in DICE if self._faces.get(die) is None]
        return self.void(reduce(reasons.And, missing), self._given_up)

    def void(self, why: Reason, at: float) -> ThrowOutcomes:
        """Voids the throw in progress, if there is one."""
        if self._opened is None:
            return []
        self._close()
        return [ThrowVoid.because(why, at)]

    def _close(self) -> None:
        self._opened = None
        self._faces.clear()
        self._reasons.clear()

    def _state(self, die: int) -> Reason:
        if die not in self._faces:
            return reasons.NotThrown(die)
        if why := self._reasons.get(die):
            return _WHY.get(why, reasons.ShowsNoFace)(die)
        return reasons.NotSettled(die)
