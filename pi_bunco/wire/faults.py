"""Sentences about what is wrong, cut to what a message has room for (PROTOCOL.md section 2)."""

from functools import lru_cache

import msgspec

MOST = 32
LONGEST = 400
ROOM = 6000
"""Bytes of JSON for all of them: a message has 8 KiB, with all else that it says."""


@lru_cache(16)  # they are told again and again
def fitting(faults: tuple[str, ...]) -> tuple[str, ...]:
    """Each sentence once, on one line, cut to `LONGEST`; of too many the last says how many are left out."""
    lines = list(dict.fromkeys(line for fault in faults if (line := _line(fault))))
    kept = lines[:MOST]
    while len(msgspec.json.encode(kept)) > ROOM:
        kept.pop()
    if len(kept) == len(lines):
        return tuple(kept)
    kept = kept[: MOST - 1]
    return (*kept, f"And {len(lines) - len(kept)} more.")


def _line(fault: str) -> str:
    line = " ".join(fault.encode("utf-8", "replace").decode().split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
