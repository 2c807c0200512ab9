"""The expected length of an evening, from the exact odds: Prepare, `rules` and `simulate` go by it."""

from functools import cache

from pi_bunco.rules.odds import ROLL_S, odds
from pi_bunco.rules.ruleset import RuleSet
from pi_bunco.rules.turns import WAYS_OF_THREE_DICE

CHANGE_S = 120.0
"""Seconds from a round's bell to the next: the last turns, OK, a tie now and then, everybody moves."""
FINAL = WAYS_OF_THREE_DICE / 6
"""Throws of a tournament's final, the mean: of 216 ways that three dice fall six are three of a kind."""
NEVER_RUNG_ROLLS = 1e9
"""Rolls to a bell that the dice alone never ring."""


def rounds(rules: RuleSet) -> int:
    """Rounds of the whole evening, a tournament's semi-final with them."""
    return rules.evening.rounds + (len(rules.evening.faces) if rules.tournament else 0)


def break_minutes(rules: RuleSet) -> int:
    """Minutes of all breaks: a tournament has one before its semi-final, wherever the rules name theirs."""
    evening = rules.evening
    breaks = int(0 < (evening.break_after or 0) < evening.sets) + rules.tournament
    return breaks * (evening.break_minutes or 0)


def still_minutes(rules: RuleSet) -> float:
    """Minutes of an evening in which nobody rolls."""
    return rounds(rules) * CHANGE_S / 60 + break_minutes(rules)


@cache
def rolls(rules: RuleSet) -> float:
    """Rolls of the head table to the bell, the mean of the faces of a set; a time limit cuts them off."""
    limit = rules.end.limit_s / ROLL_S if rules.end.limit_s else NEVER_RUNG_ROLLS
    bells = [odds(rules, face).bell for face in rules.evening.faces]
    return sum(min(bell.mean if bell else NEVER_RUNG_ROLLS, limit) for bell in bells) / len(bells)


def evening_rolls(rules: RuleSet) -> float:
    """Rolls of one table after the other in a whole evening."""
    return rolls(rules) * rounds(rules) + (FINAL if rules.tournament else 0)


def evening_minutes(rules: RuleSet) -> float:
    """Expected minutes of the whole evening, breaks included."""
    return evening_rolls(rules) * ROLL_S / 60 + still_minutes(rules)
