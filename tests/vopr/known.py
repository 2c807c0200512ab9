"""What is still found in the nights that are always played: whoever mends it takes the line out.

`python -m vopr --faults 10000 --from 1` tells of the numbered nights, `python -m vopr SEED` of any.
"""

from typing import Final

KNOWN: Final[dict[str, set[str]]] = {
    "5000279": {"misjudged"},
}
