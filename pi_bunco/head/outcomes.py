"""Outcomes: what is true after a command."""

from pi_bunco.game.reasons import Purpose, StageName
from pi_bunco.head.reasons import RoundName, RoundsPlayed
from pi_bunco.reason import N_, NN_, Listed, Names, Reason, Tables

# The evening.


class CountedTables(Reason, frozen=True):
    text = NN_("%(n)s table", "%(n)s tables")
    count = "n"
    n: int


class CountedRounds(Reason, frozen=True):
    text = NN_("%(n)s round", "%(n)s rounds")
    count = "n"
    n: int


class CountedPlayers(Reason, frozen=True):
    text = N_("%(n)s players")
    n: int


class PlayersAndGhosts(Reason, frozen=True):
    text = NN_("%(n)s players and %(ghosts)s ghost", "%(n)s players and %(ghosts)s ghosts")
    count = "ghosts"
    n: int
    ghosts: int


class EveningOpened(Reason, frozen=True):
    text = N_("The evening is open: %(players)s at %(tables)s, %(rounds)s")
    players: Reason
    tables: CountedTables
    rounds: CountedRounds


class EveningBeforeClosed(Reason, frozen=True):
    text = N_("The evening before is closed, with %(played)s")
    played: RoundsPlayed


class DrawNext(Reason, frozen=True):
    text = N_("Draw the seats next")


class EveningWasClosed(Reason, frozen=True):
    text = N_("The evening is closed, with %(played)s")
    played: RoundsPlayed


class RoundDropped(Reason, frozen=True):
    text = N_("%(round)s was not finished and does not count")
    round: RoundName


class CanBeOpenedAgain(Reason, frozen=True):
    text = N_("Until the next one is opened, it can be opened again")


class EveningGoesOn(Reason, frozen=True):
    text = N_("The evening goes on")


class PrizeGiven(Reason, frozen=True):
    text = N_("The prize for %(prize)s goes to %(names)s")
    prize: Purpose
    names: Names


class WordTakenBack(Reason, frozen=True):
    text = N_("Your word on the prize for %(prize)s is taken back")
    prize: Purpose


class RolledAtHeadTable(Reason, frozen=True):
    text = N_("The tie for %(purpose)s is rolled off at table 1, three dice each")
    purpose: Purpose


class ChampionNamed(Reason, frozen=True):
    text = N_("The title of champion goes to %(names)s")
    names: Names


class BagGiven(Reason, frozen=True):
    text = N_("The traveling bag goes to %(names)s")
    names: Names


class RolloffEntered(Reason, frozen=True):
    text = N_("The roll-off for %(purpose)s is entered: %(rolled)s")
    purpose: Purpose
    rolled: Listed


class RollForWhoBegins(Reason, frozen=True):
    text = N_("The final table rolls for who begins")


class TournamentEnds(Reason, frozen=True):
    text = N_("The tournament is over")


class StageBegins(Reason, frozen=True):
    text = N_("The %(stage)s begins")
    stage: StageName


class SeatsDrawn(Reason, frozen=True):
    text = N_("The seats are drawn at %(tables)s")
    tables: CountedTables


class AllHaveSeats(Reason, frozen=True):
    text = N_("All have their seats at %(tables)s")
    tables: CountedTables


class SeatName(Reason, frozen=True):
    text = N_("table %(table)s, seat %(seat)s")
    table: int
    seat: str


class PlaysFor(Reason, frozen=True):
    text = N_("%(name)s plays for %(out)s")
    name: str
    out: str


class PlaysForAt(Reason, frozen=True):
    text = N_("%(name)s plays for %(out)s: %(seat)s")
    name: str
    out: str
    seat: SeatName


class PlaysAt(Reason, frozen=True):
    text = N_("%(name)s plays: %(seat)s")
    name: str
    seat: SeatName


class PlaysForAGhost(Reason, frozen=True):
    text = N_("%(name)s plays, in the seat of a ghost")
    name: str


class HasLeft(Reason, frozen=True):
    text = N_("%(name)s has left")
    name: str


class HasPaid(Reason, frozen=True):
    text = N_("%(name)s has paid")
    name: str


class HasNotPaid(Reason, frozen=True):
    text = N_("%(name)s has not paid")
    name: str


class GhostSits(Reason, frozen=True):
    text = N_("%(name)s has left; %(ghost)s takes the seat")
    name: str
    ghost: str


class GhostSitsAt(Reason, frozen=True):
    text = N_("%(name)s has left; %(ghost)s takes the seat: %(seat)s")
    name: str
    ghost: str
    seat: SeatName


# The round, the bell and the log.


class RoundStarted(Reason, frozen=True):
    text = N_("%(round)s has started: the target is %(target)s")
    round: RoundName
    target: int


class MayPlayOnPaper(Reason, frozen=True):
    text = N_("%(tables)s may play on paper: enter the tally, or decide, after the bell")
    tables: Tables


class RoundIsRunning(Reason, frozen=True):
    text = N_("%(round)s is running")
    round: RoundName


class RoundEnded(Reason, frozen=True):
    text = N_("The round is ended")


class RoundCancelled(Reason, frozen=True):
    text = N_("%(round)s is cancelled: it never happened")
    round: RoundName


class RoundRunsAgain(Reason, frozen=True):
    text = N_("%(round)s runs again")
    round: RoundName


class RoundIsOver(Reason, frozen=True):
    text = N_("All tables are done: %(round)s is over")
    round: RoundName


class LastRoundOver(Reason, frozen=True):
    text = N_("That was the last round")


class StillInTurns(Reason, frozen=True):
    text = N_("still playing: %(tables)s")
    tables: Tables


class RollingOff(Reason, frozen=True):
    text = N_("rolling off: %(tables)s")
    tables: Tables


class OkMissing(Reason, frozen=True):
    text = N_("OK is missing at %(tables)s")
    tables: Tables


class StageSettled(Reason, frozen=True):
    text = N_("All is settled; begin the %(stage)s (stage)")
    page = N_("All is settled; begin the %(stage)s")
    stage: StageName


class TableRollsFor(Reason, frozen=True):
    text = NN_(
        "Table %(table)s: %(names)s rolls for %(purpose)s",
        "Table %(table)s: %(names)s roll for %(purpose)s",
    )
    count = "names"
    table: int
    names: Names
    purpose: Purpose


class StartTheNext(Reason, frozen=True):
    text = N_("%(played)s; start the next one")
    played: RoundsPlayed


class OnBreak(Reason, frozen=True):
    text = N_("There is a break; the next round ends it")


class BreakBegun(Reason, frozen=True):
    text = N_("The break has begun")


class BreakOfMinutes(Reason, frozen=True):
    text = NN_("The break of %(minutes)s minute has begun", "The break of %(minutes)s minutes has begun")
    count = "minutes"
    minutes: int


class BreakOver(Reason, frozen=True):
    text = N_("The break is over")


class RoundsByTheClock(Reason, frozen=True):
    text = N_("The clock starts the next round %(move)s after each bell")
    move: str


class RoundsEndedByTheClock(Reason, frozen=True):
    text = N_("The clock ends a round after %(play)s and starts the next one %(move)s later")
    play: str
    move: str


class NextStart(Reason, frozen=True):
    text = N_("The next round starts in %(left)s")
    left: str


class NextEnd(Reason, frozen=True):
    text = N_("The round ends in %(left)s")
    left: str


class TablesWaitedFor(Reason, frozen=True):
    text = N_("A table that is missing then is waited for %(wait)s and played without")
    wait: str


class TablesNeeded(Reason, frozen=True):
    text = N_("A table that is missing then is waited for until it is there or you start without it")


class ClockHalted(Reason, frozen=True):
    text = N_("The clock is stopped with %(left)s left; nothing starts or ends until you let it go on")
    left: str


class ClockOff(Reason, frozen=True):
    text = N_("The clock starts no more rounds; start and end them yourself")


class EndsInTime(Reason, frozen=True):
    text = N_("The evening is over about %(early)s before the time that you named")
    early: str


class EndsLate(Reason, frozen=True):
    text = N_("The evening is over about %(late)s too late; closed after %(rounds)s rounds it ends in time")
    late: str
    rounds: int


class EndsLateButFor(Reason, frozen=True):
    text = N_("The evening is over about %(late)s too late; with %(move)s to move it ends in time")
    late: str
    move: str


class FalseBell(Reason, frozen=True):
    text = N_("The bell is void; the round goes on")


class BellSounds(Reason, frozen=True):
    text = N_("The bell rings")


class BellStaysSilent(Reason, frozen=True):
    text = N_("The bell stays silent: %(why)s")
    why: str


class HornSounds(Reason, frozen=True):
    text = N_("The horn sounds again")


class HornSilenced(Reason, frozen=True):
    text = NN_(
        "The bell sounds in place of the horn for %(minutes)s minute",
        "The bell sounds in place of the horn for %(minutes)s minutes",
    )
    count = "minutes"
    minutes: int


class HeadBegins(Reason, frozen=True):
    text = N_("The head begins with what it has of the log")


class LogGoesOn(Reason, frozen=True):
    text = N_("The log goes on as %(who)s has it")
    who: Reason


# A table.


class TeamWins(Reason, frozen=True):
    text = N_("%(team)s wins (%(names)s)")
    team: str
    names: Names


class TiedOneDie(Reason, frozen=True):
    text = N_("tied: one die for each team, die 1 is US, die 2 is THEM")


class DoneWithoutOk(Reason, frozen=True):
    text = N_("done, OK is missing")


class TurnOf(Reason, frozen=True):
    text = N_("%(name)s's turn (seat %(seat)s)")
    name: str
    seat: str


class TiedTurnOf(Reason, frozen=True):
    text = N_("tied, roll-off: %(turn)s")
    turn: TurnOf


class TableStands(Reason, frozen=True):
    text = N_("Table %(table)s: US %(us)s, THEM %(them)s; %(next)s")
    table: int
    us: int
    them: int
    next: Reason


class ResultNeeded(Reason, frozen=True):
    text = N_("This round still needs its result: %(stands)s")
    stands: TableStands


class NotWaitedFor(Reason, frozen=True):
    text = N_("Rounds start without waiting for the equipment of table %(table)s")
    table: int


class ConfirmLater(Reason, frozen=True):
    text = N_("After the bell confirm it, enter its tally, or decide its winner")


class WaitedForAgain(Reason, frozen=True):
    text = N_("The equipment of table %(table)s is waited for again")
    table: int


class TallyEntered(Reason, frozen=True):
    text = N_("The tally is entered")


class ThrowTakenBack(Reason, frozen=True):
    text = N_("The throw is taken back")


class RollTakenBack(Reason, frozen=True):
    text = N_("The roll %(dice)s is taken back")
    dice: str


class LatestTakenBack(Reason, frozen=True):
    text = N_("The latest roll is taken back")


class CountedAgain(Reason, frozen=True):
    text = NN_(
        "The last roll is counted again, beginning with seat %(seat)s",
        "The last %(rolls)s rolls are counted again, beginning with seat %(seat)s",
    )
    count = "rolls"
    rolls: int
    seat: str


class HandAllowed(Reason, frozen=True):
    text = N_("Table %(table)s: rolls may be entered by hand")
    table: int


class HandWhereDiceFail(Reason, frozen=True):
    text = N_("Table %(table)s: rolls may be entered by hand only where the dice fail")
    table: int


class TableBlinks(Reason, frozen=True):
    text = N_("Table %(table)s blinks for %(seconds)s s")
    table: int
    seconds: int
