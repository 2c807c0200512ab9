"""All routes of the page service, behind the guard."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.reason import Reason
from pi_bunco.runtime.store import StoreError
from pi_bunco.web.site import api, joining, own_files, screens
from pi_bunco.web.site.archive import evening_name, past_evening
from pi_bunco.web.site.assets import Document, asset, static
from pi_bunco.web.site.backend import Backend
from pi_bunco.web.site.drawing import Templates
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.forms import Fields, back, fields
from pi_bunco.web.site.guard import Guard, TooLarge
from pi_bunco.web.site.host_only import Handler, HostOnly
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.page import Context, ErrorPage, PageModel
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.pictures import Pictures
from pi_bunco.web.site.reasons import (
    FormTooLarge,
    NoSuchEvening,
    NoSuchPage,
    NotThere,
    OldForm,
    StoreUnreadable,
)
from pi_bunco.web.site.streams import Meanwhile
from pi_bunco.web.site.viewer import ENTRY_MODES, LANG, MODE, STREAM, THEME, Viewer, remember, viewer
from pi_bunco.wire.arguments import ArgumentError
from pi_bunco.words.catalogue import LANGUAGES
from pi_bunco.words.sentences import sentences

PACKAGE_FILES = ("offer.deb", "offer.deb.sig")
_LOOKS = {
    "theme": (THEME, ("night", "day", "")),
    "lang": (LANG, tuple(LANGUAGES)),
    "mode": (MODE, ENTRY_MODES),
}


class Page(Struct, frozen=True):
    """A page: its path (a regular expression), and its model for a viewer, None where there is none."""

    path: str
    model: Callable[[PageState, Viewer, "re.Match[str]"], PageModel | None]


class Form(Struct, frozen=True):
    """A form of the host's: its path, and what its fields change.

    `take` gives the path to go on at, or what is shown or handed out at once.
    """

    path: str
    take: Callable[[PageState, HostSession, Fields], Awaitable[str | PageModel | Response]]


class HostFile(Struct, frozen=True):
    """A file of an evening, to be kept elsewhere: its path, its type and what is in it."""

    path: str
    media: str
    content: Callable[[EveningNow], bytes]


class Pages(Struct, frozen=True):
    """All pages: what the site serves without knowing any of them. `board` is what `/api/board` tells.

    `routes` are those of pages that answer in ways of their own.
    """

    pages: tuple[Page, ...]
    forms: tuple[Form, ...]
    files: tuple[HostFile, ...]
    routes: tuple[Callable[[PageState, "App"], list[Route]], ...]
    templates: Templates
    board: Callable[[EveningNow], Any]


def app(backend: Backend, pages: Pages) -> Guard:
    """The application of a service."""
    return Guard(App(PageState(backend), pages).starlette(), backend.settings.names)


class App:
    """The pages, what they load, and the API."""

    def __init__(self, state: PageState, pages: Pages) -> None:
        self.changes = state.changes
        self.templates = pages.templates
        self._pages = pages
        self._paths = [(re.compile(page.path), page.model) for page in pages.pages]
        self._state = state
        self.pictures = Pictures(self)

    def starlette(self) -> Starlette:
        """The application."""
        state, hosts = self._state, HostOnly(self._state)
        return Starlette(
            routes=[
                *api.routes(state, lambda: self._pages.board(state.evening_now())),
                Route("/static/{version}/{name:path}", static, methods=["GET"]),
                Route("/favicon.ico", _favicon, methods=["GET"]),
                Route("/look", _look, methods=["POST"]),
                *joining.routes(state.backend.pis, state.changes),
                *own_files.routes(state.backend.own_files),
                Route("/package/{name}", self._package, methods=["GET"]),
                *screens.routes(state.screens, state.backend.clock, state.changes, state.sounds_now),
                *(Route(one.path, self._posted(hosts, one), methods=["POST"]) for one in self._pages.forms),
                *(Route(one.path, _read(hosts, one), methods=["GET"]) for one in self._pages.files),
                *(route for routes in self._pages.routes for route in routes(state, self)),
                Route("/{path:path}", self._page, methods=["GET"]),
            ],
            exception_handlers={
                HTTPException: self._wrong,
                ArgumentError: self._bad_form,
                TooLarge: self._too_large,
                StoreError: self._unreadable,
            },
        )

    @property
    def version(self) -> str:
        """That of all pages and what they load, the theme too."""
        return Context(dressed=self._state.theme).version

    async def _package(self, request: Request) -> Response:
        """The package that tables are to take, or its signature; neither while an evening is open."""
        folder, evening = self._state.backend.settings.packages, self._state.evening_now().evening
        name = request.path_params["name"]
        file = folder / name if folder and name in PACKAGE_FILES else None
        if file is None or not file.is_file() or not (evening.over or evening.rules is None):
            return PlainTextResponse("nothing to hand out", 404)
        return FileResponse(file)

    def model(self, viewer: Viewer) -> PageModel:
        """The page's model now; `HTTPException` for none."""
        for path, model in self._paths:
            if (match := path.fullmatch(viewer.path)) and (shown := model(self._state, viewer, match)):
                return shown
        raise NotThere(NoSuchPage(viewer.path[:80]))

    def look(self, viewer: Viewer) -> PageModel:
        """The model of an open page now; `HTTPException` for none, or for a host who is logged out."""
        session, state = viewer.session, self._state
        if session:
            if not state.login.session(session.token, state.time_of_day()):
                raise HTTPException(403)
            state.came(session)
        return self.model(viewer)

    def body(self, model: PageModel, viewer: Viewer) -> str:
        """The element `#page` of a page."""
        return self.templates.body(model, self.context(viewer))

    def context(self, viewer: Viewer) -> Context:
        """For whom a page is drawn."""
        session, backend = viewer.session, self._state.backend
        return Context(
            path=viewer.address,
            base=backend.base,
            stream=viewer.stream,
            csrf=session.csrf if session else "",
            lang=viewer.lang,
            theme=viewer.theme,  # type: ignore[arg-type]
            wifi=backend.settings.wifi if viewer.path == "/" else "",
            host=session.by if session else "",
            dressed=self._state.theme,
        )

    def show(self, viewer: Viewer, as_stream: bool, meanwhile: Meanwhile = None) -> Response:
        """The page, or its event stream; `meanwhile` lasts as long as that is open."""
        if as_stream:
            picture = self.pictures.of(viewer)  # tells what is no page before a stream begins
            return self._state.streams.response(picture, meanwhile, viewer.drawn)
        return self.document(self.model(viewer), viewer)

    def document(self, model: PageModel, viewer: Viewer, status: int = 200) -> Response:
        """A page that has no path of its own."""
        html = self.templates.render(model, self.context(viewer))
        return Response(html, status, media_type="text/html") if viewer.session else Document(html, status)

    def _posted(self, hosts: HostOnly, form: Form) -> Handler:
        async def posted(request: Request, session: HostSession, filled: Fields) -> Response:
            answer = await form.take(self._state, session, filled)
            if isinstance(answer, PageModel):
                return self.document(answer, viewer(request, session))
            return RedirectResponse(answer, 303) if isinstance(answer, str) else answer

        return hosts.posted(posted)

    async def _page(self, request: Request) -> Response:
        seen = screens.assigned(self._state.screens, request, viewer(request))
        return self.show(seen, request.url.path.endswith(STREAM))

    async def _wrong(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        why = error.reason if isinstance(error, NotThere) else OldForm()
        return self.refusal(request, error.status_code, why, error.headers)

    async def _bad_form(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, ArgumentError)
        return self.refusal(request, 400, error.reasons[0])

    async def _too_large(self, request: Request, _error: Exception) -> Response:
        answer = self._error_page(request, 413, FormTooLarge())
        answer.headers["connection"] = "close"
        return answer

    async def _unreadable(self, request: Request, error: Exception) -> Response:
        return self._error_page(request, 503, StoreUnreadable(str(error)))

    def refusal(
        self, request: Request, status: int, why: Reason, headers: Mapping[str, str] | None = None
    ) -> Response:
        """The answer to what is not done: a page for a person, a line for a program."""
        if "text/html" in request.headers.get("accept", ""):
            return self._error_page(request, status, why)
        return PlainTextResponse(f"{sentences(viewer(request).lang).of(why)}\n", status, headers)

    def _error_page(self, request: Request, status: int, why: Reason) -> Response:
        seen = viewer(request)
        html = self.templates.render(ErrorPage(status, why), Context(path=seen.address, lang=seen.lang))
        return Document(html, status)


def _read(hosts: HostOnly, file: HostFile) -> Handler:
    async def read(request: Request, _session: HostSession) -> Response:
        now = past_evening(hosts.state, request.query_params.get("evening", ""))
        if now is None:
            raise NotThere(NoSuchEvening())
        return handed_out(
            file.content(now), file.media, f"{evening_name(now)}.{file.path.rpartition('.')[2]}"
        )

    return hosts.read(read)


def handed_out(content: bytes, media: str, name: str) -> Response:
    """A file to be kept under that name."""
    return Response(
        content, media_type=media, headers={"content-disposition": f'attachment; filename="{name}"'}
    )


async def _look(request: Request) -> Response:
    form = await fields(request)
    answer = RedirectResponse(back(form.get("back", ""), "/"), 303)
    for field, (cookie, values) in _LOOKS.items():
        if form.get(field) in values:
            remember(answer, cookie, form[field])
    return answer


async def _favicon(_request: Request) -> Response:
    return RedirectResponse(asset("symbols.svg"), 302)
