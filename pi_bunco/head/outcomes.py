"""Outcomes: what is true after a command."""

from pi_bunco.game.reasons import OfStage, Purpose
from pi_bunco.head.reasons import OfPlayed, OfRound, OfWho, RoundName
from pi_bunco.reason import (
    N_,
    NN_,
    Listed,
    Names,
    OfName,
    OfNames,
    OfNumber,
    OfTable,
    OfTables,
    Reason,
)


class TimeLeft(Reason, frozen=True):
    """An outcome that says how long it is, in minutes and seconds."""

    left: str


# The evening.


class CountedTables(Reason, frozen=True):
    text = NN_("%(n)s table", "%(n)s tables")
    count = "n"
    n: int


class CountedRounds(Reason, frozen=True):
    text = NN_("%(n)s round", "%(n)s rounds")
    count = "n"
    n: int


CountedPlayers = OfNumber.declare("CountedPlayers", N_("%(n)s players"))


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


EveningBeforeClosed = OfPlayed.declare(
    "EveningBeforeClosed", N_("The evening before is closed, with %(played)s")
)
DrawNext = Reason.declare("DrawNext", N_("Draw the seats next"))
EveningWasClosed = OfPlayed.declare("EveningWasClosed", N_("The evening is closed, with %(played)s"))
RoundDropped = OfRound.declare("RoundDropped", N_("%(round)s was not finished and does not count"))
CanBeOpenedAgain = Reason.declare(
    "CanBeOpenedAgain", N_("Until the next one is opened, it can be opened again")
)
EveningGoesOn = Reason.declare("EveningGoesOn", N_("The evening goes on"))


class NameDeleted(Reason, frozen=True):
    text = N_("The logs of all evenings now say %(pseudonym)s in place of that name")
    pseudonym: str


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


ChampionNamed = OfNames.declare("ChampionNamed", N_("The title of champion goes to %(names)s"))
BagGiven = OfNames.declare("BagGiven", N_("The traveling bag goes to %(names)s"))


class RolloffEntered(Reason, frozen=True):
    text = N_("The roll-off for %(purpose)s is entered: %(rolled)s")
    purpose: Purpose
    rolled: Listed


RollForWhoBegins = Reason.declare("RollForWhoBegins", N_("The final table rolls for who begins"))
TournamentEnds = Reason.declare("TournamentEnds", N_("The tournament is over"))
StageBegins = OfStage.declare("StageBegins", N_("The %(stage)s begins"))


class SeatsAt(Reason, frozen=True):
    """An outcome that says at how many tables everybody has a seat."""

    tables: CountedTables


SeatsDrawn = SeatsAt.declare("SeatsDrawn", N_("The seats are drawn at %(tables)s"))
AllHaveSeats = SeatsAt.declare("AllHaveSeats", N_("All have their seats at %(tables)s"))


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


PlaysForAGhost = OfName.declare("PlaysForAGhost", N_("%(name)s plays, in the seat of a ghost"))
HasLeft = OfName.declare("HasLeft", N_("%(name)s has left"))
HasPaid = OfName.declare("HasPaid", N_("%(name)s has paid"))
HasNotPaid = OfName.declare("HasNotPaid", N_("%(name)s has not paid"))


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


MayPlayOnPaper = OfTables.declare(
    "MayPlayOnPaper", N_("%(tables)s may play on paper: enter the tally, or decide, after the bell")
)
RoundIsRunning = OfRound.declare("RoundIsRunning", N_("%(round)s is running"))
RoundEnded = Reason.declare("RoundEnded", N_("The round is ended"))
RoundCancelled = OfRound.declare("RoundCancelled", N_("%(round)s is cancelled: it never happened"))
RoundRunsAgain = OfRound.declare("RoundRunsAgain", N_("%(round)s runs again"))
RoundIsOver = OfRound.declare("RoundIsOver", N_("All tables are done: %(round)s is over"))
LastRoundOver = Reason.declare("LastRoundOver", N_("That was the last round"))
StillInTurns = OfTables.declare("StillInTurns", N_("still playing: %(tables)s"))
RollingOff = OfTables.declare("RollingOff", N_("rolling off: %(tables)s"))
OkMissing = OfTables.declare("OkMissing", N_("OK is missing at %(tables)s"))


StageSettled = OfStage.declare(
    "StageSettled",
    N_("All is settled; begin the %(stage)s (stage)"),
    page=N_("All is settled; begin the %(stage)s"),
)


class TableRollsFor(Reason, frozen=True):
    text = NN_(
        "Table %(table)s: %(names)s rolls for %(purpose)s",
        "Table %(table)s: %(names)s roll for %(purpose)s",
    )
    count = "names"
    table: int
    names: Names
    purpose: Purpose


StartTheNext = OfPlayed.declare("StartTheNext", N_("%(played)s; start the next one"))
OnBreak = Reason.declare("OnBreak", N_("There is a break; the next round ends it"))
BreakBegun = Reason.declare("BreakBegun", N_("The break has begun"))


class BreakOfMinutes(Reason, frozen=True):
    text = NN_("The break of %(minutes)s minute has begun", "The break of %(minutes)s minutes has begun")
    count = "minutes"
    minutes: int


BreakOver = Reason.declare("BreakOver", N_("The break is over"))


class RoundsByTheClock(Reason, frozen=True):
    text = N_("The clock starts the next round %(move)s after each bell")
    move: str


class RoundsEndedByTheClock(Reason, frozen=True):
    text = N_("The clock ends a round after %(play)s and starts the next one %(move)s later")
    play: str
    move: str


NextStart = TimeLeft.declare("NextStart", N_("The next round starts in %(left)s"))
NextEnd = TimeLeft.declare("NextEnd", N_("The round ends in %(left)s"))


class TablesWaitedFor(Reason, frozen=True):
    text = N_("A table that is missing then is waited for %(wait)s and played without")
    wait: str


TablesNeeded = Reason.declare(
    "TablesNeeded", N_("A table that is missing then is waited for until it is there or you start without it")
)
ClockHalted = TimeLeft.declare(
    "ClockHalted",
    N_("The clock is stopped with %(left)s left; nothing starts or ends until you let it go on"),
)
ClockOff = Reason.declare("ClockOff", N_("The clock starts no more rounds; start and end them yourself"))


class EndsInTime(Reason, frozen=True):
    text = N_("The evening is over about %(early)s before the time that you named")
    early: str


class EndsLate(Reason, frozen=True):
    text = N_("The evening is over about %(late)s too late")
    late: str


class EndsLateButForRounds(Reason, frozen=True):
    text = NN_(
        "The evening is over about %(late)s too late; closed after %(rounds)s round it ends in time",
        "The evening is over about %(late)s too late; closed after %(rounds)s rounds it ends in time",
    )
    count = "rounds"
    late: str
    rounds: int


class EndsLateButFor(Reason, frozen=True):
    text = N_("The evening is over about %(late)s too late; with %(move)s to move it ends in time")
    late: str
    move: str


FalseBell = Reason.declare("FalseBell", N_("The bell is void; the round goes on"))
BellSounds = Reason.declare("BellSounds", N_("The bell rings"))


class BellStaysSilent(Reason, frozen=True):
    text = N_("The bell stays silent: %(why)s")
    why: Reason


HornSounds = Reason.declare("HornSounds", N_("The horn sounds again"))


class HornSilenced(Reason, frozen=True):
    text = NN_(
        "The bell sounds in place of the horn for %(minutes)s minute",
        "The bell sounds in place of the horn for %(minutes)s minutes",
    )
    count = "minutes"
    minutes: int


HeadBegins = Reason.declare("HeadBegins", N_("The head begins with what it has of the log"))
LogGoesOn = OfWho.declare("LogGoesOn", N_("The log goes on as %(who)s has it"))


# A table.


class TeamWins(Reason, frozen=True):
    text = N_("%(team)s wins (%(names)s)")
    team: str
    names: Names


OthersWait = Reason.declare("OthersWait", N_("has played, the result waits for the other tables"))
TableWins = Reason.declare("TableWins", N_("this table wins"))
OtherTableWins = Reason.declare("OtherTableWins", N_("another table wins"))


TiedOneDie = Reason.declare("TiedOneDie", N_("tied: one die for each team, die 1 is US, die 2 is THEM"))
DoneWithoutOk = Reason.declare("DoneWithoutOk", N_("done, OK is missing"))


class TurnOf(Reason, frozen=True):
    text = N_("%(name)s's turn (seat %(seat)s)")
    name: str
    seat: str


class TiedTurnOf(Reason, frozen=True):
    text = N_("tied, roll-off: %(turn)s")
    turn: TurnOf


class TableStands(Reason, frozen=True):
    text = N_("Table %(table)s: %(score)s; %(next)s")
    table: int
    score: Reason
    next: Reason


class ResultNeeded(Reason, frozen=True):
    text = N_("This round still needs its result: %(stands)s")
    stands: TableStands


NotWaitedFor = OfTable.declare(
    "NotWaitedFor", N_("Rounds start without waiting for the equipment of table %(table)s")
)
ConfirmLater = Reason.declare(
    "ConfirmLater", N_("After the bell confirm it, enter its tally, or decide its winner")
)
WaitedForAgain = OfTable.declare("WaitedForAgain", N_("The equipment of table %(table)s is waited for again"))
TallyEntered = Reason.declare("TallyEntered", N_("The tally is entered"))
ThrowTakenBack = Reason.declare("ThrowTakenBack", N_("The throw is taken back"))


class RollTakenBack(Reason, frozen=True):
    text = N_("The roll %(dice)s is taken back")
    dice: str


LatestTakenBack = Reason.declare("LatestTakenBack", N_("The latest roll is taken back"))


class CountedAgain(Reason, frozen=True):
    text = NN_(
        "The last roll is counted again, beginning with seat %(seat)s",
        "The last %(rolls)s rolls are counted again, beginning with seat %(seat)s",
    )
    count = "rolls"
    rolls: int
    seat: str


HandAllowed = OfTable.declare("HandAllowed", N_("Table %(table)s: rolls may be entered by hand"))
HandWhereDiceFail = OfTable.declare(
    "HandWhereDiceFail", N_("Table %(table)s: rolls may be entered by hand only where the dice fail")
)


class TableBlinks(Reason, frozen=True):
    text = N_("Table %(table)s blinks for %(seconds)s s")
    table: int
    seconds: int
