"""The files that pages load, all of the package, and read once."""

import gzip
import hashlib
import re
from functools import cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pi_bunco.web.site.reasons import NoSuchPage, NotThere

_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
    "png": "image/png",
    "ico": "image/x-icon",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "webmanifest": "application/manifest+json",
}
_TEXTS = (".css", ".js", ".svg", ".webmanifest")
_LEFT_OUT = {
    "css": re.compile(rb"(?ms)/\*.*?\*/\n?|^ +"),
    "js": re.compile(rb"(?m)^ *//.*\n|^ +"),
}
"""Comments, which are lines of their own in a script, and indents."""
_GZIP = re.compile(r"(?i)(?:^|[,\s])gzip\s*(?:,|$|;\s*q=(?:1|0\.\d*[1-9]))")
GZIP_LEVEL = 4
"""Of a page that is packed as it is asked for: half the time of the best, and 5 % longer."""
CACHE_FOR_EVER = "public, max-age=31536000, immutable"
"""An address has the version of its content in it."""


async def static(request: Request) -> Response:
    """The file that the request names, if it is one of the pages'."""
    name = request.path_params["name"]
    content = _contents().get(name)
    if content is None:
        raise NotThere(NoSuchPage(name[:80]))
    headers, packed = {"cache-control": CACHE_FOR_EVER}, _packed().get(name)
    if packed is not None:
        headers["vary"] = "accept-encoding"
        if takes_gzip(request.headers):
            headers["content-encoding"], content = "gzip", packed
    return Response(content, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)


def takes_gzip(headers: Headers) -> bool:
    """True if the sender of a request with these headers reads gzip."""
    return _GZIP.search(headers.get("accept-encoding", "")) is not None


class Document(Response):
    """A whole page, as gzip for who takes it. Not for a host's page: its length would tell of its token."""

    media_type = "text/html"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends it."""
        self.headers["vary"] = "accept-encoding"
        if takes_gzip(Headers(scope=scope)):
            self.body = gzip.compress(bytes(self.body), GZIP_LEVEL, mtime=0)
            self.headers["content-encoding"] = "gzip"
            self.headers["content-length"] = str(len(self.body))
        await super().__call__(scope, receive, send)


def asset(name: str) -> str:
    """The address of a file under `static/`, which may be kept for ever: it changes with the contents."""
    return f"/static/{ASSETS_VERSION}/{name}"


def read_static(name: str) -> bytes:
    """The contents of a file under `static/`; of a style sheet or script without its comments and indents."""
    content = STATIC.joinpath(*name.split("/")).read_bytes()
    left_out = _LEFT_OUT.get(name.rpartition(".")[2])
    return left_out.sub(b"", content) if left_out else content


@cache
def symbols() -> dict[str, str]:
    """The drawings of the sprite by their ids."""
    sprite = read_static("symbols.svg").decode()
    return dict(re.findall(r'(?s)<symbol id="(\w+)" viewBox="0 0 100 100">(.*?)</symbol>', sprite))


@cache
def _contents() -> dict[str, bytes]:
    files = [path for path in sorted(STATIC.rglob("*")) if path.suffix[1:] in _TYPES]
    return {name: read_static(name) for path in files for name in [path.relative_to(STATIC).as_posix()]}


@cache
def _packed() -> dict[str, bytes]:
    """The texts of the files as gzip, made once."""
    contents = _contents().items()
    return {name: gzip.compress(content, mtime=0) for name, content in contents if name.endswith(_TEXTS)}


def _version() -> str:
    digest, web = hashlib.sha256(), STATIC.parents[1]
    for file in sorted((*STATIC.rglob("*.*"), *web.joinpath("pages").rglob("*.html"))):
        digest.update(file.relative_to(web).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:10]


STATIC = Path(__file__).with_name("static")
"""Their folder; `importlib.resources` would load all that reads archives, 0.6 MB."""
ASSETS_VERSION = _version()
"""Of the pages and what they load; part of the address of every static file."""
