"""A player's own page."""

from typing import Literal

from msgspec import Struct

from pi_bunco.game.ranks import StandingRow
from pi_bunco.web.pages.shared.model import Heading, Holding, RollHere, Standing, TableShown, Way
from pi_bunco.web.site.changes import HEAD, ROUND, of_table
from pi_bunco.web.site.page import PageModel


class MyRound(Struct, frozen=True):
    """One played round of a player."""

    target: int
    partner: str
    mine: int
    theirs: int | None
    won: bool
    buncos: int = 0
    minis: int = 0


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
    rounds: tuple[MyRound, ...]
    next: bool = False
    way: Way = ""
    won: bool | None = None
    roll: RollHere | None = None
    place: Standing = ""


class PlayerPage(PageModel, frozen=True):
    """`/me`: the names to choose from while `me` is None; `unknown` is a name that nobody has any more.

    `here` has no card yet: the host sees that they are here, and `asks` to be taken onto the list.

    `secret` while the host has not yet had everything told: no `rows` then.
    """

    template = "player/player_page.html"
    css = "phone"
    scripts = ("portrait.js",)

    heading: Heading
    state: str
    names: tuple[str, ...]
    me: Me | None = None
    unknown: str = ""
    here: str = ""
    asks: bool = False
    rows: tuple[StandingRow, ...] = ()
    tables: tuple[TableShown, ...] = ()
    silent_s: int = 0
    tab: Literal["me", "tables", "standings"] = "me"
    secret: bool = False
    holdings: tuple[Holding, ...] = ()
    portrait: Literal["", "can", "has"] = ""
    """Somebody who is here can take a picture of themselves, or has."""

    @property
    def topics(self) -> frozenset[str]:
        """The round, the head, and the tables that it shows."""
        shown = self.tables if self.me is None or self.me.table is None else (*self.tables, self.me.table)
        return frozenset((ROUND, HEAD, *(of_table(table.number) for table in shown)))
