"""Access for hosts alone: by HTTPS or on this machine, with a session, from forms of our own."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pi_bunco.web.site.forms import Fields, fields
from pi_bunco.web.site.guard import allow_host, hostname, loopback
from pi_bunco.web.site.login import HostSession, Login
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.reasons import NoCertificate, NotThere, OldForm
from pi_bunco.web.site.viewer import HOST_COOKIE

HOME = "/host"
LOGIN = "/host/login"
LATER_S = 36 * 3600
"""Seconds after which the browser forgets a session too."""
Handler = Callable[[Request], Awaitable[Response]]


class HostOnly:
    """The guard of the routes below `home`, `/host`."""

    home, login, cookie = HOME, LOGIN, HOST_COOKIE
    lasts_s: int | None = LATER_S

    def __init__(self, state: PageState) -> None:
        self.state = state

    @property
    def logins(self) -> Login:
        """Those who are let in."""
        return self.state.login

    def take(self, request: Request, session: HostSession) -> None:
        """Takes a form, which may be large, of somebody who is here."""
        allow_host(request)
        self.state.came(session)

    def session(self, request: Request) -> HostSession | None:
        """The session of the request's cookie."""
        return self.logins.session(request.cookies.get(self.cookie), self.state.time_of_day())

    def let_in(self, request: Request, session: HostSession, to: str) -> Response:
        """Gives the session to the browser, which goes on at `to`."""
        answer = RedirectResponse(to, 303)
        answer.set_cookie(
            self.cookie,
            session.token,
            max_age=self.lasts_s,
            path=self.home,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return answer

    def elsewhere(self, request: Request) -> Response | None:
        """The PIN crosses a network only under TLS: where else to go, None for stay."""
        if request.url.scheme == "https" or loopback(request.scope):
            return None
        port = self.state.backend.settings.tls_port
        if port is None:
            raise NotThere(NoCertificate(), 403)
        name = hostname(request.headers.get("host", "")) or ""
        place = f"[{name}]" if ":" in name else name
        reads = request.method in ("GET", "HEAD")
        return RedirectResponse(f"https://{place}:{port}{request.url.path}", 307 if reads else 303)

    def read(self, handler: Callable[[Request, HostSession], Awaitable[Response]]) -> Handler:
        """The handler of a page or a file, for who is logged in."""

        async def read(request: Request) -> Response:
            if elsewhere := self.elsewhere(request):
                return elsewhere
            session = self.session(request)
            return await handler(request, session) if session else RedirectResponse(self.login, 303)

        return read

    def posted(self, handler: Callable[[Request, HostSession, Fields], Awaitable[Response]]) -> Handler:
        """The handler of a form's fields, for who is logged in and sends the token of the session's own."""

        async def posted(request: Request) -> Response:
            session = self.session(request)
            if session is None:
                return RedirectResponse(self.login, 303)
            self.take(request, session)
            form = await fields(request)
            if form.get("csrf", request.headers.get("x-csrf", "")) != session.csrf:
                raise NotThere(OldForm(), 403)
            return await handler(request, session, form)

        return posted
