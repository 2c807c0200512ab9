"""Classic LED dice at their LED groups (firmware/README.md): four GPIO lines per die."""

from collections.abc import Iterable, Iterator

from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.protocols import DICE, DiceEvent
from pi_bunco.devices.throws.filtered_lines import FILTER_MS, FilteredLines
from pi_bunco.devices.throws.throw_rule import LIMIT_MS, Throws

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
        """The LED groups of the die, as in `_FACES`; empty if it is dark."""
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
