"""A page as the site knows it: a model, drawn by the template that it names, for somebody."""

from typing import ClassVar, Literal

from msgspec import Struct

from pi_bunco.reason import Reason
from pi_bunco.web.site.assets import ASSETS_VERSION
from pi_bunco.web.site.changes import EVERY
from pi_bunco.web.site.themes import Theme


class PageModel(Struct, frozen=True):
    """Content of a page as plain frozen values: nothing in it is HTML, nothing is translated."""

    template: ClassVar[str]
    """The file below `pages` that makes HTML of it."""
    css: ClassVar[str] = "host"
    """Its style sheet, besides those of all pages."""
    scripts: ClassVar[tuple[str, ...]] = ()
    """Its own scripts."""
    device: ClassVar[Literal["", "tv", "tablet", "phone", "host"]] = ""
    """The screen that the page makes of a browser; all but a host's ring until they are switched off."""
    live: ClassVar[bool] = True
    """The page follows the evening; one that is filled in does not change under the hand."""

    @property
    def topics(self) -> frozenset[str]:
        """The topics of `changes` that it shows; the clock is one of every topic."""
        return frozenset((EVERY,))


class ErrorPage(PageModel, frozen=True):
    """Anything that went wrong, with the way out: `status` of HTTP, and why."""

    template = "shared/error_page.html"
    live = False

    status: int
    why: Reason


class Context(Struct, frozen=True):
    """Surroundings of a page's model when it is rendered.

    `path` is the page's own path with its query, `base` the address that phones reach (`http://192.168.4.1`),
    `stream` the path of its event stream (empty: none), `csrf` the token of its forms, `wifi` the text of the
    code by which phones join the Wi-Fi: it holds the password, so it is in no model, which anybody can read.
    `theme` is night or day where somebody chose it for this browser, `dressed` the theme of the hall.
    """

    path: str = "/"
    base: str = ""
    stream: str = ""
    csrf: str = ""
    lang: str = "en"
    theme: Literal["", "night", "day"] = ""
    host: str = ""
    wifi: str = ""
    dressed: Theme | None = None

    @property
    def version(self) -> str:
        """That of the page and what it loads; an open page of another loads itself again."""
        return f"{ASSETS_VERSION}.{self.dressed.id}" if self.dressed else ASSETS_VERSION
