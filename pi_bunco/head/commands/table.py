"""Commands about one table."""

from pi_bunco.game import facts
from pi_bunco.game.reasons import StillPlaying
from pi_bunco.game.table import PLAYING
from pi_bunco.head import outcomes, reasons
from pi_bunco.head.commands import standing
from pi_bunco.head.commands.registry import Outcomes, Task, does
from pi_bunco.head.evening_log import last_counted
from pi_bunco.head.reasons import Refused
from pi_bunco.reason import Reason
from pi_bunco.wire import commands

FOUND_BLINKS_MS = 10_000.0


@does(commands.BypassTable)
def _bypass(task: Task, args: commands.BypassTable) -> Outcomes:
    task.record(facts.Bypass(task.t, args.table, task.by))
    after: list[Reason] = [outcomes.NotWaitedFor(args.table)]
    table = standing.running_table(task.evening, args.table)
    if table and not table.final:
        after += [outcomes.ResultNeeded(standing.table_stands(table)), outcomes.ConfirmLater()]
    return after


@does(commands.RestoreTable)
def _restore(task: Task, args: commands.RestoreTable) -> Outcomes:
    task.record(facts.Restore(task.t, args.table, task.by))
    missing = task.hall.presence.why_not_ready(args.table, task.now)
    return [outcomes.WaitedForAgain(args.table), *missing]


@does(commands.DecideWinner)
def _decide(task: Task, args: commands.DecideWinner) -> Outcomes:
    _is_open(task, args.table)
    task.record(facts.Decide(task.t, args.table, args.winner, task.epoch, task.by))
    return _after_table(task, args.table)


@does(commands.ConfirmTable)
def _confirm(task: Task, args: commands.ConfirmTable) -> Outcomes:
    _is_open(task, args.table)
    table = standing.running_table(task.evening, args.table)
    if table and table.phase == PLAYING and not table.done and table.uncalled is None:
        raise Refused(StillPlaying(table.number), reasons.PressOkLater())
    task.record(facts.Confirm(task.t, args.table, task.epoch, task.by))
    return _after_table(task, args.table)


@does(commands.EnterTally)
def _tally(task: Task, args: commands.EnterTally) -> Outcomes:
    _is_open(task, args.table)
    a, b, c, d = (facts.SeatCard(card.points, card.buncos, card.minis) for card in args.cards)
    task.record(facts.Tally(task.t, args.table, (a, b, c, d), task.epoch, task.by))
    return [outcomes.TallyEntered(), *_after_table(task, args.table)]


@does(commands.ReopenTable)
def _reopen(task: Task, args: commands.ReopenTable) -> Outcomes:
    ran = task.evening.round
    task.record(facts.Reopen(task.t, args.table, task.by))
    round_ = task.round
    again = [] if ran else [outcomes.RoundRunsAgain(standing.name(round_))]
    return [*again, standing.table_stands(round_.tables[args.table - 1])]


@does(commands.UndoRoll)
def _undo(task: Task, args: commands.UndoRoll) -> Outcomes:
    if args.tie is None and task.evening.staged is None:
        _is_open(task, args.table)
    table = standing.running_table(task.evening, args.table)
    last = last_counted(table) if table else None
    roll = task.fact(last) if last is not None else None
    dice = standing.faces(roll) if isinstance(roll, facts.Roll) else ""
    if args.n is not None and last is not None and args.n != last:
        other = reasons.RolledSinceThen if last > args.n else reasons.TakenBackAlready
        raise Refused(other(args.table, last, dice))
    epoch = None if args.tie else task.epoch
    task.record(facts.Undo(task.t, args.table, epoch, task.by, args.tie))
    if table is None:
        return [outcomes.ThrowTakenBack(), *standing.stage_stands(task.evening)]
    stands = standing.table_stands(task.round.tables[args.table - 1])
    return [outcomes.RollTakenBack(dice) if dice else outcomes.LatestTakenBack(), stands]


@does(commands.SetTurn)
def _turn(task: Task, args: commands.SetTurn) -> Outcomes:
    _is_open(task, args.table)
    task.record(facts.Turn(task.t, args.table, args.seat, args.rolls, task.epoch, task.by))
    table = task.round.tables[args.table - 1]
    counted = [outcomes.CountedAgain(args.rolls, args.seat)] if args.rolls else []
    return [*counted, standing.table_stands(table)]


@does(commands.BeginTable)
def _begins(task: Task, args: commands.BeginTable) -> Outcomes:
    _is_open(task, args.table)
    task.record(facts.Begins(task.t, args.table, args.seat, epoch=task.epoch, by=task.by))
    return [standing.table_stands(task.round.tables[args.table - 1])]


@does(commands.AllowHand)
def _hand(task: Task, args: commands.AllowHand) -> Outcomes:
    task.record(facts.Hand(task.t, args.table, args.allowed, task.by))
    return [(outcomes.HandAllowed if args.allowed else outcomes.HandWhereDiceFail)(args.table)]


@does(commands.BlinkTable, needs="an evening")
def _light(task: Task, args: commands.BlinkTable) -> Outcomes:
    if args.table > task.evening.tables:
        raise Refused(reasons.NoSuchTables((args.table,), task.evening.tables))
    if not task.hall.presence.online(args.table, task.now):
        raise Refused(*task.hall.presence.why_not_ready(args.table, task.now))
    task.hall.blinking.blink(args.table, (reasons.ThisIsTable(args.table),), task.now + FOUND_BLINKS_MS)
    return [outcomes.TableBlinks(args.table, round(FOUND_BLINKS_MS / 1000))]


def _is_open(task: Task, number: int) -> None:
    """Raises `Refused`, with the way back to the last round, if none is open."""
    evening = task.evening
    if evening.round or evening.why_not_reopen():
        return
    if number <= len(evening.rounds[-1].tables):
        raise Refused(reasons.ReopenItFirst(number))


def _after_table(task: Task, number: int) -> list[Reason]:
    """The table's state, and that the round is over if it was the last one of its round."""
    evening = task.evening
    if evening.round:
        return [standing.table_stands(evening.round.tables[number - 1])]
    round_ = evening.rounds[-1]
    over = outcomes.RoundIsOver(standing.name(round_))
    return [standing.table_stands(round_.tables[number - 1]), over, *standing.where(evening)]
