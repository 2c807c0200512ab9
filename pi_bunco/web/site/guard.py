"""Checks of every request before a page sees it: Host, size, origin; and the headers of answers."""

import ipaddress
from collections.abc import Awaitable, Callable, Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pi_bunco.reason import Reason
from pi_bunco.web.site import portraits
from pi_bunco.web.site.reasons import FormTooLarge, OtherSite, PressedElsewhere
from pi_bunco.words.catalogue import wanted
from pi_bunco.words.sentences import sentences

MAX_BODY_BYTES = 4096
"""Bytes of a request's body from whoever is no host."""
MOST_OF_TAPS_BYTES = 64 * 1024
MOST_OF_HOST_BYTES = 2 * 1024 * 1024
"""Bytes of a form of the host: 1,500 names of 40 letters twice, 12 bytes a letter in a form's code."""
_LIMIT = "pi_bunco.limit"
GOES_ON = "pi_bunco.goes_on"
"""The key by which an app leaves what goes on to answer a request once the app itself has returned."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    " media-src blob:; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""Of every answer; no page loads anything from elsewhere, nor is it shown inside another."""
_OF_FILES = ("x-content-type-options", "cross-origin-resource-policy")
"""Those that mean something for a file that is no document; the others are 300 bytes a file."""
_FILES = ("text/css", "text/javascript", "font/", "application/json")


GoesOn = Callable[[Scope, Send], Awaitable[None]]


class TooLarge(Exception):
    """A request's body is larger than is taken."""


class Guard:
    """Refuses what no page of the hall asks for; `names` are those of this machine beside its addresses."""

    def __init__(self, app: ASGIApp, names: Iterable[str] = ()) -> None:
        self._app = app
        self._names = frozenset(name.lower() for name in names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or answers it here."""
        if scope["type"] != "http":
            return
        send = _with_headers(send)
        if goes_on := await self._answered(scope, receive, send):
            await goes_on(scope, send)

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> GoesOn | None:
        headers = Headers(scope=scope)
        if refused := self._refused(scope, headers):
            await refused(scope, receive, send)
            return None
        limit = _Limit(receive, int(headers.get("content-length", "0")))
        limited: Scope = {**scope, _LIMIT: limit}
        try:
            await self._app(limited, limit.receive, send)
        except TooLarge:
            await _refusal(headers, 413, FormTooLarge())(scope, receive, send)
        goes_on: GoesOn | None = limited.get(GOES_ON)
        return goes_on

    def _refused(self, scope: Scope, headers: Headers) -> PlainTextResponse | None:
        host = headers.get("host", "")
        if not self._known(hostname(host), scope):
            return _refusal(headers, 421, OtherSite(repr(host[:80])))
        if scope["method"] not in ("GET", "HEAD") and _elsewhere(headers, host):
            return _refusal(headers, 403, PressedElsewhere())
        length = headers.get("content-length", "0")
        right = length.isdecimal() and len(length) <= 12
        return None if right else _refusal(headers, 413, FormTooLarge())

    def _known(self, name: str | None, scope: Scope) -> bool:
        if name is None:
            return False
        server = scope.get("server")
        return name in LOOPBACK or name in self._names or (server is not None and name == _plain(server[0]))


class _Limit:
    """A request's body as far as it is taken: what is more, or says that it will be, is `TooLarge`."""

    def __init__(self, receive: Receive, declared: int) -> None:
        self.most = MAX_BODY_BYTES
        self._receive = receive
        self._declared = declared
        self._taken = 0

    async def receive(self) -> Message:
        if self._declared > self.most:
            raise TooLarge
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        if self._taken > self.most:
            raise TooLarge
        return message


def allow_host(request: Request) -> None:
    """Lets the body be as large as a host's forms are: the request has the session of one."""
    request.scope[_LIMIT].most = MOST_OF_HOST_BYTES


def allow_portrait(request: Request) -> None:
    """Lets the body be as large as a guest's picture is."""
    request.scope[_LIMIT].most = MAX_BODY_BYTES + portraits.MAX_PICTURE_BYTES


def allow_taps(request: Request) -> None:
    """Lets the body be as large as all taps are that a phone keeps."""
    request.scope[_LIMIT].most = MOST_OF_TAPS_BYTES


def hostname(host: str) -> str | None:
    """The name or address in a Host header, in small letters; None if it is malformed."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def loopback(scope: Scope) -> bool:
    """True if the request comes from this machine."""
    client = scope.get("client")
    try:
        return client is not None and ipaddress.ip_address(_plain(client[0])).is_loopback
    except ValueError:
        return False


def _plain(address: str) -> str:
    """An address without the cover of IPv4 in IPv6."""
    return address.removeprefix("::ffff:").partition("%")[0].lower()


def _elsewhere(headers: Headers, host: str) -> bool:
    """True if a page of another site sends the request, as browsers say."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return True
    origin = headers.get("origin")
    return origin is not None and urlsplit(origin).netloc.lower() != host.lower()


def _refusal(headers: Headers, status: int, why: Reason) -> PlainTextResponse:
    words = sentences(wanted(headers.get("accept-language", "")))
    return PlainTextResponse(f"{words.of(why)}\n", status, {"connection": "close"} if status == 413 else None)


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            file = headers.get("content-type", "").startswith(_FILES)
            for name in _OF_FILES if file else HEADERS:
                headers.setdefault(name, HEADERS[name])
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sent


def sender(request: Request) -> str:
    """The sender under whom tries are counted: this machine, an address, of IPv6 the network."""
    if loopback(request.scope):
        return "loopback"
    host = request.client.host if request.client else ""
    return ":".join(host.split(":")[:4]) if host.count(":") > 1 else host
