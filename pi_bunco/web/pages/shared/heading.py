"""Stage of the evening: set and round, times of the day, how long a break still lasts."""

from time import gmtime, strftime

from pi_bunco.game.evening import Evening
from pi_bunco.game.pace import MINUTE_MS, TimedPhase, break_began, phase
from pi_bunco.game.round import Round
from pi_bunco.rules import RuleSet, title
from pi_bunco.web.pages.shared.model import BellRule, BellShown, Heading, NextStep
from pi_bunco.web.pages.shared.names import all_calls, looks, short
from pi_bunco.web.site.evening_now import EveningNow, TablePresence, shared

PAGE_MS = 10_000
"""A page of a large hall stays for ten seconds."""


def place(evening: Evening) -> tuple[int, int, int]:
    """Set, place of the round in it, and target: of the running round, else of the next, else of the last."""
    if evening.rules is None:
        return 0, 0, 1
    played = len(evening.rounds)
    order = evening.rules.evening.faces
    if evening.round is None and evening.over:
        played = max(played - 1, 0)
    return played // len(order) + 1, played % len(order) + 1, order[played % len(order)]


@shared
def heading(now: EveningNow) -> Heading:
    """The evening, its round and its target, for the head of every page."""
    evening = now.evening
    rules = evening.rules
    if rules is None:
        return Heading(now.title, "")
    number, round_, target = place(evening)
    tournament = evening.tournament
    return Heading(
        title=now.title,
        rules=title(rules),
        set=number,
        sets=rules.evening.sets,
        round=round_,
        rounds=len(rules.evening.faces),
        target=target,
        bell=bell_rule(rules),
        stage=tournament.stage if tournament and tournament.stage != "groups" else "",
        next_step=next_step(now),
    )


def next_step(now: EveningNow) -> NextStep | None:
    """The next step of the clock that starts and ends rounds; None where it times none that can come."""
    timed = phase(now.evening)
    waits = now.evening.round is None and now.evening.why_not_open() is not None
    return None if timed is None or waits else _step(now, timed)


def break_phase(evening: Evening) -> TimedPhase | None:
    """The break by the clock of the rounds, or as long as it was said to be; None without an end."""
    timed = phase(evening)
    if evening.state != "break":
        return None
    if timed is None and evening.break_minutes is not None:
        began = break_began(evening)
        return TimedPhase("start", began, began + evening.break_minutes * MINUTE_MS)
    return timed


def break_end(now: EveningNow) -> NextStep | None:
    """The end of the break; None without one."""
    timed = break_phase(now.evening)
    return None if timed is None else _step(now, timed)


def _step(now: EveningNow, timed: TimedPhase) -> NextStep:
    if timed.ends is None:
        minutes, seconds = divmod(-(-(timed.left or 0) // 1000), 60)
        return NextStep(timed.step, left=f"{minutes}:{seconds:02}")
    waits = silent(now) if timed.step == "start" else ()
    return NextStep(timed.step, round(1000 * now.began) + timed.ends, clock(now, timed.ends), waits=waits)


def silent(now: EveningNow) -> tuple[int, ...]:
    """Tables that are waited for although nothing is received from them."""
    evening = now.evening
    numbers = range(1, evening.tables + 1) if evening.seating or evening.round else ()
    away = (n for n in numbers if not now.tables.get(n, TablePresence()).online)
    return tuple(n for n in away if n not in evening.bypassed)


def bell_rule(rules: RuleSet) -> BellRule:
    """All that rings the bell."""
    end = rules.end
    return BellRule(end.points, end.points_by == "player", end.bunco, end.tables == "any", end.limit_s)


def clock(now: EveningNow, t: float) -> str:
    """The time of the day at `t` (ms of the evening clock), `19:05`."""
    return strftime("%H:%M", gmtime(now.began + now.zone + t / 1000))


def date(now: EveningNow) -> str:
    """The day of the evening, `2026-11-21`."""
    return strftime("%Y-%m-%d", gmtime(now.began + now.zone))


def bell(now: EveningNow) -> BellShown | None:
    """The bell of the running round."""
    return bell_of(now, now.evening.round)


def bell_of(now: EveningNow, round_: Round | None) -> BellShown | None:
    """The bell of a round."""
    if round_ is None or round_.bell is None:
        return None
    rung = round_.bell
    side = next(
        (
            looks(table.rules.team, table.seats.index(rung.player))
            for table in round_.tables
            if rung.player in table.seats
        ),
        looks(round_.rules.team, 0),
    )
    call = short(rung.player, all_calls(now)) if rung.player else ""
    return BellShown(rung.by, call, side)


def moves(rules: RuleSet) -> str:
    """The rule by which everybody moves after a round: `move.tables`, `nobody` where tables are teams."""
    return "nobody" if rules.team == "table" else rules.move.tables


def grouped(evening: Evening) -> bool:
    """Everybody moves within a group of tables, of which there are several."""
    return len(evening.seats.groups or ()) > 1


def page_of(count: int, since: int, t: int) -> int:
    """The one of `count` pages that is shown, from 1: each stays ten seconds, the first begins at `since`."""
    return max(t - since, 0) // PAGE_MS % max(count, 1) + 1


def round_id(evening: Evening) -> str:
    """Names evening and round; the next round has another."""
    return f"{evening.id or ''}.{evening.epoch}"
