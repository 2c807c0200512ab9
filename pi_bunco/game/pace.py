"""The evening by the clock: when the running round is ended and the next one started. Pure.

What rules or host have timed follows from the facts alone, so the head, a page and a head that was restarted
count the same seconds. Times are ms of the evening clock.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game import facts
from pi_bunco.game.evening import Evening

Steering = Literal["hold", "go", "skip", "minute", "off"]
"""A host's word to the clock: it stops, goes on, takes its step now, has a minute more, or times nothing."""
CLOCK = "time"
"""The origin of a fact that the clock has made."""
MINUTE_MS = 60_000
LATE_START_MS = 1000
"""A start that sounds later after the round was opened than that moves its end."""


class TimedPhase(Struct, frozen=True):
    """The round, or the time between two, that the clock times: from `began` to `ends` with a `step`.

    `left` is what is left of it while the clock is stopped, `ends` None then.
    """

    step: Literal["start", "end"]
    began: int
    ends: int | None
    left: int | None = None


def break_began(evening: Evening) -> int:
    """Time at which the present break began, or everybody began to move as the last table was done."""
    return max(evening.phase_t, evening.finished_t)


def phase_began(evening: Evening) -> int:
    """Time at which the running round or break began, or the bell gave everybody time to move."""
    if evening.state == "break":
        return break_began(evening)
    latest = evening.round or (evening.rounds[-1] if evening.rounds else None)
    return max(evening.phase_t, latest.bell.t if latest and latest.bell else 0)


def phase(evening: Evening) -> TimedPhase | None:
    """The phase that the clock ends; None where nothing is timed now."""
    return _phase(evening, evening.pace)


def _phase(evening: Evening, pace: facts.Pace | None) -> TimedPhase | None:
    began = phase_began(evening)
    playing = evening.state == "round_open"
    length = _length(evening, pace)
    if length is None:
        return None
    if evening.state == "setup" and pace:
        began = max(began, pace.t)
    step: Literal["start", "end"] = "end" if playing else "start"
    moved = pace if pace and pace.t >= began else None
    if pace and pace.left is not None:
        return TimedPhase(step, began, None, pace.left if moved else length)
    ends = began + length if moved is None or moved.due is None else moved.due
    moving_t = max(evening.finished_t, evening.seated_t)
    if evening.round is None and pace and pace.t < moving_t:
        ends = max(ends, moving_t + 1000 * pace.warn_s)
    return TimedPhase(step, began, ends)


def _length(evening: Evening, pace: facts.Pace | None) -> int | None:
    """Length of the present phase (ms); None where it has no end by the clock."""
    rules = evening.rules
    timed = pace is not None and pace.move_s is not None
    if rules is None:
        return None
    match evening.state:
        case "round_open":
            limits = [rules.end.limit_s, pace.play_s if pace and timed else None]
            known = [1000 * limit for limit in limits if limit]
            return min(known, default=None)
        case "break":
            return MINUTE_MS * evening.break_minutes if timed and evening.break_minutes is not None else None
        case "setup" | "between_rounds" | "after_bell":
            return 1000 * pace.move_s if pace and pace.move_s is not None else None
        case _:
            return None


def gently(evening: Evening, pace: facts.Pace) -> facts.Pace:
    """The new `pace`, such that its next step comes with the warning before it, and not at once."""
    timed, soonest = _phase(evening, pace), pace.t + 1000 * pace.warn_s
    late = timed is not None and timed.ends is not None and timed.ends < soonest
    return replace(pace, due=soonest) if late else pace


def steered(evening: Evening, to: Steering, t: int, by: str) -> facts.Pace | None:
    """The pace after a host's word at `t`; None where there is nothing to steer that way."""
    pace, now = evening.pace or facts.Pace(t), phase(evening)
    if to == "off":
        return gently(evening, facts.Pace(t, by=by)) if pace.move_s is not None else None
    stopped = now is not None and now.left is not None
    if now is None or (to == "hold" and stopped) or (to == "go" and not stopped):
        return None
    left = now.left if now.ends is None else max(now.ends - t, 0)
    assert left is not None
    match to:
        case "hold":
            return replace(pace, t=t, due=None, left=left, by=by)
        case "go":
            return replace(pace, t=t, due=t + left, left=None, by=by)
        case "skip":
            return replace(pace, t=t, due=t, left=None, by=by)
        case "minute" if now.left is not None:
            return replace(pace, t=t, left=left + MINUTE_MS, by=by)
        case "minute":
            return replace(pace, t=t, due=t + left + MINUTE_MS, by=by)


def begun_late(evening: Evening, t: int, by: str) -> facts.Pace | None:
    """The pace by which a round whose start sounded only at `t` is as long as any; None where it is."""
    now = phase(evening)
    if now is None or now.step != "end" or now.ends is None or t - now.began < LATE_START_MS:
        return None
    return replace(evening.pace or facts.Pace(t), t=t, due=now.ends + t - now.began, by=by)


class Forecast(Struct, frozen=True):
    """Length of the evening by the clock: the end of its last round where no table is late.

    `late` is by how much that is after the host's wish; a shorter `move_s` ends it in time, where one leaves
    everybody the time of the warning; so do as many `rounds` of the evening, None where it is too late.
    """

    ends: int
    late: int = 0
    move_s: int | None = None
    rounds: int | None = None


def forecast(evening: Evening, t: int, round_s: int | None = None) -> Forecast | None:
    """The rest of the evening as it goes from `t` on; None where the clock does not start rounds.

    `round_s` is how long a round is expected to take that no time ends; None where nobody knows.
    """
    rules, pace = evening.rules, evening.pace
    if rules is None or pace is None or pace.move_s is None or evening.over:
        return None
    play_s = min((limit for limit in (rules.end.limit_s, pace.play_s) if limit), default=round_s)
    if play_s is None:
        return None
    ends = [t, *_round_ends(evening, t, 1000 * play_s, 1000 * pace.move_s)]
    if pace.end_by is None or ends[-1] <= pace.end_by:
        return Forecast(ends[-1])
    *_, at_least = t, *_round_ends(evening, t, 1000 * play_s, 0)
    moving_ms = ends[-1] - at_least
    move_s = pace.move_s * (pace.end_by - at_least) // moving_ms if moving_ms else 0
    in_time = sum(end <= pace.end_by for end in ends)
    over = len(evening.rounds) + (evening.state == "after_bell")
    rounds = over + in_time - 1
    return Forecast(
        ends[-1],
        ends[-1] - pace.end_by,
        move_s if move_s >= pace.warn_s else None,
        rounds if in_time and rounds else None,
    )


def _round_ends(evening: Evening, t: int, play_ms: int, move_ms: int) -> Iterator[int]:
    """Times at which the rounds end that are not over yet, the running one first."""
    sets, timed = evening.ruleset.evening, phase(evening)
    begun = len(evening.rounds) + (evening.round is not None)
    in_all, rests = evening.rounds_in_all, {(sets.break_after or 0) * len(sets.faces)}
    if evening.tournament and in_all == sets.rounds:
        in_all, rests = in_all + len(sets.faces), rests | {in_all}  # the semi-final

    def to_the_next(played: int) -> int:
        return MINUTE_MS * (sets.break_minutes or 0) if played in rests else move_ms

    step = t if timed is None else t + (timed.left or 0) if timed.ends is None else max(timed.ends, t)
    if evening.state == "round_open":
        step = step if timed else max(phase_began(evening) + play_ms, t)
        yield step
        step += to_the_next(begun)
    elif evening.state == "after_bell" and begun in rests:
        step = t + to_the_next(begun)
    for played in range(begun + 1, in_all + 1):
        step += play_ms
        yield step
        step += to_the_next(played)
