"""Which model each path shows."""

import re
from collections.abc import Callable

from pi_bunco.web import present
from pi_bunco.web.models import PageModel
from pi_bunco.web.site import Site
from pi_bunco.web.viewer import Viewer

Chosen = Callable[[Site, Viewer, "re.Match[str]"], PageModel | None]


def model(site: Site, viewer: Viewer) -> PageModel | None:
    """What the viewer's page shows now; None for a path that is no page."""
    for pattern, choose in _PATHS:
        if found := pattern.fullmatch(viewer.path):
            return choose(site, viewer, found)
    return None


def _scoreboard(site: Site, viewer: Viewer, _found: "re.Match[str]") -> PageModel:
    return present.scoreboard(site.situation(), viewer.first("names"))


def _me(site: Site, viewer: Viewer, _found: "re.Match[str]") -> PageModel:
    return present.player(site.situation(), viewer.me, viewer.first("tab", "me"))


def _table(site: Site, _viewer: Viewer, found: "re.Match[str]") -> PageModel:
    return present.table(site.situation(), int(found[1]))


def _play(site: Site, viewer: Viewer, found: "re.Match[str]") -> PageModel | None:
    number = int(found[1])
    play = site.play(number, viewer)
    return None if play is None else present.phone(site.situation(), number, play)


_PATHS: tuple[tuple["re.Pattern[str]", Chosen], ...] = tuple(
    (re.compile(pattern), choose)
    for pattern, choose in (
        ("/", _scoreboard),
        ("/me", _me),
        ("/table/([1-9][0-9]{0,2})", _table),
        ("/table/([1-9][0-9]{0,2})/play", _play),
    )
)
