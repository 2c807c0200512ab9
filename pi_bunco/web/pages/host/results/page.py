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


def shown_results(situation: EveningNow, notice: Notice | None = None, evening: str = "") -> HostResults:
    """`/host/results` of this evening, or of a past one with its id in `evening`."""
    rules = situation.evening.rules
    ended = finale(situation) if rules else NO_FINALE
    marks = tuple(dict.fromkeys((*(rules.champion if rules else ()), "buncos", "wins")))[:3]
    return HostResults(
        frame=frame(situation, "evenings" if evening else "results", notice),
        state=situation.evening.state if rules else "none",
        finale=ended,
        rows=tuple(ranks(situation)),
        marks=marks,
        race=race(situation),
        results=tuple(by_roll(situation)),
        dice=tuple(dice(situation)),
        date=heading.date(situation),
        evening=evening,
        closed=situation.evening.closed,
        steps=steps(ended),
        revealed=None if evening else situation.revealed,
    )


# Paper.


def _model(state: PageState, viewer: Viewer, _path: "re.Match[str]") -> HostResults | None:
    id = viewer.first("evening")
    situation = past_evening(state, id)
    return shown_results(situation, state.notice(viewer.session), id) if situation else None


def routes(state: PageState, _site: Answering) -> list[Route]:
    """The scoreboards tell the next of who won, all, or nothing yet; `revealed` is what the host saw."""

    async def finale(request: Request, _session: HostSession) -> Response:
        form, situation = await fields(request), state.evening_now()
        revealed, count = situation.revealed, len(shown_results(situation).steps)
        if revealed is not None:
            seen = form.get("revealed", "") == str(revealed)  # of two hosts at once only one goes on
            steps = {"next": min(revealed + seen, count), "all": count, "again": 0}
            state.tell(steps.get(form.get("do", ""), revealed))
        return RedirectResponse("/host/results", 303)

    return [Route("/host/finale", HostOnly(state).posted(finale), methods=["POST"])]


PAGE = Page("/host/results", _model)
