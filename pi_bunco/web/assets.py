"""The files that pages load, all of the package, and read once."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
    "png": "image/png",
    "ico": "image/x-icon",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "webmanifest": "application/manifest+json",
}
FOR_EVER = "public, max-age=31536000, immutable"
"""An address has the version of its content in it."""


async def static(request: Request) -> Response:
    """The file that the request names, if it is one of the pages'."""
    name = request.path_params["name"]
    content = _contents().get(name)
    if content is None:
        return PlainTextResponse("There is no such file.\n", 404)
    kind = _TYPES[name.rpartition(".")[2]]
    return Response(content, media_type=kind, headers={"cache-control": FOR_EVER})


@cache
def _contents() -> dict[str, bytes]:
    found = _walk(files("pi_bunco.web").joinpath("static"), "")
    return {name: file.read_bytes() for name, file in found if name.rpartition(".")[2] in _TYPES}


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry
