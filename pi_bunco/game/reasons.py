"""Every reason of the game: why a fact changes nothing, and why something cannot be done now."""

from typing import Annotated

from pi_bunco.game.terms import DICE_STAGES, SOUGHT, STAGES
from pi_bunco.reason import N_, Listed, Names, Reason, Shown, Way

StageName = Annotated[str, Shown("term", STAGES)]
StageOfDice = Annotated[str, Shown("term", DICE_STAGES)]
Purpose = Annotated[str, Shown("term", SOUGHT)]
DRAW = (Way("seats_draw"),)
REOPEN = (Way("reopen", {"table": "{table}"}),)


# The evening.


class NoEveningOpen(Reason, frozen=True):
    text = N_("no evening is open")


class EveningOpenAlready(Reason, frozen=True):
    text = N_("an evening is open already")


class EveningIsClosed(Reason, frozen=True):
    text = N_("the evening is closed")
    ways = (Way("evening_reopen"),)


class EveningNotClosed(Reason, frozen=True):
    text = N_("the evening is not closed")


class LastRoundPlayed(Reason, frozen=True):
    text = N_("the last round has been played")


class NoBreak(Reason, frozen=True):
    text = N_("there is no break")


class NoSuchTable(Reason, frozen=True):
    text = N_("there is no table %(table)s, tables are 1 to %(tables)s")
    table: int
    tables: int


# Its rounds.


class RoundRuns(Reason, frozen=True):
    text = N_("a round is running")


class NoRoundOpen(Reason, frozen=True):
    text = N_("no round is open")


class NoRoundPlayed(Reason, frozen=True):
    text = N_("no round has been played")


class OtherRound(Reason, frozen=True):
    text = N_("it was made in round %(then)s of the evening, this is round %(now)s")
    then: int
    now: int


class NotInThatRound(Reason, frozen=True):
    text = N_("table %(table)s was not in that round")
    table: int


class BellRangAlready(Reason, frozen=True):
    text = N_("the bell has rung already")


class BellRecordedAlready(Reason, frozen=True):
    text = N_("the bell of this round has rung already")


class NothingRang(Reason, frozen=True):
    text = N_("nothing has rung the bell")


class BellNotRung(Reason, frozen=True):
    text = N_("the bell has not rung")


class NobodySeated(Reason, frozen=True):
    text = N_("nobody has a seat yet")
    ways = DRAW


class OnlyGhosts(Reason, frozen=True):
    text = N_("table %(table)s has nobody but ghosts; draw or set the seats anew")
    ways = DRAW
    table: int


# A table.


class NoWipe(Reason, frozen=True):
    text = N_("no three alike wipe the points out in this round")


class PotFollows(Reason, frozen=True):
    text = N_("each pays %(stake)s under these rules, and the pot follows from who paid: name none")
    stake: str


class SeatABegins(Reason, frozen=True):
    text = N_("under these rules seat A begins")


class PersonBegins(Reason, frozen=True):
    text = N_("whoever begins must be a person")


class TableHasBegun(Reason, frozen=True):
    text = N_("table %(table)s has begun already")
    table: int


class NoSuchPattern(Reason, frozen=True):
    text = N_("the rules of this round have no roll %(call)s")
    call: str


class ResultFinal(Reason, frozen=True):
    text = N_("table %(table)s's result is final")
    ways = REOPEN
    table: int


class ResultFinalAlready(Reason, frozen=True):
    text = N_("table %(table)s's result is final already")
    ways = REOPEN
    table: int


class ReopenFirst(Reason, frozen=True):
    text = N_("table %(table)s's result is final; reopen it first")
    ways = REOPEN
    table: int


class NoResult(Reason, frozen=True):
    text = N_("table %(table)s has no result to reopen")
    table: int


class TableDone(Reason, frozen=True):
    text = N_("table %(table)s is done for this round")
    table: int


class StillPlaying(Reason, frozen=True):
    text = N_("table %(table)s is still playing")
    table: int


class PaperAfterBell(Reason, frozen=True):
    text = N_("table %(table)s is still playing; a score on paper is taken after the bell")
    table: int


class InRollOff(Reason, frozen=True):
    text = N_("table %(table)s is in a roll-off")
    table: int


class OneDieEach(Reason, frozen=True):
    text = N_("table %(table)s rolls off with one die for each team")
    table: int


class NoOneDie(Reason, frozen=True):
    text = N_("table %(table)s has no roll-off with one die open")
    table: int


class NoRollToTakeBack(Reason, frozen=True):
    text = N_("table %(table)s has no roll to take back")
    table: int


class FewerRolls(Reason, frozen=True):
    text = N_("table %(table)s has rolled fewer than %(rolls)s times in this round")
    table: int
    rolls: int


# Who plays, and where.


class TooFewPlayers(Reason, frozen=True):
    text = N_("at least %(least)s players are needed, not %(players)s")
    least: int
    players: int


class NoName(Reason, frozen=True):
    text = N_("a player has no name")


class NameTwice(Reason, frozen=True):
    text = N_("the name %(name)s is there twice")
    name: str


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
    ways = DRAW
    chairs: int


class FewAtHeadTable(Reason, frozen=True):
    text = N_("fewer than two people sit at the head table")
    ways = DRAW


class NoGhosts(Reason, frozen=True):
    text = N_("ghosts are not allowed")


class NeedsSubstitute(Reason, frozen=True):
    text = N_("ghosts are not allowed; a substitute can take over from %(name)s")
    ways = (Way("substitute", {"out": "{name}"}),)
    name: str


class ChangeBetweenRounds(Reason, frozen=True):
    text = N_("players change only between rounds")


class NotPlaying(Reason, frozen=True):
    text = N_("%(name)s is not playing")
    name: str


class PlayingAlready(Reason, frozen=True):
    text = N_("%(name)s is playing already")
    name: str


class EverySeatTaken(Reason, frozen=True):
    text = N_("every seat is taken; draw the seats anew with the guest, or name a substitute")
    ways = (Way("seats_draw", {"guests": "{guests}"}),)
    guests: Names


class GhostLeaves(Reason, frozen=True):
    text = N_("%(ghost)s is a ghost; %(name)s can just arrive")
    ways = (Way("arrive", {"player": "{name}"}),)
    ghost: str
    name: str


class HasCard(Reason, frozen=True):
    text = N_("%(name)s has a card already and can only arrive")
    ways = (Way("arrive", {"player": "{name}"}),)
    name: str


# Dice between rounds.


class NotInRollOff(Reason, frozen=True):
    text = N_("%(name)s is not in this roll-off")
    name: str


class RolledAlready(Reason, frozen=True):
    text = N_("%(name)s has rolled already")
    name: str


class RollsOneDie(Reason, frozen=True):
    text = N_("%(name)s rolls one die")
    name: str


class RollsThreeDice(Reason, frozen=True):
    text = N_("%(name)s rolls three dice")
    name: str


class TurnWithThreeDice(Reason, frozen=True):
    text = N_("it is %(name)s's turn, with three dice")
    name: str


class NeedsFaces(Reason, frozen=True):
    text = N_("this roll-off needs the faces of the dice")


class NobodyRollsFor(Reason, frozen=True):
    text = N_("nobody rolls for %(purpose)s now")
    purpose: str


class NoSuchTie(Reason, frozen=True):
    text = N_("tie %(number)s does not stand now")
    number: int


class TieHasNumber(Reason, frozen=True):
    text = N_("number %(number)s is taken, or this tie has one already")
    number: int


class DiceAreOpen(Reason, frozen=True):
    text = N_("the dice are open for this roll-off; say who rolled what")


class NameOneOfTied(Reason, frozen=True):
    text = N_("name one of those who are still equal: %(names)s")
    names: Names


class NoThrowToTakeBack(Reason, frozen=True):
    text = N_("there is no throw to take back")


class RolledSince(Reason, frozen=True):
    text = N_("table %(table)s has rolled since")
    table: int


class NoSuchPrize(Reason, frozen=True):
    text = N_("there is no prize for %(prize)s; there are %(prizes)s")
    prize: str
    prizes: Listed


class PrizeNeedsWinner(Reason, frozen=True):
    text = N_("the prize needs a winner")


class NoCard(Reason, frozen=True):
    text = N_("%(name)s has no card this evening")
    name: str


class WinnerTwice(Reason, frozen=True):
    text = N_("a winner is named twice")


# A tournament.


class NoTournament(Reason, frozen=True):
    text = N_("this evening is no tournament")


class GroupsNotPlayed(Reason, frozen=True):
    text = N_("the groups have not been played")


class SemiFinalNotPlayed(Reason, frozen=True):
    text = N_("the semi-final has not been played")


class StillRoll(Reason, frozen=True):
    text = N_("%(names)s still roll for %(purpose)s")
    names: Names
    purpose: Purpose


class NobodyHasThree(Reason, frozen=True):
    text = N_("nobody has rolled three of a kind yet")


class TournamentOver(Reason, frozen=True):
    text = N_("the tournament is over")


class StageOver(Reason, frozen=True):
    text = N_("the %(stage)s is over: confirm the %(following)s")
    ways = (Way("stage"),)
    stage: StageOfDice
    following: StageName


class OtherStage(Reason, frozen=True):
    text = N_("after the %(stage)s comes the %(following)s")
    stage: StageName
    following: StageName


class StageBegan(Reason, frozen=True):
    text = N_("the %(stage)s has begun since")
    stage: StageName


class SeatsStay(Reason, frozen=True):
    text = N_("nobody changes seats in the %(stage)s")
    stage: StageName


class TooLate(Reason, frozen=True):
    text = N_("%(name)s comes too late for the %(stage)s")
    name: str
    stage: StageName


class OtherDraw(Reason, frozen=True):
    text = N_("the draw from the seed of this evening seats other players")


class NobodyLeft(Reason, frozen=True):
    text = N_("nobody is left to play")
