"""The reasons for which a throw is void, as the table's display says them, and the wires to blame."""

from pi_bunco.reason import N_, Names, Reason


class OfDie(Reason, frozen=True):
    """A reason about one die."""

    die: int


NotThrown = OfDie.declare("NotThrown", N_("die %(die)s was not thrown"))
NotSettled = OfDie.declare("NotSettled", N_("die %(die)s did not settle"))
Tilted = OfDie.declare("Tilted", N_("die %(die)s is tilted"))
MovedByHand = OfDie.declare("MovedByHand", N_("die %(die)s was moved by hand"))
WeakBattery = OfDie.declare("WeakBattery", N_("die %(die)s has a weak battery"))
ShowsNoFace = OfDie.declare("ShowsNoFace", N_("die %(die)s shows no face"))
OutOfReach = OfDie.declare("OutOfReach", N_("die %(die)s is out of reach"))
WasOutOfReach = OfDie.declare("WasOutOfReach", N_("die %(die)s was out of reach"))
ThrownAlone = OfDie.declare("ThrownAlone", N_("die %(die)s was not thrown with the others"))


class And(Reason, frozen=True):
    text = N_("%(one)s, %(other)s")
    one: Reason
    other: Reason


BoxRestarted = Reason.declare("BoxRestarted", N_("the dice box was restarted"))
ReportsMissing = Reason.declare("ReportsMissing", N_("some of what the dice reported is missing"))
ThrownUnread = Reason.declare("ThrownUnread", N_("the dice were thrown before the table could read them"))
SettledTooLate = Reason.declare("SettledTooLate", N_("a die settled too late"))


# The dice box's bus (strobes.py).


class Blame(Reason, frozen=True):
    """The wires that explain a fault, and what they do; no wires if unknown."""

    wires: Names


StayedHigh = Blame.declare("StayedHigh", N_("%(wires)s stayed high"))
StayedLow = Blame.declare("StayedLow", N_("%(wires)s stayed low"))
NeverRose = Blame.declare("NeverRose", N_("%(wires)s never rose"))
LostContact = Blame.declare("LostContact", N_("%(wires)s lost contact"))
UnderStrobe = Blame.declare("UnderStrobe", N_("%(wires)s changed under a strobe"))
HighTogether = Blame.declare("HighTogether", N_("%(wires)s were high at the same time"))
RoseOnce = Blame.declare("RoseOnce", N_("%(wires)s rose once, not twice"))
RoseLate = Blame.declare("RoseLate", N_("%(wires)s rose too late the second time"))
ChangedTogether = Blame.declare("ChangedTogether", N_("%(wires)s changed together"))
AlwaysTogether = Blame.declare("AlwaysTogether", N_("%(wires)s always changed together"))
Swapped = Blame.declare("Swapped", N_("%(wires)s are swapped"))
OutOfOrder = Blame.declare("OutOfOrder", N_("%(wires)s did not rise one after the other"))
NotTried = Blame.declare(
    "NotTried", N_("the face wires were not tried first: put the newest program on the dice box")
)


class ToldAsNoFace(Blame, frozen=True):
    text = N_("told as %(value)s, which is no face")
    value: int


class ToldTwoFaces(Blame, frozen=True):
    text = N_("told as %(first)s, then as %(second)s")
    first: int
    second: int


class WiresOfDie(OfDie, frozen=True):
    text = N_("die %(die)s: %(blame)s")
    blame: Blame


class WiresOfTwo(Reason, frozen=True):
    text = N_("die %(one)s and die %(other)s: %(blame)s")
    one: int
    other: int
    blame: Blame


class WiresOfDice(Reason, frozen=True):
    text = N_("the dice: %(blame)s")
    blame: Blame
