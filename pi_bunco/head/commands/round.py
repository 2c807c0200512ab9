"""Commands about the round, the bell, the log, and the clock that starts and ends rounds."""

from collections.abc import Iterator

from pi_bunco.game import facts
from pi_bunco.game.pace import forecast, gently, phase, steered
from pi_bunco.game.reasons import RolledSince
from pi_bunco.head import outcomes, reasons
from pi_bunco.head.commands import standing
from pi_bunco.head.commands.registry import TEST_ID, Outcomes, Task, does
from pi_bunco.head.effects import Ring
from pi_bunco.head.evening_log import last_counted
from pi_bunco.head.presence import not_ready, why_not_start
from pi_bunco.head.reasons import Refused
from pi_bunco.reason import Reason
from pi_bunco.wire import commands

TEST_WITHIN_MS = 5000.0
"""A bell test that could not ring within this time does not ring any more."""


@does(commands.StartRound)
def _start(task: Task, args: commands.StartRound) -> Outcomes:
    evening = task.evening
    if strange := tuple(table for table in args.bypass if table > evening.tables):
        raise Refused(reasons.NoSuchTables(strange, evening.tables))
    if evening.round:
        raise standing.still_runs(evening.round)
    if why := why_not_start(evening, task.hall.presence, task.now, args.bypass):
        missing = tuple(not_ready(evening, task.hall.presence, task.now, args.bypass))
        without = [commands.StartRound((*args.bypass, *missing))] if missing else []
        raise Refused(*why, leads_to=[commands.DrawSeats()] if evening.seating is None else without)
    rested = evening.resting
    for table in dict.fromkeys(args.bypass):
        if table not in evening.bypassed:
            task.record(facts.Bypass(task.t, table, task.by))
    task.open_round()
    round_ = task.round
    after: list[Reason] = [outcomes.BreakOver()] if rested else []
    after.append(outcomes.RoundStarted(standing.name(round_), round_.target))
    if bypassed := tuple(sorted(table for table in evening.bypassed if table <= evening.tables)):
        after.append(outcomes.MayPlayOnPaper(bypassed))
    return after


@does(commands.EndRound)
def _end(task: Task, _args: commands.EndRound) -> Outcomes:
    task.record(facts.RoundClose(task.t, task.by, task.epoch))
    return [outcomes.RoundEnded(), *standing.where(task.evening)]


@does(commands.CancelRound)
def _cancel(task: Task, _args: commands.CancelRound) -> Outcomes:
    round_ = task.evening.round
    task.record(facts.RoundCancel(task.t, task.epoch, task.by))
    assert round_ is not None
    return [outcomes.RoundCancelled(standing.name(round_)), *standing.where(task.evening)]


@does(commands.VoidBell)
def _void(task: Task, args: commands.VoidBell) -> Outcomes:
    table = _rang(task) if args.roll else None
    task.record(facts.BellVoid(task.t, task.epoch, task.by))
    if table is None:
        return [outcomes.FalseBell()]
    task.record(facts.Undo(task.t, table, task.epoch, task.by))
    stands = standing.table_stands(task.round.tables[table - 1])
    return [outcomes.FalseBell(), outcomes.LatestTakenBack(), stands]


def _rang(task: Task) -> int:
    """Table whose latest counted roll rang the bell; `Refused` where none did, or it rolled on."""
    round_ = task.evening.round
    bell = round_.bell if round_ else None
    table = (
        next((one for one in round_.tables if bell and bell.player in one.seats), None) if round_ else None
    )
    if bell is None or table is None:
        raise Refused(reasons.NoRollRang())
    last = last_counted(table)
    roll = task.fact(last) if last is not None else None
    if last is None or roll is None or roll.t > bell.t:
        raise Refused(RolledSince(table.number))
    return table.number


@does(commands.BeginBreak)
def _pause(task: Task, args: commands.BeginBreak) -> Outcomes:
    if task.evening.round:
        raise Refused(reasons.BreakAfterTheRound())
    task.record(facts.Pause(task.t, args.minutes, task.by))
    return [outcomes.BreakOfMinutes(args.minutes) if args.minutes else outcomes.BreakBegun()]


@does(commands.EndBreak)
def _resume(task: Task, _args: commands.EndBreak) -> Outcomes:
    task.record(facts.Resume(task.t, task.by))
    return [outcomes.BreakOver()]


@does(commands.RingTest, needs="nothing")
def _bell_test(task: Task, _args: commands.RingTest) -> Outcomes:
    if task.evening.round:
        raise Refused(reasons.WouldEndTheRound())
    task.add([Ring(TEST_ID + task.id, "test", "bell", task.now + TEST_WITHIN_MS)])
    return [outcomes.BellSounds()]


@does(commands.SilenceHorn, needs="nothing")
def _silence(task: Task, args: commands.SilenceHorn) -> Outcomes:
    task.hall.log.bell.silence_horn(task.now + args.minutes * 60_000 if args.minutes else 0.0)
    return [outcomes.HornSilenced(args.minutes) if args.minutes else outcomes.HornSounds()]


@does(commands.EndRecovery, needs="nothing")
def _go_on(task: Task, _args: commands.EndRecovery) -> Outcomes:
    if not task.hall.recovery.pending:
        raise Refused(reasons.NothingIsRead())
    task.hall.recovery.go_on()
    return [outcomes.HeadBegins()]


@does(commands.ChooseBranch, needs="nothing")
def _branch(task: Task, args: commands.ChooseBranch) -> Outcomes:
    who = reasons.replica(args.table)
    effects = task.hall.recovery.branch(args.table, task.now)
    if effects is None:
        raise Refused(reasons.NoOtherLog(who))
    task.effects.extend(effects)
    return [outcomes.LogGoesOn(who), *standing.where(task.evening)]


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
    """The clock's state in words."""
    timed = phase(task.evening)
    if timed is None:
        return
    if timed.left is not None:
        yield outcomes.ClockHalted(_minutes(timed.left))
    elif timed.ends is not None:
        left = _minutes(max(timed.ends - task.t, 0))
        yield outcomes.NextEnd(left) if timed.step == "end" else outcomes.NextStart(left)


def _in_time(task: Task) -> Iterator[Reason]:
    """End of the evening beside the time that the host has named, and what would help."""
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
    """Time as "2:05", whole seconds that have begun."""
    minutes, seconds = divmod(-(-ms // 1000), 60)
    return f"{minutes}:{seconds:02}"
