"""What one roll is, and what it is worth."""

from dataclasses import dataclass
from typing import Any

NUMBERS = {"miss": 0, "one": 1, "two": 2}


@dataclass(frozen=True)
class Outcome:
    """`matches` dice of the target, or three alike of `triple` (0: of no face)."""

    matches: int
    triple: int | None
    kind: str  # plain, bunco, mini, wipe
    one_two_three: bool = False


def outcome(fact: dict[str, Any], target: int, wipe: int | None) -> Outcome | None:
    """The roll of a fact; nothing for a wipe by hand where no face wipes in this round."""
    if fact.get("dice") is not None:
        return _thrown(fact["dice"], target, wipe)
    call = fact["call"]
    if call in NUMBERS:
        return Outcome(NUMBERS[call], None, "plain")
    if call == "bunco":
        return Outcome(3, target, "bunco")
    if call == "wipe":
        return None if wipe is None or wipe == target else Outcome(0, wipe, "wipe")
    face = fact.get("face")
    return Outcome(0, 0, "mini") if face is None else _thrown([face] * 3, target, wipe)


def _thrown(dice: list[int], target: int, wipe: int | None) -> Outcome:
    matches = dice.count(target)
    one_two_three = sorted(dice) == [1, 2, 3]
    if dice[0] != dice[1] or dice[1] != dice[2]:
        return Outcome(matches, None, "plain", one_two_three)
    if matches == 3:
        return Outcome(3, target, "bunco")
    return Outcome(0, dice[0], "wipe" if dice[0] == wipe else "mini")


def worth(roll: Outcome, rules: dict[str, Any], target: int) -> int:
    """Its points in ordinary play."""
    if roll.kind == "bunco":
        return int(rules["scoring.bunco"])
    if roll.kind == "mini":
        return int(rules["scoring.mini"])
    return roll.matches * (target if rules["scoring.match"] == "face" else 1)


def worth_in_session(roll: Outcome, rules: dict[str, Any], target: int) -> int:
    """Its points in a `session` roll-off, where only dice of the target score."""
    return 0 if roll.kind in ("mini", "wipe") else worth(roll, rules, target)


def goes_on(roll: Outcome, rules: dict[str, Any], target: int) -> bool:
    """Whether the turn goes on after it in ordinary play."""
    if roll.kind == "wipe":
        return not rules["scoring.wipe_ends"]
    if roll.kind == "mini" and rules["turn.mini_ends"]:
        return False
    return worth(roll, rules, target) > 0
