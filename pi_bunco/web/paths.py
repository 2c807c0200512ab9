"""Which model each path shows."""

import re
from collections.abc import Callable

from pi_bunco.web import past, present
from pi_bunco.web.models import PageModel
from pi_bunco.web.site import Site
from pi_bunco.web.situation import HostQuery
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


def _tonight(site: Site, viewer: Viewer, _found: "re.Match[str]") -> PageModel:
    return present.tonight(site.situation(), _query(viewer), site.notice(viewer.session))


def _health(site: Site, viewer: Viewer, _found: "re.Match[str]") -> PageModel:
    return present.health(site.situation(), _query(viewer), site.notice(viewer.session))


def _prepare(site: Site, viewer: Viewer, _found: "re.Match[str]") -> PageModel:
    notice, last = site.notice(viewer.session), len(past.last_people(site))
    return present.prepare(site.situation(), site.draft, _query(viewer), notice, last)


def _results(site: Site, viewer: Viewer, _found: "re.Match[str]") -> PageModel | None:
    id = viewer.first("evening")
    situation = past.situation(site, id)
    return present.results(situation, site.notice(viewer.session), id) if situation else None


def _log(site: Site, viewer: Viewer, _found: "re.Match[str]") -> PageModel | None:
    situation = past.situation(site, viewer.first("evening"))
    return present.log(situation, _query(viewer), site.notice(viewer.session)) if situation else None


def _evenings(site: Site, viewer: Viewer, _found: "re.Match[str]") -> PageModel:
    return present.evenings(site.situation(), past.evenings(site), site.notice(viewer.session))


def _codes(site: Site, viewer: Viewer, _found: "re.Match[str]") -> PageModel:
    return present.codes(site.situation(), site.notice(viewer.session))


def _paper(site: Site, viewer: Viewer, found: "re.Match[str]") -> PageModel | None:
    situation = past.situation(site, viewer.first("evening"))
    return present.paper(situation, found[1]) if situation else None


def _query(viewer: Viewer) -> HostQuery:
    return HostQuery(
        table=viewer.number("table"),
        panel=viewer.first("panel"),
        ask=viewer.first("ask"),
        page=max(viewer.number("page", 1), 1),
    )


_PATHS: tuple[tuple["re.Pattern[str]", Chosen], ...] = tuple(
    (re.compile(pattern), choose)
    for pattern, choose in (
        ("/", _scoreboard),
        ("/me", _me),
        ("/table/([1-9][0-9]{0,2})", _table),
        ("/table/([1-9][0-9]{0,2})/play", _play),
        ("/host", _tonight),
        ("/host/health", _health),
        ("/host/prepare", _prepare),
        ("/host/results", _results),
        ("/host/log", _log),
        ("/host/evenings", _evenings),
        ("/host/codes", _codes),
        ("/host/print/(seats|cards|results)", _paper),
    )
)
