"""The pages of one player, one table, and a phone that is a table."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.game.round import Round
from pi_bunco.web.pages.player.model import Me, MyRound, PlayerPage
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.model import TableShown, Way
from pi_bunco.web.pages.shared.names import SIDES, all_calls, alphabetical, short
from pi_bunco.web.pages.shared.rolloff import rolls
from pi_bunco.web.pages.shared.seats import seat_rows
from pi_bunco.web.pages.shared.standings import ranks, revealed_finale, standing
from pi_bunco.web.pages.shared.tables import table_now
from pi_bunco.web.site.app import Answering, Page
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.forms import fields
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.viewer import ME, remember, text_cookie

SHOWN = 12
"""Tables on a player's page."""


def shown_player(now: EveningNow, name: str = "", tab: str = "me") -> PlayerPage:
    """`/me` for who chose `name`; the list of names where nobody of that name has a card."""
    evening = now.evening
    known = evening.people.cards
    names = alphabetical(tuple(evening.people.present))
    secret = now.revealed is not None and revealed_finale(now).revealed is not None
    rows = () if secret else ranks(now)
    shown = tuple(_all_tables(now)[:SHOWN]) if tab == "tables" else ()
    me = _me(now, name) if name in known else None
    return PlayerPage(
        heading=heading.heading(now),
        state=evening.state if evening.rules else "none",
        names=names,
        me=me,
        unknown=name if name and me is None else "",
        rows=rows,
        tables=shown,
        silent_s=now.head.silent_s,
        secret=secret,
        tab="tables" if tab == "tables" else "standings" if tab == "standings" else "me",
    )


def _all_tables(now: EveningNow) -> list[TableShown]:
    evening = now.evening
    shown = (table_now(now, number) for number in range(1, evening.tables + 1))
    return [table for table in shown if table is not None]


def _me(now: EveningNow, name: str) -> Me:
    evening = now.evening
    rows = ranks(now)
    rank = next((row.place for row in rows if row.name == name), 0)
    seating = [table.seats for table in evening.round.tables] if evening.round else evening.seating or []
    number = next((n for n, names in enumerate(seating, 1) if name in names), 0)
    shown = table_now(now, number) if number else None
    seat = seating[number - 1].index(name) if number else 0
    calls = all_calls(evening)
    return Me(
        name=name,
        rank=rank,
        of=len(rows),
        table=shown,
        partner=short(seating[number - 1][(seat + 2) % 4], calls) if number else "",
        side=SIDES[seat % 2],
        rounds=tuple(_my_rounds(now, name)),
        next=evening.round is None and bool(evening.rounds),
        way=_way(now, name) if evening.round is None else "",
        won=_won(now, name),
        roll=next((one for one in rolls(now) if name in [who.name for who in one.people]), None),
        place=standing(now.evening.tournament, name),
    )


def _way(now: EveningNow, name: str) -> Way:
    rows = seat_rows(now, now.evening.seating)
    return next((row.way for row in rows if row.name == name), "")


def _my_rounds(now: EveningNow, name: str) -> list[MyRound]:
    """Latest first."""
    card = now.evening.people.cards[name]
    calls = all_calls(now.evening)
    found = [mine for round_ in now.evening.rounds if (mine := _my_round(round_, card, calls))]
    return found[::-1]


def _my_round(round_: Round, card: int, calls: Mapping[str, str]) -> MyRound | None:
    for table in round_.tables:
        for seat, name in enumerate(table.seats):
            if round_.cards.get(name) == card and not table.ghosts[seat]:
                mine, theirs = table.points[seat % 2], table.points[1 - seat % 2]
                partner = short(table.seats[(seat + 2) % 4], calls)
                won = table.winner == seat % 2
                return MyRound(
                    round_.target, partner, mine, theirs, won, table.buncos[seat], table.minis[seat]
                )
    return None


def _won(now: EveningNow, name: str) -> bool | None:
    """Whether `name` won the last round."""
    evening = now.evening
    if not evening.rounds:
        return None
    last = _my_round(evening.rounds[-1], evening.people.cards[name], {})
    return last.won if last else None


async def _named(request: Request) -> Response:
    name = (await fields(request)).get("name", "").strip()[:80]
    answer = RedirectResponse("/me", 303)
    if name:
        remember(answer, ME, text_cookie(name))
    else:
        answer.delete_cookie(ME)
    return answer


def routes(_state: PageState, _site: Answering) -> list[Route]:
    """Takes the name that somebody chose."""
    return [Route("/me", _named, methods=["POST"])]


PAGE = Page(
    "/me", lambda state, viewer, _: shown_player(state.evening_now(), viewer.me, viewer.first("tab", "me"))
)
