"""A player's own page."""

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.game.fields import NAME_MAX_CHARS
from pi_bunco.game.ranks import StandingRow
from pi_bunco.game.seating import SeatNames
from pi_bunco.game.table import Table
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.model import (
    Heading,
    Holding,
    MoveDirection,
    RollHere,
    StageStanding,
    TableShown,
)
from pi_bunco.web.pages.shared.names import all_calls, alphabetical, order, plain_name, short
from pi_bunco.web.pages.shared.standings import holdings, ranks, revealed_finale, rolls, standing
from pi_bunco.web.pages.shared.tables import (
    ON_A_PAGE,
    seat_rows,
    seats_by_card,
    table_now,
    tables_now,
    team_of,
)
from pi_bunco.web.site.app import App, Page
from pi_bunco.web.site.changes import HEAD, ROUND, of_table
from pi_bunco.web.site.evening_now import EveningNow, shared, shared_by_round
from pi_bunco.web.site.forms import fields
from pi_bunco.web.site.guard import allow_portrait
from pi_bunco.web.site.guests import HallGuest
from pi_bunco.web.site.page import PageModel
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.portraits import picture
from pi_bunco.web.site.reasons import NoPortrait, NoSuchPage, NotThere, TooManyAtTheDoor
from pi_bunco.web.site.streams import CHIME
from pi_bunco.web.site.viewer import ME, Viewer, remember, text_cookie, viewer

PORTRAIT = "/me/portrait"
FRONT = 3
"""Players whose places everybody sees on their own page."""
MANY_NAMES = 60
"""Names that stand in one list, at most."""


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
    """One player: where now, where next. `table` is None for a guest without a chair, and who has `left`.

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
    direction: MoveDirection = ""
    won: bool | None = None
    roll: RollHere | None = None
    place: StageStanding = ""
    left: bool = False

    @property
    def wins(self) -> int:
        """Rounds that were won."""
        return sum(one.won for one in self.rounds)

    @property
    def buncos(self) -> int:
        """Buncos of all rounds."""
        return sum(one.buncos for one in self.rounds)


class PlayerPage(PageModel, frozen=True):
    """`/me`, of each tab no more than it shows: it is drawn anew for that alone.

    The names to choose from, many of them by their initials, while `me` is None; `unknown` is a name that
    nobody has any more. `here` has no card yet: the host sees that they are here, and `asks` to be taken onto
    the list. `secret` while the host has not yet had everything told: no `rows` then.
    """

    template = "player/player_page.html"
    css = "phone"
    scripts = ("portrait.js",)

    heading: Heading
    state: str
    names: tuple[tuple[str, tuple[str, ...]], ...]
    me: Me | None = None
    unknown: str = ""
    here: str = ""
    asks: bool = False
    rows: tuple[StandingRow, ...] = ()
    tables: tuple[TableShown, ...] = ()
    silent: bool = False
    tab: Literal["me", "tables", "standings"] = "me"
    secret: bool = False
    holdings: tuple[Holding, ...] = ()
    portrait: Literal["", "can", "has"] = ""
    """Somebody who is here can take a picture of themselves, or has."""

    @property
    def topics(self) -> frozenset[str]:
        """The round, the head, and the tables that it shows."""
        shown = (self.me.table,) if self.me and self.me.table else self.tables
        return frozenset((ROUND, HEAD, *(of_table(table.number) for table in shown)))


def shown_player(now: EveningNow, name: str = "", tab: str = "me") -> PlayerPage:
    """`/me` for the one who chose `name`; the list of names where nobody of that name has a card."""
    evening = now.evening
    secret = now.revealed is not None and revealed_finale(now).revealed is not None
    me = _me(now, name) if name in evening.people.cards else None
    guest = None if me else _at_the_door(now).get(name)
    mine = me is not None and tab not in ("tables", "standings")
    if me and not mine:
        me = Me(me.name, me.rank, me.of, None, "", me.rounds)
    rows = ranks(now) if me and not secret and tab != "tables" else ()
    return PlayerPage(
        heading=heading.heading(now),
        state=evening.state if mine else "",
        names=() if me else _names(now),
        me=me,
        here=guest.name if guest else "",
        asks=guest is not None and guest.asks,
        unknown=name if name and me is None and guest is None else "",
        rows=rows[:FRONT] if mine else rows,
        tables=tuple(tables_now(now, ON_A_PAGE)) if me and tab == "tables" else (),
        silent=now.head.silent,
        secret=secret,
        holdings=holdings(now) if mine and not secret else (),
        tab="tables" if tab == "tables" else "standings" if tab == "standings" else "me",
    )


@shared
def _names(now: EveningNow) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """All names that somebody may choose, of a new evening those on the list too; many by their initial."""
    evening = now.evening
    listed = [] if evening.rounds else [one.name for one in now.guests if not one.asks]
    names = alphabetical(tuple(dict.fromkeys((*evening.people.present, *listed))))
    if len(names) <= MANY_NAMES:
        return (("", names),) if names else ()
    return tuple(
        (initial, tuple(alike)) for initial, alike in groupby(names, lambda name: order(name)[0][:1].upper())
    )


@shared
def _at_the_door(now: EveningNow) -> Mapping[str, HallGuest]:
    """Guests who are here, by name."""
    return {one.name: one for one in now.guests if one.state == "here"}


@shared_by_round
def _places(now: EveningNow) -> Mapping[str, int]:
    """The place of everybody in the standings."""
    return {row.name: row.place for row in ranks(now)}


@shared_by_round
def _chairs(now: EveningNow) -> Mapping[str, tuple[int, SeatNames]]:
    """Table and neighbours of everybody, of the running round or the next one."""
    evening = now.evening
    seating = [table.seats for table in evening.round.tables] if evening.round else evening.seating or []
    return {name: (number, names) for number, names in enumerate(seating, 1) for name in names}


@shared_by_round
def _directions(now: EveningNow) -> Mapping[str, MoveDirection]:
    """Everybody's way to the next round's table."""
    return {} if now.evening.round else {row.name: row.direction for row in seat_rows(now)}


def _me(now: EveningNow, name: str) -> Me:
    evening, places = now.evening, _places(now)
    number, names = _chairs(now).get(name, (0, ()))
    pairs = team_of(evening) == "pairs"
    calls, card = all_calls(now), evening.people.cards[name]
    rounds = zip(reversed(evening.rounds), reversed(seats_by_card(now)), strict=True)
    played = [_my_round(round_.target, found.get(card), calls) for round_, found in rounds]
    return Me(
        name=name,
        rank=places.get(name, 0),
        of=len(places),
        table=table_now(now, number),
        partner=short(names[(names.index(name) + 2) % 4], calls) if number and pairs else "",
        rounds=tuple(one for one in played if one),
        next=evening.round is None and bool(evening.rounds),
        direction=_directions(now).get(name, ""),
        won=played[0].won if played and played[0] else None,
        roll=next((one for one in rolls(now) if name in [who.name for who in one.people]), None),
        place=standing(evening.tournament, name),
        left=not number and name not in evening.people.present,
    )


def _my_round(target: int, sat: tuple[Table, int] | None, calls: Mapping[str, str]) -> MyRound | None:
    if sat is None:
        return None
    table, seat = sat
    pairs = table.rules.team == "pairs"
    return MyRound(
        target=target,
        partner=short(table.seats[(seat + 2) % 4], calls) if pairs else "",
        mine=table.points[seat & table.side_bits],
        theirs=table.points[1 - seat % 2] if pairs else None,
        won=table.won(seat),
        buncos=table.buncos[seat],
        minis=table.minis[seat],
    )


def routes(state: PageState, _site: App) -> list[Route]:
    """Takes the name that somebody chose or typed: they are here."""

    async def named(request: Request) -> Response:
        name = plain_name((await fields(request)).get("name", ""))[:NAME_MAX_CHARS]
        answer = RedirectResponse("/me", 303)
        if not name:
            answer.delete_cookie(ME)
            return answer
        before = state.guests.of(name)
        plays = name in state.controller.folded.evening.people.cards
        guest = state.guests.arrive(name, state.unix_s(), plays)
        if guest is None:
            raise NotThere(TooManyAtTheDoor(), 429)
        if guest != before:
            state.streams.push(CHIME)
            state.changes.changed()
        remember(answer, ME, text_cookie(name))
        return answer

    async def portrait(request: Request) -> Response:
        guest = state.guests.of(viewer(request).me)
        if guest is None or guest.state is None:
            raise NotThere(NoSuchPage(PORTRAIT))
        if request.method == "GET":
            return picture(state.backend.portraits.of(guest.id), PORTRAIT)
        if request.headers.get("content-type") != "image/jpeg":
            state.backend.portraits.delete(guest.id)
        else:
            allow_portrait(request)
            if not state.backend.portraits.put(guest.id, await request.body()):
                raise NotThere(NoPortrait(), 400)
        state.changes.changed()
        return RedirectResponse("/me", 303)

    return [Route("/me", named, methods=["POST"]), Route(PORTRAIT, portrait, methods=["GET", "POST"])]


def _model(state: PageState, seen: Viewer, _path: "re.Match[str]") -> PlayerPage:
    guest = state.guests.of(seen.me) if seen.me else None
    name = guest.name if guest and not guest.asks else seen.me
    page = shown_player(state.evening_now(), name, seen.first("tab", "me"))
    if guest is None or guest.state is None or page.unknown:
        return page
    return replace(page, portrait="has" if guest.id in state.backend.portraits.ids else "can")


PAGE = Page("/me", _model)
