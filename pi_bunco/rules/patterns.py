"""The patterns of a round: what each roll is, and what it does.

A roll has the usual effects of its kind; the first entry of `rolls` that matches it changes some of them
(README.md, "Patterns with effects"). Every combination that can come up in a round has a number, its
outcome, so that a roll is looked up and its effects stand in lists by outcome.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.rules.ruleset import BAG, FACES_WHEN, Pattern, RuleSet, Wiped

MISS, ONE, TWO, MINI, BUNCO, WIPE, BAG_MINI = range(7)
"""Kinds of rolls, and the outcomes of the usual ones.

WIPE is three of `scoring.wipe`, BAG_MINI a mini of the face that hands the bag on.
"""
CALLS = {"miss": MISS, "one": ONE, "two": TWO, "mini": MINI, "bunco": BUNCO, "wipe": WIPE}
ThreeDice = tuple[int, int, int]
FALLS: tuple[ThreeDice, ...] = tuple((a, b, c) for a, b, c in product(range(1, 7), repeat=3))
"""The 216 ways that three dice can fall."""
_KINDS = {"f..": (ONE,), "ff.": (TWO,), "fff": (BUNCO,), "xxx": (MINI, WIPE, BAG_MINI)}
_BY_HAND = {"f..": ONE, "ff.": TWO, "fff": BUNCO, "xxx": MINI}
STRAIGHT = (1, 2, 3)
STRAIGHT_MARK = "one_two_three"


class Effects(Struct, frozen=True):
    """All that a roll does; `session` are its points in a `session` roll-off.

    `hands` is the thing that it hands on, `bell` that it rings whatever its points are. A roll that must be
    called out is a miss until it is: `called` is its outcome then.
    """

    kind: int
    points: int = 0
    goes_on: bool = False
    session: int = 0
    wipe: Wiped = "none"
    marks: tuple[str, ...] = ()
    hands: str | None = None
    bell: bool = False
    called: int | None = None


class Score(Struct, frozen=True):
    """One round's scoring: each throw's and call's outcome, and by outcome what it does."""

    target: int
    outcomes: dict[ThreeDice, int]
    calls: dict[str, int]
    effects: tuple[Effects, ...]
    points: tuple[int, ...]
    goes_on: tuple[bool, ...]
    special: tuple[bool, ...]
    """By outcome: it does more than to score."""
    bell: tuple[bool, ...]

    @property
    def endless(self) -> bool:
        """No throw ends a turn."""
        return all(self.goes_on[outcome] for outcome in self.outcomes.values())

    def undecided(self, method: str) -> bool:
        """No throw can ever break a tie in a roll-off by `method`, one of `tie.method`."""
        rolled = [self.in_full(outcome) for outcome in set(self.outcomes.values())]
        if method == "one_die":
            return False
        if method != "lap":
            return not any(one.session for one in rolled)
        scores = {one.points for one in rolled if one.points or not one.goes_on}
        varied = any(one.wipe != "none" or (one.goes_on and one.points) for one in rolled)
        return scores == {0} or (len(scores) == 1 and not varied)

    def by_hand(self, call: str) -> Effects:
        """Effects of a roll entered as `call`, once it is called out."""
        return self.in_full(self.calls[call])

    def in_full(self, outcome: int) -> Effects:
        """Effects of a roll of `outcome` once it is called out."""
        effects = self.effects[outcome]
        return effects if effects.called is None else self.effects[effects.called]


@cache
def score(rules: RuleSet, target: int) -> Score:
    """The scoring of the round of `target` (1-6) under `rules`."""
    return _Scoring(rules, target).score()


class _Scoring:
    """The outcomes of one round, numbered as they come up; the usual ones first."""

    def __init__(self, rules: RuleSet, target: int) -> None:
        self._rules, self._target = rules, target
        self._match = target if rules.scoring.match == "face" else 1
        self._wipe = None if rules.scoring.wipe == target else rules.scoring.wipe
        self._patterns = [one for one in rules.rolls if one.target in (None, target)]
        self._straights = any(prize.category == STRAIGHT_MARK for prize in rules.prizes)
        self._usual = tuple(map(self._usual_effects, range(7)))
        self._numbers = {effects: number for number, effects in enumerate(self._usual)}

    def score(self) -> Score:
        """Everything that can be rolled or called, and what it does."""
        outcomes = {dice: self._outcome(self._kind(dice), dice) for dice in FALLS}
        calls = dict(self._calls(outcomes))
        effects = tuple(self._numbers)
        return Score(
            target=self._target,
            outcomes=outcomes,
            calls=calls,
            effects=effects,
            points=tuple(one.points for one in effects),
            goes_on=tuple(one.goes_on for one in effects),
            special=tuple(bool(one.marks or one.hands or one.wipe != "none") for one in effects),
            bell=tuple(one.bell for one in effects),
        )

    def _kind(self, dice: ThreeDice) -> int:
        matches = dice.count(self._target)
        if matches == 3:
            return BUNCO
        if not dice[0] == dice[1] == dice[2]:
            return matches
        if dice[0] == self._wipe:
            return WIPE
        return BAG_MINI if dice[0] == self._rules.traveling else MINI

    def _usual_effects(self, kind: int) -> Effects:
        rules, bag = self._rules, self._rules.traveling
        mini_goes_on = rules.scoring.mini > 0 and not rules.turn.mini_ends
        mini = Effects(kind, rules.scoring.mini, mini_goes_on, marks=("mini",))
        match kind:
            case 0:
                return Effects(kind)
            case 1 | 2:
                return Effects(kind, kind * self._match, True, kind * self._match)
            case 3:
                return replace(mini, hands=BAG if bag == "mini" else None)
            case 4:
                points, hands = rules.scoring.bunco, BAG if bag in ("bunco", self._target) else None
                return Effects(
                    kind, points, True, points, marks=("bunco",), hands=hands, bell=rules.end.bunco
                )
            case 5:
                hands = BAG if bag is not None and bag == self._wipe else None
                goes_on = not rules.scoring.wipe_ends
                return Effects(kind, goes_on=goes_on, wipe="team", marks=("wipe",), hands=hands)
            case _:
                return replace(mini, hands=BAG)

    def _calls(self, outcomes: dict[ThreeDice, int]) -> Iterator[tuple[str, int]]:
        """Every call that means something in this round."""
        by_hand = {one.when: self._called(one.when, outcomes) for one in self._patterns}
        yield from by_hand.items()
        yield from ((call, self._outcome(kind)) for call, kind in CALLS.items() if kind != WIPE)
        if self._wipe:
            yield "wipe", outcomes[(self._wipe, self._wipe, self._wipe)]
        elif wiping := [one for one in self._patterns if one.wipe in ("seat", "team")]:
            yield "wipe", by_hand[wiping[0].when]

    def _called(self, when: str, outcomes: dict[ThreeDice, int]) -> int:
        """The outcome of a roll by hand that is said to be `when`."""
        if "-" in when:
            a, b, c = map(int, when.split("-"))
            return outcomes[(a, b, c)]
        return self._outcome(_BY_HAND.get(when, MISS), call=when)

    def _outcome(self, kind: int, dice: ThreeDice | None = None, call: str = "") -> int:
        """Number of what a roll of `kind` does; of one by hand only the `call` is known."""
        found = (one for one in self._patterns if self._matches(one.when, kind, dice, call))
        pattern = next(found, None)
        effects = replace(self._usual[kind], session=self._session(kind))
        if pattern:
            effects = self._changed(effects, pattern, dice)
        if self._straights and dice and tuple(sorted(dice)) == STRAIGHT:
            effects = replace(effects, marks=(*effects.marks, STRAIGHT_MARK))
        if pattern and pattern.called:
            effects = Effects(kind, session=effects.session, called=self._number(effects))
        return self._number(effects)

    def _number(self, effects: Effects) -> int:
        return self._numbers.setdefault(effects, len(self._numbers))

    def _matches(self, when: str, kind: int, dice: ThreeDice | None, call: str) -> bool:
        if when == "...":
            return True
        if when in _KINDS:
            return kind in _KINDS[when]
        if dice is None:
            return when == call
        if when == "xx.":
            return any(dice.count(face) == 2 for face in dice if face != self._target)
        if when.startswith("sum="):
            return sum(dice) == int(when[4:])
        return sorted(dice) == sorted(map(int, when.split("-")))

    def _session(self, kind: int) -> int:
        """The points in a `session`, where only patterns of the target are in force."""
        usual = self._usual[kind].session
        for one in self._patterns:
            if one.when in FACES_WHEN and kind in _KINDS[one.when]:
                return self._points(one, kind, None, usual)
        return usual

    def _points(self, pattern: Pattern, kind: int, dice: ThreeDice | None, usual: int) -> int:
        if pattern.points != "face":
            return usual if pattern.points is None else pattern.points
        if dice and pattern.when not in FACES_WHEN:
            return sum(dice)
        return self._target * {ONE: 1, TWO: 2, BUNCO: 3}.get(kind, 0)

    def _changed(self, usual: Effects, pattern: Pattern, dice: ThreeDice | None) -> Effects:
        kind = usual.kind
        points = self._points(pattern, kind, dice, usual.points)
        for_want = kind == MISS or (kind in (MINI, BAG_MINI) and not self._rules.turn.mini_ends)
        goes_on = usual.goes_on or (for_want and points > 0)
        return Effects(
            kind=kind,
            points=points,
            goes_on=goes_on if pattern.turn is None else pattern.turn == "on",
            session=usual.session,
            wipe=pattern.wipe or usual.wipe,
            marks=usual.marks if pattern.mark is None else _unless_none(pattern.mark),
            hands=usual.hands if pattern.hands is None else next(iter(_unless_none(pattern.hands)), None),
            bell=usual.bell if pattern.bell is None else pattern.bell,
        )


def _unless_none(word: str) -> tuple[str, ...]:
    return () if word == "none" else (word,)
