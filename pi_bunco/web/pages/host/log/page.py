"""The log as people read it, a line for each fact."""

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pi_bunco.game import facts
from pi_bunco.game.facts import Fact
from pi_bunco.web.pages.host.frame import frame
from pi_bunco.web.pages.host.model import HostLog, HostQuery, LogRow, query
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.site.app import Answering, Page
from pi_bunco.web.site.archive import evening_of, past_evening
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.host_only import HostOnly, download
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.store import jsonl
from pi_bunco.web.site.viewer import Viewer

ON_A_PAGE = 100
"""Lines of the log on a page."""


def lately(now: EveningNow, count: int) -> list[LogRow]:
    """The latest facts that a host wants to see."""
    return [_line(now, n, fact) for n, fact in reversed(now.recent.lately)][:count]


def _line(now: EveningNow, n: int, fact: Fact) -> LogRow:
    return LogRow(
        n=n,
        at=heading.clock(now, fact.t),
        kind=str(type(fact).__struct_config__.tag),
        table=getattr(fact, "table", 0),
        name=fact.new if isinstance(fact, facts.Substitute) else getattr(fact, "player", None) or "",
        detail=_detail(fact),
        by=getattr(fact, "by", None) or "",
        ignored=now.ignored.get(n),
    )


def _detail(fact: Fact) -> str:
    match fact:
        case facts.Roll():
            return fact.call or "-".join(map(str, fact.dice or ()))
        case facts.Faceoff():
            return "-".join(map(str, fact.dice))
        case facts.Decide():
            return fact.winner
        case facts.Turn() | facts.Begins():
            return fact.seat
        case facts.Substitute():
            return fact.out
        case facts.Pause():
            return str(fact.minutes or "")
    return ""


def shown_log(now: EveningNow, query: HostQuery, notice: Notice | None = None) -> HostLog:
    """`/host/log`."""
    pages = max(-(-len(now.log) // ON_A_PAGE), 1)
    page = min(max(query.page, 1), pages)
    end = len(now.log) - (page - 1) * ON_A_PAGE
    start = max(end - ON_A_PAGE, 0)
    lines = [_line(now, n, fact) for n, fact in enumerate(now.log[start:end], start + 1)]
    return HostLog(frame(now, "results", notice), tuple(reversed(lines)), page, pages)


def _model(state: PageState, viewer: Viewer, _path: "re.Match[str]") -> HostLog | None:
    now = past_evening(state, viewer.first("evening"))
    return shown_log(now, query(viewer), state.notice(viewer.session)) if now else None


def routes(state: PageState, _site: Answering) -> list[Route]:
    """The log of an evening as a file, to be kept elsewhere."""

    def file(request: Request) -> Response:
        now = evening_of(state, request)
        name = f"evening-{now.evening.id or 'none'}.jsonl"
        return download(jsonl(now.log), name, "application/jsonl")

    return [Route("/host/log.jsonl", HostOnly(state).file(file), methods=["GET"])]


PAGE = Page("/host/log", _model)
