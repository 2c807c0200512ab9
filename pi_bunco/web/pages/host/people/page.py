"""The people of the hall in the host's hands: one tap says that somebody is here, or left."""

import re
from typing import cast, get_args

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.web.pages.host.frame import frame
from pi_bunco.web.pages.host.model import query
from pi_bunco.web.pages.host.page import ask
from pi_bunco.web.pages.host.people.model import GuestRow, HostPeople
from pi_bunco.web.pages.host.prepare.draft import kept, lines, restored_draft, with_name
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.names import order
from pi_bunco.web.site.app import Answering, Page
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.forms import fields
from pi_bunco.web.site.guests import GuestState
from pi_bunco.web.site.host_only import HostOnly
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.viewer import Viewer

PEOPLE = "/host/people"


def shown_people(
    now: EveningNow, notice: Notice | None = None, chosen: str = "", forgets: bool = False
) -> HostPeople:
    """`/host/people`; `chosen` is the id of whom the host looks at."""
    evening = now.evening
    seating = [table.seats for table in evening.round.tables] if evening.round else evening.seating or []
    where = {name: number for number, names in enumerate(seating, 1) for name in names}
    rows = [
        GuestRow(
            guest,
            "left" if guest.state == "here" else "here",
            heading.clock(now, (guest.since - now.began) * 1000) if guest.since else "",
            where.get(guest.name, 0),
        )
        for guest in sorted(now.guests, key=lambda guest: order(guest.name))
    ]
    return HostPeople(
        frame=frame(now, "prepare", notice),
        asking=tuple(row for row in rows if row.guest.asks),
        rows=tuple(row for row in rows if not row.guest.asks),
        here=sum(row.guest.state == "here" for row in rows),
        chosen=next((row for row in rows if row.guest.id == chosen), None),
        forgets=forgets,
    )


def _model(state: PageState, viewer: Viewer, _path: "re.Match[str]") -> HostPeople:
    forgets = query(viewer).ask == "forget"
    return shown_people(state.evening_now(), state.notice(viewer.session), viewer.first("who"), forgets)


def routes(state: PageState, _site: Answering) -> list[Route]:
    """Takes what a host says of somebody."""

    async def people(request: Request, session: HostSession) -> Response:
        form, book = await fields(request), state.guests
        id, now = form.get("id", ""), state.unix_s()
        match form:
            case {"forget": _}:
                if guest := book.people.get(id):
                    draft = restored_draft(state.draft)
                    left = tuple(name for name in draft.names if name != guest.name)
                    state.keep_draft(kept(replace(draft, names=left)))
                    book.forget(id)
            case {"take": _} if guest := book.take(id):
                _onto_the_list(state, guest.name)
                await _seated(state, session, guest.name, "here")
            case {"as": other} if guest := book.merge(id, other, now):
                await _seated(state, session, guest.name, guest.state)
            case {"to": to} if to in get_args(GuestState) and id in book.people:
                guest = book.mark(id, cast("GuestState", to), now)
                await _seated(state, session, guest.name, to)
        state.changes.changed()
        return RedirectResponse(PEOPLE, 303)

    return [Route(PEOPLE, HostOnly(state).posted(people), methods=["POST"])]


def _onto_the_list(state: PageState, name: str) -> None:
    draft = restored_draft(state.draft)
    if name not in lines(draft):
        state.keep_draft(kept(with_name(draft, name)))


async def _seated(state: PageState, session: HostSession, name: str, to: str) -> None:
    """The evening follows where it can: who comes takes a ghost's chair, who leaves gives theirs to one."""
    evening = state.controller.folded.evening
    if evening.rules is None or evening.closed or evening.round is not None:
        return
    if to == "here" and name not in evening.people.present:
        await ask(state, "arrive", {"player": name}, session)
    elif to == "left" and name in evening.people.present:
        await ask(state, "leave", {"player": name}, session)


PAGE = Page(PEOPLE, _model)
