"""The log as people read it, a line for each fact."""

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.game.facts import Fact
from pi_bunco.reason import Reason
from pi_bunco.web.pages.host.frame import HostPage, HostQuery, frame, page_of_evening
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.site.app import HostFile
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.page_store import jsonl

LINES_ON_A_PAGE = 100
"""Lines of the log on a page."""


class LogRow(Struct, frozen=True):
    """One fact in the log: place, time of the day, the kind, and what fills its sentence in."""

    n: int
    at: str
    kind: str
    table: int = 0
    name: str = ""
    detail: str = ""
    by: str = ""
    ignored: Reason | None = None


class HostLog(HostPage, frozen=True):
    """`/host/log`: the facts, latest first, `page` of `pages`."""

    template = "host/log/host_log.html"

    lines: tuple[LogRow, ...]
    page: int
    pages: int


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


def shown_log(now: EveningNow, query: HostQuery) -> HostLog:
    """`/host/log`."""
    pages = max(-(-len(now.log) // LINES_ON_A_PAGE), 1)
    page = min(max(query.page, 1), pages)
    end = len(now.log) - (page - 1) * LINES_ON_A_PAGE
    start = max(end - LINES_ON_A_PAGE, 0)
    lines = [_line(now, n, fact) for n, fact in enumerate(now.log[start:end], start + 1)]
    return HostLog(frame(now, "results", query), tuple(reversed(lines)), page, pages)


PAGE = page_of_evening("/host/log", shown_log)
LOG_FILE = HostFile("/host/log.jsonl", "application/jsonl", lambda now: jsonl(now.log))
