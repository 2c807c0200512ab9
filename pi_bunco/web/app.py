"""All routes of the page service, behind the guard."""

from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.web import api, pages, paths
from pi_bunco.web.assets import static
from pi_bunco.web.forms import FormError, back, fields
from pi_bunco.web.guard import Guard, TooLarge
from pi_bunco.web.hostpages import HostPages
from pi_bunco.web.models import ErrorPage, PageModel
from pi_bunco.web.playpages import PlayPages
from pi_bunco.web.show import Drawings, stream
from pi_bunco.web.site import Backend, Site
from pi_bunco.web.texts import LANGUAGES
from pi_bunco.web.viewer import LANG, ME, MODE, MODES, STREAM, THEME, Viewer, remember, text_cookie, viewer

_LOOKS = {
    "theme": (THEME, ("night", "day", "")),
    "lang": (LANG, tuple(LANGUAGES)),
    "mode": (MODE, MODES),
}


def app(backend: Backend) -> Guard:
    """The application of a service."""
    return Guard(PublicPages(Site(backend)).starlette(), backend.names)


class PublicPages:
    """The pages without login, and all others beside them."""

    def __init__(self, site: Site) -> None:
        self.changes, self.bells, self.context, self.seconds = (
            site.changes,
            site.bells,
            site.context,
            site.seconds,
        )
        self._site = site
        self._drawings = Drawings(self)

    @property
    def pictures(self) -> int:
        """So many different pictures are looked at."""
        return len(self._drawings)

    def starlette(self) -> Starlette:
        """The application."""
        return Starlette(
            routes=[
                *api.routes(self._site),
                Route("/static/{version}/{name:path}", static, methods=["GET"]),
                Route("/favicon.ico", _favicon, methods=["GET"]),
                Route("/me", self._name, methods=["POST"]),
                Route("/look", self._look, methods=["POST"]),
                *HostPages(self._site, self.show).routes(),
                *PlayPages(self._site, self.show).routes(),
                Route("/{path:path}", self._page, methods=["GET"]),
            ],
            exception_handlers={HTTPException: _wrong, FormError: _bad_form, TooLarge: _too_large},
        )

    def model(self, viewer: Viewer) -> PageModel:
        """What the page shows now; `HTTPException` for none."""
        model = paths.model(self._site, viewer)
        if model is None:
            raise HTTPException(404, f"There is no page {viewer.path[:80]}.")
        return model

    def show(self, viewer: Viewer, as_stream: bool) -> Response:
        """The page, or its event stream."""
        if as_stream:
            self._drawings.body(viewer)  # tells what is no page before a stream begins
            return self._site.streams.response(self._stream(viewer))
        return _html(pages.render(self.model(viewer), self.context(viewer)))

    def _stream(self, viewer: Viewer) -> AsyncIterator[bytes]:
        return stream(self, lambda: self._picture(viewer))

    def _picture(self, viewer: Viewer) -> str | None:
        session, site = viewer.session, self._site
        if session:
            if not site.login.session(session.token, site.time_of_day()):
                return None  # logged out meanwhile
            site.came(session)
        return self._drawings.body(viewer)

    async def _page(self, request: Request) -> Response:
        return self.show(viewer(request), request.url.path.endswith(STREAM))

    async def _name(self, request: Request) -> Response:
        name = (await fields(request)).get("name", "").strip()[:80]
        answer = RedirectResponse("/me", 303)
        if name:
            remember(answer, ME, text_cookie(name))
        else:
            answer.delete_cookie(ME)
        return answer

    async def _look(self, request: Request) -> Response:
        form = await fields(request)
        answer = RedirectResponse(back(form.get("back", ""), "/"), 303)
        for field, (cookie, values) in _LOOKS.items():
            if form.get(field) in values:
                remember(answer, cookie, form[field])
        return answer


def _html(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="text/html")


async def _favicon(_request: Request) -> Response:
    return RedirectResponse(pages.asset("symbols.svg"), 302)


async def _wrong(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    text = error.detail
    if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        seen = viewer(request)
        context = pages.Context(path=seen.address, lang=seen.lang)
        return _html(pages.render(ErrorPage(error.status_code, text), context), error.status_code)
    return PlainTextResponse(f"{text}\n", error.status_code, error.headers)


async def _bad_form(_request: Request, error: Exception) -> Response:
    return PlainTextResponse(f"{error}\n", 400)


async def _too_large(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("That is more than is taken.\n", 413, {"connection": "close"})
