"""Every reason of the game: why a fact changes nothing, and why something cannot be done now."""

from typing import Annotated

from pi_bunco.reason import N_, Listed, Names, NextCommand, OfName, OfNames, OfTable, Reason, Shown

# Names of prizes and stages.

PRIZES = {
    "buncos": N_("most Buncos"),
    "wins": N_("most wins"),
    "losses": N_("most losses"),
    "minis": N_("most minis"),
    "wipes": N_("most wipes"),
    "score": N_("highest score"),
    "lowest_score": N_("lowest score"),
    "traveling": N_("traveling bag"),
    "grand_prize": N_("grand prize"),
    "first_bunco": N_("first Bunco"),
    "last_bunco": N_("last Bunco"),
    "one_two_three": N_("most rolls of 1-2-3"),
    "loser_lottery": N_("loser lottery"),
    "fifty_fifty": N_("fifty-fifty"),
    "dice_lottery": N_("lottery by dice"),
}
"""Names of the prizes within a sentence."""


def prize_name(kind: str) -> str:
    """A prize's name within a sentence; a prize for a word of the host's rules is named by that word."""
    return PRIZES.get(kind) or kind.replace("_", " ")


STAGE_WORDS = {
    "groups": N_("groups"),
    "qualification": N_("qualification"),
    "semi_final": N_("semi-final"),
    "order": N_("roll for who begins"),
    "final": N_("final"),
    "done": N_("end"),
}
"""Names of the stages."""
DICE_STAGES = {
    "qualification": STAGE_WORDS["qualification"],
    "semi_final": STAGE_WORDS["semi_final"],
    "order": N_("order"),
    "final": STAGE_WORDS["final"],
}
"""Names of the stages whose dice are rolled between rounds."""
SOUGHT = PRIZES | {"order": N_("who begins"), "final": N_("the grand prize")}
"""The aims of throws between rounds, in a sentence: "most Buncos", "who begins"."""


StageName = Annotated[str, Shown("term", STAGE_WORDS)]
StageOfDice = Annotated[str, Shown("term", DICE_STAGES)]
Purpose = Annotated[str, Shown("term", SOUGHT)]
DRAW_SEATS = (NextCommand("seats_draw"),)
REOPEN = (NextCommand("reopen", {"table": "{table}"}),)


class OfStage(Reason, frozen=True):
    """A reason about a stage of the tournament."""

    stage: StageName


# The evening.


NoEveningOpen = Reason.declare("NoEveningOpen", N_("no evening is open"))
EveningOpenAlready = Reason.declare("EveningOpenAlready", N_("an evening is open already"))
EveningIsClosed = Reason.declare(
    "EveningIsClosed", N_("the evening is closed"), NextCommand("evening_reopen")
)
MadeWhileClosed = Reason.declare("MadeWhileClosed", N_("it was made while the evening was closed"))
EveningNotClosed = Reason.declare("EveningNotClosed", N_("the evening is not closed"))
LastRoundPlayed = Reason.declare("LastRoundPlayed", N_("the last round has been played"))
NoBreak = Reason.declare("NoBreak", N_("there is no break"))


class NoSuchTable(Reason, frozen=True):
    text = N_("there is no table %(table)s, tables are 1 to %(tables)s")
    table: int
    tables: int


# Its rounds.


RoundRuns = Reason.declare("RoundRuns", N_("a round is running"))
NoRoundOpen = Reason.declare("NoRoundOpen", N_("no round is open"))
NoRoundPlayed = Reason.declare("NoRoundPlayed", N_("no round has been played"))


class OtherRound(Reason, frozen=True):
    text = N_("it was made in round %(then)s of the evening, this is round %(now)s")
    then: int
    now: int


NotInThatRound = OfTable.declare("NotInThatRound", N_("table %(table)s was not in that round"))
BellRangAlready = Reason.declare("BellRangAlready", N_("the bell has rung already"))
BellRecordedAlready = Reason.declare("BellRecordedAlready", N_("the bell of this round has rung already"))
NothingRang = Reason.declare("NothingRang", N_("nothing has rung the bell"))
BellNotRung = Reason.declare("BellNotRung", N_("the bell has not rung"))
NobodySeated = Reason.declare("NobodySeated", N_("nobody has a seat yet"), *DRAW_SEATS)
OnlyGhosts = OfTable.declare(
    "OnlyGhosts", N_("table %(table)s has nobody but ghosts; draw or set the seats anew"), *DRAW_SEATS
)


# A table.


NoWipe = Reason.declare("NoWipe", N_("no three alike wipe the points out in this round"))


class PotFollows(Reason, frozen=True):
    text = N_("each pays %(stake)s under these rules, and the pot follows from who paid: name none")
    stake: str


class TieForEver(Reason, frozen=True):
    text = N_("under these rules no throw breaks a tie in the round of face %(face)s; let one die break it")
    face: int


SeatABegins = Reason.declare("SeatABegins", N_("under these rules seat A begins"))
PersonBegins = Reason.declare("PersonBegins", N_("whoever begins must be a person"))
TableHasBegun = OfTable.declare("TableHasBegun", N_("table %(table)s has begun already"))


class NoSuchPattern(Reason, frozen=True):
    text = N_("the rules of this round have no roll %(call)s")
    call: str


ResultFinal = OfTable.declare("ResultFinal", N_("table %(table)s's result is final"), *REOPEN)
ResultFinalAlready = OfTable.declare(
    "ResultFinalAlready", N_("table %(table)s's result is final already"), *REOPEN
)
ReopenFirst = OfTable.declare(
    "ReopenFirst", N_("table %(table)s's result is final; reopen it first"), *REOPEN
)
NoResult = OfTable.declare("NoResult", N_("table %(table)s has no result to reopen"))
TableDone = OfTable.declare("TableDone", N_("table %(table)s is done for this round"))
StillPlaying = OfTable.declare("StillPlaying", N_("table %(table)s is still playing"))
PaperAfterBell = OfTable.declare(
    "PaperAfterBell", N_("table %(table)s is still playing; a score on paper is taken after the bell")
)
InRollOff = OfTable.declare("InRollOff", N_("table %(table)s is in a roll-off"))
OneDieEach = OfTable.declare("OneDieEach", N_("table %(table)s rolls off with one die each"))
NoTurnOfGhosts = Reason.declare("NoTurnOfGhosts", N_("where each plays alone an empty chair has no turn"))


class OtherDice(Reason, frozen=True):
    """A roll-off with another number of dice."""

    wanted: int
    given: int
    text = N_("%(wanted)s roll one die each, not %(given)s")


class NameEachTeam(Reason, frozen=True):
    """Names of teams that are not one for each table."""

    tables: int
    text = N_("the %(tables)s tables need a name each, all different")


class PairsHave(Reason, frozen=True):
    """The points of two teams."""

    us: int
    them: int
    text = N_("US %(us)s, THEM %(them)s")


class SeatsHave(Reason, frozen=True):
    """The points of four who play each for themselves."""

    a: int
    b: int
    c: int
    d: int
    text = N_("A %(a)s B %(b)s C %(c)s D %(d)s")


class TableHas(Reason, frozen=True):
    """The points of a table that is a team."""

    points: int
    text = N_("together %(points)s")


class NoSuchSide(Reason, frozen=True):
    """Nobody wins under that name at a table of this evening."""

    side: str
    text = N_("%(side)s cannot win at a table under these rules")


NoOneDie = OfTable.declare("NoOneDie", N_("table %(table)s has no roll-off with one die open"))
NoRollToTakeBack = OfTable.declare("NoRollToTakeBack", N_("table %(table)s has no roll to take back"))


class FewerRolls(Reason, frozen=True):
    text = N_("table %(table)s has rolled fewer than %(rolls)s times in this round")
    table: int
    rolls: int


# Who plays, and where.


class TooFewPlayers(Reason, frozen=True):
    text = N_("at least %(least)s players are needed, not %(players)s")
    least: int
    players: int


NoName = Reason.declare("NoName", N_("a player has no name"))
NameTwice = OfName.declare("NameTwice", N_("the name %(name)s is there twice"))


class NamesAlike(Reason, frozen=True):
    text = N_("%(one)s and %(other)s look like one name: add something to one of them")
    one: str
    other: str


class TablesNotFull(Reason, frozen=True):
    text = N_("%(players)s players do not fill the tables and ghosts are not allowed")
    players: int


class WrongGhosts(Reason, frozen=True):
    text = N_("%(players)s players need %(needed)s ghosts, not %(given)s")
    players: int
    needed: int
    given: int


class WrongGroups(Reason, frozen=True):
    text = N_("the groups must have each of the tables 1 to %(tables)s once, and none may be empty")
    tables: int


class WrongTables(Reason, frozen=True):
    text = N_("%(players)s players sit at %(needed)s tables, not %(tables)s")
    players: int
    needed: int
    tables: int


class OneSeatEach(Reason, frozen=True):
    text = N_("everybody needs one seat; look at %(names)s")
    names: Listed


class ChairsEmpty(Reason, frozen=True):
    text = N_("%(chairs)s chairs are empty: everybody fits at fewer tables")
    leads_to = DRAW_SEATS
    chairs: int


FewAtHeadTable = Reason.declare(
    "FewAtHeadTable", N_("fewer than two people sit at the head table"), *DRAW_SEATS
)
NoGhosts = Reason.declare("NoGhosts", N_("ghosts are not allowed"))


class NeedsSubstitute(Reason, frozen=True):
    text = N_("ghosts are not allowed; a substitute can take over from %(name)s")
    leads_to = (NextCommand("substitute", {"out": "{name}"}),)
    name: str


ChangeBetweenRounds = Reason.declare("ChangeBetweenRounds", N_("players change only between rounds"))
NotPlaying = OfName.declare("NotPlaying", N_("%(name)s is not playing"))
PlayingAlready = OfName.declare("PlayingAlready", N_("%(name)s is playing already"))


class EverySeatTaken(Reason, frozen=True):
    text = N_("every seat is taken; draw the seats anew with the guest, or name a substitute")
    leads_to = (NextCommand("seats_draw", {"guests": "{guests}"}),)
    guests: Names


class GhostLeaves(Reason, frozen=True):
    text = N_("%(ghost)s is a ghost; %(name)s can just arrive")
    leads_to = (NextCommand("arrive", {"player": "{name}"}),)
    ghost: str
    name: str


HasCard = OfName.declare(
    "HasCard",
    N_("%(name)s has a card already and can only arrive"),
    NextCommand("arrive", {"player": "{name}"}),
)


# Dice between rounds.


NotInRollOff = OfName.declare("NotInRollOff", N_("%(name)s is not in this roll-off"))
RolledAlready = OfName.declare("RolledAlready", N_("%(name)s has rolled already"))
RollsOneDie = OfName.declare("RollsOneDie", N_("%(name)s rolls one die"))
RollsThreeDice = OfName.declare("RollsThreeDice", N_("%(name)s rolls three dice"))
TurnWithThreeDice = OfName.declare("TurnWithThreeDice", N_("it is %(name)s's turn, with three dice"))
NeedsFaces = Reason.declare("NeedsFaces", N_("this roll-off needs the faces of the dice"))


class NobodyRollsFor(Reason, frozen=True):
    text = N_("nobody rolls for %(purpose)s now")
    purpose: str


class NoSuchTie(Reason, frozen=True):
    text = N_("tie %(number)s does not stand now")
    number: int


class TieHasNumber(Reason, frozen=True):
    text = N_("number %(number)s is taken, or this tie has one already")
    number: int


DiceAreOpen = Reason.declare("DiceAreOpen", N_("the dice are open for this roll-off; say who rolled what"))
NameOneOfTied = OfNames.declare("NameOneOfTied", N_("name one of those who are still equal: %(names)s"))
NoThrowToTakeBack = Reason.declare("NoThrowToTakeBack", N_("there is no throw to take back"))
RolledSince = OfTable.declare("RolledSince", N_("table %(table)s has rolled since"))


class NoSuchPrize(Reason, frozen=True):
    text = N_("there is no prize for %(prize)s; there are %(prizes)s")
    prize: str
    prizes: Listed


class PrizeByCards(Reason, frozen=True):
    text = N_(
        "the prize for %(prize)s follows from the cards, one for each mark; to change it, put the score "
        "right at its table"
    )
    prize: str


PrizeNeedsWinner = Reason.declare("PrizeNeedsWinner", N_("the prize needs a winner"))
NoCard = OfName.declare("NoCard", N_("%(name)s has no card this evening"))
WinnerTwice = Reason.declare("WinnerTwice", N_("a winner is named twice"))


# A tournament.


NoTournament = Reason.declare("NoTournament", N_("this evening is no tournament"))
GroupsNotPlayed = Reason.declare("GroupsNotPlayed", N_("the groups have not been played"))
SemiFinalNotPlayed = Reason.declare("SemiFinalNotPlayed", N_("the semi-final has not been played"))


class StillRoll(Reason, frozen=True):
    text = N_("%(names)s still roll for %(purpose)s")
    names: Names
    purpose: Purpose


NobodyHasThree = Reason.declare("NobodyHasThree", N_("nobody has rolled three of a kind yet"))
TournamentOver = Reason.declare("TournamentOver", N_("the tournament is over"))


class StageOver(Reason, frozen=True):
    text = N_("the %(stage)s is over: confirm the %(following)s")
    leads_to = (NextCommand("stage"),)
    stage: StageOfDice
    following: StageName


class OtherStage(Reason, frozen=True):
    text = N_("after the %(stage)s comes the %(following)s")
    stage: StageName
    following: StageName


StageBegan = OfStage.declare("StageBegan", N_("the %(stage)s has begun since"))
SeatsStay = OfStage.declare("SeatsStay", N_("nobody changes seats in the %(stage)s"))


class TooLate(Reason, frozen=True):
    text = N_("%(name)s comes too late for the %(stage)s")
    name: str
    stage: StageName


OtherDraw = Reason.declare("OtherDraw", N_("the draw from the seed of this evening seats other players"))
NobodyLeft = Reason.declare("NobodyLeft", N_("nobody is left to play"))
