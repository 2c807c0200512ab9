"""Frame of every host page, and a host's request to a page."""

from collections.abc import Callable
from typing import Literal

from msgspec import Struct

from pi_bunco.web.pages.host.checks import bad
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.model import Heading
from pi_bunco.web.site.app import Page
from pi_bunco.web.site.archive import past_evening
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page import PageModel
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.viewer import Viewer

Tab = Literal["prepare", "tonight", "health", "results", "evenings"]


class HostQuery(Struct, frozen=True):
    """A host's request to a page, `?table=2&panel=people&ask=round_cancel&page=2`, and the answer.

    `who` is the id of somebody, `evening` that of a past one, `notice` the last command's answer.
    """

    table: int = 0
    panel: str = ""
    ask: str = ""
    page: int = 1
    who: str = ""
    evening: str = ""
    notice: Notice | None = None


NO_QUERY = HostQuery()


class HostFrame(Struct, frozen=True):
    """Frame of every host page: hosts, how many things to mend, the last command's answer.

    `asking` is how many told a name at the door that is not on the list, `pis` how many Pis ask.

    `round` names evening and round, so that a key that was made for one is not pressed in another.
    """

    heading: Heading
    tab: Tab
    faults: int = 0
    asking: int = 0
    pis: int = 0
    hosts: tuple[str, ...] = ()
    notice: Notice | None = None
    silent: bool = False
    round: str = ""


class HostPage(PageModel, frozen=True):
    """A page of the host."""

    device = "host"

    frame: HostFrame


def frame(now: EveningNow, tab: Tab, query: HostQuery) -> HostFrame:
    """The frame of a host page."""
    return HostFrame(
        heading=heading.heading(now),
        tab=tab,
        faults=len(bad(now)),
        asking=sum(guest.asks for guest in now.guests),
        pis=len(now.pis.asking),
        hosts=now.hosts,
        notice=query.notice,
        silent=now.head.silent,
        round=heading.round_id(now.evening),
    )


def host_query(state: PageState, viewer: Viewer) -> HostQuery:
    """The viewer's request to the page."""
    return HostQuery(
        table=viewer.number("table"),
        panel=viewer.first("panel"),
        ask=viewer.first("ask"),
        page=max(viewer.number("page", 1), 1),
        who=viewer.first("who"),
        evening=viewer.first("evening"),
        notice=state.notice(viewer),
    )


def host_page(path: str, shown: Callable[[EveningNow, HostQuery], PageModel]) -> Page:
    """A page of the present evening."""
    return Page(path, lambda state, viewer, _: shown(state.evening_now(), host_query(state, viewer)))


def page_of_evening(path: str, shown: Callable[[EveningNow, HostQuery], PageModel]) -> Page:
    """A page of the evening that the query names."""

    def model(state: PageState, viewer: Viewer, _path: object) -> PageModel | None:
        query = host_query(state, viewer)
        now = past_evening(state, query.evening)
        return shown(now, query) if now else None

    return Page(path, model)
