"""A player's page, one table in large, and a phone that is a table."""

from typing import Literal

from msgspec import Struct

from pi_bunco.web.models.parts import (
    BellShown,
    Heading,
    RankRow,
    RollHere,
    SeatRow,
    Side,
    TableShown,
    ThrowShown,
    Way,
)


class MyRound(Struct, frozen=True):
    """One played round of a player."""

    target: int
    partner: str
    mine: int
    theirs: int
    won: bool
    buncos: int = 0
    minis: int = 0


Standing = Literal["", "semi_final", "final", "waits", "out"]


class Me(Struct, frozen=True):
    """One player: where now, where next. `table` is None for a guest without a chair.

    `roll` is one between rounds that the player takes part in, `place` how a tournament goes on for them:
    in which stage they have a place, `waits` while that is open, or `out`; empty while rounds are played.
    """

    name: str
    rank: int
    of: int
    table: TableShown | None
    partner: str
    side: Side
    rounds: tuple[MyRound, ...]
    next: bool = False
    way: Way = ""
    won: bool | None = None
    roll: RollHere | None = None
    place: Standing = ""


class PlayerPage(Struct, frozen=True):
    """`/me`: the names to choose from while `me` is None; `unknown` is a name that nobody has any more.

    `secret` while the host has not yet had everything told: no `rows` then.
    """

    heading: Heading
    state: str
    names: tuple[str, ...]
    me: Me | None = None
    unknown: str = ""
    rows: tuple[RankRow, ...] = ()
    tables: tuple[TableShown, ...] = ()
    silent_s: int = 0
    tab: Literal["me", "tables", "standings"] = "me"
    secret: bool = False


class TablePage(Struct, frozen=True):
    """`/table/N`: one table in large; `table` is None before the draw, `scene` as on the scoreboard."""

    heading: Heading
    number: int
    table: TableShown | None
    state: str
    bell: BellShown | None = None
    rows: tuple[SeatRow, ...] = ()
    silent_s: int = 0
    roll: RollHere | None = None


class Worth(Struct, frozen=True):
    """Points of each result in this round; `wipe` is the face that wipes, or None."""

    one: int
    two: int
    mini: int
    bunco: int
    wipe: int | None = None


class PhonePage(Struct, frozen=True):
    """`/table/N/play`: a phone as a table. `undo` is the throw that UNDO takes back, None if there is none.

    `asks` whether a Bunco now rings the bell; `unsent` how many facts the head does not have yet; `why` why
    the last throw did not count (a sentence, or empty); `code_wrong` shows the field for the table's code;
    `round` goes with every tap.
    """

    heading: Heading
    number: int
    table: TableShown | None
    state: str
    worth: Worth
    next: str = ""
    turn_points: int = 0
    undo: ThrowShown | None = None
    asks: bool = False
    unsent: int = 0
    online: bool = True
    why: str = ""
    mode: Literal["points", "dice"] = "points"
    bell: BellShown | None = None
    needs_code: bool = False
    code_wrong: bool = False
    round: str = ""
    roll: RollHere | None = None
