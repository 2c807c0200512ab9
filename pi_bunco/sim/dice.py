"""Fair dice, fast."""

from collections.abc import Iterator
from itertools import chain, product, repeat
from random import Random

Throw = tuple[int, int, int]

THROWS: tuple[Throw, ...] = tuple((a, b, c) for a, b, c in product(range(1, 7), repeat=3))
"""The 216 ways that three dice can fall."""
_REJECTED = bytes(range(len(THROWS), 256))
_BLOCK = 1024  # bytes drawn at once


def throws(random: Random) -> Iterator[Throw]:
    """Throws of three fair dice without end: a random byte each, drawn again where it is above 215."""
    blocks = map(random.randbytes, repeat(_BLOCK))
    kept = (block.translate(None, delete=_REJECTED) for block in blocks)
    return map(THROWS.__getitem__, chain.from_iterable(kept))
