"""Findings that are still open, in nights that are always played and others: whoever mends one removes it.

`python -m vopr --faults 10000 --from 1` tells of the numbered nights, `python -m vopr SEED` of any.
"""

from typing import Final

KNOWN: Final[dict[str, set[str]]] = {}
