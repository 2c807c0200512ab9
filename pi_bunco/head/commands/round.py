"""What a host's commands do to the round, the bell and the log."""

from pi_bunco.game import facts
from pi_bunco.game.round import Round
from pi_bunco.head import reasons as say
from pi_bunco.head.commands.registry import Outcomes, Task, does
from pi_bunco.head.presence import not_ready, why_not_start
from pi_bunco.head.reasons import Refused
from pi_bunco.wire import commands


@does(commands.StartRound)
def _start(task: Task, args: commands.StartRound) -> Outcomes:
    evening = task.evening
    if strange := [table for table in args.bypass if table > evening.tables]:
        raise Refused(f"there is no {say.numbers(strange)}; tables are 1 to {evening.tables}")
    if evening.round:
        raise _runs(evening.round)
    if why := why_not_start(evening, task.presence, task.now, args.bypass):
        missing = tuple(not_ready(evening, task.presence, task.now, args.bypass))
        without = [commands.StartRound((*args.bypass, *missing))] if missing else []
        raise Refused(*why, ways=[commands.DrawSeats()] if evening.seating is None else without)
    rested = evening.resting
    for table in dict.fromkeys(args.bypass):
        if table not in evening.bypassed:
            task.record(facts.Bypass(task.t, table, task.by))
    task.open_round()
    round_ = task.round
    after = ["The break is over"] if rested else []
    after.append(f"{say.capital(say.round_name(round_))} has started: the target is {round_.target}")
    if bypassed := sorted(table for table in evening.bypassed if table <= evening.tables):
        tables = say.numbers(bypassed)
        after.append(f"{say.capital(tables)} may play on paper: enter the tally, or decide, after the bell")
    return after


def _runs(round_: Round) -> Refused:
    """Why no round can start before this one is over."""
    if round_.bell:
        return Refused(f"{say.round_name(round_)} is not over yet", *say.unfinished(round_))
    return Refused("a round is running", ways=[commands.EndRound()])


@does(commands.EndRound)
def _end(task: Task, _args: commands.EndRound) -> Outcomes:
    task.record(facts.RoundClose(task.t, task.by, task.evening.epoch))
    return ["The round is ended", *say.where(task.evening)]


@does(commands.CancelRound)
def _cancel(task: Task, _args: commands.CancelRound) -> Outcomes:
    round_ = task.evening.round
    task.record(facts.RoundCancel(task.t, task.evening.epoch, task.by))
    name = say.capital(say.round_name(round_) if round_ else "the round")
    return [f"{name} is cancelled: it never happened", *say.where(task.evening)]


@does(commands.VoidBell)
def _void(task: Task, _args: commands.VoidBell) -> Outcomes:
    task.record(facts.BellVoid(task.t, task.evening.epoch, task.by))
    return ["The bell is void; the round goes on"]


@does(commands.BeginBreak)
def _pause(task: Task, args: commands.BeginBreak) -> Outcomes:
    if task.evening.round:
        raise Refused("a round is running; a break can begin when it is over")
    task.record(facts.Pause(task.t, args.minutes, task.by))
    return (
        [f"The break of {say.counted(args.minutes, 'minute')} has begun"]
        if args.minutes
        else ["The break has begun"]
    )


@does(commands.EndBreak)
def _resume(task: Task, _args: commands.EndBreak) -> Outcomes:
    task.record(facts.Resume(task.t, task.by))
    return ["The break is over"]


@does(commands.RingTest)
def _bell_test(task: Task, _args: commands.RingTest) -> Outcomes:
    if task.evening.round:
        raise Refused("a round is running; the bell would end it in everybody's ears")
    task.test_bell()
    return ["The bell rings"]


@does(commands.SilenceHorn)
def _silence(task: Task, args: commands.SilenceHorn) -> Outcomes:
    task.silence_horn(args.minutes)
    if not args.minutes:
        return ["The horn sounds again"]
    return [f"The bell sounds in place of the horn for {say.counted(args.minutes, 'minute')}"]


@does(commands.EndRecovery)
def _go_on(task: Task, _args: commands.EndRecovery) -> Outcomes:
    if not task.go_on():
        raise Refused("no evening is being read from the tables; nothing is waited for")
    return ["The head begins with what it has of the log"]


@does(commands.ChooseBranch)
def _branch(task: Task, args: commands.ChooseBranch) -> Outcomes:
    who = f"table {args.table}" if args.table else "the page"
    if not task.branch(args.table):
        raise Refused(f"{who} offers no other log than the head's")
    return [f"The log goes on as {who} has it", *say.where(task.evening)]
