"""The words of a rule set as people say them."""

from collections.abc import Mapping

from pi_bunco.rules.ruleset import Category

PRIZES: Mapping[Category, str] = {
    "buncos": "most Buncos",
    "wins": "most wins",
    "losses": "most losses",
    "minis": "most minis",
    "score": "highest score",
    "lowest_score": "lowest score",
    "traveling": "holds the traveling bag at the end",
    "grand_prize": "grand prize of the final table",
    "first_bunco": "first Bunco of the evening",
    "last_bunco": "last Bunco of the evening",
    "one_two_three": "most rolls of 1-2-3",
    "loser_lottery": "drawn among those with most losses",
    "fifty_fifty": "drawn among all players",
}
"""What a prize is for."""
