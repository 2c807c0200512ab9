"""The dice box at seven GPIO lines (PROTOCOL.md section 4): faces on a shared bus, a strobe per die."""

from collections.abc import Iterator

from pi_bunco.devices.dice.filtered import FilteredLines, outcomes
from pi_bunco.devices.dice.throws import DICE, LIMIT_MS, Throws
from pi_bunco.devices.protocols import DiceEvent, DiceState

READ_MS = 20.0
"""So long after a strobe's beginning, in the midst of what the box holds still, the face is read."""
QUIET_MS = 130.0
"""A die that waits to be told is strobed within so many ms of the strobe before (90 by the protocol)."""
GRACE_MS = 500.0
"""Three dice that settled at the last moment are told within that."""
LATE_MS = 2000.0
"""A strobe without a throw is the end of an earlier one, if the dice still rolled so many ms ago."""
UNHEARD_THROWS = 2

BUS = ("b0", "b1", "b2", "strobe1", "strobe2", "strobe3", "rolling")
_BITS = ("b0", "b1", "b2")


class BusDice(FilteredLines):
    """The box's seven lines.

    `rolling` tells that some die tumbles, not which: a throw opens with it, and ends when it is low, all
    three dice have been told, and no other strobe can be under way; of each die the last face counts.
    """

    def __init__(self) -> None:
        super().__init__(BUS)
        self._throws = Throws()
        self._fell: float | None = None
        self._reading: dict[int, float] = {}
        self._faces: dict[int, int] = {}
        self._told: dict[int, float] = {}
        self._missed = dict.fromkeys(DICE, 0)

    @property
    def _rolls(self) -> bool:
        return self.filters["rolling"].on

    def _ended_by(self, at: float) -> bool:
        return self._throws.open and not self._rolls and self._fell is not None and self._fell <= at

    def _dues(self) -> Iterator[float]:
        yield from (strobed + READ_MS for strobed in self._reading.values())
        if self._throws.opened is not None:
            yield self._throws.opened + LIMIT_MS + GRACE_MS
            if (end := self._end()) is not None:
                yield end

    def _end(self) -> float | None:
        """When the throw ends unless something is heard before."""
        if self._rolls or len(self._faces) < len(DICE):
            return None
        told = self._told.values()
        if self._fell is not None and min(told) > self._fell:
            return max(told)  # every die was told after all had settled: there is nothing to wait for
        return max(*told, self._fell or max(told)) + QUIET_MS

    def _became(self, name: str, on: bool, began: float) -> Iterator[DiceEvent]:
        if name == "rolling":
            yield from self._rolling(on, began)
        elif name not in _BITS:
            die = int(name[-1])
            if on:
                self._reading[die] = began
            else:
                self._reading.pop(die, None)

    def _rolling(self, on: bool, began: float) -> Iterator[DiceEvent]:
        if on:
            if len(self._faces) == len(DICE):  # they lay still, so this is another throw
                yield from self._finish()
            yield from self._open(began)
            return
        self._fell = began
        for die in DICE:
            if self._states.get(die) == "fault" and not self._throws.open:
                yield from self.state(die, "ok")

    def _happens(self, now: float) -> Iterator[DiceEvent]:
        for die in [die for die, strobed in self._reading.items() if strobed + READ_MS <= now]:
            yield from self._strobed(die, self._reading.pop(die))
        opened = self._throws.opened
        if opened is None:
            return
        if (end := self._end()) is not None and end <= now:
            yield from self._finish()
        elif now >= opened + LIMIT_MS + GRACE_MS:
            yield from self._give_up(opened + LIMIT_MS)

    def _strobed(self, die: int, at: float) -> Iterator[DiceEvent]:
        lately = self._fell is not None and at - self._fell < LATE_MS
        if not self._throws.open and (self._rolls or lately):
            return
        yield from self._open(at)
        face = sum(self.filters[bit].on << place for place, bit in enumerate(_BITS))
        self._missed[die] = 0
        if not 1 <= face <= 6:
            self._faces.pop(die, None)
            yield from self.state(die, "fault")
            yield from outcomes(self._throws.invalid(die, "fault", at))
            return
        self._faces[die], self._told[die] = face, at
        yield from self.state(die, "ok")

    def _open(self, at: float) -> Iterator[DiceEvent]:
        if not self._throws.open:
            self._fell = None
            self._faces.clear()
            self._told.clear()
            for die in DICE:
                yield from outcomes(self._throws.tumbled(die, at))

    def _finish(self) -> Iterator[DiceEvent]:
        """All three settled, the last of them when `rolling` fell."""
        settled = max(self._told.values())
        if self._fell is not None:
            settled = min(settled, self._fell)
        if settled > (self._throws.opened or settled) + LIMIT_MS:
            yield from outcomes(self._throws.void("a die settled too late", settled))
        for die, face in self._faces.items():
            yield from outcomes(self._throws.settled(die, face, settled))
        self._faces.clear()

    def _give_up(self, at: float) -> Iterator[DiceEvent]:
        if len(self._faces) == len(DICE):
            yield from outcomes(self._throws.void("a die settled too late", at))
        for die, face in self._faces.items():
            yield from outcomes(self._throws.settled(die, face, at))
        yield from outcomes(self._throws.tick(at + GRACE_MS))
        yield from self._doubt()

    def _doubt(self) -> Iterator[DiceState]:
        """What a throw that was given up says of the wires."""
        for die in DICE:
            self._missed[die] = 0 if die in self._told else self._missed[die] + 1
            if self._rolls:
                yield from self.state(die, "fault")
            elif self._missed[die] >= UNHEARD_THROWS:
                yield from self.state(die, "unheard")
