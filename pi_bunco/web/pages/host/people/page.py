"""The people of the hall in the host's hands: one tap says that somebody is here, or left."""

from collections.abc import Iterable
from random import SystemRandom
from time import gmtime, strftime
from typing import cast, get_args

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pi_bunco.game.evening import Evening
from pi_bunco.game.opening import same
from pi_bunco.log.rewriting import Renaming, drawn_pseudonym
from pi_bunco.web.pages.host.frame import HostPage, HostQuery, frame, host_page
from pi_bunco.web.pages.host.page import ask
from pi_bunco.web.pages.host.prepare.draft import draft_of, keep, with_name
from pi_bunco.web.pages.shared import heading, tables
from pi_bunco.web.pages.shared.names import order
from pi_bunco.web.site.app import App, Form
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.guests import GuestState, HallGuest
from pi_bunco.web.site.host_only import HostOnly
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.portraits import picture

PEOPLE, PORTRAIT = "/host/people", "/host/portrait"


class GuestRow(Struct, frozen=True):
    """One line of the list: `next` is one tap away; `table` where they sit, 0 for nowhere.

    `visits` are the days on which they came, the last first.
    """

    guest: HallGuest
    next: GuestState
    since: str = ""
    table: int = 0
    visits: tuple[str, ...] = ()
    portrait: bool = False


def _next(guest: HallGuest) -> GuestState:
    return "coming" if guest.state is None else "left" if guest.state == "here" else "here"


class HostPeople(HostPage, frozen=True):
    """`/host/people`: `asking` told a name at the door that is not on the list; `chosen` shows all of one.

    `absent` are of the hall but not expected; of these `strangers` never came. `no_shows` are expected and
    not here; `short` is how many lack to full tables, which the `stand_ins` could fill; `owing` owe money.
    """

    template = "host/people/host_people.html"
    scripts = ("drawer.js",)

    asking: tuple[GuestRow, ...]
    rows: tuple[GuestRow, ...]
    absent: tuple[GuestRow, ...]
    strangers: int
    here: int
    helper_pin: str = ""
    no_shows: int = 0
    seated: bool = False
    """The evening is open: who is not here has a chair."""
    short: int = 0
    stand_ins: tuple[GuestRow, ...] = ()
    owing: int = 0
    old_logs: tuple[int, ...] = ()
    chosen: GuestRow | None = None
    forgets: bool = False
    kept: bool = False
    """All that is kept of everybody is shown in place of who is here."""


def shown_people(now: EveningNow, query: HostQuery) -> HostPeople:
    """`/host/people`."""
    evening = now.evening
    where = tables.where(evening)
    rows, absent = (
        [
            GuestRow(
                guest,
                next,
                heading.clock(now, (guest.since - now.began) * 1000) if guest.since else "",
                where.get(guest.name, 0),
                tuple(strftime("%Y-%m-%d", gmtime(visit.at + now.zone)) for visit in reversed(guest.visits)),
                guest.id in now.portraits,
            )
            for guest in sorted(people, key=lambda guest: order(guest.name))
            for next in (_next(guest),)
        ]
        for people in (now.guests, now.absent)
    )
    return HostPeople(
        frame=frame(now, "prepare", query),
        asking=tuple(row for row in rows if row.guest.asks),
        rows=tuple(row for row in rows if not row.guest.asks),
        absent=tuple(absent),
        strangers=sum(not row.visits for row in absent),
        here=sum(row.guest.state == "here" for row in rows),
        no_shows=len(no_shows(now.guests, evening)),
        seated=_runs(evening),
        short=-sum(row.guest.state in ("here", "coming", "late") and not row.guest.asks for row in rows) % 4,
        stand_ins=tuple(row for row in rows if row.guest.state == "stands_in"),
        owing=sum(row.guest.owes for row in rows),
        helper_pin=now.helper_pin,
        chosen=next((row for row in (*rows, *absent) if row.guest.id == query.who), None),
        old_logs=now.old_logs,
        forgets=query.ask == "forget",
        kept=query.panel == "kept",
    )


def _runs(evening: Evening) -> bool:
    return evening.rules is not None and not evening.closed


def no_shows(guests: Iterable[HallGuest], evening: Evening) -> tuple[HallGuest, ...]:
    """Expected guests who are not here; while the evening is open, those of them who have a chair."""
    missing = (guest for guest in guests if guest.state == "coming" and not guest.asks)
    return tuple(guest for guest in missing if not _runs(evening) or guest.name in evening.people.present)


async def _say(state: PageState, session: HostSession, form: dict[str, str]) -> str:
    """Takes what a host says of somebody."""
    book, id, now = state.guests, form.get("id", ""), state.unix_s()
    match form:
        case {"forget": _}:
            if guest := book.people.get(id):
                await _forget(state, session, guest)
                return f"{PEOPLE}?panel=kept" if form.get("kept") else PEOPLE
        case {"no_shows": _}:
            await _without_no_shows(state, session)
        case {"no_portrait": _}:
            state.backend.portraits.delete(id)
        case {"pays": _} if id in book.people:
            book.pay(id)
        case {"helpers": _}:
            state.let_helpers_in()
        case {"strangers": _}:
            book.forget_strangers()
        case {"take": whom}:
            for one in [guest.id for guest in book.people.values() if guest.asks] if whom == "all" else [id]:
                if guest := book.take(one):
                    _onto_the_list(state, guest.name)
                    await _seated(state, session, guest.name, guest.state)
        case {"as": other} if guest := book.merge(id, other, now):
            state.backend.portraits.move(id, other)
            await _seated(state, session, guest.name, guest.state)
        case {"to": to} if to in get_args(GuestState) and id in book.people:
            guest = book.mark(id, cast("GuestState", to), now)
            _onto_the_list(state, guest.name)
            await _seated(state, session, guest.name, to)
    state.backend.portraits.keep_only(book.people)
    state.changes.changed()
    return PEOPLE


async def _forget(state: PageState, session: HostSession, guest: HallGuest) -> None:
    """Deletes all that is kept of somebody; nothing where the logs with the name cannot be written anew."""
    known = set(map(same, guest.names))
    evening, archive = state.controller.folded.evening, state.backend.archive
    logged = (*evening.people.holders, *(name for one in archive.evenings() for name in one.players))
    if evening.closed or evening.rules is None or not known.isdisjoint(map(same, logged)):
        pseudonym = drawn_pseudonym(SystemRandom())
        args = {"names": guest.names, "pseudonym": pseudonym}
        notice = await ask(state, "name_delete", args, session, PEOPLE)
        if not notice.done and not known.isdisjoint(map(same, logged)):
            return
        archive.rename(Renaming(guest.names, pseudonym))
    _off_the_list(state, guest)
    state.guests.forget(guest.id)
    state.backend.portraits.delete(guest.id)
    archive.erase()
    state.changes.changed()


async def _without_no_shows(state: PageState, session: HostSession) -> None:
    """Takes absent guests off the list; once the evening is open a ghost has their chair until they come."""
    evening = state.controller.folded.evening
    for guest in no_shows(state.guests.tonight(), evening):
        if not _runs(evening):
            _off_the_list(state, guest)
            state.guests.not_expected(guest.id)
        elif not (await ask(state, "leave", {"player": guest.name}, session, PEOPLE)).done:
            return


def _onto_the_list(state: PageState, name: str) -> None:
    draft = draft_of(state)
    if name not in draft.names:
        keep(state, with_name(draft, name))


def _off_the_list(state: PageState, guest: HallGuest) -> None:
    draft = draft_of(state)
    names = tuple(name for name in draft.names if name not in guest.names)
    late = tuple(one for one in draft.late if one[0] in names)
    keep(state, replace(draft, names=names, late=late, doubts=()))


async def _seated(state: PageState, session: HostSession, name: str, to: str | None) -> None:
    """Has the evening follow where it can: who comes takes a ghost's chair, who leaves gives theirs up."""
    evening = state.controller.folded.evening
    if evening.rules is None or evening.closed or evening.round is not None:
        return
    if to == "here" and name not in evening.people.present:
        await ask(state, "arrive", {"player": name}, session, PEOPLE)
    elif to == "left" and name in evening.people.present:
        await ask(state, "leave", {"player": name}, session, PEOPLE)


def routes(state: PageState, _site: App) -> list[Route]:
    """The pictures that guests took of themselves, for the host."""

    async def portrait(request: Request, _session: HostSession) -> Response:
        return picture(state.backend.portraits.of(request.query_params.get("id", "")), PORTRAIT)

    return [Route(PORTRAIT, HostOnly(state).read(portrait), methods=["GET"])]


PAGE = host_page(PEOPLE, shown_people)
FORM = Form(PEOPLE, _say)
