"""Reasons for which the page service itself refuses something."""

from starlette.exceptions import HTTPException

from pi_bunco.errors import BuncoError
from pi_bunco.reason import N_, NN_, Because, OfNumber, OfTable, Reason
from pi_bunco.words.sentences import sentences


class NotLetIn(BuncoError):
    """The PIN or code is wrong, or too many have been; `reason` tells how to go on."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(sentences("en").of(reason))
        self.reason = reason


class NotThere(HTTPException):
    """A requested thing is not there, for this reason."""

    def __init__(self, reason: Reason, status: int = 404) -> None:
        super().__init__(status, sentences("en").of(reason))
        self.reason = reason


# The head.


HeadUnreachable = Because.declare("HeadUnreachable", N_("The head did not answer: %(why)s Try again."))
HeadAway = Reason.declare("HeadAway", N_("The head is not there: switch its machine on, then press again."))
HeadLate = Reason.declare(
    "HeadLate", N_("The head did not answer within 5 s. See whether it was done, then press again.")
)


# Keys and taps that come late.


class KeyOfAnotherRound(Reason, frozen=True):
    text = N_("The round was another one when this key was made: look how it stands, then press again.")


SeatsMoved = Reason.declare(
    "SeatsMoved", N_("Somebody was moved meanwhile: look how they sit now, then change it again.")
)
NoPhoneTable = OfTable.declare(
    "NoPhoneTable", N_("Table %(table)s is no phone table: ask the host for the code of yours.")
)
HasEquipment = OfTable.declare(
    "HasEquipment", N_("Table %(table)s is no phone table: it has equipment of its own.")
)
HeadNotYetThere = Reason.declare(
    "HeadNotYetThere", N_("The head is not there yet: this phone keeps the tap.")
)
CodeNeeded = Reason.declare("CodeNeeded", N_("This phone needs the table's code of this evening."))
TapNotSaved = Reason.declare("TapNotSaved", N_("Not saved yet: it is sent again."))
SeatsAre = Reason.declare("SeatsAre", N_("The seats are A, B, C and D."))
RolloffNeedsFaces = Reason.declare(
    "RolloffNeedsFaces", N_("A roll-off needs a face from 1 to 6 for each die.")
)
ThrowNeedsFaces = OfNumber.declare(
    "ThrowNeedsFaces", N_("This needs %(n)s dice, each with a face from 1 to 6.")
)
PhonesAway = Reason.declare(
    "PhonesAway", N_("The program of the phone tables is just starting: try again in a moment.")
)


# Requests.


class OtherSite(Reason, frozen=True):
    text = N_("This is the page of a Bunco hall, not of %(host)s: open it by the address on the TV.")
    host: str


PressedElsewhere = Reason.declare(
    "PressedElsewhere", N_("Another site may not press the keys of this page: press them here.")
)


# Pages.


class NoSuchPage(Reason, frozen=True):
    text = N_("There is no page %(path)s.")
    path: str


FormUnreadable = Because.declare(
    "FormUnreadable",
    N_("the form is not understood: %(why)s"),
    page=N_("This form cannot be read: go back, load the page again, then press once more."),
)


class FormTooLarge(Reason, frozen=True):
    text = N_(
        "This form holds more than is taken: go back and send less. What was kept before is still there."
    )


NoPicture = Reason.declare(
    "NoPicture", N_("This file is no picture that TVs show: send a PNG, a JPEG or a WebP.")
)
NoPortrait = Reason.declare("NoPortrait", N_("This is no small picture: choose another one."))
NoSound = Reason.declare(
    "NoSound", N_("This file is no sound that TVs play: send an MP3, an OGG, a WAV or an M4A.")
)


class TooManyFiles(Reason, frozen=True):
    text = N_("There are %(most)s of these already: delete one, then send this again.")
    most: int


class TooManyNames(Reason, frozen=True):
    text = N_(
        "These are more names than an evening can have: %(most)s of up to 40 letters. Shorten the list."
    )
    most: int


class ManyPages(Reason, frozen=True):
    text = N_("%(open)s of at most %(most)s pages are open at once; %(refused)s times one was turned away.")
    open: int
    most: int
    refused: int


TooManyPages = Reason.declare(
    "TooManyPages", N_("Too many pages are open at once: close some, or try again soon.")
)
TooManyAtTheDoor = Reason.declare(
    "TooManyAtTheDoor", N_("Too many names were told at the door: ask the host to look at the list.")
)
NoSuchEvening = Reason.declare("NoSuchEvening", N_("This evening is not known."))
LogUnreadable = Because.declare("LogUnreadable", N_("from here on this version cannot read the log: %(why)s"))
StoreUnreadable = Because.declare(
    "StoreUnreadable",
    N_("This cannot be read from the disk: %(why)s. Try again; if it stays so, look at the page Health."),
)
ResultsLater = Reason.declare(
    "ResultsLater", N_("The results come with the last round, or when the evening is closed.")
)


# Login.


NoPin = Reason.declare(
    "NoPin", N_("No PIN is set on the machine that serves this page: start it with --pin-file.")
)


class WrongPin(Reason, frozen=True):
    text = NN_(
        "This PIN is wrong; %(n)s more try, then this device waits.",
        "This PIN is wrong; %(n)s more tries, then this device waits.",
    )
    count = "n"
    n: int


KeyUsed = Reason.declare("KeyUsed", N_("This address was opened already: type the PIN."))


class WrongTenTimes(Reason, frozen=True):
    text = NN_(
        "Wrong ten times: this device waits %(n)s minute.",
        "Wrong ten times: this device waits %(n)s minutes.",
    )
    count = "n"
    n: int


OldForm = Reason.declare("OldForm", N_("This form is old: load the page again, then press once more."))
NoCertificate = Reason.declare(
    "NoCertificate",
    N_(
        "The host’s page is open on the machine that serves it. For other devices it needs a certificate:"
        " on that machine, pip install cryptography and start again to have one made, or name yours with"
        " --tls-cert and --tls-key."
    ),
)
WrongEverywhere = Reason.declare(
    "WrongEverywhere", N_("Too many wrong numbers were typed in this hall: wait five minutes.")
)
