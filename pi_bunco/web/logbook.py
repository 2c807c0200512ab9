"""The log as people read it, a line for each fact."""

from pi_bunco.game import facts
from pi_bunco.game.facts import Fact
from pi_bunco.web import course
from pi_bunco.web.models import LogRow
from pi_bunco.web.situation import Situation

ON_A_PAGE = 100
"""Lines of the log on a page."""
_SILENT = (facts.BellSeen,)


def lines(situation: Situation, page: int) -> tuple[list[LogRow], int, int]:
    """One page of the log, the latest facts first; which it is, and how many there are."""
    count = max(-(-len(situation.log) // ON_A_PAGE), 1)
    page = min(max(page, 1), count)
    end = len(situation.log) - (page - 1) * ON_A_PAGE
    places = range(end, max(end - ON_A_PAGE, 0), -1)
    return [_line(situation, n) for n in places], page, count


def lately(situation: Situation, count: int) -> list[LogRow]:
    """The latest facts that a host wants to see."""
    found: list[LogRow] = []
    for n in range(len(situation.log), 0, -1):
        if len(found) == count:
            break
        if not isinstance(situation.log[n - 1], _SILENT):
            found.append(_line(situation, n))
    return found


def _line(situation: Situation, n: int) -> LogRow:
    fact = situation.log[n - 1]
    return LogRow(
        n=n,
        at=course.clock(situation, fact.t),
        kind=str(type(fact).__struct_config__.tag),
        table=getattr(fact, "table", 0),
        name=_name(fact),
        detail=_detail(fact),
        by=getattr(fact, "by", None) or "",
        ignored=situation.ignored.get(n, ""),
    )


def _name(fact: Fact) -> str:
    if isinstance(fact, facts.Substitute):
        return fact.new
    return str(getattr(fact, "player", "") or "")


def _detail(fact: Fact) -> str:
    match fact:
        case facts.Roll():
            return fact.call or "-".join(map(str, fact.dice or ()))
        case facts.Faceoff():
            return "-".join(map(str, fact.dice))
        case facts.Decide():
            return fact.winner
        case facts.Turn():
            return fact.seat
        case facts.Substitute():
            return fact.out
        case facts.Pause():
            return str(fact.minutes or "")
    return ""
