"""Lots: names in the order of the SHA-256 of seed, purpose and name, a line each."""

import hashlib
from collections.abc import Iterable


def lots(seed: str, purpose: str, names: Iterable[str]) -> list[str]:
    """The names as they are drawn, the first one wins."""
    return sorted(
        names, key=lambda name: hashlib.sha256("\n".join([seed, purpose, name]).encode()).hexdigest()
    )
