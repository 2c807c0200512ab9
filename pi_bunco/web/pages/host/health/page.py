"""What is well in the hall and what is not, and the codes of the phone tables."""

from pi_bunco.web.pages.host.checks import BELL_TEST, bad, good, keys, panels
from pi_bunco.web.pages.host.frame import frame
from pi_bunco.web.pages.host.model import HostHealth, HostQuery, PhoneCodes, query
from pi_bunco.web.site.app import Page
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.notices import Notice


def shown_health(now: EveningNow, query: HostQuery, notice: Notice | None = None) -> HostHealth:
    """`/host/health`."""
    wrong = bad(now)
    questions = [BELL_TEST, *(action for reason in wrong for action in reason.actions if action.ask)]
    return HostHealth(
        frame=frame(now, "health", notice),
        bad=tuple(wrong),
        good=tuple(good(now)),
        tables=now.evening.tables,
        sheet=next((one for one in questions if one.question == query.ask), None),
        panels=tuple(panels(now)),
        phones_alone=bool(now.codes) and not panels(now),
        keys=keys(now, query.table) if query.table in panels(now) else None,
    )


def shown_codes(now: EveningNow, notice: Notice | None = None) -> PhoneCodes:
    """`/host/codes`: the phone tables' codes."""
    return PhoneCodes(frame(now, "health", notice), tuple(sorted(now.codes.items())))


HEALTH = Page(
    "/host/health",
    lambda state, viewer, _: shown_health(state.evening_now(), query(viewer), state.notice(viewer.session)),
)
CODES = Page(
    "/host/codes", lambda state, viewer, _: shown_codes(state.evening_now(), state.notice(viewer.session))
)
