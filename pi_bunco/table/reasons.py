"""The lines on a table's display, why a throw or a press does nothing, and what a table says of itself."""

from typing import Annotated

from pi_bunco.game.reasons import SOUGHT
from pi_bunco.reason import N_, BecauseOfItself, OfItself, OfName, OfTable, Reason, Shown, Term

PURPOSES = SOUGHT | {
    "score": N_("the highest score"),
    "lowest_score": N_("the lowest score: low wins"),
    "order": N_("who begins: low begins"),
    "final": N_("three of a kind"),
}
"""The purposes of throws between rounds; who rolls for the lowest must read that."""


# Why a throw or a press does nothing.


RollOutsideRound = Reason.declare("RollOutsideRound", N_("The roll does not count: no round is open"))
RollBeforeRound = Reason.declare(
    "RollBeforeRound", N_("The roll does not count: it was made before this round was opened")
)
RollAfterBell = Reason.declare("RollAfterBell", N_("The roll does not count: the bell had rung"))
RollIgnored = Reason.declare("RollIgnored", N_("The head table did not count the last roll"))


class DoesNotCount(Reason, frozen=True):
    text = N_("Does not count: %(why)s")
    why: Reason


class RollAllAgain(Reason, frozen=True):
    text = N_("Roll all three again: %(why)s")
    why: Reason


DiceWork = Reason.declare("DiceWork", N_("The dice work: roll them"))
OneOrTwo = Reason.declare("OneOrTwo", N_("ONE if US won, TWO if THEM"))


class PressAgain(Reason, frozen=True):
    text = N_("%(button)s rings the bell: press it again")
    button: str


NothingIsOpen = Reason.declare("NothingIsOpen", N_("No round is open"))
NoEveningHere = Reason.declare("NoEveningHere", N_("No evening is open"))
CannotBeSent = Reason.declare("CannotBeSent", N_("This cannot be told to the head table: call the host"))
HostIsCalled = Reason.declare("HostIsCalled", N_("The host is called"))


# Where the round stands.


class ScoreNow(Reason, frozen=True):
    text = N_("Roll %(face)ss  %(score)s")
    face: int
    score: Reason


class LastRoll(Reason, frozen=True):
    text = N_("Last: %(roll)s")
    roll: str


TieRolloff = Reason.declare("TieRolloff", N_("Tie: roll-off"))
TieOneDie = Reason.declare("TieOneDie", N_("Tie: roll one die each"))
DiceOfTeams = Reason.declare("DiceOfTeams", N_("Die 1 is US, die 2 is THEM"))


class DieOfEachTeam(Reason, frozen=True):
    """A line about the die of each team."""

    us: int
    them: int


FacedOff = DieOfEachTeam.declare("FacedOff", N_("Die 1 (US) %(us)s, die 2 (THEM) %(them)s"))
FacedOffEqual = DieOfEachTeam.declare("FacedOffEqual", N_("Die 1 (US) %(us)s, die 2 (THEM) %(them)s: again"))


class WonRolloff(Reason, frozen=True):
    text = N_("%(team)s won the roll-off")
    team: str


# Between rounds.


class RollFor(Reason, frozen=True):
    text = N_("Roll for %(purpose)s")
    purpose: Annotated[Term, Shown("term", PURPOSES)]


ThreeDiceOf = OfName.declare("ThreeDiceOf", N_("%(name)s: three dice"))


class DieOf(Reason, frozen=True):
    text = N_("Die %(die)s: %(name)s")
    die: int
    name: str


NoSeatHere = OfTable.declare("NoSeatHere", N_("Table %(table)s has no seat in this evening"))
LookingForHead = Reason.declare("LookingForHead", N_("Looking for the head table"))
EveningHasEnded = Reason.declare("EveningHasEnded", N_("The evening is over"))
BreakNow = Reason.declare("BreakNow", N_("Break"))
WaitForBell = Reason.declare("WaitForBell", N_("Wait for the bell"))


# What a table says of itself.


CallsForHost = OfItself.declare("CallsForHost", N_("calls for the host."))
KeptThrows = OfItself.declare("KeptThrows", N_("kept throws of no round of this evening: they do not count."))
CannotSave = BecauseOfItself.declare("CannotSave", N_("cannot save: %(why)s."))


class ButtonStuck(OfItself, frozen=True):
    text = N_("has a stuck button: %(button)s.")
    button: str


DiceFaulty = BecauseOfItself.declare("DiceFaulty", N_("has a fault at the dice: %(why)s."))


# Taps that come late.


TapOfAnotherRound = Reason.declare("TapOfAnotherRound", N_("Another round's tap: nothing was counted."))
TapWithoutRound = Reason.declare("TapWithoutRound", N_("No round is open: nothing was counted."))
TapOfAnotherRollOff = Reason.declare(
    "TapOfAnotherRollOff", N_("The table is in another roll-off by now: nothing was counted.")
)
TapOfNoWipe = Reason.declare("TapOfNoWipe", N_("Nothing wipes in this round: nothing was counted."))
