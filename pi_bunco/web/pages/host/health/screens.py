"""The screens of the hall: their signs of life, what each TV shows, and whether all can be heard."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.web.pages.host.frame import frame
from pi_bunco.web.pages.host.model import HostScreens
from pi_bunco.web.site.app import Answering, Page
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.forms import fields
from pi_bunco.web.site.host_only import HostOnly
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.screens import TABLES_ALONE
from pi_bunco.web.site.streams import BELLS

SCREENS = "/host/screens"
SHOWN = ("show=standings", "show=rules")
NAMES = ("names=A-M", "names=N-Z", "names=A-F", "names=G-L", "names=M-R", "names=S-Z")
NAMES_FROM = 6
"""Tables from which on a TV may show a part of the names alone."""


def choices(tables: int) -> tuple[str, ...]:
    """All that a TV can show in a hall of so many tables."""
    parts = [f"tables={n}-{min(n + TABLES_ALONE - 1, tables)}" for n in range(1, tables + 1, TABLES_ALONE)]
    return (
        "", *SHOWN, *(parts if tables > TABLES_ALONE else ()), *(NAMES if tables >= NAMES_FROM else ())
    )  # fmt: skip


def shown_screens(now: EveningNow, notice: Notice | None = None) -> HostScreens:
    """`/host/screens`."""
    return HostScreens(frame(now, "health", notice), now.screens, choices(now.evening.tables))


def routes(state: PageState, _site: Answering) -> list[Route]:
    """What a host says of a screen."""

    async def obeyed(request: Request, _session: HostSession) -> Response:
        form = await fields(request)
        match form.get("do"):
            case "test":
                state.streams.push(BELLS["test"])
            case "forget":
                state.screens.forget(form.get("id", ""))
                state.changes.changed()
            case _:
                state.say_of_screen(form.get("id", ""), form.get("name", ""), form.get("show"))
        return RedirectResponse(SCREENS, 303)

    return [Route(SCREENS, HostOnly(state).posted(obeyed), methods=["POST"])]


PAGE = Page(
    SCREENS, lambda state, viewer, _: shown_screens(state.evening_now(), state.notice(viewer.session))
)
