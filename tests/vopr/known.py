"""What is still found in the nights that are always played: whoever mends it takes the line out.

`python -m vopr --faults 10000 --from 1` tells of these nights.
"""

from typing import Final

KNOWN: Final[dict[str, set[str]]] = {
    "8": {"unmeasured"},
    "10": {"misjudged"},
    "21": {"lost"},
    "22": {"misjudged"},
    "68": {"lost", "false sentence"},
    "102": {"lost"},
}
