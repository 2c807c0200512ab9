"""The evenings of the past."""

import time
from collections.abc import Sequence

from pi_bunco.web.pages.host.frame import HostPage, HostQuery, frame, host_query
from pi_bunco.web.site.app import Page
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.page_store import EveningSummary


class HostEvenings(HostPage, frozen=True):
    """`/host/evenings`: the past ones with their dates, latest first; `current` is the id of tonight's."""

    template = "host/evenings/host_evenings.html"

    evenings: tuple[tuple[str, EveningSummary], ...]
    current: str


def shown_evenings(now: EveningNow, past: Sequence[EveningSummary], query: HostQuery) -> HostEvenings:
    """`/host/evenings`."""
    dated = [(time.strftime("%Y-%m-%d", time.localtime(one.began)), one) for one in past]
    return HostEvenings(frame(now, "evenings", query), tuple(dated), now.evening.id)


PAGE = Page(
    "/host/evenings",
    lambda state, viewer, _: shown_evenings(
        state.evening_now(), state.backend.archive.evenings(), host_query(state, viewer)
    ),
)
