"""Commands about the evening: open, close, prizes, a tournament's stages, seats and people."""

from collections.abc import Sequence

from pi_bunco.errors import FactError, RulesError
from pi_bunco.game import facts, seating, stages
from pi_bunco.game.evening import Evening
from pi_bunco.game.opening import alike, chairs, opening
from pi_bunco.game.prizes import carried_over
from pi_bunco.game.reasons import RoundRuns
from pi_bunco.game.rolloffs import awaited, tie_for
from pi_bunco.head import outcomes, reasons
from pi_bunco.head.commands import standing
from pi_bunco.head.commands.registry import Outcomes, Task, does
from pi_bunco.head.effects import WriteAnew
from pi_bunco.head.reasons import Refused
from pi_bunco.log.rewriting import Renaming, WrittenAnew, drawn_pseudonym
from pi_bunco.reason import Reason
from pi_bunco.rules import load
from pi_bunco.wire import commands


@does(commands.OpenEvening, needs="nothing")
def _open(task: Task, args: commands.OpenEvening) -> Outcomes:
    before = task.evening
    if before.epoch and not before.closed and not args.replace:
        raise Refused(reasons.EveningIsOpen(standing.played(before)), reasons.CloseItFirst())
    fact = _opening(args, task)
    after: list[Reason] = []
    if before.rules is not None and not before.closed:
        task.record(facts.EveningClose(task.t, task.by))
        if before.epoch:
            after.append(outcomes.EveningBeforeClosed(standing.played(before)))
    task.open(fact, args.seed)
    evening = task.evening
    here, ghosts = len(evening.people.present), len(evening.people.ghosts)
    players = outcomes.PlayersAndGhosts(here, ghosts) if ghosts else outcomes.CountedPlayers(here)
    tables, rounds = outcomes.CountedTables(evening.tables), outcomes.CountedRounds(evening.rounds_in_all)
    return [outcomes.EveningOpened(players, tables, rounds), *after, outcomes.DrawNext()]


def _opening(args: commands.OpenEvening, task: Task) -> facts.EveningOpen:
    overrides = dict(args.overrides)
    if args.sets is not None:
        overrides["evening.sets"] = args.sets
    try:
        rules = load(args.rules, overrides) if not args.rules.endswith(".toml") else None
    except RulesError as error:
        raise Refused(*error.reasons) from error
    if rules is None:
        raise Refused(reasons.RulesAreAFile(args.rules))
    if rules.team == "none" and rules.tie.method == "one_die":
        raise Refused(reasons.FourDiceEach())
    names = tuple(player.strip() for player in args.players)
    brought = carried_over(task.evening, rules.holds) or None
    about = {
        "holders": brought,
        "id": f"{task.hall.random.getrandbits(32):08x}",
        "name": args.title,
        "pot": args.pot,
        "seed": args.seed,
        "by": task.by,
    }
    try:
        return opening(rules, names, args.groups, **about)
    except FactError as error:
        raise Refused(*error.reasons) from error


@does(commands.CloseEvening)
def _close(task: Task, args: commands.CloseEvening) -> Outcomes:
    evening = task.evening
    if not args.unfinished and not evening.closed and (evening.round or not evening.over):
        first = RoundRuns() if evening.round else _unfinished(evening)
        raise Refused(first, reasons.CanBeClosed())
    dropped = evening.round
    task.record(facts.EveningClose(task.t, task.by))
    after: list[Reason] = [outcomes.EveningWasClosed(standing.played(evening))]
    if dropped:
        after.append(outcomes.RoundDropped(standing.name(dropped)))
    return [*after, outcomes.CanBeOpenedAgain()]


def _unfinished(evening: Evening) -> Reason:
    tournament = evening.tournament
    if tournament is None or tournament.stage == "groups":
        return reasons.EveningNotOver(standing.played(evening))
    return reasons.StageNotOver(tournament.stage)


@does(commands.ReopenEvening, needs="an evening")
def _reopen_evening(task: Task, _args: commands.ReopenEvening) -> Outcomes:
    task.record(facts.EveningReopen(task.t, task.by))
    return [outcomes.EveningGoesOn(), *standing.where(task.evening)]


@does(commands.DeleteName, needs="nothing")
def _delete_name(task: Task, args: commands.DeleteName) -> Outcomes:
    if task.evening.rules is not None and not task.evening.closed:
        raise Refused(reasons.LogsOfClosedEvenings())
    pseudonym = args.pseudonym or drawn_pseudonym(task.hall.random)
    renaming = Renaming(args.names, pseudonym)
    task.effects.append(WriteAnew(WrittenAnew(task.hall.log.key, renaming, {}, [])))
    return [outcomes.NameDeleted(pseudonym)]


@does(commands.AwardPrize, needs="an evening")
def _prize(task: Task, args: commands.AwardPrize) -> Outcomes:
    who = (args.to,) if isinstance(args.to, str) else args.to
    holders = task.evening.people.holders
    if strangers := [name for name in who if name not in holders]:
        raise Refused(*map(reasons.HasNotPlayed, strangers))
    tie = tie_for(task.evening, args.category, args.group, args.place)
    task.record(
        facts.PrizeDecision(task.t, args.category, args.to, task.by, args.tie or tie, args.place, args.group)
    )
    if not who:
        return [outcomes.WordTakenBack(args.category)]
    match args.category:
        case "champion":
            return [outcomes.ChampionNamed(who)]
        case "traveling":
            return [outcomes.BagGiven(who)]
        case _:
            return [outcomes.PrizeGiven(args.category, who)]


@does(commands.TakeStake)
def _paid(task: Task, args: commands.TakeStake) -> Outcomes:
    task.record(facts.StakePaid(task.t, args.player, args.paid, task.by))
    return [outcomes.HasPaid(args.player) if args.paid else outcomes.HasNotPaid(args.player)]


@does(commands.TellRolloff, needs="an evening")
def _rolloff(task: Task, args: commands.TellRolloff) -> Outcomes:
    group = args.group or _group(task.evening, args.category)
    if args.table is not None:
        wanted = awaited(task.evening, args.table)
        if wanted is None or (wanted.purpose, wanted.group) != (args.category, group):
            raise Refused(reasons.NotAwaitedHere(args.table))
    tie = args.tie or tie_for(task.evening, args.category, group, args.place)
    task.record(facts.Rolloff(task.t, args.category, args.dice, group, task.by, tie, args.place))
    if not args.dice:
        return [outcomes.RolledAtHeadTable(args.category)]
    rolled = tuple(f"{name} {'-'.join(map(str, dice))}" for name, dice in args.dice.items())
    return [outcomes.RolloffEntered(args.category, rolled), *standing.stage_stands(task.evening)]


def _group(evening: Evening, purpose: str) -> int | None:
    tied = evening.tournament.contests if evening.tournament else []
    groups = [one.group for one in tied if one.purpose == purpose and one.group]
    if len(groups) > 1:
        raise Refused(reasons.SayWhichGroup(tuple(groups)))
    return groups[0] if groups else None


@does(commands.BeginStage)
def _stage(task: Task, _args: commands.BeginStage) -> Outcomes:
    try:
        fact = stages.confirmation(task.evening, task.t, task.by)
    except FactError as error:
        raise Refused(*error.reasons) from error
    task.record(fact)
    begun = {"order": outcomes.RollForWhoBegins(), "done": outcomes.TournamentEnds()}
    first = begun.get(fact.stage) or outcomes.StageBegins(fact.stage)
    return [first, *standing.where(task.evening)]


@does(commands.DrawSeats)
def _draw(task: Task, args: commands.DrawSeats) -> Outcomes:
    evening = task.evening
    people, players = evening.people, [*evening.playing, *args.guests]
    if args.guests and not evening.rounds:
        raise Refused(reasons.ComeLater(args.guests))
    _refuse_alike(task, args.guests)
    ghosts = people.ghosts_for(players)
    if evening.rules and not evening.rounds:
        _, missing = chairs(evening.rules, len(players))
        ghosts = people.ghosts if missing == len(people.ghosts) else ghosts
    tables = seating.draw(players, ghosts, task.hall.draw)
    task.record(facts.Seating(task.t, tuple(tables), task.by))
    return [outcomes.SeatsDrawn(outcomes.CountedTables(task.evening.tables))]


def _refuse_alike(task: Task, names: Sequence[str]) -> None:
    """Refuses a name that could not be told from one that has a card."""
    if found := alike(names, task.evening.people.cards):
        raise Refused(*found)


@does(commands.SetSeats)
def _seats(task: Task, args: commands.SetSeats) -> Outcomes:
    task.record(facts.Seating(task.t, args.tables, task.by, args.teams))
    return [outcomes.AllHaveSeats(outcomes.CountedTables(task.evening.tables))]


@does(commands.SubstitutePlayer)
def _substitute(task: Task, args: commands.SubstitutePlayer) -> Outcomes:
    _refuse_alike(task, (args.new,))
    task.record(facts.Substitute(task.t, args.out, args.new, task.by))
    if seat := standing.seat_of(task.evening, args.new):
        return [outcomes.PlaysForAt(args.new, args.out, seat)]
    return [outcomes.PlaysFor(args.new, args.out)]


@does(commands.AddPlayer)
def _arrive(task: Task, args: commands.AddPlayer) -> Outcomes:
    people = task.evening.people
    if not (task.evening.rounds or people.ghosts or args.player in people.present):
        raise Refused(reasons.NoSeatLeft())
    _refuse_alike(task, (args.player,))
    task.record(facts.Arrive(task.t, args.player, task.by))
    seat = standing.seat_of(task.evening, args.player)
    return [outcomes.PlaysAt(args.player, seat) if seat else outcomes.PlaysForAGhost(args.player)]


@does(commands.RemovePlayer)
def _leave(task: Task, args: commands.RemovePlayer) -> Outcomes:
    before = set(task.evening.people.ghosts)
    task.record(facts.Leave(task.t, args.player, task.by))
    ghost = next((name for name in task.evening.people.ghosts if name not in before), None)
    if ghost is None:  # who has a place in a tournament is replaced, who only watches had no seat
        left: Reason = outcomes.HasLeft(args.player)
    elif seat := standing.seat_of(task.evening, ghost):
        left = outcomes.GhostSitsAt(args.player, ghost, seat)
    else:
        left = outcomes.GhostSits(args.player, ghost)
    return [left, *standing.stage_stands(task.evening)]
