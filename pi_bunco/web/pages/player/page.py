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


def shown_player(situation: EveningNow, name: str = "", tab: str = "me") -> PlayerPage:
    """`/me` for who chose `name`; the list of names where nobody of that name has a card."""
    evening = situation.evening
    known = evening.people.cards
    names = alphabetical(tuple(evening.people.present))
    secret = situation.revealed is not None and revealed_finale(situation).revealed is not None
    rows = () if secret else ranks(situation)
    shown = tuple(_all_tables(situation)[:SHOWN]) if tab == "tables" else ()
    me = _me(situation, name) if name in known else None
    return PlayerPage(
        heading=heading.heading(situation),
        state=evening.state if evening.rules else "none",
        names=names,
        me=me,
        unknown=name if name and me is None else "",
        rows=rows,
        tables=shown,
        silent_s=situation.head.silent_s,
        secret=secret,
        tab="tables" if tab == "tables" else "standings" if tab == "standings" else "me",
    )


def _all_tables(situation: EveningNow) -> list[TableShown]:
    evening = situation.evening
    shown = (table_now(situation, number) for number in range(1, evening.tables + 1))
    return [table for table in shown if table is not None]


def _me(situation: EveningNow, name: str) -> Me:
    evening = situation.evening
    rows = ranks(situation)
    rank = next((row.place for row in rows if row.name == name), 0)
    seating = [table.seats for table in evening.round.tables] if evening.round else evening.seating or []
    number = next((n for n, names in enumerate(seating, 1) if name in names), 0)
    shown = table_now(situation, number) if number else None
    seat = seating[number - 1].index(name) if number else 0
    calls = all_calls(evening)
    return Me(
        name=name,
        rank=rank,
        of=len(rows),
        table=shown,
        partner=short(seating[number - 1][(seat + 2) % 4], calls) if number else "",
        side=SIDES[seat % 2],
        rounds=tuple(_my_rounds(situation, name)),
        next=evening.round is None and bool(evening.rounds),
        way=_way(situation, name) if evening.round is None else "",
        won=_won(situation, name),
        roll=next((one for one in rolls(situation) if name in [who.name for who in one.people]), None),
        place=standing(situation.evening.tournament, name),
    )


def _way(situation: EveningNow, name: str) -> Way:
    rows = seat_rows(situation, situation.evening.seating)
    return next((row.way for row in rows if row.name == name), "")


def _my_rounds(situation: EveningNow, name: str) -> list[MyRound]:
    """Latest first."""
    card = situation.evening.people.cards[name]
    calls = all_calls(situation.evening)
    found = [mine for round_ in situation.evening.rounds if (mine := _my_round(round_, card, calls))]
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


def _won(situation: EveningNow, name: str) -> bool | None:
    """Whether `name` won the last round."""
    evening = situation.evening
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
