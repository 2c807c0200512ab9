"""The proof of the face wires at the start of each throw: every one rises alone, `b0` first. Pure.

Two wires that touch, of which one driver always wins, tell a legal face and its complement, and so do two
that are swapped: only a wire that moves alone shows them.
"""

from pi_bunco.devices.dice.strobes import BITS, Blame

STEADY_MS = 10.0
"""A number on the face wires that lasts shorter is on its way to the next one; those of the proof last 25."""
PROVEN = [1, 2, 4]


class Proof:
    """What the face wires showed since the throw was opened and before the first strobe, in `values`.

    `tried` is True from the first strobe on.
    """

    def __init__(self) -> None:
        self.values: list[int] = []
        self.tried = False
        self._number = 0
        self._since = 0.0

    def begin(self, at: float) -> None:
        """A throw is opened at `at` (ms)."""
        self.values.clear()
        self._since = at
        self.tried = False

    def became(self, bit: str, on: bool, at: float) -> None:
        """The face wire changed at `at` (ms)."""
        if not self.tried and self._number and at - self._since >= STEADY_MS:
            self.values.append(self._number)
        place = 1 << BITS.index(bit)
        self._number = self._number | place if on else self._number & ~place
        self._since = at

    def blame(self) -> Blame | None:
        """What is wrong with the face wires as far as the proof tells; None if nothing is."""
        proof = self.values[: len(PROVEN)]
        if proof == PROVEN:
            return None
        if not self.values:
            return Blame((), "the face wires were not tried first: put the newest program on the dice box")
        if sorted(proof) == PROVEN:
            wrong = [bit for bit, seen, due in zip(BITS, proof, PROVEN, strict=True) if seen != due]
            return Blame(tuple(wrong), "are swapped")
        return Blame(BITS, "did not rise one after the other")
