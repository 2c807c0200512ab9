"""The dice box's bus (firmware/README.md): strobes put together into faces, each told twice. Pure.

Faults: which wires explain what was read. At the start of each throw comes the proof of the face wires: every
one rises alone, `b0` first, a while after `rolling` did. Face wires that change places all three tell a legal
face and its second number: only a wire that moves alone shows them. It also names two that touch.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from msgspec import Struct

from pi_bunco.devices.throws import reasons

READ_MS = 12.0
"""From a strobe's beginning, in the midst of its 25 ms, to the reading of the face lines."""
PAIR_MS = 400.0
"""The second strobe of a die begins within that after the first one's end."""
LONG_MS = 400.0
"""No strobe lasts that long."""
LINE_DELAY_MS = 20.0
"""From a change of a line to its being known, at most."""
BITS = ("b0", "b1", "b2")


def second(face: int) -> int:
    """The number that tells a face the second time: 7 minus it, each bit on the next wire (b2's on b0).

    So no wire tells a bit and its complement, and no two wires that touch tell a face and its second number.
    """
    rest = 7 - face
    return (rest << 1 | rest >> 2) & 7


class StrobedFace(Struct, frozen=True):
    """The box told this face of the die; `at` is when it began to."""

    die: int
    face: int
    at: float


class BadStrobe(Struct, frozen=True):
    """A strobe of these dice without a face, and the wires to blame as far as it alone tells."""

    dice: tuple[int, ...]
    blame: reasons.Blame


class _First(Struct, frozen=True):
    """First strobe that waits for its second."""

    die: int
    value: int
    began: float
    ended: float


class Strobes:
    """Takes the rises and falls of the three strobes, whose times are ms and do not fall.

    `values` are all that was read since it was cleared; `last` is when a strobe ended last.
    """

    def __init__(self) -> None:
        self.values: list[int] = []
        self.last = -math.inf
        self._high: dict[int, float] = {}
        self._read: dict[int, int] = {}
        self._first: _First | None = None

    @property
    def busy(self) -> bool:
        """True while a strobe is high or waits for its second."""
        return bool(self._high) or self._first is not None

    @property
    def high(self) -> tuple[int, ...]:
        """The dice whose strobe is high."""
        return tuple(self._high)

    def dues(self) -> list[float]:
        """Times (ms) at which unchanged lines mean something."""
        dues = [rose + (LONG_MS if die in self._read else READ_MS) for die, rose in self._high.items()]
        if self._first is not None and not dues:
            dues.append(self._first.ended + PAIR_MS + LINE_DELAY_MS)
        return dues

    def rise(self, die: int, at: float) -> BadStrobe | None:
        """The strobe of `die` rose."""
        others = self.high
        self._high[die] = at
        if not others:
            return None
        dice = tuple(sorted({*others, die}))
        return self._bad(dice, reasons.HighTogether(tuple(f"strobe{one}" for one in dice)))

    def fall(self, die: int, at: float) -> StrobedFace | BadStrobe | None:
        """The strobe of `die` fell; one that was too short to be read is a spike."""
        rose, value = self._high.pop(die, None), self._read.pop(die, None)
        if rose is None or value is None:
            return None
        self.last = at
        return self._strobed(die, value, rose, at)

    def happens(self, now: float, levels: Mapping[str, bool]) -> Iterator[BadStrobe]:
        """The bad strobes that follow from the time; `levels` are those of the face lines now."""
        for die, rose in list(self._high.items()):
            if die not in self._read and rose + READ_MS <= now:
                self._read[die] = sum(levels[bit] << place for place, bit in enumerate(BITS))
                self.values.append(self._read[die])
            elif rose + LONG_MS <= now:
                del self._high[die], self._read[die]
                yield self._bad((die,), reasons.StayedHigh((f"strobe{die}",)))
        first = self._first
        if first is not None and not self._high and first.ended + PAIR_MS + LINE_DELAY_MS <= now:
            yield self._bad((first.die,), reasons.RoseOnce((f"strobe{first.die}",)))

    def clear(self) -> None:
        """Forgets what was told."""
        self.values.clear()
        self._first = None

    def _strobed(self, die: int, value: int, rose: float, fell: float) -> StrobedFace | BadStrobe | None:
        first, self._first = self._first, None
        if not 1 <= value <= 6:
            return self._bad((die,), reasons.ToldAsNoFace((), value))
        if first is None:
            self._first = _First(die, value, rose, fell)
            return None
        if first.die != die:
            self._first = _First(die, value, rose, fell)
            return BadStrobe((first.die,), reasons.RoseOnce((f"strobe{first.die}",)))
        if rose > first.ended + PAIR_MS:
            return self._bad((die,), reasons.RoseLate((f"strobe{die}",)))
        if value != second(first.value):
            again = next(face for face in range(1, 7) if second(face) == value)
            return self._bad((die,), reasons.ToldTwoFaces((), first.value, again))
        return StrobedFace(die, first.value, first.began)

    def _bad(self, dice: tuple[int, ...], blame: reasons.Blame) -> BadStrobe:
        self._first = None
        return BadStrobe(dice, blame)


STEADY_NUMBER_MS = 10.0
"""A number on the face wires that lasts shorter is on its way to the next one; those of the proof last 25."""
PROVEN = [1, 2, 4]
TOGETHER_MS = 2.0
"""Two lines that rise within that, again and again, touch."""


class Proof:
    """The numbers on the face wires since the throw was opened and before the first strobe, in `values`.

    `tried` is True from the first strobe on.
    """

    def __init__(self) -> None:
        self.values: list[int] = []
        self.tried = False
        self._number = 0
        self._since = 0.0
        self._rested = False

    def begin(self, at: float) -> None:
        """A throw is opened at `at` (ms)."""
        self.values.clear()
        self._since = at
        self._rested = self.tried = False

    def became(self, bit: str, on: bool, at: float) -> None:
        """The face wire changed at `at` (ms)."""
        if not self.tried and at - self._since >= STEADY_NUMBER_MS:
            if self._number:
                self.values.append(self._number)
            elif not self.values:
                self._rested = True
        place = 1 << BITS.index(bit)
        self._number = self._number | place if on else self._number & ~place
        self._since = at

    def blame(self) -> reasons.Blame | None:
        """The fault of the face wires as far as the proof tells; None if there is none.

        Readings may miss the rest between its last number and a first face that is the same.
        """
        proof = [*self.values, self._number][: len(PROVEN)]
        if proof == PROVEN:
            return None if self._rested else reasons.ChangedTogether((BITS[0], "rolling"))
        if not self.values:
            return reasons.NotTried(())
        if sorted(proof) == PROVEN:
            wrong = [bit for bit, seen, due in zip(BITS, proof, PROVEN, strict=True) if seen != due]
            return reasons.Swapped(tuple(wrong))
        return reasons.OutOfOrder(BITS)


def constant(values: Sequence[int]) -> reasons.Blame | None:
    """Face wires that never changed under the strobes, or always changed together, if there are any.

    Each bit is told once low and once high for every die, whatever that shows.
    """
    if len(values) < 2:
        return None
    bits = {bit: [bool(value >> place & 1) for value in values] for place, bit in enumerate(BITS)}
    if low := tuple(bit for bit in BITS if not any(bits[bit])):
        return reasons.StayedLow(low)
    if high := tuple(bit for bit in BITS if all(bits[bit])):
        return reasons.StayedHigh(high)
    same = [pair for pair in combinations(BITS, 2) if bits[pair[0]] == bits[pair[1]]]
    return reasons.AlwaysTogether(same[0]) if same else None


def touching(rises: Mapping[str, Iterable[float]], least: int, one_of: Iterable[str]) -> reasons.Blame | None:
    """Two wires that rose together `least` times or more, one of them in `one_of`.

    In a good cable only face wires rise together.
    """
    concerned = set(one_of)
    hits = {
        (one, other): sum(any(abs(at - its) <= TOGETHER_MS for its in rises[other]) for at in rises[one])
        for one, other in combinations(rises, 2)
        if one in concerned or other in concerned
    }
    pair = max(hits, key=hits.__getitem__, default=None)
    return reasons.ChangedTogether(pair) if pair and hits[pair] >= least else None
