"""`/table/N/play`: a phone as a table, and the numbers by which it goes on without a network."""

from collections.abc import Sequence
from functools import cache
from itertools import takewhile
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game.table import ROLLOFF, Table
from pi_bunco.game.table_score import NOTHING
from pi_bunco.reason import Reason
from pi_bunco.rules import RuleSet
from pi_bunco.rules.patterns import FALLS, score
from pi_bunco.web.pages.shared import heading, tables
from pi_bunco.web.pages.shared.model import BellShown, Heading, Result, RollHere, TableShown, ThrowShown
from pi_bunco.web.pages.shared.names import all_calls, short, size
from pi_bunco.web.pages.shared.standings import roll_at
from pi_bunco.web.pages.shared.tables import Counted, table_now
from pi_bunco.web.site.changes import ROUND, of_phone, of_table
from pi_bunco.web.site.evening_now import EveningNow, PhonePlay
from pi_bunco.web.site.page import PageModel

RESULT_KEYS = ("miss", "one", "two", "mini", "bunco")
MAX_KEPT_ROLLS = 24
"""Rolls that can be taken back without a network, the latest."""


class KeyNumbers(Struct, frozen=True):
    """A throw of this key: its points, whether the turn goes on, whether it rings whatever the points are."""

    worth: int
    on: bool
    rings: bool


class Ahead(Struct, frozen=True):
    """A table in play; seats are 0 to 3, `rolls` are seat, key, points of the latest and whether
    the turn went on, all if `whole`.

    `points` are those of the sides, two pairs, each seat or the table; `next` is the seat whose turn comes
    after each. `each` are points by seat, `goal` rings (0: no points do), by `player` or team; once the
    `bell` has rung, a turn of a seat in `ends` is the last. `dice` where faces mean what they do in most
    rules; keys without numbers are not known here. `state` names what of the phone's taps is in it.
    """

    state: str
    round: str
    target: int
    seat: int
    points: tuple[int, ...]
    next: tuple[int, ...]
    each: tuple[int, ...]
    rolls: tuple[tuple[int, str, int, bool], ...]
    whole: bool
    keys: dict[str, KeyNumbers]
    dice: bool
    goal: int
    player: bool
    bell: bool
    ends: tuple[bool, ...]

    @property
    def plain(self) -> dict[str, Any]:
        """The numbers as the page holds them."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found


def ahead_of(table: Table, rolls: Sequence[Counted], state: str, round_: str) -> Ahead | None:
    """The numbers of a table in play; None where a phone cannot go on by numbers."""
    if (
        table.doing not in ("rolling", "finishing")
        or table.base.tallied
        or (table.bell_t is not None and table.undone)
    ):
        return None
    keys = {name: key for name in RESULT_KEYS if (key := _key(table, name))}
    latest = [(roll.seat, roll.result, roll.points, roll.goes_on) for roll in rolls[-MAX_KEPT_ROLLS:]]
    while any(name not in keys for _, name, _, _ in latest):
        latest.pop(0)  # before a roll that is not known here nothing is
    end, goes = table.rules.end, table.mode
    return Ahead(
        state=state,
        round=round_,
        target=table.target,
        seat=table.seat,
        points=tuple(table.points),
        next=table.following,
        each=tuple(table.seat_points),
        rolls=tuple(latest),
        whole=len(latest) == len(rolls) and table.base == NOTHING,
        keys=keys,
        dice=_usual(table.rules, table.target),
        goal=(end.points or 0) if table.may_ring else 0,
        player=end.points_by == "player",
        bell=table.bell_t is not None,
        ends=tuple(
            goes == "finish_turn"
            or seat == table.order[-1]
            or (goes == "first_lap" and bool(table.taken >> table.order[-1] & 1))
            for seat in range(4)
        ),
    )


def _key(table: Table, name: str) -> KeyNumbers | None:
    effects = table.effects(table.called(name))
    if effects.wipe != "none" or effects.called is not None:
        return None
    return KeyNumbers(effects.points, effects.goes_on, table.may_ring and effects.bell)


@cache
def _usual(rules: RuleSet, target: int) -> bool:
    """Result of dice: the target counts by their number, other triples are minis, all else is a miss."""
    scoring = score(rules, target)
    for dice in FALLS:
        hits = dice.count(target)
        name = ("one", "two", "bunco")[hits - 1] if hits else "mini" if len(set(dice)) == 1 else "miss"
        rolled, named = scoring.effects[scoring.outcomes[dice]], scoring.by_hand(name)
        if replace(rolled, marks=(), hands=None, kind=0) != replace(named, marks=(), hands=None, kind=0):
            return False
    return True


class Worth(Struct, frozen=True):
    """Points of each result in this round; `wipe` is the face that wipes, or None."""

    one: int
    two: int
    mini: int
    bunco: int
    wipe: int | None = None


class PhonePage(PageModel, frozen=True):
    """`/table/N/play`: a phone as a table. `undo` is the throw that UNDO takes back, None if there is none.

    `asks` whether a Bunco now rings the bell, `ends` whether a Miss leaves nothing to play; by `ahead` the
    phone goes on without a network; `unsent` how many facts the head does not have; `why` the head refused
    what was asked here; `code_wrong` shows the field for the table's code; `round` goes with every tap.
    """

    template = "phone_table/phone_page.html"
    css = "phone"
    scripts = ("ahead.js", "taps.js")
    device = "phone"

    heading: Heading
    number: int
    table: TableShown | None
    state: str
    worth: Worth
    next: str = ""
    turn_points: int = 0
    undo: ThrowShown | None = None
    uncalled: bool = False
    """The latest roll counts if it was called out."""
    asks: bool = False
    ends: bool = False
    ahead: Ahead | None = None
    unsent: int = 0
    online: bool = True
    why: tuple[Reason, ...] = ()
    mode: Literal["points", "dice"] = "points"
    bell: BellShown | None = None
    needs_code: bool = False
    code_wrong: bool = False
    round: str = ""
    roll: RollHere | None = None

    @property
    def seats(self) -> list[tuple[str, str, str]]:
        """Call name, side and class of size of each seat."""
        chairs = self.table.chairs if self.table else ()
        return [(chair.call, chair.side, size(chair.call)) for chair in chairs]

    @property
    def worths(self) -> dict[Result, int]:
        """The points of each result that scores."""
        worth = self.worth
        return {"one": worth.one, "two": worth.two, "mini": worth.mini, "bunco": worth.bunco}

    @property
    def part(self) -> Literal["roll", "wait", "done", "faceoff", "keys"]:
        """The next thing to do here."""
        table = self.table
        if self.roll is not None:
            return "roll"
        if table is None or table.doing == "ready" or self.state not in ("round_open", "after_bell"):
            return "wait"
        if table.doing in ("done", "final", "out"):
            return "done"
        return "faceoff" if table.rolloff and table.rolloff.method == "one_die" else "keys"

    @property
    def finishing(self) -> bool:
        """True if the bell has rung and this table still plays."""
        return self.table is not None and self.table.doing == "finishing"

    @property
    def sure(self) -> bool:
        """True if who taps a Bunco is asked whether it is one."""
        if self.table is None:
            return False
        return self.asks or (self.bell is not None and self.table.doing in ("finishing", "done"))

    @property
    def topics(self) -> frozenset[str]:
        """The round, the table as the head has it, and as its phone has it."""
        return frozenset((ROUND, of_table(self.number), of_phone(self.number)))


def shown_phone(now: EveningNow, number: int, play: PhonePlay) -> PhonePage:
    """`/table/N/play`: what the table service of a phone predicts, within the evening that the head knows."""
    evening, rules = now.evening, now.evening.rules
    where = heading.heading(now)
    played = play.table
    shown = table_now(now, number)
    worth = Worth(1, 2, 5, 21)
    if rules is not None:
        in_session = played is not None and played.phase == ROLLOFF and rules.tie.method == "session"
        worth = worth_of(rules, where.target, in_session)
    calls = all_calls(now)
    if rules is not None and played is not None and evening.round is not None:
        shown = tables.of_table(played, rules, where.target, {}, calls)
    if shown and shown.throw and play.dice:
        shown = replace(shown, throw=replace(shown.throw, dice=play.dice))
    rolls = tables.counted(played) if played is not None and evening.round is not None else []
    turn = played.seat if played is not None else 0
    back = takewhile(lambda roll: roll.seat == turn and roll.goes_on, reversed(rolls))
    return PhonePage(
        heading=where,
        number=number,
        table=shown,
        state=evening.state if rules else "none",
        worth=worth,
        next=short(played.seats[played.following[turn]], calls) if played is not None else "",
        turn_points=sum(roll.points for roll in back),
        undo=shown.throw if shown and rolls and not (played and played.final) else None,
        uncalled=played is not None and played.uncalled is not None,
        asks=played is not None and played.would_ring(played.called("bunco")),
        ends=played is not None and played.ends_with_turn,
        ahead=ahead_of(played, rolls, play.state, play.round) if played is not None and rules else None,
        unsent=play.unsent,
        online=play.online,
        why=play.why,
        mode="dice" if play.mode == "dice" else "points",
        bell=heading.bell(now),
        needs_code=not play.allowed,
        code_wrong=play.code_wrong,
        round=play.round,
        roll=roll_at(now, number),
    )


def worth_of(rules: RuleSet, target: int, in_session: bool = False) -> Worth:
    """Points of each result in the round of `target`; in a `session` roll-off a mini is worth nothing."""
    scoring = score(rules, target)
    one, two, mini, bunco = (
        effects.session if in_session else effects.points
        for effects in (scoring.by_hand(call) for call in ("one", "two", "mini", "bunco"))
    )
    return Worth(one, two, mini, bunco, rules.scoring.wipe)
