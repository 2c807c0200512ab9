"""The state of the evening, its round and its tables as outcomes: always from the state itself."""

from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.game.reasons import RoundRuns
from pi_bunco.game.rolloffs import awaited
from pi_bunco.game.round import Round
from pi_bunco.game.table import SEATS, Doing, Table
from pi_bunco.head import outcomes
from pi_bunco.head.reasons import Refused, RoundName, RoundNotOver, RoundsPlayed
from pi_bunco.reason import Reason
from pi_bunco.wire import commands


def name(round_: Round) -> RoundName:
    """ "set 1, round 3"."""
    return RoundName(round_.set, round_.place)


def played(evening: Evening) -> RoundsPlayed:
    """ "3 of 12 rounds played"."""
    return RoundsPlayed(len(evening.rounds), evening.rounds_in_all)


def running_table(evening: Evening, number: int) -> Table | None:
    """The table in the running round."""
    tables = evening.round.tables if evening.round else []
    return tables[number - 1] if 0 < number <= len(tables) else None


def table_stands(table: Table) -> outcomes.TableStands:
    """Points, and what comes next: whose turn, or what is waited for, or who has won."""
    return outcomes.TableStands(table.number, table.score, _comes_next(table))


def _comes_next(table: Table) -> Reason:
    if table.final:
        return _result(table)
    turn = outcomes.TurnOf(table.seats[table.seat], SEATS[table.seat])
    match table.doing:
        case "one_die":
            return outcomes.TiedOneDie()
        case "done":
            return outcomes.DoneWithoutOk()
        case "roll_off":
            return outcomes.TiedTurnOf(turn)
        case _:
            return turn


def _result(table: Table) -> Reason:
    if table.rules.team == "table":
        return {None: outcomes.OthersWait, 0: outcomes.TableWins}.get(table.winner, outcomes.OtherTableWins)()
    return outcomes.TeamWins(table.winning or "", table.people_of_winner)


def still_runs(round_: Round) -> Refused:
    """The refusal to start a round before this one is over."""
    if round_.bell:
        return Refused(RoundNotOver(name(round_)), *unfinished(round_))
    return Refused(RoundRuns(), leads_to=[commands.EndRound()])


def unfinished(round_: Round) -> list[Reason]:
    """The tables of a round whose bell has rung that still play, roll off or wait for OK."""

    def at(*doing: Doing) -> tuple[int, ...]:
        return tuple(table.number for table in round_.tables if table.doing in doing)

    found = (
        outcomes.StillInTurns(at("rolling", "finishing")),
        outcomes.RollingOff(at("roll_off", "one_die")),
        outcomes.OkMissing(at("done")),
    )
    return [one for one in found if one.tables]


def seat_of(evening: Evening, player: str) -> outcomes.SeatName | None:
    """The seat of a player; None before the draw."""
    for number, names in enumerate(evening.seating or (), 1):
        if player in names:
            return outcomes.SeatName(number, SEATS[names.index(player)])
    return None


def faces(roll: facts.Roll) -> str:
    """ "1-4-6", or the call of a roll by hand."""
    return "-".join(map(str, roll.dice)) if roll.dice else str(roll.call)


def stage_stands(evening: Evening) -> list[Reason]:
    """The next step of a tournament between its rounds; none while it has rounds to play."""
    tournament = evening.tournament
    if tournament is None or evening.why_not_open() is None or tournament.stage == "groups":
        return []
    if tournament.next:
        return [outcomes.StageSettled(tournament.next)]
    rolling = [awaited(evening, table) for table in range(1, evening.tables + 1)]
    return [outcomes.TableRollsFor(one.table, one.players, one.purpose) for one in rolling if one]


def where(evening: Evening) -> list[Reason]:
    """The state of the evening, and the next step."""
    round_ = evening.round
    if round_:
        return [outcomes.RoundIsRunning(name(round_))] if round_.bell is None else unfinished(round_)
    if evening.over:
        return [outcomes.LastRoundOver()]
    if found := stage_stands(evening):
        return found
    if evening.resting:
        return [outcomes.OnBreak()]
    return [outcomes.StartTheNext(played(evening))] if evening.rounds else []
