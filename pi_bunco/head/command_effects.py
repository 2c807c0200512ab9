"""What each command of a host does, and what is true after it.

A new command is its struct in `wire.commands` and one function here: it records facts or asks for effects,
raises `Refused` with every reason why not, and returns its answer, worked out from the state after it.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from pi_bunco.errors import BuncoError, FactError
from pi_bunco.game import facts, seating, stages
from pi_bunco.game.evening import Evening
from pi_bunco.game.table import Table
from pi_bunco.game.throws import awaited
from pi_bunco.game.tournament import opening_groups
from pi_bunco.head import sentences as say
from pi_bunco.head.presence import why_not_start
from pi_bunco.head.refusal import Refused, ended
from pi_bunco.head.task import Task
from pi_bunco.rules import RuleSet, load, preset
from pi_bunco.rules.load import changes
from pi_bunco.wire import commands
from pi_bunco.wire.commands import Arguments

Answer = Iterable[str]
Effect = Callable[[Task, Any], Answer]
Kind = TypeVar("Kind", bound=Arguments)
EFFECTS: dict[type[Arguments], Effect] = {}
"""What each command does."""
BLINK = 10_000.0
"""For so many ms a table blinks."""
WITHOUT_EVENING = (
    commands.OpenEvening,
    commands.RingTest,
    commands.SilenceHorn,
    commands.EndRecovery,
    commands.ChooseBranch,
)
"""The commands that need no evening."""


def carry_out(task: Task, args: Arguments) -> tuple[str, ...]:
    """Does what the command says and returns what is true after it; `Refused` has every reason why not."""
    if task.evening.rules is None and not isinstance(args, WITHOUT_EVENING):
        raise Refused(["no evening is open"])
    return tuple(ended(text) for text in EFFECTS[type(args)](task, args))


def _does(kind: type[Kind]) -> Callable[[Callable[[Task, Kind], Answer]], Callable[[Task, Kind], Answer]]:
    def register(effect: Callable[[Task, Kind], Answer]) -> Callable[[Task, Kind], Answer]:
        EFFECTS[kind] = effect
        return effect

    return register


# The evening.


@_does(commands.OpenEvening)
def _open(task: Task, args: commands.OpenEvening) -> Answer:
    before = task.evening
    if before.epoch and not before.closed and not args.replace:
        raise Refused(
            [
                f"an evening is open, with {_played(before)}",
                "close it first (evening_close), or open the new one in its place (replace: true)",
            ]
        )
    fact = _opening(args, task)
    after = []
    if before.rules is not None and not before.closed:
        task.record(facts.EveningClose(task.t, task.by))
        if before.epoch:
            after.append(f"The evening before is closed, with {_played(before)}")
    task.open(fact, args.seed)
    evening = task.evening
    ghosts = f" and {say.counted(len(evening.people.ghosts), 'ghost')}" if evening.people.ghosts else ""
    players, tables = len(evening.people.present), say.counted(evening.tables, "table")
    return [
        f"The evening is open: {players} players{ghosts} at {tables}, {say.rounds_in(evening)} rounds",
        *after,
        "Draw the seats next",
    ]


def _opening(args: commands.OpenEvening, task: Task) -> facts.EveningOpen:
    """The fact that opens the evening; `Refused` has all that is wrong."""
    overrides = dict(args.overrides)
    if args.sets is not None:
        overrides["evening.sets"] = args.sets
    try:
        rules = load(args.rules, overrides) if not args.rules.endswith(".toml") else None
    except BuncoError as error:
        raise Refused(str(error).splitlines()) from error
    if rules is None:
        raise Refused([f"{args.rules} is a file, of which the head knows nothing; send its dimensions"])
    names = tuple(player.strip() for player in args.players)
    groups, missing = _groups(args, rules, len(names))
    ghosts = tuple(f"Ghost {k}" for k in range(1, missing + 1))
    if found := seating.problems(names, ghosts, groups, ghosts_allowed=rules.ghosts):
        raise Refused(found)
    return facts.EveningOpen(
        0,
        args.rules,
        names,
        id=task.new_id(),
        name=args.title,
        overrides=changes(rules, preset(args.rules)),
        ghosts=ghosts,
        groups=groups,
        pot=args.pot,
        seed=args.seed,
        by=task.by,
    )


def _groups(
    args: commands.OpenEvening, rules: RuleSet, players: int
) -> tuple[tuple[tuple[int, ...], ...] | None, int]:
    """The groups of a tournament, whole ones unless the host names others, and how many ghosts fill them."""
    if args.groups is not None:
        chairs = 4 * sum(len(group) for group in args.groups)
        return args.groups, max(chairs - players, 0)
    if rules.tournament:
        return opening_groups(players)
    return None, seating.ghosts_needed(players)


def _played(evening: Evening) -> str:
    return f"{len(evening.rounds)} of {say.rounds_in(evening)} rounds played"


@_does(commands.CloseEvening)
def _close(task: Task, args: commands.CloseEvening) -> Answer:
    evening = task.evening
    if not args.unfinished and not evening.closed and (evening.round or not evening.over):
        first = "a round is running" if evening.round else f"{_played(evening)} only"
        raise Refused([first, "to close the evening all the same, say unfinished: true"])
    dropped = evening.round
    task.record(facts.EveningClose(task.t, task.by))
    after = [f"The evening is closed, with {_played(evening)}"]
    if dropped:
        after.append(f"{_capital(say.round_name(dropped))} was not finished and does not count")
    return [*after, "Until another evening is opened, evening_reopen takes that back"]


@_does(commands.ReopenEvening)
def _reopen_evening(task: Task, _args: commands.ReopenEvening) -> Answer:
    task.record(facts.EveningReopen(task.t, task.by))
    return ["The evening goes on", *_where(task.evening)]


@_does(commands.AwardPrize)
def _prize(task: Task, args: commands.AwardPrize) -> Answer:
    who = (args.to,) if isinstance(args.to, str) else args.to
    holders = task.evening.people.holders
    if strangers := [name for name in who if name not in holders]:
        raise Refused([f"{name} has not played this evening" for name in strangers])
    task.record(facts.PrizeDecision(task.t, args.category, args.to, task.by))
    return [f"The prize {args.category} goes to {_and(who)}"]


@_does(commands.TellRolloff)
def _rolloff(task: Task, args: commands.TellRolloff) -> Answer:
    task.record(facts.Rolloff(task.t, args.category, args.dice, args.group, task.by))
    rolled = (f"{name} {'-'.join(map(str, dice))}" for name, dice in args.dice.items())
    entered = f"The roll-off for {args.category} is entered: {', '.join(rolled)}"
    return [entered, *_stage_stands(task.evening)]


@_does(commands.BeginStage)
def _stage(task: Task, _args: commands.BeginStage) -> Answer:
    try:
        fact = stages.confirmation(task.evening, task.t, task.by)
    except FactError as error:
        raise Refused([str(error)]) from error
    task.record(fact)
    return [f"The tournament goes on: {fact.stage.replace('_', '-')}", *_where(task.evening)]


# Seats and people.


@_does(commands.DrawSeats)
def _draw(task: Task, args: commands.DrawSeats) -> Answer:
    people, players = task.evening.people, [*stages.playing(task.evening), *args.guests]
    if args.guests and not task.evening.rounds:
        raise Refused(
            [f"{_and(args.guests)} can come when the first round is over, or now on a ghost's chair"]
        )
    ghosts = people.ghosts_for(players) if task.evening.rounds else people.ghosts
    tables = seating.draw(players, ghosts, task.draw)
    task.record(facts.Seating(task.t, tuple(tables), task.by))
    return [f"The seats are drawn at {say.counted(task.evening.tables, 'table')}"]


@_does(commands.SetSeats)
def _seats(task: Task, args: commands.SetSeats) -> Answer:
    task.record(facts.Seating(task.t, args.tables, task.by))
    return [f"All have their seats at {say.counted(task.evening.tables, 'table')}"]


@_does(commands.SubstitutePlayer)
def _substitute(task: Task, args: commands.SubstitutePlayer) -> Answer:
    task.record(facts.Substitute(task.t, args.out, args.new, task.by))
    return [f"{args.new} plays for {args.out}{_at(task.evening, args.new)}"]


@_does(commands.AddPlayer)
def _arrive(task: Task, args: commands.AddPlayer) -> Answer:
    task.record(facts.Arrive(task.t, args.player, task.by))
    return [f"{args.player} plays{_at(task.evening, args.player) or ', in the seat of a ghost'}"]


@_does(commands.RemovePlayer)
def _leave(task: Task, args: commands.RemovePlayer) -> Answer:
    before = set(task.evening.people.ghosts)
    task.record(facts.Leave(task.t, args.player, task.by))
    ghost = next((name for name in task.evening.people.ghosts if name not in before), None)
    if ghost is None:  # who has a place in a tournament is replaced, who only watches had no seat
        return [f"{args.player} has left", *_stage_stands(task.evening)]
    seat = f"{args.player} has left; {ghost} takes the seat{_at(task.evening, ghost)}"
    return [seat, *_stage_stands(task.evening)]


def _at(evening: Evening, player: str) -> str:
    seat = say.seat_of(evening, player)
    return f": {seat}" if seat else ""


def _and(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# Rounds.


@_does(commands.StartRound)
def _start(task: Task, args: commands.StartRound) -> Answer:
    evening = task.evening
    if strange := [table for table in args.bypass if table > evening.tables]:
        raise Refused([f"there is no {say.numbers(strange)}; tables are 1 to {evening.tables}"])
    if why := why_not_start(evening, task.presence, task.now, args.bypass):
        raise Refused(why)
    rested = evening.resting
    for table in dict.fromkeys(args.bypass):
        if table not in evening.bypassed:
            task.record(facts.Bypass(task.t, table, task.by))
    task.open_round()
    round_ = task.round
    after = ["The break is over"] if rested else []
    after.append(f"{_capital(say.round_name(round_))} has started: the target is {round_.target}")
    if evening.bypassed:
        tables = say.numbers(sorted(evening.bypassed))
        after.append(f"{_capital(tables)} may play on paper: enter the tally, or decide, after the bell")
    return after


@_does(commands.EndRound)
def _end(task: Task, _args: commands.EndRound) -> Answer:
    task.record(facts.RoundClose(task.t, task.by, task.evening.epoch))
    return ["The round is ended", *_where(task.evening)]


@_does(commands.CancelRound)
def _cancel(task: Task, _args: commands.CancelRound) -> Answer:
    round_ = task.evening.round
    task.record(facts.RoundCancel(task.t, task.evening.epoch, task.by))
    name = _capital(say.round_name(round_) if round_ else "the round")
    return [f"{name} is cancelled: it never happened", *_where(task.evening)]


@_does(commands.VoidBell)
def _void(task: Task, _args: commands.VoidBell) -> Answer:
    task.record(facts.BellVoid(task.t, task.evening.epoch, task.by))
    return ["The bell is void; the round goes on"]


@_does(commands.BeginBreak)
def _pause(task: Task, args: commands.BeginBreak) -> Answer:
    task.record(facts.Pause(task.t, args.minutes, task.by))
    return (
        [f"The break of {say.counted(args.minutes, 'minute')} has begun"]
        if args.minutes
        else ["The break has begun"]
    )


@_does(commands.EndBreak)
def _resume(task: Task, _args: commands.EndBreak) -> Answer:
    task.record(facts.Resume(task.t, task.by))
    return ["The break is over"]


# One table.


@_does(commands.BypassTable)
def _bypass(task: Task, args: commands.BypassTable) -> Answer:
    task.record(facts.Bypass(task.t, args.table, task.by))
    after = [f"Rounds start without waiting for the equipment of table {args.table}"]
    table = _running(task.evening, args.table)
    if table and not table.final:
        after += [
            f"This round still needs its result: {say.table_stands(table)}",
            "After the bell confirm it, enter its tally, or decide its winner",
        ]
    return after


@_does(commands.RestoreTable)
def _restore(task: Task, args: commands.RestoreTable) -> Answer:
    task.record(facts.Restore(task.t, args.table, task.by))
    missing = task.presence.why_not_ready(args.table, task.now)
    return [f"The equipment of table {args.table} is waited for again", *missing]


@_does(commands.DecideWinner)
def _decide(task: Task, args: commands.DecideWinner) -> Answer:
    task.record(facts.Decide(task.t, args.table, args.winner, task.evening.epoch, task.by))
    return _after_table(task, args.table)


@_does(commands.ConfirmTable)
def _confirm(task: Task, args: commands.ConfirmTable) -> Answer:
    task.record(facts.Confirm(task.t, args.table, task.evening.epoch, task.by))
    return _after_table(task, args.table)


@_does(commands.EnterTally)
def _tally(task: Task, args: commands.EnterTally) -> Answer:
    a, b, c, d = (facts.SeatCard(card.points, card.buncos, card.minis) for card in args.cards)
    task.record(facts.Tally(task.t, args.table, (a, b, c, d), task.evening.epoch, task.by))
    return ["The tally is entered", *_after_table(task, args.table)]


@_does(commands.ReopenTable)
def _reopen(task: Task, args: commands.ReopenTable) -> Answer:
    ran = task.evening.round
    task.record(facts.Reopen(task.t, args.table, task.by))
    round_ = task.round
    again = [] if ran else [f"{_capital(say.round_name(round_))} runs again"]
    return [*again, say.table_stands(round_.tables[args.table - 1])]


@_does(commands.UndoRoll)
def _undo(task: Task, args: commands.UndoRoll) -> Answer:
    table = _running(task.evening, args.table)
    last = say.last_counted(table) if table else None
    if args.n is not None and last is not None and args.n != last:
        roll = task.fact(last)
        told = say.faces(roll) if isinstance(roll, facts.Roll) else ""
        other = "has rolled again since" if last > args.n else "has that roll taken back already"
        raise Refused([f"table {args.table} {other}; its latest roll is now no. {last}: {told}"])
    task.record(facts.Undo(task.t, args.table, task.evening.epoch, task.by))
    after = say.table_stands(task.round.tables[args.table - 1])
    gone = task.fact(last) if last else None
    what = f"the roll {say.faces(gone)}" if isinstance(gone, facts.Roll) else "the latest roll"
    return [f"{_capital(what)} is taken back", after]


@_does(commands.SetTurn)
def _turn(task: Task, args: commands.SetTurn) -> Answer:
    task.record(facts.Turn(task.t, args.table, args.seat, args.rolls, task.evening.epoch, task.by))
    table = task.round.tables[args.table - 1]
    if not args.rolls:
        return [say.table_stands(table)]
    rolls = "roll is" if args.rolls == 1 else f"{args.rolls} rolls are"
    return [f"The last {rolls} counted again, beginning with seat {args.seat}", say.table_stands(table)]


@_does(commands.AllowHand)
def _hand(task: Task, args: commands.AllowHand) -> Answer:
    task.record(facts.Hand(task.t, args.table, args.allowed, task.by))
    when = "may be entered by hand" if args.allowed else "may be entered by hand only where the dice fail"
    return [f"Table {args.table}: rolls {when}"]


@_does(commands.BlinkTable)
def _light(task: Task, args: commands.BlinkTable) -> Answer:
    if args.table > task.evening.tables:
        raise Refused([f"there is no table {args.table}; tables are 1 to {task.evening.tables}"])
    if not task.presence.online(args.table, task.now):
        raise Refused(task.presence.why_not_ready(args.table, task.now))
    task.blink(args.table, f"This is table {args.table}.", BLINK)
    return [f"Table {args.table} blinks for {BLINK / 1000:.0f} s"]


# The bell, and the log.


@_does(commands.RingTest)
def _bell_test(task: Task, _args: commands.RingTest) -> Answer:
    if task.evening.round:
        raise Refused(["a round is running; the bell would end it in everybody's ears"])
    task.test_bell()
    return ["The bell rings"]


@_does(commands.SilenceHorn)
def _silence(task: Task, args: commands.SilenceHorn) -> Answer:
    task.silence_horn(args.minutes)
    if not args.minutes:
        return ["The horn sounds again"]
    return [f"The bell sounds in place of the horn for {say.counted(args.minutes, 'minute')}"]


@_does(commands.EndRecovery)
def _go_on(task: Task, _args: commands.EndRecovery) -> Answer:
    if not task.go_on():
        raise Refused(["no evening is being read from the tables; nothing is waited for"])
    return ["The head begins with what it has of the log"]


@_does(commands.ChooseBranch)
def _branch(task: Task, args: commands.ChooseBranch) -> Answer:
    who = f"table {args.table}" if args.table else "the page"
    if not task.branch(args.table):
        raise Refused([f"{who} offers no other log than the head's"])
    return [f"The log goes on as {who} has it", *_where(task.evening)]


# What is true after it.


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _running(evening: Evening, number: int) -> Table | None:
    """The table in the running round."""
    tables = evening.round.tables if evening.round else []
    return tables[number - 1] if 0 < number <= len(tables) else None


def _stage_stands(evening: Evening) -> list[str]:
    """What a tournament waits for between its rounds; nothing while it has rounds to play."""
    tournament = evening.tournament
    if tournament is None or evening.why_not_open() is None or tournament.stage == "groups":
        return []
    if tournament.next:
        return [f"All is settled; begin the {stages.WORDS[tournament.next]} (stage)"]
    rolling = [awaited(evening, table) for table in range(1, evening.tables + 1)]
    return [
        f"Table {one.table}: {_and(one.players)} roll{'s' * (len(one.players) == 1)} for {one.purpose}"
        for one in rolling
        if one
    ]


def _where(evening: Evening) -> list[str]:
    """Where the evening stands, in a sentence or a few."""
    round_ = evening.round
    if round_:
        if round_.bell is None:
            return [f"{_capital(say.round_name(round_))} is running"]
        return say.unfinished(round_)
    if evening.over:
        return ["That was the last round"]
    if found := _stage_stands(evening):
        return found
    if evening.resting:
        return ["It is break"]
    return [f"{_played(evening)}; start the next one"] if evening.rounds else []


def _after_table(task: Task, number: int) -> list[str]:
    """How the table stands; and, if it was the last one of its round, that the round is over."""
    evening = task.evening
    if evening.round:
        return [say.table_stands(evening.round.tables[number - 1])]
    round_ = evening.rounds[-1]
    over = f"All tables are done: {say.round_name(round_)} is over"
    return [say.table_stands(round_.tables[number - 1]), over, *_where(evening)]
