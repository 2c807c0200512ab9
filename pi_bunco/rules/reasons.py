"""Reasons why a rule set cannot be."""

from pi_bunco.reason import N_, Listed, OfNumber, Reason


class OfFace(Reason, frozen=True):
    """A reason about the rounds of one target."""

    face: int


class OfHint(Reason, frozen=True):
    """A reason about a word that is not known, with the way on."""

    word: str
    hint: Reason


class OfPrize(Reason, frozen=True):
    """A reason about a kind of prize."""

    kind: str


class OfWord(Reason, frozen=True):
    """A reason about a word of the host's."""

    word: str


class InFile(Reason, frozen=True):
    text = N_("%(path)s: %(why)s")
    path: str
    why: Reason


NoSuchRules = OfHint.declare("NoSuchRules", N_('there is no rule set "%(word)s"; %(hint)s'))
NoSuchBase = OfHint.declare("NoSuchBase", N_('there is no rule set "%(word)s" to start from; %(hint)s'))


class PresetMissing(Reason, frozen=True):
    text = N_("the key preset must name the rule set to start from: %(presets)s")
    presets: Listed


class NoKeyAndValue(Reason, frozen=True):
    text = N_("%(given)s should be KEY=VALUE, for example end.points=21")
    given: str


# Rounds.

TieUnbroken = OfFace.declare(
    "TieUnbroken",
    N_("tie.method: no throw breaks a tie in the round of %(face)ss; let one_die do it"),
    page=N_("no throw breaks a tie in the round of face %(face)s: choose one die each"),
)
TurnWithoutEnd = OfFace.declare("TurnWithoutEnd", N_("rolls: in the round of %(face)ss no roll ends a turn"))
MinutesOrSeconds = Reason.declare(
    "MinutesOrSeconds", N_("end.minutes and end.seconds: a time limit is in minutes or in seconds")
)
NothingHandsOn = Reason.declare(
    "NothingHandsOn",
    N_("traveling_nth: nothing hands the bag on; set traveling too"),
    page=N_("nothing hands the traveling bag on: choose what does"),
)


# Who plays together.


class MovesOfSingles(Reason, frozen=True):
    text = N_("team: where each plays alone, move.tables is one of %(moves)s, not %(given)s")
    moves: Listed
    given: str


TableCountsTotal = Reason.declare(
    "TableCountsTotal",
    N_("team: at a table that is a team its total counts; set end.points_by to team"),
    page=N_("at a table that is a team its total counts: choose the points of a team"),
)
TableWipesAll = Reason.declare(
    "TableWipesAll", N_("team: at a table that is a team a wipe is the whole table's; set wipe to team")
)
TournamentOfPlayers = Reason.declare(
    "TournamentOfPlayers", N_("team: a tournament is of players; set tournament to false")
)


# Prizes.


ShareOrAmount = Reason.declare("ShareOrAmount", N_("prizes: each has a percentage or an amount, not both"))
SharesOff = OfNumber.declare(
    "SharesOff",
    N_("prizes: the percentages add up to %(n)s, they must add up to 100"),
    page=N_("The shares of the pot add up to %(n)s percent, not to 100: change one."),
)


class PrizeTwice(OfPrize, frozen=True):
    text = N_("prizes: there are two for %(kind)s, place %(place)s; a second one is for place = 2, and so on")
    place: int


class PlaceLeftOut(OfPrize, frozen=True):
    text = N_("prizes: before %(kind)s, place %(place)s, there must be one for place %(missing)s")
    place: int
    missing: int


OnePlaceOnly = OfPrize.declare("OnePlaceOnly", N_("prizes: %(kind)s has one place only"))


class GivenOnce(OfPrize, frozen=True):
    text = N_("prizes: %(kind)s is given once; each is for %(words)s or a word, in place 1")
    words: Listed


# Words of the host's.


class NothingCounts(OfHint, frozen=True):
    text = N_('%(key)s: nothing counts "%(word)s"; %(hint)s')
    key: str


MarkTaken = OfWord.declare(
    "MarkTaken", N_('rolls: mark = "%(word)s" means something else; take another word')
)
ThingTaken = OfWord.declare(
    "ThingTaken", N_('rolls: hands = "%(word)s" means something else; take another word')
)
HoldTaken = OfWord.declare("HoldTaken", N_('holds: "%(word)s" means something else; take another word'))
MarkAndThing = OfWord.declare(
    "MarkAndThing", N_('rolls: "%(word)s" is a mark and a thing; take another word')
)
