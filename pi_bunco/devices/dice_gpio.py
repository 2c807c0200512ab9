"""Dice at GPIO lines (PROTOCOL.md section 4): the box's bus with strobes, and classic dice at their LEDs."""

from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from pi_bunco.devices.debounce import Filter
from pi_bunco.devices.gpio import Gpio
from pi_bunco.devices.gpio.decoding import Change, Decoder, Decoding
from pi_bunco.devices.pins import Plan
from pi_bunco.devices.protocols import DiceEvent, DiceState, DieState, Put, Throw, ThrowVoid
from pi_bunco.devices.throws import DICE, LIMIT_MS, Outcome, Throws
from pi_bunco.runtime.clock import Clock

Encoding = Literal["bus", "led7"]
ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
FILTER_MS = 5.0
"""What is shorter on a line is a spike."""
READ_MS = 20.0
"""So long after a strobe's beginning, in the midst of what the box holds still, the face is read."""
QUIET_MS = 130.0
"""A die that waits to be told is strobed within so many ms of the strobe before (90 by the protocol)."""
GRACE_MS = 500.0
"""Three dice that settled at the last moment are told within that."""
LATE_MS = 2000.0
"""A strobe without a throw is the end of an earlier one, if the dice still rolled so many ms ago."""
UNHEARD_THROWS = 2
STIR_MS = 50.0
SETTLE_MS = 1200
"""A classic die that shows the same face for so long has settled."""

BUS = ("b0", "b1", "b2", "strobe1", "strobe2", "strobe3", "rolling")
_BITS = ("b0", "b1", "b2")
_LEDS = ("centre", "diagonal1", "diagonal2", "sides")
_FACES = {
    "1000": 1, "0100": 2, "0010": 2, "1100": 3, "1010": 3, "0110": 4, "1110": 5, "0111": 6,
}  # fmt: skip
"""The face of LED groups that are lit; a two is either diagonal, and so is that of a three."""


class _Lines:
    """Lines without spikes, whose changes and silences are taken one moment after the other."""

    def __init__(self, names: Iterable[str]) -> None:
        self.filters = {name: Filter(FILTER_MS) for name in names}
        self._states: dict[int, DieState] = {}

    @property
    def due(self) -> float | None:
        """When something follows from nothing having changed."""
        return min((*self._dues(), *self._levels_due()), default=None)

    def change(self, change: Change) -> Iterator[DiceEvent]:
        """What follows from a change, and from the time before it."""
        yield from self.quiet(change.at)
        self.filters[change.name].edge(change.on, change.at)

    def quiet(self, now: float) -> Iterator[DiceEvent]:
        """What follows from nothing having changed up to `now`."""
        while (due := self.due) is not None and due <= now:
            for name, line in self.filters.items():
                if (began := line.quiet(due)) is not None:
                    yield from self._became(name, line.on, began)
            yield from self._happens(due)

    def _levels_due(self) -> Iterator[float]:
        return (due for line in self.filters.values() if (due := line.due) is not None)

    def _state(self, die: int, state: DieState) -> Iterator[DiceState]:
        if self._states.get(die) != state:
            self._states[die] = state
            yield DiceState(die, state)

    def _dues(self) -> Iterator[float]:
        raise NotImplementedError

    def _became(self, name: str, on: bool, began: float) -> Iterable[DiceEvent]:
        raise NotImplementedError

    def _happens(self, now: float) -> Iterator[DiceEvent]:
        raise NotImplementedError


class BusDice(_Lines):
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
                yield from self._state(die, "ok")

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
            yield from self._state(die, "fault")
            yield from _some(self._throws.invalid(die, "fault", at))
            return
        self._faces[die], self._told[die] = face, at
        yield from self._state(die, "ok")

    def _open(self, at: float) -> Iterator[DiceEvent]:
        if not self._throws.open:
            self._fell = None
            self._faces.clear()
            self._told.clear()
            for die in DICE:
                yield from _some(self._throws.tumbled(die, at))

    def _finish(self) -> Iterator[DiceEvent]:
        """All three settled, the last of them when `rolling` fell."""
        settled = max(self._told.values())
        if self._fell is not None:
            settled = min(settled, self._fell)
        if settled > (self._throws.opened or settled) + LIMIT_MS:
            yield from _some(self._throws.void("a die settled too late", settled))
        for die, face in self._faces.items():
            yield from _some(self._throws.settled(die, face, settled))
        self._faces.clear()

    def _give_up(self, at: float) -> Iterator[DiceEvent]:
        if len(self._faces) == len(DICE):
            yield from _some(self._throws.void("a die settled too late", at))
        for die, face in self._faces.items():
            yield from _some(self._throws.settled(die, face, at))
        yield from _some(self._throws.tick(at + GRACE_MS))
        yield from self._doubt()

    def _doubt(self) -> Iterator[DiceState]:
        """What a throw that was given up says of the wires."""
        for die in DICE:
            self._missed[die] = 0 if die in self._told else self._missed[die] + 1
            if self._rolls:
                yield from self._state(die, "fault")
            elif self._missed[die] >= UNHEARD_THROWS:
                yield from self._state(die, "unheard")


class LedDice(_Lines):
    """Three classic dice at their LEDs: a face that does not change for `settle_ms` after a change is thrown.

    A die that goes dark saves its battery: that is no tumbling, and no face either. Its LEDs do not go dark
    at the same moment, so a change says only after `STIR_MS` what it is.
    """

    def __init__(self, settle_ms: float = SETTLE_MS) -> None:
        super().__init__(f"die{die}.{led}" for die in DICE for led in _LEDS)
        self._throws = Throws()
        self._settle = settle_ms
        self._stirred: dict[int, float] = {}
        self._latest: dict[int, float] = {}
        self._tumbling: set[int] = set()

    def change(self, change: Change) -> Iterator[DiceEvent]:
        """What follows from a change, and from the time before it; what is lit already is no change."""
        if change.already:
            self.filters[change.name].begin(True)
            return
        yield from super().change(change)

    def _dues(self) -> Iterator[float]:
        yield from (at + STIR_MS for at in self._stirred.values())
        yield from (self._latest[die] + self._settle for die in self._tumbling if self._lit(die))
        if self._throws.opened is not None:
            yield self._throws.opened + LIMIT_MS + self._settle + FILTER_MS

    def _lit(self, die: int) -> str:
        """The LED groups of the die, as in `_FACES`; empty if it is dark."""
        lit = "".join(str(int(self.filters[f"die{die}.{led}"].on)) for led in _LEDS)
        return lit if "1" in lit else ""

    def _became(self, name: str, _on: bool, began: float) -> Iterable[DiceEvent]:
        die = int(name[len("die")])
        self._latest[die] = began
        if die not in self._tumbling:
            self._stirred.setdefault(die, began)
        return ()

    def _happens(self, now: float) -> Iterator[DiceEvent]:
        for die in [die for die, at in self._stirred.items() if at + STIR_MS <= now]:
            began = self._stirred.pop(die)
            if self._lit(die):
                self._tumbling.add(die)
                yield from _some(self._throws.tumbled(die, began))
        for die in sorted(self._tumbling, key=lambda die: self._latest[die]):
            if self._lit(die) and self._latest[die] + self._settle <= now:
                self._tumbling.remove(die)
                yield from self._settled(die, self._latest[die])
        opened = self._throws.opened
        if opened is not None and now >= opened + LIMIT_MS + self._settle + FILTER_MS:
            yield from _some(self._throws.tick(now))

    def _settled(self, die: int, at: float) -> Iterator[DiceEvent]:
        face = _FACES.get(self._lit(die))
        if face is None:
            yield from self._state(die, "fault")
            yield from _some(self._throws.invalid(die, "fault", at))
        else:
            yield from self._state(die, "ok")
            yield from _some(self._throws.settled(die, face, at))


def _some(outcome: Outcome) -> Iterator[Throw | ThrowVoid]:
    if outcome is not None:
        yield outcome


class GpioDice(Decoding[DiceEvent]):
    """Dice at lines of the header."""

    def committed(self, boot: str, seq: int) -> None:
        """Lines remember nothing."""


def gpio_dice(
    gpio: Gpio, plan: Plan, put: Put, clock: Clock, encoding: Encoding = "bus", settle_ms: float = SETTLE_MS
) -> GpioDice:
    """The dice at the lines `dice.*`, or `led7.*`; `DeviceError` says which line cannot be had."""
    decoder: Decoder[DiceEvent] = LedDice(settle_ms) if encoding == "led7" else BusDice()
    group = "led7." if encoding == "led7" else "dice."
    lines = {name.removeprefix(group): line for name, line in plan.items() if name.startswith(group)}
    return GpioDice(gpio, lines, decoder, put, clock)
