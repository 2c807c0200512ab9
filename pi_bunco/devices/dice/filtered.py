"""What decoders of dice at GPIO lines have in common: lines without spikes, and the state of each die."""

from collections.abc import Iterable, Iterator

from pi_bunco.devices.dice.throws import Outcome
from pi_bunco.devices.gpio.debounce import Filter
from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.protocols import DiceEvent, DiceState, DieState, Throw, ThrowVoid

FILTER_MS = 5.0
"""What is shorter on a line is a spike."""


class FilteredLines:
    """Lines without spikes, whose changes and silences are taken one moment after the other."""

    def __init__(self, names: Iterable[str]) -> None:
        self.filters = {name: Filter(FILTER_MS) for name in names}
        self._states: dict[int, DieState] = {}
        self._reasons: dict[int, str] = {}

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

    def pending(self, at: float) -> bool:
        """Whether a throw that ended by `at` (ms) is still to be reported."""
        return any(True for _ in self._levels_due()) or self._ended_by(at)

    def _ended_by(self, at: float) -> bool:
        raise NotImplementedError

    def _levels_due(self) -> Iterator[float]:
        return (due for line in self.filters.values() if (due := line.due) is not None)

    def state(self, die: int, state: DieState, why: str = "") -> Iterator[DiceState]:
        """The change of a die's state, or of what is wrong with it, if it is one."""
        if self._states.get(die) != state or self._reasons.get(die, "") != why:
            self._states[die], self._reasons[die] = state, why
            yield DiceState(die, state, why)

    def _dues(self) -> Iterator[float]:
        raise NotImplementedError

    def _became(self, name: str, on: bool, began: float) -> Iterable[DiceEvent]:
        raise NotImplementedError

    def _happens(self, now: float) -> Iterator[DiceEvent]:
        raise NotImplementedError


def outcomes(outcome: Outcome) -> Iterator[Throw | ThrowVoid]:
    """The outcome, if there is one."""
    if outcome is not None:
        yield outcome
