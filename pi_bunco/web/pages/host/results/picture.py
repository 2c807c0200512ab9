"""The picture of an evening to share: who won, the Buncos, the closest table; a name only of who agreed."""

import re
from collections.abc import Iterable
from urllib.parse import urlencode

from msgspec import Struct

from pi_bunco.game.evening import Evening
from pi_bunco.web.pages.host.frame import NO_QUERY, HostFrame, HostPage, frame
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.standings import finale
from pi_bunco.web.site.app import Page
from pi_bunco.web.site.archive import evening_name, past_evening
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.reasons import NotThere, ResultsLater
from pi_bunco.web.site.viewer import Viewer

PATH = "/host/picture"
MAX_NAMED = 4
"""Players who share the most Buncos and are named, at most."""


class Closest(Struct, frozen=True):
    """The table of all rounds, both from 1, at which they were closest; the higher points first."""

    round: int
    table: int
    points: tuple[int, int]


class HostPicture(HostPage, frozen=True):
    """`/host/picture`: `champions` and `best`, who rolled `most` of all `buncos`, are those who agreed.

    `names` has for each whom it could name whether they agreed, and the address of the other choice.
    """

    template = "host/results/host_picture.html"
    scripts = ("picture.js",)
    live = False

    frame: HostFrame
    evening: str
    file: str
    date: str
    people: int
    tables: int
    rounds: int
    champions: tuple[str, ...]
    best: tuple[str, ...]
    most: int
    buncos: int
    closest: Closest | None
    names: tuple[tuple[str, bool, str], ...]


def shown_picture(now: EveningNow, agreed: Iterable[str] = (), evening: str = "") -> HostPicture:
    """The picture of an evening that is over, the past one of this id; `NotThere` of one that is not."""
    if now.evening.state != "finished":
        raise NotThere(ResultsLater())
    ended, yes = finale(now), frozenset(agreed)
    most = max((row.buncos for row in ended.rows), default=0)
    best = tuple(row.name for row in ended.rows if row.buncos == most > 0)
    best = best if len(best) <= MAX_NAMED else ()
    names = tuple(dict.fromkeys((*ended.champions, *best)))

    def address(name: str) -> str:
        others = [("yes", one) for one in names if (one in yes) != (one == name)]
        return f"{PATH}?{urlencode([('evening', evening), *others])}"

    return HostPicture(
        frame=frame(now, "evenings" if evening else "results", NO_QUERY),
        evening=evening,
        file=f"{evening_name(now)}.png",
        date=heading.date(now),
        people=len(ended.rows),
        tables=max((len(one.tables) for one in now.evening.rounds), default=0),
        rounds=ended.rounds,
        champions=tuple(name for name in ended.champions if name in yes),
        best=tuple(name for name in best if name in yes),
        most=most,
        buncos=sum(row.buncos for row in ended.rows),
        closest=closest(now.evening),
        names=tuple((name, name in yes, address(name)) for name in names),
    )


def closest(evening: Evening) -> Closest | None:
    """The first of those with the least between two pairs that scored, the most points of these."""
    if evening.rules is None or evening.rules.team != "pairs":
        return None
    found = [
        Closest(n, table.number, (max(table.points), min(table.points)))
        for n, played in enumerate(evening.rounds, 1)
        for table in played.tables
        if any(table.points)
    ]
    return min(found, key=lambda one: (one.points[0] - one.points[1], -sum(one.points)), default=None)


def _model(state: PageState, viewer: Viewer, _path: "re.Match[str]") -> HostPicture | None:
    evening = viewer.first("evening")
    now = past_evening(state, evening)
    agreed = [value for name, value in viewer.query if name == "yes"]
    return shown_picture(now, agreed, evening) if now else None


PAGE = Page(PATH, _model)
