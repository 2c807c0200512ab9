"""The evenings of the past."""

import re
import time
from collections.abc import Sequence

from pi_bunco.web.pages.host.frame import frame
from pi_bunco.web.pages.host.model import HostEvenings, PastEvening
from pi_bunco.web.site.app import Page
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.store import EveningSummary
from pi_bunco.web.site.viewer import Viewer


def shown_evenings(
    now: EveningNow, past: Sequence[PastEvening], notice: Notice | None = None
) -> HostEvenings:
    """`/host/evenings`."""
    return HostEvenings(frame(now, "evenings", notice), tuple(past))


def _model(state: PageState, viewer: Viewer, _path: "re.Match[str]") -> HostEvenings:
    current = state.controller.folded.id
    past = [_past(one, one.id == current) for one in state.backend.archive.evenings()]
    return shown_evenings(state.evening_now(), past, state.notice(viewer.session))


def _past(one: EveningSummary, current: bool) -> PastEvening:
    date = time.strftime("%Y-%m-%d", time.localtime(one.began))
    return PastEvening(
        one.id, date, one.title, len(one.players), one.rounds, one.rules, one.champions, current
    )


PAGE = Page("/host/evenings", _model)
