"""The kind of one roll, and all that it does in a round of this target."""

from dataclasses import dataclass, replace
from typing import Any

CALLS = {"miss": "...", "one": "f..", "two": "ff.", "bunco": "fff", "mini": "xxx"}
"""The words by hand in the spelling of `when`."""
SHOWN = {"f..": 1, "ff.": 2, "fff": 3}
"""Dice that show the target, by that spelling."""


@dataclass(frozen=True)
class Outcome:
    """Points, whether the turn goes on, and the effects; `asked` is what it is once it is called out."""

    points: int
    on: bool
    wipe: str = "none"
    mark: str | None = None
    hands: str | None = None
    bell: bool = False
    session: int = 0
    one_two_three: bool = False
    asked: "Outcome | None" = None


@dataclass(frozen=True)
class Thrown:
    """Three dice, or what was entered by hand in the spelling of `when`."""

    dice: list[int] | None
    said: str

    def matches(self, target: int) -> int:
        """Dice that show the target."""
        return SHOWN.get(self.said, 0) if self.dice is None else self.dice.count(target)

    def triple(self, target: int) -> int | None:
        """The face of three alike, 0 where nobody said it."""
        if self.dice is None:
            return {"fff": target, "xxx": 0}.get(self.said)
        return self.dice[0] if len(set(self.dice)) == 1 else None

    def is_(self, when: str, target: int) -> bool:
        """True if an entry matches it."""
        if self.dice is None:
            return when in ("...", self.said)
        dice, triple = self.dice, self.triple(target)
        if when in SHOWN:
            return self.matches(target) == SHOWN[when]
        if when == "xxx":
            return triple not in (None, target)
        if when == "xx.":
            return any(face != target and dice.count(face) == 2 for face in dice)
        if when.startswith("sum="):
            return sum(dice) == int(when[4:])
        return when == "..." or _faces(when) == sorted(dice)


def _faces(when: str) -> list[int] | None:
    faces = when.split("-")
    return sorted(map(int, faces)) if len(faces) == 3 and all(face.isdigit() for face in faces) else None


def outcome(fact: dict[str, Any], target: int, rules: dict[str, Any]) -> Outcome | None:
    """The roll of a fact; nothing for a word by hand that this round does not know."""
    thrown = _thrown(fact, target, rules)
    if thrown is None:
        return None
    found = _with_entry(thrown, target, rules)
    return found.asked if found.asked is not None and fact.get("called") else found


def _thrown(fact: dict[str, Any], target: int, rules: dict[str, Any]) -> Thrown | None:
    if fact.get("dice") is not None:
        return Thrown(list(fact["dice"]), "")
    call = fact["call"]
    if call == "mini" and fact.get("face") is not None:
        return Thrown([fact["face"]] * 3, "")
    if call in CALLS:
        return Thrown(None, CALLS[call])
    if call == "wipe":
        if rules["scoring.wipe"] not in (None, target):
            return Thrown([rules["scoring.wipe"]] * 3, "")
        wiping = [one["when"] for one in _in_force(rules, target) if one.get("wipe", "none") != "none"]
        call = wiping[0] if wiping else ""
    if call not in [one["when"] for one in _in_force(rules, target)]:
        return None
    return Thrown(_faces(call), call)


def _in_force(rules: dict[str, Any], target: int) -> list[dict[str, Any]]:
    return [one for one in rules["rolls"] if one.get("target") in (None, target)]


def _usual(thrown: Thrown, target: int, rules: dict[str, Any]) -> Outcome:
    """The roll without any entry."""
    matches, triple, bag = thrown.matches(target), thrown.triple(target), rules["traveling"]
    ordered = sorted(thrown.dice or [])
    plain = Outcome(0, False, one_two_three=ordered == [1, 2, 3])
    if matches == 3:
        hands = "bag" if bag in ("bunco", target) else None
        return replace(
            plain, points=rules["scoring.bunco"], on=True, mark="bunco", hands=hands, bell=rules["end.bunco"]
        )
    if triple is not None and triple == rules["scoring.wipe"]:
        hands = "bag" if bag == triple else None
        return replace(plain, on=not rules["scoring.wipe_ends"], wipe="team", mark="wipe", hands=hands)
    if triple is not None:
        points = rules["scoring.mini"]
        hands = "bag" if bag in ("mini", triple) else None
        return replace(
            plain, points=points, on=points > 0 and not rules["turn.mini_ends"], mark="mini", hands=hands
        )
    points = matches * (target if rules["scoring.match"] == "face" else 1)
    return replace(plain, points=points, on=points > 0)


def _with_entry(thrown: Thrown, target: int, rules: dict[str, Any]) -> Outcome:
    usual = _usual(thrown, target, rules)
    usual = replace(usual, session=_session(thrown, target, rules, usual))
    entry = next((one for one in _in_force(rules, target) if thrown.is_(one["when"], target)), None)
    if entry is None:
        return usual
    points = _points(entry, thrown, target, usual)
    on = usual.on or (points > 0 and _wants_points(usual, rules))
    found = replace(
        usual,
        points=points,
        on=entry["turn"] == "on" if "turn" in entry else on,
        wipe=entry.get("wipe", usual.wipe),
        mark=_removed(entry.get("mark", usual.mark)),
        hands=_removed(entry.get("hands", usual.hands)),
        bell=entry.get("bell", usual.bell),
    )
    if entry.get("called"):
        return Outcome(0, False, session=found.session, asked=found)
    return found


def _removed(word: str | None) -> str | None:
    return None if word == "none" else word


def _wants_points(usual: Outcome, rules: dict[str, Any]) -> bool:
    """True if the roll passes for want of points alone."""
    if usual.mark == "mini":
        return not rules["turn.mini_ends"]
    return usual.mark is None


def _points(entry: dict[str, Any], thrown: Thrown, target: int, usual: Outcome) -> int:
    points = entry.get("points", usual.points)
    if points != "face":
        return int(points)
    if "f" in entry["when"] or thrown.dice is None:
        return target * thrown.matches(target)
    return sum(thrown.dice)


def _session(thrown: Thrown, target: int, rules: dict[str, Any], usual: Outcome) -> int:
    """Its points in a roll-off where only dice of the target score."""
    for entry in _in_force(rules, target):
        if "f" in entry["when"] and thrown.is_(entry["when"], target):
            return _points(entry, thrown, target, usual)
    return usual.points if thrown.matches(target) else 0
