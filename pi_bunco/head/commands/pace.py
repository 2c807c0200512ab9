"""Commands about the clock that starts and ends rounds."""

from collections.abc import Iterator

from pi_bunco.game import facts
from pi_bunco.game.pace import forecast, gently, phase, steered
from pi_bunco.head import outcomes, reasons
from pi_bunco.head.commands import standing
from pi_bunco.head.commands.registry import Outcomes, Task, does
from pi_bunco.head.reasons import Refused
from pi_bunco.reason import Reason
from pi_bunco.wire import commands


@does(commands.SetPace)
def _pace(task: Task, args: commands.SetPace) -> Iterator[Reason]:
    end_by = None if args.end_in_s is None else task.t + 1000 * args.end_in_s
    wanted = facts.Pace(task.t, args.play_s, args.move_s, args.warn_s, args.wait_s, end_by=end_by, by=task.by)
    task.record(gently(task.evening, wanted))
    move = _minutes(1000 * args.move_s)
    if args.play_s is None:
        yield outcomes.RoundsByTheClock(move)
    else:
        yield outcomes.RoundsEndedByTheClock(_minutes(1000 * args.play_s), move)
    if args.wait_s is None:
        yield outcomes.TablesNeeded()
    else:
        yield outcomes.TablesWaitedFor(_minutes(1000 * args.wait_s))
    yield from _stands(task)
    yield from _in_time(task)


@does(commands.SteerClock)
def _steer(task: Task, args: commands.SteerClock) -> Outcomes:
    evening = task.evening
    pace, timed = steered(evening, args.to, task.t, task.by), phase(evening)
    if pace is None:
        if args.to == "off" or timed is None:
            raise Refused(reasons.NothingTimed())
        raise Refused(reasons.ClockRuns() if timed.left is None else reasons.ClockStopped())
    if args.to == "skip" and evening.state != "round_open" and (why := evening.why_not_open()):
        raise standing.still_runs(evening.round) if evening.round else Refused(why)
    task.record(pace)
    if args.to == "off":
        return [outcomes.ClockOff()]
    return [*_stands(task), *_in_time(task)]


def _stands(task: Task) -> Iterator[Reason]:
    """How the clock stands."""
    timed = phase(task.evening)
    if timed is None:
        return
    if timed.left is not None:
        yield outcomes.ClockHalted(_minutes(timed.left))
    elif timed.ends is not None:
        left = _minutes(max(timed.ends - task.t, 0))
        yield outcomes.NextEnd(left) if timed.step == "end" else outcomes.NextStart(left)


def _in_time(task: Task) -> Iterator[Reason]:
    """The end of the evening beside the time that the host has named, and what would help."""
    found, pace = forecast(task.evening, task.t), task.evening.pace
    if found is None or pace is None or pace.end_by is None:
        return
    if not found.late:
        yield outcomes.EndsInTime(_minutes(pace.end_by - found.ends))
    elif found.move_s is not None:
        yield outcomes.EndsLateButFor(_minutes(found.late), _minutes(1000 * found.move_s))
    elif found.rounds is not None:
        yield outcomes.EndsLateButForRounds(_minutes(found.late), found.rounds)
    else:
        yield outcomes.EndsLate(_minutes(found.late))


def _minutes(ms: int) -> str:
    """ "2:05" of so many milliseconds, whole seconds that have begun."""
    minutes, seconds = divmod(-(-ms // 1000), 60)
    return f"{minutes}:{seconds:02}"
