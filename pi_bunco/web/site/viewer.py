"""The viewer of a page: what of a request its picture depends on."""

from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from pi_bunco.web.site.login import HostSession
from pi_bunco.words.catalogue import wanted

ME, THEME, LANG, MODE = "bunco_me", "bunco_theme", "bunco_lang", "bunco_mode"
"""Names of cookies: a player's name, night or day, the language, dice or points at a phone table."""
WARNED = "bunco_warned"
"""The cookie of a browser whose user knows of the warning before a certificate for which nobody vouches."""
ENTRY_MODES = ("points", "dice")
HOST_COOKIE = "bunco_host"
"""The cookie of a host's session."""
YEAR_S = 31_536_000
STREAM = "/stream"
"""Behind a page's path: its event stream."""
DRAWN = "drawn"
"""In the query of a stream: the name of the drawing that the browser has."""


class Viewer(Struct, frozen=True):
    """A page as somebody sees it: `path`, the query in order, and what the cookies say.

    `admitted` names the evening of which a phone has given the code, `drawn` the drawing that a browser has.
    """

    path: str
    query: tuple[tuple[str, str], ...] = ()
    me: str = ""
    theme: str = ""
    lang: str = "en"
    mode: str = "points"
    session: HostSession | None = None
    admitted: str = ""
    wrong: str = ""
    drawn: str = ""

    def first(self, key: str, default: str = "") -> str:
        """The first value of the query under `key`."""
        return next((value for name, value in self.query if name == key), default)

    def number(self, key: str, default: int = 0) -> int:
        """The first value as a whole number from 0 to 9999, `default` for anything else."""
        text = self.first(key)
        return int(text) if text.isdecimal() and len(text) <= 4 else default

    @property
    def seen(self) -> "Viewer":
        """Equal for all who see the same picture: without what this page has no use for."""
        if self.path.endswith("/play"):
            return replace(self, me="", drawn="")
        return replace(self, me=self.me if self.path == "/me" else "", mode="points", drawn="")

    @property
    def address(self) -> str:
        """Path and query."""
        return f"{self.path}?{urlencode(self.query)}" if self.query else self.path

    @property
    def stream(self) -> str:
        """The path and query of the page's event stream."""
        return replace(self, path=STREAM if self.path == "/" else self.path + STREAM).address


def viewer(request: Request, session: HostSession | None = None) -> Viewer:
    """The sender of the request; that for an event stream looks at its page."""
    path = request.url.path.removesuffix(STREAM) or "/"
    asked = request.query_params.multi_items()[:16]
    query = tuple((key[:32], value[:200]) for key, value in asked if key != DRAWN)
    cookies = request.cookies
    return Viewer(
        path=path,
        query=query,
        me=cookie_text(cookies.get(ME, ""))[:80],
        theme=cookies.get(THEME, "") if cookies.get(THEME) in ("night", "day") else "",
        lang=wanted(request.headers.get("accept-language", ""), cookies.get(LANG, "")),
        mode="dice" if cookies.get(MODE) == "dice" else "points",
        session=session,
        drawn=(request.headers.get("last-event-id") or request.query_params.get(DRAWN, ""))[:32],
    )


def remember(answer: Response, cookie: str, value: str) -> None:
    """Has the browser remember how somebody likes the pages."""
    answer.set_cookie(cookie, value, max_age=YEAR_S, httponly=True, samesite="lax")


def text_cookie(text: str) -> str:
    """Any text as a cookie can hold it."""
    return text.encode().hex()


def cookie_text(value: str) -> str:
    """The text that `text_cookie` wrote; "" for anything else."""
    try:
        return bytes.fromhex(value).decode()
    except ValueError:
        return ""
