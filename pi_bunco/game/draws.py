"""Draws that depend on the evening's seed alone, so that anybody can draw again from the log.

A draw puts names in the order of the SHA-256 of seed, purpose and name, one to a line. It is the same on
every machine and in every language, and does not depend on the order in which the names are given.
"""

from collections.abc import Iterable
from hashlib import sha256


def drawn(seed: str, purpose: str, names: Iterable[str]) -> list[str]:
    """`names` in drawn order, the first one wins; `purpose` tells the draws of an evening apart."""
    return sorted(names, key=lambda name: (sha256(f"{seed}\n{purpose}\n{name}".encode()).digest(), name))
