"""The evening looked back at: standings, prizes, the race, and whether the dice were fair."""

import re

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.web.pages.host.frame import frame
from pi_bunco.web.pages.host.model import HostResults
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.standings import NO_FINALE, by_roll, dice, finale, race, ranks, steps
from pi_bunco.web.site.app import Answering, Page
from pi_bunco.web.site.archive import past_evening
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.forms import fields
from pi_bunco.web.site.host_only import HostOnly
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.viewer import Viewer


def shown_results(now: EveningNow, notice: Notice | None = None, evening: str = "") -> HostResults:
    """`/host/results` of this evening, or of a past one with its id in `evening`."""
    rules = now.evening.rules
    ended = finale(now) if rules else NO_FINALE
    marks = tuple(dict.fromkeys((*(rules.champion if rules else ()), "buncos", "wins")))[:3]
    return HostResults(
        frame=frame(now, "evenings" if evening else "results", notice),
        state=now.evening.state if rules else "none",
        finale=ended,
        rows=ranks(now),
        marks=marks,
        race=race(now),
        results=tuple(by_roll(now)),
        dice=tuple(dice(now)),
        date=heading.date(now),
        evening=evening,
        closed=now.evening.closed,
        steps=steps(ended),
        revealed=None if evening else now.revealed,
    )


def _model(state: PageState, viewer: Viewer, _path: "re.Match[str]") -> HostResults | None:
    id = viewer.first("evening")
    now = past_evening(state, id)
    return shown_results(now, state.notice(viewer.session), id) if now else None


def routes(state: PageState, _site: Answering) -> list[Route]:
    """The scoreboards tell the next of who won, all, or nothing yet; `revealed` is what the host saw."""

    async def finale(request: Request, _session: HostSession) -> Response:
        form, now = await fields(request), state.evening_now()
        revealed, count = now.revealed, len(shown_results(now).steps)
        if revealed is not None:
            seen = form.get("revealed", "") == str(revealed)  # of two hosts at once only one goes on
            steps = {"next": min(revealed + seen, count), "all": count, "again": 0}
            state.tell(steps.get(form.get("do", ""), revealed))
        return RedirectResponse("/host/results", 303)

    return [Route("/host/finale", HostOnly(state).posted(finale), methods=["POST"])]


PAGE = Page("/host/results", _model)
