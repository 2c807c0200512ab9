"""The lines on a table's display, why a throw or a press does nothing, and what a table says of itself."""

from typing import Annotated

from pi_bunco.reason import N_, Reason, Shown, Term

PURPOSES = {
    "wins": N_("most wins"),
    "buncos": N_("most Buncos"),
    "losses": N_("most losses"),
    "minis": N_("most minis"),
    "score": N_("the highest score"),
    "lowest_score": N_("the lowest score: low wins"),
    "order": N_("who begins: low begins"),
    "final": N_("three of a kind"),
}
"""The purposes of throws between rounds; any other is shown as the game calls it."""


# Why a throw or a press does nothing.


class RollOutsideRound(Reason, frozen=True):
    text = N_("The roll does not count: no round is open")


class RollBeforeRound(Reason, frozen=True):
    text = N_("The roll does not count: it was made before this round was opened")


class RollAfterBell(Reason, frozen=True):
    text = N_("The roll does not count: the bell had rung")


class RollIgnored(Reason, frozen=True):
    text = N_("The head table did not count the last roll")


class DoesNotCount(Reason, frozen=True):
    text = N_("Does not count: %(why)s")
    why: Reason


class RollAllAgain(Reason, frozen=True):
    text = N_("Roll all three again: %(why)s")
    why: Reason


class DiceWork(Reason, frozen=True):
    text = N_("The dice work: roll them")


class OneOrTwo(Reason, frozen=True):
    text = N_("ONE if US won, TWO if THEM")


class PressAgain(Reason, frozen=True):
    text = N_("%(button)s rings the bell: press it again")
    button: str


class NothingIsOpen(Reason, frozen=True):
    text = N_("No round is open")


class NoEveningHere(Reason, frozen=True):
    text = N_("No evening is open")


class CannotBeSent(Reason, frozen=True):
    text = N_("This cannot be told to the head table: call the host")


class HostIsCalled(Reason, frozen=True):
    text = N_("The host is called")


# Where the round stands.


class ScoreNow(Reason, frozen=True):
    text = N_("Roll %(face)ss  US %(us)s  THEM %(them)s")
    face: int
    us: int
    them: int


class LastRoll(Reason, frozen=True):
    text = N_("Last: %(roll)s")
    roll: str


class TieRolloff(Reason, frozen=True):
    text = N_("Tie: roll-off")


class TieOneDie(Reason, frozen=True):
    text = N_("Tie: roll one die each")


class DiceOfTeams(Reason, frozen=True):
    text = N_("Die 1 is US, die 2 is THEM")


class FacedOff(Reason, frozen=True):
    text = N_("Die 1 (US) %(us)s, die 2 (THEM) %(them)s")
    us: int
    them: int


class FacedOffEqual(Reason, frozen=True):
    text = N_("Die 1 (US) %(us)s, die 2 (THEM) %(them)s: again")
    us: int
    them: int


class WonRolloff(Reason, frozen=True):
    text = N_("%(team)s won the roll-off")
    team: str


# Between rounds.


class RollFor(Reason, frozen=True):
    text = N_("Roll for %(purpose)s")
    purpose: Annotated[Term, Shown("term", PURPOSES)]


class ThreeDiceOf(Reason, frozen=True):
    text = N_("%(name)s: three dice")
    name: str


class DieOf(Reason, frozen=True):
    text = N_("Die %(die)s: %(name)s")
    die: int
    name: str


class NoSeatHere(Reason, frozen=True):
    text = N_("Table %(table)s has no seat in this evening")
    table: int


class LookingForHead(Reason, frozen=True):
    text = N_("Looking for the head table")


class EveningHasEnded(Reason, frozen=True):
    text = N_("The evening is over")


class BreakNow(Reason, frozen=True):
    text = N_("Break")


class WaitForBell(Reason, frozen=True):
    text = N_("Wait for the bell")


# What a table says of itself; it goes on from the table's name.


class CallsForHost(Reason, frozen=True):
    text = N_("calls for the host.")


class CannotSave(Reason, frozen=True):
    text = N_("cannot save: %(why)s.")
    why: str


class ButtonStuck(Reason, frozen=True):
    text = N_("has a stuck button: %(button)s.")
    button: str


class DiceFaulty(Reason, frozen=True):
    text = N_("has a fault at the dice: %(why)s.")
    why: str


# Taps that come late.


class TapOfAnotherRound(Reason, frozen=True):
    text = N_("Another round's tap: nothing was counted.")


class TapWithoutRound(Reason, frozen=True):
    text = N_("No round is open: nothing was counted.")


class TapOfAnotherRollOff(Reason, frozen=True):
    text = N_("The table is in another roll-off by now: nothing was counted.")


class TapOfNoWipe(Reason, frozen=True):
    text = N_("Nothing wipes in this round: nothing was counted.")
