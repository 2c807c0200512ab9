"""The two words, and the blinks of a light, by which a host sees that head and Pi mean each other.

`words.txt` has 2,048 English words that differ in their first four letters (BIP 39; MIT licence, copyright
2013-2016 Pavol Rusnak).
"""

import functools
from importlib import resources

WORD_BITS = 11
BLINK_GROUPS, MOST_BLINKS = 8, 6
"""Groups of 1 to 6 blinks that a light shows for the same digest."""


@functools.cache
def listed() -> tuple[str, ...]:
    """All words, in the order of their numbers."""
    text = (resources.files("pi_bunco.enrol") / "words.txt").read_text("ascii")
    return tuple(text.split())


def two_words(digest: bytes) -> tuple[str, str]:
    """The words for the first 22 bits of a digest."""
    number = int.from_bytes(digest[:4]) >> 32 - 2 * WORD_BITS
    return listed()[number >> WORD_BITS], listed()[number & (1 << WORD_BITS) - 1]


def blinks(digest: bytes) -> tuple[int, ...]:
    """The groups of blinks for sixteen further bytes of a digest, 1,679,616 kinds."""
    number = int.from_bytes(digest[8:24])
    return tuple(number // MOST_BLINKS**place % MOST_BLINKS + 1 for place in range(BLINK_GROUPS))
