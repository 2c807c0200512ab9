"""What is still found, in nights that are always played and others: whoever mends it takes the line out.

`python -m vopr --faults 10000 --from 1` tells of the numbered nights, `python -m vopr SEED` of any.
"""

from typing import Final

KNOWN: Final[dict[str, set[str]]] = {
    "7000223": {"misjudged"},  # a throw counts for the round on the card, which lost the news of the next
}
