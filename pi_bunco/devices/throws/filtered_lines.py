"""Dice at GPIO lines without spikes, and classic dice at their LEDs (firmware/README.md)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from pi_bunco.devices.gpio.debounce import Filter
from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.protocols import DICE, DiceEvent, DiceState, DieState
from pi_bunco.devices.throws.throw_rule import LIMIT_MS, Throws

FILTER_MS = 5.0
"""Anything shorter on a line is a spike."""


class FilteredLines(ABC):
    """Lines without spikes, whose changes and silences are taken one moment after the other."""

    def __init__(self, names: Iterable[str]) -> None:
        self.filters = {name: Filter(FILTER_MS) for name in names}
        self._changing: set[str] = set()  # lines with an edge that may yet be a spike
        self._states: dict[int, DieState] = {}
        self._reasons: dict[int, str] = {}

    @property
    def due(self) -> float | None:
        """Time (ms) at which unchanged lines mean something; None for never."""
        levels = (self.filters[name].due for name in self._changing)
        return min((*self._dues(), *(due for due in levels if due is not None)), default=None)

    def change(self, change: Change) -> Iterator[DiceEvent]:
        """The events that follow from a change, and from the time before it."""
        yield from self.quiet(change.at)
        line = self.filters[change.name]
        line.edge(change.on, change.at)
        if line.due is None:
            self._changing.discard(change.name)
        else:
            self._changing.add(change.name)

    def quiet(self, now: float) -> Iterator[DiceEvent]:
        """The events that follow from nothing having changed up to `now`."""
        while (due := self.due) is not None and due <= now:
            for name in [name for name in self.filters if name in self._changing]:
                line = self.filters[name]
                if (began := line.quiet(due)) is not None:
                    self._changing.discard(name)
                    yield from self._became(name, line.on, began)
            yield from self._happens(due)

    def pending(self, at: float) -> bool:
        """True while a throw that ended by `at` (ms) is still to be reported."""
        return bool(self._changing) or self._ended_by(at)

    def state(self, die: int, state: DieState, why: str = "") -> Iterator[DiceState]:
        """The change of a die's state, or of what is wrong with it, if it is one."""
        if self._states.get(die) != state or self._reasons.get(die, "") != why:
            self._states[die], self._reasons[die] = state, why
            yield DiceState(die, state, why)

    @abstractmethod
    def _ended_by(self, at: float) -> bool:
        """True while a throw whose dice lay still by `at` (ms) is open."""

    @abstractmethod
    def _dues(self) -> Iterable[float]:
        """Times (ms) at which the dice say something, whatever the lines do."""

    @abstractmethod
    def _became(self, name: str, on: bool, began: float) -> Iterable[DiceEvent]:
        """Events that follow from a line having been on, or off, since `began`."""

    @abstractmethod
    def _happens(self, now: float) -> Iterator[DiceEvent]:
        """Events that follow from the time alone."""


STIR_MS = 50.0
SETTLE_MS = 1200
"""A classic die that shows the same face for that long has settled."""

_LEDS = ("centre", "diagonal1", "diagonal2", "sides")
_FACES = {
    "1000": 1, "0100": 2, "0010": 2, "1100": 3, "1010": 3, "0110": 4, "1110": 5, "0111": 6,
}  # fmt: skip
"""The face of LED groups that are lit; a two is either diagonal, and so is that of a three."""


class LedDice(FilteredLines):
    """Three classic dice at their LEDs: a face that does not change for `settle_ms` after a change is thrown.

    A die that goes dark saves its battery: that is no tumbling, and no face either. Its LEDs do not go dark
    at the same moment, so a change says only after `STIR_MS` what it is.
    """

    def __init__(self, settle_ms: float = SETTLE_MS) -> None:
        super().__init__(f"die{die}.{led}" for die in DICE for led in _LEDS)
        self._leds = {die: [self.filters[f"die{die}.{led}"] for led in _LEDS] for die in DICE}
        self._throws = Throws()
        self._settle = settle_ms
        self._stirred: dict[int, float] = {}
        self._latest: dict[int, float] = {}
        self._tumbling: set[int] = set()

    def change(self, change: Change) -> Iterator[DiceEvent]:
        """The events that follow from a change and the time before it; an LED lit already is no change."""
        if change.already:
            self.filters[change.name].begin(True)
            return
        yield from super().change(change)

    def _ended_by(self, at: float) -> bool:
        return self._throws.open and max(self._latest.values(), default=at) <= at

    def _dues(self) -> Iterator[float]:
        yield from (at + STIR_MS for at in self._stirred.values())
        yield from (self._latest[die] + self._settle for die in self._tumbling if self._lit(die))
        if self._throws.opened is not None:
            yield self._throws.opened + LIMIT_MS + self._settle + FILTER_MS

    def _lit(self, die: int) -> str:
        """Lit LED groups of the die, as in `_FACES`; empty if it is dark."""
        lit = "".join(["01"[led.on] for led in self._leds[die]])
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
                yield from self._throws.tumbled(die, began)
        for die in sorted(self._tumbling, key=lambda die: self._latest[die]):
            if self._lit(die) and self._latest[die] + self._settle <= now:
                self._tumbling.remove(die)
                yield from self._settled(die, self._latest[die])
        opened = self._throws.opened
        if opened is not None and now >= opened + LIMIT_MS + self._settle + FILTER_MS:
            yield from self._throws.tick(now)

    def _settled(self, die: int, at: float) -> Iterator[DiceEvent]:
        face = _FACES.get(self._lit(die))
        if face is None:
            yield from self.state(die, "fault")
            yield from self._throws.invalid(die, "fault", at)
        else:
            yield from self.state(die, "ok")
            yield from self._throws.settled(die, face, at)
