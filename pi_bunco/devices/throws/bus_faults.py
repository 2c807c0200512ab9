"""Faults of the dice box's bus: which wires explain what was read (firmware/README.md). Pure.

At the start of each throw comes the proof of the face wires: every one rises alone, `b0` first, a while after
`rolling` did.

Face wires that change places all three tell a legal face and its second number: only a wire that moves alone
shows them. It also names two that touch.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from pi_bunco.devices.throws.strobes import BITS, Blame

STEADY_MS = 10.0
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
        if not self.tried and at - self._since >= STEADY_MS:
            if self._number:
                self.values.append(self._number)
            elif not self.values:
                self._rested = True
        place = 1 << BITS.index(bit)
        self._number = self._number | place if on else self._number & ~place
        self._since = at

    def blame(self) -> Blame | None:
        """The fault of the face wires as far as the proof tells; None if there is none.

        Readings may miss the rest between its last number and a first face that is the same.
        """
        proof = [*self.values, self._number][: len(PROVEN)]
        if proof == PROVEN:
            return None if self._rested else Blame((BITS[0], "rolling"), "changed together")
        if not self.values:
            return Blame((), "the face wires were not tried first: put the newest program on the dice box")
        if sorted(proof) == PROVEN:
            wrong = [bit for bit, seen, due in zip(BITS, proof, PROVEN, strict=True) if seen != due]
            return Blame(tuple(wrong), "are swapped")
        return Blame(BITS, "did not rise one after the other")


def constant(values: Sequence[int]) -> Blame | None:
    """Face wires that never changed under the strobes, or always changed together, if there are any.

    Each bit is told once low and once high for every die, whatever that shows.
    """
    if len(values) < 2:
        return None
    bits = {bit: [bool(value >> place & 1) for value in values] for place, bit in enumerate(BITS)}
    if low := tuple(bit for bit in BITS if not any(bits[bit])):
        return Blame(low, "stayed low")
    if high := tuple(bit for bit in BITS if all(bits[bit])):
        return Blame(high, "stayed high")
    same = [pair for pair in combinations(BITS, 2) if bits[pair[0]] == bits[pair[1]]]
    return Blame(same[0], "always changed together") if same else None


def touching(rises: Mapping[str, Iterable[float]], least: int, one_of: Iterable[str]) -> Blame | None:
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
    return Blame(pair, "changed together") if pair and hits[pair] >= least else None
