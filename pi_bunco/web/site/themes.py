"""Themes of the hall, shipped in `static/themes` or a host's: a folder with `theme.toml` and `theme.css`.

`theme.toml` has the theme's name per language, `base` (the room that it dresses), `pack` (what screens sound
like) and `words` (texts of the pages in other words, per language); `theme.css` has colours and typefaces as
the custom properties of `tokens.css`, and may load typefaces that lie beside it.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from pi_bunco.web.site.assets import STATIC, asset, read_static
from pi_bunco.web.site.sounds import Pack
from pi_bunco.words.catalogue import Texts

ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_FIELD = re.compile(r"%\((\w+)\)[sd]")


class Theme(Struct, frozen=True, forbid_unknown_fields=True):
    """A theme as its `theme.toml` has it; `id` is its folder's name, `css` the address of its style sheet."""

    name: Mapping[str, str]
    base: Literal["night", "day"]
    pack: Pack = "bell"
    words: Mapping[str, Mapping[str, str]] = {}
    id: str = ""
    css: str = ""

    def __hash__(self) -> int:
        return hash((self.id, self.css))

    def called(self, lang: str) -> str:
        """Its name in that language, or in another that it has."""
        return self.name.get(lang) or next(iter(self.name.values()), self.id)


class ThemedTexts(Texts):
    """A catalogue with the words of a theme above it."""

    def __init__(self, words: Mapping[str, str], catalogue: Texts) -> None:
        super().__init__()
        self.add_fallback(catalogue)
        self._words = words

    def gettext(self, message: str) -> str:
        """The theme's word for it, or the catalogue's."""
        return self._words.get(message) or super().gettext(message)


def shipped() -> Iterator[Theme]:
    """The themes of the package."""
    for folder in _folders(STATIC / "themes"):
        text = read_static(f"themes/{folder.name}/theme.toml")
        yield read(text.decode(), folder.name, asset(f"themes/{folder.name}/theme.css"))


def of_host(folder: Path, address: str) -> Iterator[Theme]:
    """The themes of the host's own in `folder`, served below `address`; what is none is left out."""
    for one in _folders(folder) if folder.is_dir() else ():
        try:
            text = one.joinpath("theme.toml").read_text("utf-8")
            yield read(text, one.name, f"{address}/{one.name}/theme.css")
        except (OSError, ValueError):
            continue


def read(text: str, id: str, css: str) -> Theme:
    """The theme of a `theme.toml`; `ValueError` for one that no page could be drawn by."""
    data: dict[str, Any] = tomllib.loads(text)
    theme = msgspec.convert(data | {"id": id, "css": css}, Theme)
    for words in theme.words.values():
        for before, after in words.items():
            if "%" in _FIELD.sub("", after) or not set(_FIELD.findall(after)) <= set(_FIELD.findall(before)):
                raise ValueError(f"{id}: {after!r} cannot stand for {before!r}")
    return theme


def _folders(folder: Path) -> list[Path]:
    found = [one for one in folder.iterdir() if one.is_dir() and ID.fullmatch(one.name)]
    return sorted(found, key=lambda one: one.name)
