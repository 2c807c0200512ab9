"""`/table/N/play`: a phone as a table."""

from itertools import takewhile
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game.table import ROLLOFF
from pi_bunco.reason import Reason
from pi_bunco.rules import RuleSet
from pi_bunco.rules.patterns import score
from pi_bunco.web.pages.phone_table.ahead import Ahead, ahead_of
from pi_bunco.web.pages.shared import heading, tables
from pi_bunco.web.pages.shared.model import BellShown, Heading, Result, RollHere, TableShown, ThrowShown
from pi_bunco.web.pages.shared.names import all_calls, short, size
from pi_bunco.web.pages.shared.rolloff import roll_at
from pi_bunco.web.pages.shared.tables import table_now
from pi_bunco.web.site.changes import ROUND, of_phone, of_table
from pi_bunco.web.site.evening_now import EveningNow, PhonePlay
from pi_bunco.web.site.page import PageModel


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
