"""The host's pages: login, commands, and everything that only a host may see."""

from typing import Any
from urllib.parse import quote

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.head.reasons import sentence
from pi_bunco.reason import Reason
from pi_bunco.web.pages.host import answer_keys
from pi_bunco.web.pages.host.prepare.draft import draft_of, keep
from pi_bunco.web.pages.shared.heading import round_id
from pi_bunco.web.site.app import App, Form
from pi_bunco.web.site.drawing import as_json
from pi_bunco.web.site.forms import back, command, fields
from pi_bunco.web.site.guard import loopback, sender
from pi_bunco.web.site.host_only import HOME, LOGIN, HostOnly
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page import PageModel
from pi_bunco.web.site.page_state import TITLE, PageState
from pi_bunco.web.site.reasons import KeyOfAnotherRound, NotLetIn, SeatsMoved
from pi_bunco.web.site.streams import reload_page
from pi_bunco.web.site.viewer import HOST_COOKIE, STREAM, WARNED, remember, viewer
from pi_bunco.wire.arguments import ArgumentError

OF_A_ROUND = ("round_end", "round_cancel", "bell_void", "decide", "confirm", "tally", "turn", "undo")
"""Commands that mean the round that the host saw."""


class LoginPage(PageModel, frozen=True):
    """`/host/login`: `why` the last try did not let in; `next` where to go then; `name` is kept as typed."""

    template = "host/login_page.html"
    live = False

    title: str
    next: str = "/host"
    why: Reason | None = None
    name: str = ""


class RedPage(PageModel, frozen=True):
    """The word before a browser's warning; the host's page is at `address`."""

    template = "host/red_page.html"
    live = False

    title: str
    address: str


def routes(state: PageState, site: App) -> list[Route]:
    """The routes below `/host`; what is not below is a page for who is logged in."""
    return HostPages(state, site).routes()


async def ask(
    state: PageState, name: str, args: dict[str, Any], session: HostSession, to: str, id: str = ""
) -> Notice:
    """The head's answer to a command of a host, which also stands on the host's page `to` then."""
    evening = state.controller.folded.evening
    back = answer_keys.keys_back(evening, name, args)
    done = await state.ask(name, args, session, id)
    keys = back if done.done else answer_keys.keys_on(evening, name, done.why, done.leads_to)
    notice = Notice(done.done, name, done.why, keys, args.get("table", 0))
    state.notify(session, notice, to)
    if done.done and name == "evening_close":
        state.guests.evening_over()
        state.backend.portraits.keep_only(state.guests.people)
        keep(state, replace(draft_of(state), late=()))
    return notice


class HostPages:
    """The routes below `/host` that no page has of its own."""

    def __init__(self, state: PageState, site: App) -> None:
        self._state = state
        self._site = site
        self._hosts = HostOnly(state)

    def routes(self) -> list[Route]:
        """All of them."""
        posted = self._hosts.posted
        return [
            Route(LOGIN, self._login_page, methods=["GET"]),
            Route(LOGIN, self._login, methods=["POST"]),
            Route("/host/logout", posted(self._logout), methods=["POST"]),
            Route("/host/command", posted(self._command), methods=["POST"]),
            Route(HOME, self._page, methods=["GET"]),
            Route("/host/{rest:path}", self._page, methods=["GET"]),
        ]

    # Login.

    async def _login_page(self, request: Request) -> Response:
        if elsewhere := self._elsewhere(request):
            return elsewhere
        if (key := request.query_params.get("key")) and loopback(request.scope):
            try:
                return self._hosts.let_in(
                    request, self._state.login.enter_by_key(key, self._state.time_of_day()), HOME
                )
            except NotLetIn as error:
                return self._login_form(request, "", error.reason)
        return self._login_form(request, request.query_params.get("next", ""))

    def _elsewhere(self, request: Request) -> Response | None:
        """A redirect, with a word first where the browser is about to warn; None to stay."""
        elsewhere = self._hosts.elsewhere(request)
        if elsewhere is None or self._state.backend.settings.vouched or WARNED in request.cookies:
            return elsewhere
        if not (address := elsewhere.headers.get("location")):
            return elsewhere
        page = self._site.document(RedPage(self._title(), address), viewer(request))
        remember(page, WARNED, "1")
        return page

    def _title(self) -> str:
        return str(self._state.backend.archive.kept.get(TITLE) or "")

    def _login_form(self, request: Request, then: str, why: Reason | None = None, name: str = "") -> Response:
        model = LoginPage(title=self._title(), why=why, next=back(then, HOME), name=name)
        return self._site.document(model, viewer(request), 403 if why else 200)

    async def _login(self, request: Request) -> Response:
        if elsewhere := self._hosts.elsewhere(request):
            return elsewhere
        form, state = await fields(request), self._state
        address, now, name = sender(request), state.backend.clock.now(), form.get("name", "")[:40]
        try:
            session = state.login.enter(form.get("pin", ""), name, address, now, state.time_of_day())
        except NotLetIn as error:
            return self._login_form(request, form.get("next", ""), error.reason, name)
        return self._hosts.let_in(request, session, back(form.get("next", ""), HOME))

    async def _logout(self, _request: Request, session: HostSession, _form: dict[str, str]) -> Response:
        self._state.login.leave(session.token)
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(HOST_COOKIE, path=HOME)
        return answer

    # What only a host may do.

    async def _command(self, request: Request, session: HostSession, form: dict[str, str]) -> Response:
        name, to = form.get("command", "")[:32], back(form.get("back", ""), HOME)
        try:
            name, args = command(form)
            if form.get("end_at", "").isdecimal():
                args["end_in_s"] = self._seconds_until(int(form["end_at"]))
            if why := self._too_late(name, form):
                raise ArgumentError(why)
        except ArgumentError as error:
            notice = Notice(False, name, error.reasons, (answer_keys.TONIGHT,))
            self._state.notify(session, notice, to)
        else:
            notice = await ask(self._state, name, args, session, to, form.get("id", "")[:40])
        if "application/json" in request.headers.get("accept", ""):
            answer = {
                "done": notice.done,
                "command": notice.command,
                "why": [sentence(one.english()) for one in notice.why],
            }
            return Response(msgspec.json.encode(answer), media_type="application/json")
        return RedirectResponse(to, 303)

    def _seconds_until(self, unix: int) -> int:
        """Seconds until a time of the page's clock, at most a day: the head knows no time of day."""
        return min(max(unix - int(self._state.time_of_day() / 1000), 0), 86_400)

    def _too_late(self, name: str, form: dict[str, str]) -> Reason | None:
        """The change since the host saw the key: another round, or other seats; None for no change."""
        evening = self._state.controller.folded.evening
        now, seats = round_id(evening), as_json(evening.seating or [])
        if name in OF_A_ROUND and form.get("round", now) != now:
            return KeyOfAnotherRound()
        moved = name == "seats_set" and form.get("before", seats) != seats
        return SeatsMoved() if moved else None

    async def _page(self, request: Request) -> Response:
        if elsewhere := self._elsewhere(request):
            return elsewhere
        session = self._hosts.session(request)
        seen = viewer(request, session)
        streams = request.url.path.endswith(STREAM)
        if session is None:
            return reload_page() if streams else RedirectResponse(f"{LOGIN}?next={quote(seen.address)}", 303)
        self._state.came(session)
        return self._site.show(seen, streams)


async def _setting(state: PageState, session: HostSession, form: dict[str, str]) -> str:
    if "seen" in form:
        state.notices.seen(session)
    if "title" in form:
        state.backend.archive.keep(TITLE, form["title"].strip()[:80])
    if form.get("show") in ("skip", "all"):
        state.skip(form["show"] == "skip")
    if name := form.get("name", "").strip()[:40]:
        state.login.rename(session.token, name)
    state.changes.changed()
    return back(form.get("back", ""), HOME)


SETTING = Form("/host/setting", _setting)
