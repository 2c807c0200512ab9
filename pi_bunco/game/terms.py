"""What people call prizes and stages."""

from collections.abc import Sequence

TITLES = {
    "buncos": "Most Buncos",
    "wins": "Most wins",
    "losses": "Most losses",
    "minis": "Most minis",
    "score": "Highest score",
    "lowest_score": "Lowest score",
    "traveling": "Traveling bag",
    "grand_prize": "Grand prize",
    "first_bunco": "First Bunco",
    "last_bunco": "Last Bunco",
    "one_two_three": "Most rolls of 1-2-3",
    "loser_lottery": "Loser lottery",
    "fifty_fifty": "Fifty-fifty",
}
"""What people call the prizes."""
STAGES = {
    "groups": "groups",
    "qualification": "qualification",
    "semi_final": "semi-final",
    "order": "roll for who begins",
    "final": "final",
    "done": "end",
}
"""What people call the stages."""


SOUGHT = {kind: title[:1].lower() + title[1:] for kind, title in TITLES.items()} | {
    "order": "who begins",
    "final": "the grand prize",
}
"""What is rolled for, in a sentence: "most Buncos", "who begins"."""


def sought(purpose: str) -> str:
    """What is rolled for, in a sentence."""
    return SOUGHT.get(purpose, purpose[:1].lower() + purpose[1:])


def together(names: Sequence[str]) -> str:
    """Names as a sentence joins them: `Ann, Bob and Cat`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
