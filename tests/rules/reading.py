"""The effects of a roll of three dice, read from rules/README.md again: for tests of odds and of the game."""

from typing import Any, NamedTuple

from pi_bunco.rules import RuleSet


class Does(NamedTuple):
    """Everything that a roll does."""

    points: int
    goes_on: bool
    wipe: str
    mark: str | None
    hands: str | None
    rings: bool
    bunco: bool


def matching(when: str, dice: tuple[int, ...], target: int) -> bool:
    """The dice are like `when`."""
    hits, alike = dice.count(target), len(set(dice)) == 1
    simple = {
        "fff": hits == 3,
        "ff.": hits == 2,
        "f..": hits == 1,
        "xxx": alike and not hits,
        "xx.": len(set(dice) - {target}) > 0 and max(dice.count(one) for one in {*dice} - {target}) == 2,
        "...": True,
    }
    if when in simple:
        return simple[when]
    if "=" in when:
        return sum(dice) == int(when.partition("=")[2])
    return "".join(sorted(when.replace("-", ""))) == "".join(map(str, sorted(dice)))


def does(rules: RuleSet, target: int, dice: tuple[int, ...]) -> Does:
    """The effects of `dice` in the round of `target`."""
    usual = _usual(rules, target, dice)
    for one in rules.rolls:
        if one.target not in (None, target) or not matching(one.when, dice, target):
            continue
        points = usual.points if one.points is None else one.points
        if points == "face":
            points = target * dice.count(target) if "f" in one.when else sum(dice)
        poor = not usual.goes_on and usual.wipe == "none" and usual.points == 0
        poor = poor and not (usual.mark == "mini" and rules.turn.mini_ends)
        goes_on = usual.goes_on or (poor and points > 0)
        given: dict[str, Any] = {
            "points": points,
            "goes_on": goes_on if one.turn is None else one.turn == "on",
            "wipe": one.wipe or usual.wipe,
            "rings": usual.rings if one.bell is None else one.bell,
        }
        for field, word in (("mark", one.mark), ("hands", one.hands)):
            if word:
                given[field] = None if word == "none" else word
        return usual._replace(**given)
    return usual


def _usual(rules: RuleSet, target: int, dice: tuple[int, ...]) -> Does:
    scoring, hits = rules.scoring, dice.count(target)
    face = dice[0] if len(set(dice)) == 1 else None
    bag: set[int] = set()
    if isinstance(rules.traveling, int):
        bag = {rules.traveling}
    elif rules.traveling:
        bag = {target} if rules.traveling == "bunco" else {*range(1, 7)} - {target, scoring.wipe or 0}
    hands = "bag" if face in bag else None
    if hits == 3:
        return Does(scoring.bunco, True, "none", "bunco", hands, rules.end.bunco, True)
    if face is not None and face == scoring.wipe:
        return Does(0, not scoring.wipe_ends, "team", "wipe", hands, False, False)
    if face is not None:
        goes_on = scoring.mini > 0 and not rules.turn.mini_ends
        return Does(scoring.mini, goes_on, "none", "mini", hands, False, False)
    points = hits * (target if scoring.match == "face" else 1)
    return Does(points, hits > 0, "none", None, None, False, False)
