"""Files of the host's own beside the page's store: pictures, sponsors' logos, sounds; and folders of themes.

They are put there by the host's page, or by hand: `own/pictures`, `own/logos`, `own/sounds` (`start`, `end`,
`bunco` or `minute`, by the beginning of the name), `own/themes/NAME`. Everybody in the hall can load them.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from pi_bunco.reason import Reason
from pi_bunco.runtime.files import write
from pi_bunco.web.site import themes
from pi_bunco.web.site.assets import CACHE_FOR_EVER
from pi_bunco.web.site.reasons import NoPicture, NoSound, NoSuchPage, NotThere, TooManyFiles

ADDRESS = "/own"
FOLDERS = ("pictures", "logos", "sounds")
SOUNDS = ("start", "end", "bunco", "minute")
MOST_FILES = 40
"""Files of a kind, at most."""
_NOT_IN_A_NAME = re.compile(r"[^\w '&,!-]")
_TYPES = {
    "png": ("image/png", rb"\x89PNG\r\n"),
    "jpg": ("image/jpeg", rb"\xff\xd8\xff"),
    "jpeg": ("image/jpeg", rb"\xff\xd8\xff"),
    "webp": ("image/webp", rb"RIFF....WEBP"),
    "mp3": ("audio/mpeg", rb"ID3|\xff[\xfa\xfb\xf2\xf3]"),
    "ogg": ("audio/ogg", rb"OggS"),
    "wav": ("audio/wav", rb"RIFF....WAVE"),
    "m4a": ("audio/mp4", rb"....ftyp(M4A|mp4|iso)"),
    "css": ("text/css", rb""),
    "woff2": ("font/woff2", rb"wOF2"),
}
"""Per ending the type of a file, and how one begins."""
_MEDIA: Mapping[str, str] = {"pictures": "image/", "logos": "image/", "sounds": "audio/"}


class OwnFile(Struct, frozen=True):
    """A file; `version` changes with it."""

    kind: str
    name: str
    version: int

    @property
    def address(self) -> str:
        """The path from which pages load it."""
        return f"{ADDRESS}/{self.kind}/{quote(self.name)}?{self.version:x}"

    @property
    def called(self) -> str:
        """The host's name for it; "" where the host gave none."""
        stem = self.name.rpartition(".")[0]
        return "" if re.fullmatch(r"\d+", stem) else stem


class OwnFiles:
    """All of them in `folder`, which need not be there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[str, tuple[int, tuple[OwnFile, ...]]] = {}

    def of(self, kind: str) -> tuple[OwnFile, ...]:
        """Those of a kind, by name; the folder is read where it has changed."""
        folder = self._folder / kind
        try:
            changed = folder.stat().st_mtime_ns
            if kind not in self._seen or self._seen[kind][0] != changed:
                self._seen[kind] = changed, tuple(_files(folder, kind))
        except OSError:
            return ()
        return self._seen[kind][1]

    def all(self) -> Mapping[str, tuple[OwnFile, ...]]:
        """Per kind its files."""
        return {kind: self.of(kind) for kind in FOLDERS}

    def sounds(self) -> Mapping[str, str]:
        """The address of each sound that the host has given."""
        files = self.of("sounds")
        return {sound: one.address for one in files for sound in SOUNDS if one.name.startswith(sound)}

    def themes(self) -> Iterator[themes.Theme]:
        """The themes of the host's own."""
        return themes.of_host(self._folder / "themes", f"{ADDRESS}/themes")

    def put(self, use: str, name: str, data: bytes) -> Reason | None:
        """Takes a file for a kind, or a sound in place of the one before; why it does not."""
        kind, name = ("sounds", use) if use in SOUNDS else (use, name)
        if kind not in FOLDERS:
            return NoPicture()
        there = self.of(kind)
        begins = ((end, begin) for end, (media, begin) in _TYPES.items() if media.startswith(_MEDIA[kind]))
        ending = next((end for end, begin in begins if re.match(begin, data, re.DOTALL)), None)
        if ending is None:
            return NoSound() if kind == "sounds" else NoPicture()
        if len(there) >= MOST_FILES:
            return TooManyFiles(MOST_FILES)
        named = _NOT_IN_A_NAME.sub("", name)[:60].strip() or self._free(there)
        path = self._folder / kind / f"{named}.{ending}"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, data, 0o644)
        self._seen.pop(kind, None)  # two changes can come within a tick of the folder's time
        for before in there if kind == "sounds" else ():
            if before.name.startswith(named) and before.name != path.name:
                self.forget(kind, before.name)
        return None

    def _free(self, there: tuple[OwnFile, ...]) -> str:
        taken = {one.name.partition(".")[0] for one in there}
        return next(str(n) for n in range(1, MOST_FILES + 1) if str(n) not in taken)

    def forget(self, kind: str, name: str) -> None:
        """Deletes a file."""
        if (path := self.path(kind, name)) is not None:
            path.unlink(missing_ok=True)
            self._seen.pop(kind, None)

    def path(self, kind: str, name: str) -> Path | None:
        """The file of that name, None for none; of a theme its style sheet or a typeface."""
        if kind == "themes":
            theme, _, file = name.partition("/")
            known = themes.ID.fullmatch(theme) and re.fullmatch(r"[\w-]+\.(css|woff2)", file)
            return self._folder / "themes" / theme / file if known else None
        there = any(one.name == name for files in self.all().values() for one in files if one.kind == kind)
        return self._folder / kind / name if there else None


def routes(files: OwnFiles) -> list[Route]:
    """Routes from which pages load them."""

    async def served(request: Request) -> Response:
        path = files.path(request.path_params["kind"], request.path_params["name"])
        if path is None or not await run_in_threadpool(path.is_file):
            raise NotThere(NoSuchPage(request.path_params["name"][:80]))
        headers = {} if path.suffix == ".css" else {"cache-control": CACHE_FOR_EVER}
        return FileResponse(path, headers=headers, media_type=_type(path))

    return [Route(f"{ADDRESS}/{{kind}}/{{name:path}}", served, methods=["GET"])]


def _files(folder: Path, kind: str) -> Iterator[OwnFile]:
    for path in sorted(folder.iterdir()):
        if not path.name.startswith(".") and _type(path).startswith(_MEDIA[kind]):
            yield OwnFile(kind, path.name, path.stat().st_mtime_ns)


def _type(path: Path) -> str:
    return _TYPES.get(path.suffix[1:].lower(), ("", b""))[0]
