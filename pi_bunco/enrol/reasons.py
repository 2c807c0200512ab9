"""Reasons why a Pi is not taken in, or not yet."""

from pi_bunco.reason import N_, OfNumber, OfTable, Reason


class OtherJoinVersion(Reason, frozen=True):
    text = N_(
        "This Pi asks in version %(theirs)s and the head answers in version %(ours)s:"
        " give the one with the lower number the package of the other."
    )
    theirs: int
    ours: int


JoinUnreadable = Reason.declare(
    "JoinUnreadable", N_("The head does not understand what this Pi asks: give both the same package.")
)
AskedBefore = Reason.declare(
    "AskedBefore", N_("This was asked before: the Pi draws new numbers and asks anew, by itself.")
)
RequestUnknown = Reason.declare(
    "RequestUnknown", N_("The head has forgotten this request: the Pi asks anew, by itself.")
)
SameKeyTwice = Reason.declare(
    "SameKeyTwice",
    N_(
        "Another Pi asks with the same password, which somebody has copied: this Pi draws another, by itself."
    ),
)
ManyPisAsk = OfNumber.declare(
    "ManyPisAsk", N_("%(n)s Pis have asked within an hour, and no more may: this one asks again, by itself.")
)
SentAway = Reason.declare(
    "SentAway",
    N_("The host of this head has sent the Pi away: it asks other heads, and this one at its next start."),
)
NoneTakenInHere = Reason.declare(
    "NoneTakenInHere",
    N_("This head takes no Pis in: it is no Pi itself. Write a card with pi-bunco provision."),
)


class TableOfHead(Reason, frozen=True):
    text = N_("Table %(n)s plays at the head's own Pi: give the new Pi another number.")
    n: str


PiHasGone = Reason.declare(
    "PiHasGone", N_("That Pi has gone, or asks with other words now: compare them once more.")
)
KeysNotTyped = Reason.declare(
    "KeysNotTyped",
    N_("That Pi waits for keys at its panel: this page says within a minute if they were the right ones."),
)
AuthoritySilent = Reason.declare(
    "AuthoritySilent",
    N_("The head's Pi could not give the account (pi-bunco-authority does not answer): try again."),
)
TableIsPhone = OfTable.declare(
    "TableIsPhone", N_("Table %(table)s is played by a phone: give the Pi another number.")
)


MadeOnLaptop = Reason.declare(
    "MadeOnLaptop",
    N_("This hall was made on a laptop: its folder there is what to keep a copy of."),
)
