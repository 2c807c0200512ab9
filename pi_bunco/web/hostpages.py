"""The host's pages: login, commands, and everything that only a host may see."""

import secrets
import time
from collections.abc import Awaitable, Callable
from urllib.parse import quote

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.game.sheet import result_sheet
from pi_bunco.web import pages, past, present
from pi_bunco.web.course import round_id
from pi_bunco.web.forms import FormError, back, command, fields
from pi_bunco.web.guard import hostname, loopback
from pi_bunco.web.login import HostSession, NotLetIn
from pi_bunco.web.models import Action, LoginPage, Notice
from pi_bunco.web.sheets import result_table
from pi_bunco.web.site import TITLE, Site
from pi_bunco.web.store import jsonl
from pi_bunco.web.stream import event
from pi_bunco.web.viewer import HOST, STREAM, Viewer, viewer

HOME = "/host"
LOGIN = "/host/login"
STEPS = ("people", "rules", "money", "seats")
"""The steps of preparing an evening."""
OF_A_ROUND = ("round_end", "round_cancel", "bell_void", "decide", "confirm", "tally", "turn", "undo")
"""Commands that mean the round that the host saw."""
TOO_LATE = "The round was another one when this key was made: look how it stands, then press again."
MOVED = "Somebody was moved meanwhile: look how they sit now, then change it again."
LATER_S = 36 * 3600
"""Seconds after which the browser forgets a session too."""
Handler = Callable[[Request, HostSession], Awaitable[Response]]


class HostPages:
    """The routes below `/host`."""

    def __init__(self, site: Site, show: Callable[[Viewer, bool], Response]) -> None:
        """`show` answers with a page, or (True) with its event stream."""
        self._site = site
        self._show = show

    def routes(self) -> list[Route]:
        """All of them; what is not below is a page for who is logged in."""
        return [
            Route(LOGIN, self._login_page, methods=["GET"]),
            Route(LOGIN, self._login, methods=["POST"]),
            Route("/host/logout", self._posted(self._logout), methods=["POST"]),
            Route("/host/command", self._posted(self._command), methods=["POST"]),
            Route("/host/prepare", self._posted(self._prepare), methods=["POST"]),
            Route("/host/finale", self._posted(self._finale), methods=["POST"]),
            Route("/host/log.jsonl", self._file, methods=["GET"]),
            Route("/host/results.csv", self._file, methods=["GET"]),
            Route("/host/setting", self._posted(self._setting), methods=["POST"]),
            Route(HOME, self._page, methods=["GET"]),
            Route("/host/{rest:path}", self._page, methods=["GET"]),
        ]

    def session(self, request: Request) -> HostSession | None:
        """The session of the request's cookie."""
        return self._site.login.session(request.cookies.get(HOST), self._site.time_of_day())

    # Login.

    async def _login_page(self, request: Request) -> Response:
        if elsewhere := self._secured(request):
            return elsewhere
        if (key := request.query_params.get("key")) and loopback(request.scope):
            try:
                return self._let_in(
                    request, self._site.login.enter_by_key(key, "", self._site.time_of_day()), HOME
                )
            except NotLetIn as error:
                return self._login_form(request, "", str(error))
        return self._login_form(request, request.query_params.get("next", ""))

    def _login_form(self, request: Request, then: str, why: str = "") -> Response:
        seen = viewer(request)
        model = LoginPage(
            title=str(self._site.backend.archive.kept.get(TITLE) or ""),
            wrong=bool(why),
            why=why,
            next=back(then, HOME),
        )
        context = msgspec.structs.replace(self._site.context(seen), stream="")  # nothing changes there
        return Response(pages.render(model, context), 403 if why else 200, media_type="text/html")

    async def _login(self, request: Request) -> Response:
        if elsewhere := self._secured(request):
            return elsewhere
        form, site = await fields(request), self._site
        address, now = sender(request), site.backend.clock.now()
        try:
            session = site.login.enter(
                form.get("pin", ""), form.get("name", "")[:40], address, now, site.time_of_day()
            )
        except NotLetIn as error:
            return self._login_form(request, form.get("next", ""), str(error))
        return self._let_in(request, session, back(form.get("next", ""), HOME))

    def _let_in(self, request: Request, session: HostSession, to: str) -> Response:
        self._site.keep_sessions()
        answer = RedirectResponse(to, 303)
        answer.set_cookie(
            HOST,
            session.token,
            max_age=LATER_S,
            path=HOME,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return answer

    def _secured(self, request: Request) -> Response | None:
        """The PIN crosses a network only under TLS: where else to go, None for stay."""
        if request.url.scheme == "https" or loopback(request.scope):
            return None
        port = self._site.backend.tls_port
        if port is None:
            return PlainTextResponse(
                "The host's page is open on the machine that serves it. For other devices it needs a"
                " certificate: on that machine, pip install 'pi-bunco[provision]' and start again to have"
                " one made, or name yours with --tls-cert and --tls-key.\n",
                403,
            )
        name = hostname(request.headers.get("host", "")) or ""
        place = f"[{name}]" if ":" in name else name
        return RedirectResponse(f"https://{place}:{port}{request.url.path}", 307 if _reads(request) else 303)

    async def _logout(self, request: Request, _session: HostSession) -> Response:
        self._site.login.leave(request.cookies.get(HOST, ""))
        self._site.keep_sessions()
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(HOST, path=HOME)
        return answer

    # What only a host may do.

    def _posted(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        """The handler for who is logged in and sends the token of the session's own forms."""

        async def posted(request: Request) -> Response:
            session = self.session(request)
            if session is None:
                return RedirectResponse(LOGIN, 303)
            form = await fields(request)
            if form.get("csrf", request.headers.get("x-csrf", "")) != session.csrf:
                return PlainTextResponse(
                    "This form is old: load the page again, then press once more.\n", 403
                )
            self._site.came(session)
            return await handler(request, session)

        return posted

    async def _command(self, request: Request, session: HostSession) -> Response:
        form = await fields(request)
        try:
            name, args = command(form)
        except FormError as error:
            notice = Notice(False, form.get("command", "")[:32], (str(error),))
            self._site.notify(session, notice)
        else:
            if why := self._too_late(name, form):
                notice = Notice(False, name, (why,), (Action("tonight", href=HOME),))
                self._site.notify(session, notice)
            else:
                notice = await self._site.ask(name, args, session, form.get("id", "")[:40])
        if "application/json" in request.headers.get("accept", ""):
            answer = {"done": notice.done, "command": notice.command, "why": notice.why}
            return Response(msgspec.json.encode(answer), media_type="application/json")
        return RedirectResponse(back(form.get("back", ""), HOME), 303)

    def _too_late(self, name: str, form: dict[str, str]) -> str:
        """Why the key is not what the host saw any more: another round, or other seats; "" if it is."""
        evening = self._site.controller.follower.evening
        now, seats = round_id(evening), pages.as_json(evening.seating or [])
        if name in OF_A_ROUND and form.get("round", now) != now:
            return TOO_LATE
        moved = name == "seats_set" and form.get("before", seats) != seats
        return MOVED if moved else ""

    async def _setting(self, request: Request, session: HostSession) -> Response:
        form, site = await fields(request), self._site
        if "seen" in form:
            site.seen(session)
        if "title" in form:
            site.backend.archive.keep(TITLE, form["title"].strip()[:80])
        if name := form.get("name", "").strip()[:40]:
            site.login.rename(request.cookies.get(HOST, ""), name)
            site.keep_sessions()
        site.changes.changed()
        return RedirectResponse(back(form.get("back", ""), HOME), 303)

    async def _prepare(self, request: Request, session: HostSession) -> Response:
        form, site = await fields(request), self._site
        doing, to = form.get("do", ""), back(form.get("back", ""), "/host/prepare")
        draft = present.changed(site.draft, form, past.last_people(site))
        site.keep_draft(draft)
        if doing in STEPS:
            to = f"/host/prepare?panel={doing}"
        if doing in ("open", "replace"):
            args = present.open_args(draft, secrets.randbelow(2**31), doing == "replace")
            opened = await site.ask("evening_open", args, session)
            if opened.done:
                await site.ask("seats_draw", {}, session)
        return RedirectResponse(to, 303)

    async def _finale(self, request: Request, _session: HostSession) -> Response:
        """The scoreboards tell the next of who won, all, or nothing yet; `revealed` is what the host saw."""
        form, site = await fields(request), self._site
        revealed, count = site.situation().revealed, len(present.results(site.situation()).steps)
        if revealed is not None:
            seen = form.get("revealed", "") == str(revealed)  # of two hosts at once only one goes on
            steps = {"next": min(revealed + seen, count), "all": count, "again": 0}
            site.tell(steps.get(form.get("do", ""), revealed))
        return RedirectResponse("/host/results", 303)

    async def _file(self, request: Request) -> Response:
        """The log of an evening, or its results as CSV, to be kept elsewhere."""
        if elsewhere := self._secured(request):
            return elsewhere
        if self.session(request) is None:
            return RedirectResponse(LOGIN, 303)
        situation = past.situation(self._site, request.query_params.get("evening", ""))
        if situation is None:
            raise HTTPException(404, "This evening is not known.")
        id = situation.evening.id or "none"
        if request.url.path.endswith("jsonl"):
            return _download(jsonl(situation.log), f"evening-{id}.jsonl", "application/jsonl")
        date = time.strftime("%Y-%m-%d", time.localtime(situation.began))
        sheet = result_sheet(situation.evening, situation.log, title=situation.title, date=date)
        if sheet is None:
            raise HTTPException(404, "The results come with the last round, or when the evening is closed.")
        return _download(result_table(sheet).encode(), f"results-{id}.csv", "text/csv")

    async def _page(self, request: Request) -> Response:
        if elsewhere := self._secured(request):
            return elsewhere
        session = self.session(request)
        seen = viewer(request, session)
        streams = request.url.path.endswith(STREAM)
        if session is None:
            return _logged_out() if streams else RedirectResponse(f"{LOGIN}?next={quote(seen.address)}", 303)
        self._site.came(session)
        return self._show(seen, streams)


def _logged_out() -> Response:
    """Has a page that was open when its session ended load itself again, which leads to the login."""
    return Response(event("", "alive"), media_type="text/event-stream")


def _download(content: bytes, name: str, kind: str) -> Response:
    return Response(
        content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'}
    )


def sender(request: Request) -> str:
    """Whose tries are counted together: this machine, an address, of IPv6 the network."""
    if loopback(request.scope):
        return "loopback"
    host = request.client.host if request.client else ""
    return ":".join(host.split(":")[:4]) if host.count(":") > 1 else host


def _reads(request: Request) -> bool:
    return request.method in ("GET", "HEAD")
