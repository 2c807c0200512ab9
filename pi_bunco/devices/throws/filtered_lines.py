"""Dice at GPIO lines, whatever their encoding: lines without spikes, and the state of each die."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator

from pi_bunco.devices.gpio.debounce import Filter
from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.protocols import DiceEvent, DiceState, DieState

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
        """When something follows from nothing having changed."""
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
        """When something follows from the dice, whatever the lines do."""

    @abstractmethod
    def _became(self, name: str, on: bool, began: float) -> Iterable[DiceEvent]:
        """The events that follow from a line having been on, or off, since `began`."""

    @abstractmethod
    def _happens(self, now: float) -> Iterator[DiceEvent]:
        """The events that follow from the time alone."""
