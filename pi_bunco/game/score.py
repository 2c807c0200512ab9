"""What one roll is, and what it is worth in a round."""

from functools import cache
from itertools import product

from msgspec import Struct

from pi_bunco.rules import RuleSet

MISS, ONE, TWO, MINI, BUNCO = range(5)
CALLS = {"miss": MISS, "one": ONE, "two": TWO, "mini": MINI, "bunco": BUNCO}
CHANCES = (120, 75, 15, 5, 1)
"""Of the 216 throws of three fair dice, how many give each of the outcomes above."""


class Score(Struct, frozen=True):
    """One round's scoring: each throw's outcome, and per outcome the points and whether the turn goes on."""

    outcomes: dict[tuple[int, int, int], int]
    points: tuple[int, int, int, int, int]
    goes_on: tuple[bool, bool, bool, bool, bool]
    session: tuple[int, int, int, int, int]
    """Points per outcome in a `session` roll-off, where a mini is a miss."""


def outcome(dice: tuple[int, int, int], target: int) -> int:
    """What three dice are in the round of `target`: MISS, ONE, TWO, MINI or BUNCO."""
    matches = dice.count(target)
    if matches == 3:
        return BUNCO
    return MINI if dice[0] == dice[1] == dice[2] else matches


@cache
def score(rules: RuleSet, target: int) -> Score:
    """The scoring of the round of `target` (1-6) under `rules`."""
    match = target if rules.scoring.match == "face" else 1
    points = (0, match, 2 * match, rules.scoring.mini, rules.scoring.bunco)
    mini_goes_on = points[MINI] > 0 and not rules.turn.mini_ends
    return Score(
        outcomes={(a, b, c): outcome((a, b, c), target) for a, b, c in product(range(1, 7), repeat=3)},
        points=points,
        goes_on=(False, True, True, mini_goes_on, True),
        session=(0, match, 2 * match, 0, rules.scoring.bunco),
    )
