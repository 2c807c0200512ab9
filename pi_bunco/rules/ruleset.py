"""A rule set as data: every difference between the five published sheets is one named dimension."""

import re
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Struct, field

Category = Literal[
    "buncos",
    "wins",
    "losses",
    "minis",
    "wipes",
    "score",
    "lowest_score",
    "traveling",
    "grand_prize",
    "first_bunco",
    "last_bunco",
    "one_two_three",
    "loser_lottery",
    "fifty_fifty",
    "dice_lottery",
]
"""Categories of prizes: the most of a card's mark, unless it says something else."""
KINDS_OF_PRIZES: tuple[str, ...] = get_args(Category)
PlayAfterBell = Literal["stop", "finish_turn", "finish_lap", "first_lap"]
Wiped = Literal["none", "seat", "team"]
Teams = Literal["pairs", "none", "table"]
SIDE_BITS: dict[Teams, int] = {"pairs": 1, "none": 3, "table": 0}
"""The bits of a seat's number (0-3 for A-D) that are its side's number: of 2, 4 or 1 at a table."""
CARD_MARKS = ("score", "wins", "losses", "buncos", "minis", "wipes")
"""Counts of every card; the words that `rolls` mark come besides."""
BAG = "bag"
"""The thing that travels under `traveling`."""
FACES_WHEN = ("f..", "ff.", "fff")
"""Patterns of the target's dice alone."""
NO_WORDS = {*KINDS_OF_PRIZES, *CARD_MARKS, "bunco", "mini", "wipe", "points", "none", BAG}
"""Words that a mark or a thing of the host's cannot be called by."""
Signal = Literal["bell", "horn", "bell+horn"]

# Control characters (Unicode Cc), line and paragraph separators, and marks that turn the writing direction:
# on a terminal or a page they would change more than the text.
CONTROLS = r"\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069"
CONTROL = re.compile(f"[{CONTROLS}]")
PRINTABLE = rf"^[^{CONTROLS}]*(?![\s\S])"
AMOUNT = r"^[0-9]{1,12}([.][0-9]{1,3})?(?![\s\S])"
"""An amount of money as decimal text."""
WORD = r"^[a-z][a-z0-9_]{0,23}(?![\s\S])"
"""A word of a host's own: a mark on the card, a thing that is handed on."""
PATTERNS = r"fff|ff[.]|f[.][.]|xxx|xx[.]|[.]{3}|[1-6]-[1-6]-[1-6]|sum=([3-9]|1[0-8])"
"""Patterns that a roll can match."""
WHEN = rf"^({PATTERNS})(?![\s\S])"

Face = Annotated[int, Meta(ge=1, le=6)]
RuleText = Annotated[str, Meta(min_length=1, max_length=64, pattern=PRINTABLE)]
LongText = Annotated[str, Meta(min_length=1, max_length=400, pattern=PRINTABLE)]
Points = Annotated[int, Meta(ge=0, le=999)]
Some = Annotated[int, Meta(ge=1, le=999)]
AmountText = Annotated[str, Meta(pattern=AMOUNT)]
Word = Annotated[str, Meta(pattern=WORD)]
Percent = Annotated[int, Meta(ge=0, le=100)]


class Scoring(Struct, frozen=True):
    """Points of one roll: per die that shows the target, for a Bunco, for a mini.

    Three of the face `wipe`, where it is not the target, set the team's points of the round to 0, and end
    the turn where `wipe_ends`.
    """

    match: Literal["face", "one"] = "one"
    bunco: Some = 21
    mini: Points = 5
    wipe: Face | None = None
    wipe_ends: bool = False


class Pattern(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Effects of a roll that is like `when`; what is absent is as for that roll without this pattern.

    It is in force in every round, or in those of the `target`. Where it must be `called` out, the roll is a
    miss until it is.
    """

    when: Annotated[str, Meta(pattern=WHEN)]
    target: Face | None = None
    points: Points | Literal["face"] | None = None
    turn: Literal["on", "pass"] | None = None
    wipe: Wiped | None = None
    mark: Word | None = None
    hands: Word | None = None
    bell: bool | None = None
    called: bool = False


class TurnEnd(Struct, frozen=True):
    """Ends of a turn besides a roll without points."""

    mini_ends: bool = False


class RoundEnd(Struct, frozen=True):
    """Causes of the bell that ends a round; `points`, `minutes` and `seconds` are None where they do not.

    The time limit is in minutes or in seconds, never in both.
    """

    points: Some | None = 21
    points_by: Literal["team", "player"] = "team"
    bunco: bool = True
    tables: Literal["head", "any"] = "head"
    minutes: Some | None = None
    seconds: Annotated[int, Meta(ge=1, le=5999)] | None = None

    @property
    def limit_s(self) -> int | None:
        """The time limit of a round in seconds."""
        return self.seconds or (60 * self.minutes if self.minutes else None)


class AutoWinner(Struct, frozen=True):
    """The team of the player with a Bunco or `end.points` wins whatever the totals, or not."""

    auto: bool = False


class Tie(Struct, frozen=True):
    """The way in which a table breaks a tie."""

    method: Literal["session", "one_die", "lap", "one_roll", "no_chance"] = "session"


class Move(Struct, frozen=True):
    """The way in which winners and losers change tables."""

    tables: Literal[
        "losers_to_last", "down_one", "stay", "losers_round", "winners_round", "chain", "partners"
    ] = "losers_to_last"


class Sets(Struct, frozen=True):
    """Sets in an evening, the target faces of a set in order, and the break (minutes) after one of them."""

    sets: Annotated[int, Meta(ge=1, le=99)] = 2
    faces: Annotated[tuple[Face, ...], Meta(min_length=1, max_length=24)] = (1, 2, 3, 4, 5, 6)
    break_after: Some | None = None
    break_minutes: Some | None = None

    @property
    def rounds(self) -> int:
        """Rounds of the whole evening."""
        return self.sets * len(self.faces)


class Signals(Struct, frozen=True):
    """Sounds at the start and at the end of a round."""

    start: Signal = "bell"
    end: Signal = "bell"


class Prize(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A prize: what it is `for`, and its percentage of the pot, a fixed amount, or a thing (`gift`).

    Fixed amounts are decimal text, `per_head` for each who pays; the percentages share what they leave of the
    pot. `each` is given for every mark on a card. The place 2 is for the next in rank behind all that the
    first one went to.
    """

    category: Word = field(name="for")
    percent: Percent | None = None
    amount: AmountText | None = None
    per_head: AmountText | None = None
    award: str | None = field(name="gift", default=None)
    each: bool = False
    place: Annotated[int, Meta(ge=1, le=99)] = 1


class Bonus(Struct, frozen=True, forbid_unknown_fields=True):
    """Points on the card of whoever has the thing that it is `for` when the last round is final."""

    thing: Word = field(name="for")
    points: Some


class RuleSet(Struct, frozen=True):
    """Every dimension of RULES.md with its default; its name is the attribute path, `end.points` and so on.

    `preset` is the published rule set that it is, or is made from, and `source` the document of that one.
    """

    preset: str
    source: str
    name: RuleText | None = None
    description: LongText | None = None
    team: Teams = "pairs"
    scoring: Scoring = Scoring()
    rolls: Annotated[tuple[Pattern, ...], Meta(max_length=64)] = ()
    turn: TurnEnd = TurnEnd()
    end: RoundEnd = RoundEnd()
    after_bell: PlayAfterBell = "stop"
    after_bell_head: PlayAfterBell | None = None
    winner: AutoWinner = AutoWinner()
    tie: Tie = Tie()
    move: Move = Move()
    begins: Literal["A", "rolled", "drawn"] = "A"
    evening: Sets = Sets()
    card: tuple[Word, ...] = ("wins", "losses", "buncos")
    champion: Annotated[tuple[Word, ...], Meta(min_length=1)] = ("buncos", "wins")
    prizes: tuple[Prize, ...] = ()
    prize_tie: Literal["split", "one_die", "three_dice", "ask"] = "split"
    prize_once: bool = False
    stake: AmountText | None = None
    keep: Annotated[int, Meta(ge=1, le=100)] | None = None
    holds: tuple[Word, ...] = ()
    bonus: tuple[Bonus, ...] = ()
    traveling: Face | Literal["bunco", "mini"] | None = None
    traveling_nth: Annotated[int, Meta(ge=1, le=99)] | None = None
    ghosts: bool = True
    ghost_marks: Literal["nobody", "partner"] = "nobody"
    ghost_turn: Literal["partner", "partner_twice"] = "partner"
    tournament: bool = False
    signal: Signals = Signals()

    @property
    def side_bits(self) -> int:
        """The bits of a seat's number that are the number of its side."""
        return SIDE_BITS[self.team]

    @property
    def things(self) -> tuple[str, ...]:
        """Things that somebody holds; the bag first, where it travels."""
        handed = {one.hands for one in self.rolls if one.hands} - {"none"} | set(self.holds)
        if self.traveling is not None:
            handed.add(BAG)
        return tuple(sorted(handed, key=lambda thing: (thing != BAG, thing)))

    @property
    def counted(self) -> tuple[str, ...]:
        """Events that cards, ranking or prizes count beside Buncos and minis: wipes, 1-2-3, own words."""
        named = dict.fromkeys([*self.card, *self.champion, *(prize.category for prize in self.prizes)])
        words = {one.mark for one in self.rolls if one.mark} - NO_WORDS | {"wipes", "one_two_three"}
        return tuple(word for word in named if word in words)

    @property
    def words(self) -> tuple[str, ...]:
        """Those of them that stand on a card."""
        return tuple(word for word in self.counted if word != "one_two_three")

    def dimension(self, name: str) -> Any:
        """The value of the dimension `name`, for example `end.points`."""
        value: Any = self
        for part in name.split("."):
            value = getattr(value, part)
        return value
