"""Which wires of the dice box's bus explain what was read (PROTOCOL.md section 4). Pure."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from pi_bunco.devices.dice.strobes import BITS, Blame

TOGETHER_MS = 2.0
"""Two lines that rise within that, again and again, touch."""


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
