"""What a host's commands do at one table."""

from pi_bunco.game import facts
from pi_bunco.game.table import PLAYING
from pi_bunco.head import reasons as say
from pi_bunco.head.commands.registry import Outcomes, Task, does
from pi_bunco.head.reasons import Refused
from pi_bunco.wire import commands

BLINK = 10_000.0
"""For so many ms a table blinks."""


@does(commands.BypassTable)
def _bypass(task: Task, args: commands.BypassTable) -> Outcomes:
    task.record(facts.Bypass(task.t, args.table, task.by))
    after = [f"Rounds start without waiting for the equipment of table {args.table}"]
    table = say.running_table(task.evening, args.table)
    if table and not table.final:
        after += [
            f"This round still needs its result: {say.table_stands(table)}",
            "After the bell confirm it, enter its tally, or decide its winner",
        ]
    return after


@does(commands.RestoreTable)
def _restore(task: Task, args: commands.RestoreTable) -> Outcomes:
    task.record(facts.Restore(task.t, args.table, task.by))
    missing = task.presence.why_not_ready(args.table, task.now)
    return [f"The equipment of table {args.table} is waited for again", *missing]


@does(commands.DecideWinner)
def _decide(task: Task, args: commands.DecideWinner) -> Outcomes:
    _is_open(task, args.table)
    task.record(facts.Decide(task.t, args.table, args.winner, task.evening.epoch, task.by))
    return _after_table(task, args.table)


@does(commands.ConfirmTable)
def _confirm(task: Task, args: commands.ConfirmTable) -> Outcomes:
    _is_open(task, args.table)
    table = say.running_table(task.evening, args.table)
    if table and table.phase == PLAYING and not table.done:
        what = "press OK for it when it is done after the bell, or decide its winner"
        raise Refused(f"table {table.number} is still playing", what)
    task.record(facts.Confirm(task.t, args.table, task.evening.epoch, task.by))
    return _after_table(task, args.table)


@does(commands.EnterTally)
def _tally(task: Task, args: commands.EnterTally) -> Outcomes:
    _is_open(task, args.table)
    a, b, c, d = (facts.SeatCard(card.points, card.buncos, card.minis) for card in args.cards)
    task.record(facts.Tally(task.t, args.table, (a, b, c, d), task.evening.epoch, task.by))
    return ["The tally is entered", *_after_table(task, args.table)]


@does(commands.ReopenTable)
def _reopen(task: Task, args: commands.ReopenTable) -> Outcomes:
    ran = task.evening.round
    task.record(facts.Reopen(task.t, args.table, task.by))
    round_ = task.round
    again = [] if ran else [f"{say.capital(say.round_name(round_))} runs again"]
    return [*again, say.table_stands(round_.tables[args.table - 1])]


@does(commands.UndoRoll)
def _undo(task: Task, args: commands.UndoRoll) -> Outcomes:
    if task.evening.tournament is None or task.evening.over:
        _is_open(task, args.table)
    table = say.running_table(task.evening, args.table)
    last = say.last_counted(table) if table else None
    if args.n is not None and last is not None and args.n != last:
        roll = task.fact(last)
        rolled = say.faces(roll) if isinstance(roll, facts.Roll) else ""
        other = "has rolled again since" if last > args.n else "has that roll taken back already"
        raise Refused(f"table {args.table} {other}; its latest roll is now no. {last}: {rolled}")
    task.record(facts.Undo(task.t, args.table, task.evening.epoch, task.by))
    if table is None:
        return ["The throw is taken back", *say.stage_stands(task.evening)]
    after = say.table_stands(task.round.tables[args.table - 1])
    gone = task.fact(last) if last else None
    what = f"the roll {say.faces(gone)}" if isinstance(gone, facts.Roll) else "the latest roll"
    return [f"{say.capital(what)} is taken back", after]


@does(commands.SetTurn)
def _turn(task: Task, args: commands.SetTurn) -> Outcomes:
    _is_open(task, args.table)
    task.record(facts.Turn(task.t, args.table, args.seat, args.rolls, task.evening.epoch, task.by))
    table = task.round.tables[args.table - 1]
    if not args.rolls:
        return [say.table_stands(table)]
    rolls = "roll is" if args.rolls == 1 else f"{args.rolls} rolls are"
    return [f"The last {rolls} counted again, beginning with seat {args.seat}", say.table_stands(table)]


@does(commands.AllowHand)
def _hand(task: Task, args: commands.AllowHand) -> Outcomes:
    task.record(facts.Hand(task.t, args.table, args.allowed, task.by))
    when = "may be entered by hand" if args.allowed else "may be entered by hand only where the dice fail"
    return [f"Table {args.table}: rolls {when}"]


@does(commands.BlinkTable)
def _light(task: Task, args: commands.BlinkTable) -> Outcomes:
    if args.table > task.evening.tables:
        raise Refused(f"there is no table {args.table}; tables are 1 to {task.evening.tables}")
    if not task.presence.online(args.table, task.now):
        raise Refused(*task.presence.why_not_ready(args.table, task.now))
    task.blink(args.table, f"This is table {args.table}.", BLINK)
    return [f"Table {args.table} blinks for {BLINK / 1000:.0f} s"]


def _is_open(task: Task, number: int) -> None:
    """`Refused`, with the way back to the last round, if none is open."""
    evening = task.evening
    if evening.round or evening.why_not_reopen():
        return
    if number <= len(evening.rounds[-1].tables):
        what = f"no round is open; reopen table {number} first to change its last result"
        raise Refused(what, ways=[commands.ReopenTable(number)])


def _after_table(task: Task, number: int) -> list[str]:
    """How the table stands; and, if it was the last one of its round, that the round is over."""
    evening = task.evening
    if evening.round:
        return [say.table_stands(evening.round.tables[number - 1])]
    round_ = evening.rounds[-1]
    over = f"All tables are done: {say.round_name(round_)} is over"
    return [say.table_stands(round_.tables[number - 1]), over, *say.where(evening)]
