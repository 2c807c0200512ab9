"""What a host's commands do to the evening: open, close, prizes, a tournament's stages, seats and people."""

from pi_bunco.errors import BuncoError, FactError
from pi_bunco.game import facts, seating, stages
from pi_bunco.game.evening import Evening
from pi_bunco.game.places import opening_groups
from pi_bunco.game.terms import STAGES, sought
from pi_bunco.head import reasons as say
from pi_bunco.head.commands.registry import Outcomes, Task, does
from pi_bunco.head.reasons import Refused
from pi_bunco.rules import RuleSet, load, preset
from pi_bunco.rules.load import changes
from pi_bunco.wire import commands
from pi_bunco.wire.messages import WayOn

FULL = "every seat is taken; name a substitute, or seat the guest when the first round is over"


@does(commands.OpenEvening)
def _open(task: Task, args: commands.OpenEvening) -> Outcomes:
    before = task.evening
    if before.epoch and not before.closed and not args.replace:
        raise Refused(
            f"an evening is open, with {say.played(before)}",
            "close it first, or open the new one in its place",
            ways=[commands.CloseEvening(), WayOn(commands.OpenEvening.name, {"replace": True})],
        )
    fact = _opening(args, task)
    after = []
    if before.rules is not None and not before.closed:
        task.record(facts.EveningClose(task.t, task.by))
        if before.epoch:
            after.append(f"The evening before is closed, with {say.played(before)}")
    task.open(fact, args.seed)
    evening = task.evening
    ghosts = f" and {say.counted(len(evening.people.ghosts), 'ghost')}" if evening.people.ghosts else ""
    players, tables = len(evening.people.present), say.counted(evening.tables, "table")
    rounds = say.counted(evening.rounds_in_all, "round")
    return [
        f"The evening is open: {players} players{ghosts} at {tables}, {rounds}",
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
        raise Refused(*str(error).splitlines()) from error
    if rules is None:
        raise Refused(f"{args.rules} is a file, of which the head knows nothing; send its dimensions")
    names = tuple(player.strip() for player in args.players)
    groups, missing = _groups(args, rules, len(names))
    ghosts = tuple(f"Ghost {k}" for k in range(1, missing + 1))
    if found := seating.problems(names, ghosts, groups, ghosts_allowed=rules.ghosts):
        raise Refused(*found)
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


@does(commands.CloseEvening)
def _close(task: Task, args: commands.CloseEvening) -> Outcomes:
    evening = task.evening
    if not args.unfinished and not evening.closed and (evening.round or not evening.over):
        first = "a round is running" if evening.round else _unfinished(evening)
        how = "the evening can be closed all the same, and opened again until the next one is"
        raise Refused(first, how, ways=[commands.CloseEvening(unfinished=True)])
    dropped = evening.round
    task.record(facts.EveningClose(task.t, task.by))
    after = [f"The evening is closed, with {say.played(evening)}"]
    if dropped:
        after.append(f"{say.capital(say.round_name(dropped))} was not finished and does not count")
    return [*after, "Until the next one is opened, it can be opened again"]


def _unfinished(evening: Evening) -> str:
    tournament = evening.tournament
    if tournament is None or tournament.stage == "groups":
        return f"the evening is not over: {say.played(evening)}"
    return f"the {STAGES[tournament.stage]} is not over"


@does(commands.ReopenEvening)
def _reopen_evening(task: Task, _args: commands.ReopenEvening) -> Outcomes:
    task.record(facts.EveningReopen(task.t, task.by))
    return ["The evening goes on", *say.where(task.evening)]


@does(commands.AwardPrize)
def _prize(task: Task, args: commands.AwardPrize) -> Outcomes:
    who = (args.to,) if isinstance(args.to, str) else args.to
    holders = task.evening.people.holders
    if strangers := [name for name in who if name not in holders]:
        raise Refused(*(f"{name} has not played this evening" for name in strangers))
    task.record(facts.PrizeDecision(task.t, args.category, args.to, task.by))
    return [f"{say.capital(say.prize(args.category))} goes to {say.listed(who)}"]


@does(commands.TellRolloff)
def _rolloff(task: Task, args: commands.TellRolloff) -> Outcomes:
    group = args.group or _group(task.evening, args.category)
    task.record(facts.Rolloff(task.t, args.category, args.dice, group, task.by))
    rolled = (f"{name} {'-'.join(map(str, dice))}" for name, dice in args.dice.items())
    entered = f"The roll-off for {sought(args.category)} is entered: {', '.join(rolled)}"
    return [entered, *say.stage_stands(task.evening)]


def _group(evening: Evening, purpose: str) -> int | None:
    """The only group that rolls for this place; `Refused` where there are several."""
    tied = evening.tournament.contests if evening.tournament else []
    groups = [one.group for one in tied if one.purpose == purpose and one.group]
    if len(groups) > 1:
        numbers = say.listed(tuple(str(group) for group in groups))
        raise Refused(f"the groups {numbers} roll for it: say which group")
    return groups[0] if groups else None


@does(commands.BeginStage)
def _stage(task: Task, _args: commands.BeginStage) -> Outcomes:
    try:
        fact = stages.confirmation(task.evening, task.t, task.by)
    except FactError as error:
        raise Refused(*error.reasons) from error
    task.record(fact)
    begun = {"order": "The final table rolls for who begins", "done": "The tournament is over"}
    first = begun.get(fact.stage, f"The {STAGES[fact.stage]} begins")
    return [first, *say.where(task.evening)]


@does(commands.DrawSeats)
def _draw(task: Task, args: commands.DrawSeats) -> Outcomes:
    people, players = task.evening.people, [*task.evening.playing, *args.guests]
    if args.guests and not task.evening.rounds:
        who = say.listed(args.guests)
        raise Refused(f"{who} can come when the first round is over, or now on a ghost's chair")
    ghosts = people.ghosts_for(players) if task.evening.rounds else people.ghosts
    tables = seating.draw(players, ghosts, task.draw)
    task.record(facts.Seating(task.t, tuple(tables), task.by))
    return [f"The seats are drawn at {say.counted(task.evening.tables, 'table')}"]


@does(commands.SetSeats)
def _seats(task: Task, args: commands.SetSeats) -> Outcomes:
    task.record(facts.Seating(task.t, args.tables, task.by))
    return [f"All have their seats at {say.counted(task.evening.tables, 'table')}"]


@does(commands.SubstitutePlayer)
def _substitute(task: Task, args: commands.SubstitutePlayer) -> Outcomes:
    task.record(facts.Substitute(task.t, args.out, args.new, task.by))
    return [f"{args.new} plays for {args.out}{_at(task.evening, args.new)}"]


@does(commands.AddPlayer)
def _arrive(task: Task, args: commands.AddPlayer) -> Outcomes:
    people = task.evening.people
    if not (task.evening.rounds or people.ghosts or args.player in people.present):
        raise Refused(FULL)
    task.record(facts.Arrive(task.t, args.player, task.by))
    return [f"{args.player} plays{_at(task.evening, args.player) or ', in the seat of a ghost'}"]


@does(commands.RemovePlayer)
def _leave(task: Task, args: commands.RemovePlayer) -> Outcomes:
    before = set(task.evening.people.ghosts)
    task.record(facts.Leave(task.t, args.player, task.by))
    ghost = next((name for name in task.evening.people.ghosts if name not in before), None)
    if ghost is None:  # who has a place in a tournament is replaced, who only watches had no seat
        return [f"{args.player} has left", *say.stage_stands(task.evening)]
    seat = f"{args.player} has left; {ghost} takes the seat{_at(task.evening, ghost)}"
    return [seat, *say.stage_stands(task.evening)]


def _at(evening: Evening, player: str) -> str:
    seat = say.seat_of(evening, player)
    return f": {seat}" if seat else ""
