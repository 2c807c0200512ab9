"""The outcome of a roll, and its worth in a round."""

from functools import cache
from itertools import product

from msgspec import Struct

from pi_bunco.game.facts import Roll
from pi_bunco.rules import RuleSet

MISS, ONE, TWO, MINI, BUNCO, WIPE, BAG_MINI = range(7)
"""Outcomes of a roll; WIPE is three of `scoring.wipe`, BAG_MINI a mini of the face that hands the bag on."""
CALLS = {"miss": MISS, "one": ONE, "two": TWO, "mini": MINI, "bunco": BUNCO, "wipe": WIPE}
Dice = tuple[int, int, int]


class Score(Struct, frozen=True):
    """One round's scoring: each throw's outcome, and what every outcome means.

    By outcome: the points, whether the turn goes on, the points in a `session` roll-off (where a mini is a
    miss), and whether it hands the traveling bag on.
    """

    target: int
    wipe: int | None
    outcomes: dict[Dice, int]
    points: tuple[int, ...]
    goes_on: tuple[bool, ...]
    session: tuple[int, ...]
    hands_on: tuple[bool, ...]

    def of(self, roll: Roll) -> int | None:
        """The outcome of `roll`; None for a wipe by hand where this round has none."""
        if roll.dice is not None:
            return self.outcomes[roll.dice]
        if roll.face is not None:
            return self.outcomes[(roll.face, roll.face, roll.face)]
        outcome = CALLS[roll.call or "miss"]
        return None if outcome == WIPE and self.wipe is None else outcome


@cache
def score(rules: RuleSet, target: int) -> Score:
    """The scoring of the round of `target` (1-6) under `rules`."""
    match = target if rules.scoring.match == "face" else 1
    mini, bunco = rules.scoring.mini, rules.scoring.bunco
    wipe = None if rules.scoring.wipe == target else rules.scoring.wipe
    bag = rules.traveling
    mini_goes_on = mini > 0 and not rules.turn.mini_ends

    def outcome(dice: Dice) -> int:
        matches = dice.count(target)
        if matches == 3:
            return BUNCO
        if not dice[0] == dice[1] == dice[2]:
            return matches
        if dice[0] == wipe:
            return WIPE
        return BAG_MINI if dice[0] == bag else MINI

    return Score(
        target=target,
        wipe=wipe,
        outcomes={(a, b, c): outcome((a, b, c)) for a, b, c in product(range(1, 7), repeat=3)},
        points=(0, match, 2 * match, mini, bunco, 0, mini),
        goes_on=(False, True, True, mini_goes_on, True, not rules.scoring.wipe_ends, mini_goes_on),
        session=(0, match, 2 * match, 0, bunco, 0, 0),
        hands_on=(
            *(False, False, False, bag == "mini"),
            bag in ("bunco", target),
            bag is not None and bag == wipe,
            bag is not None,
        ),
    )
