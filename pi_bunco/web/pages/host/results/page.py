"""Evenings looked back at: standings, prizes, the race, and whether the dice were fair; those of the past."""

import time
from collections.abc import Sequence

from pi_bunco.game.ranks import StandingRow
from pi_bunco.web.pages.host.frame import NO_QUERY, HostPage, HostQuery, frame, host_query, page_of_evening
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.model import Chart, DiceCount, Finale
from pi_bunco.web.pages.shared.standings import NO_FINALE, by_roll, dice, finale, race, ranks, steps
from pi_bunco.web.site.app import Form, Page
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.page_store import EveningSummary


class HostResults(HostPage, frozen=True):
    """`/host/results`: standings, prizes and ties of this evening or, with `evening`, of a past one.

    `steps` are what the scoreboard tells one after the other: kinds of prizes, `champion` last; `revealed`
    how many it has, None where it does not wait for the host.
    """

    template = "host/results/host_results.html"

    state: str
    finale: Finale
    rows: tuple[StandingRow, ...]
    marks: tuple[str, ...]
    race: Chart
    results: tuple[int, ...]
    dice: tuple[DiceCount, ...]
    date: str = ""
    evening: str = ""
    closed: bool = False
    steps: tuple[str, ...] = ()
    revealed: int | None = None


def shown_results(now: EveningNow, query: HostQuery = NO_QUERY) -> HostResults:
    """`/host/results` of this evening, or of a past one that the query names."""
    evening = query.evening
    rules = now.evening.rules
    ended = finale(now) if rules else NO_FINALE
    marks = tuple(dict.fromkeys((*(rules.champion if rules else ()), "buncos", "wins")))[:3]
    return HostResults(
        frame=frame(now, "evenings" if evening else "results", query),
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


class HostEvenings(HostPage, frozen=True):
    """`/host/evenings`: the past ones with their dates, latest first; `current` is the id of tonight's."""

    template = "host/results/host_evenings.html"

    evenings: tuple[tuple[str, EveningSummary], ...]
    current: str


def shown_evenings(now: EveningNow, past: Sequence[EveningSummary], query: HostQuery) -> HostEvenings:
    """`/host/evenings`."""
    dated = [(time.strftime("%Y-%m-%d", time.localtime(one.began)), one) for one in past]
    return HostEvenings(frame(now, "evenings", query), tuple(dated), now.evening.id)


async def _tell(state: PageState, _session: HostSession, form: dict[str, str]) -> str:
    """Has the scoreboards tell the next winner, all, or nothing yet; `revealed` is what the host saw."""
    now = state.evening_now()
    revealed, count = now.revealed, len(shown_results(now).steps)
    if revealed is not None:
        seen = form.get("revealed", "") == str(revealed)  # of two hosts at once only one goes on
        steps = {"next": min(revealed + seen, count), "all": count, "again": 0}
        state.tell(steps.get(form.get("do", ""), revealed))
    return "/host/results"


PAGE = page_of_evening("/host/results", shown_results)
EVENINGS_PAGE = Page(
    "/host/evenings",
    lambda state, viewer, _: shown_evenings(
        state.evening_now(), state.backend.archive.evenings(), host_query(state, viewer)
    ),
)
FORM = Form("/host/finale", _tell)
