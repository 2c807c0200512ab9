"""Reasons of the head: refusals, missing equipment, and its own faults."""

from collections.abc import Sequence

import msgspec

import pi_bunco.devices.bell.limits  # noqa: F401 (whoever knows the head's reasons knows why a bell is silent)
from pi_bunco.errors import BuncoError
from pi_bunco.game.reasons import REOPEN, OfStage
from pi_bunco.log.entry import PAGE_NO
from pi_bunco.reason import (
    N_,
    Because,
    NextCommand,
    Numbers,
    OfItself,
    OfName,
    OfNames,
    OfTable,
    Reason,
    Tables,
    Term,
)
from pi_bunco.wire.commands import COMMANDS, Arguments
from pi_bunco.wire.gate import REASON_MAX_CHARS
from pi_bunco.wire.messages import WayOn

MAX_LEADS = 8  # in one answer


class Refused(BuncoError):
    """A command that cannot be carried out for all `reasons`; `leads_to` has the commands to go on with."""

    def __init__(self, *reasons: Reason, leads_to: Sequence[Arguments | WayOn] = ()) -> None:
        self.reasons = reasons
        found = [
            one if isinstance(one, WayOn) else WayOn(one.name, msgspec.to_builtins(one)) for one in leads_to
        ]
        for reason in self.reasons:
            found += [WayOn(one.command, one.args_of(reason)) for one in reason.leads_to]
        self.leads_to = tuple(one for n, one in enumerate(found) if one not in found[:n])[:MAX_LEADS]
        super().__init__(" ".join(sentence(reason.english()) for reason in self.reasons))


def sentence(text: str) -> str:
    """The text with a capital letter and an end; a command or dimension at its beginning stays as it is."""
    first = text.split(" ", 1)[0].removesuffix(":")
    return ended(text if first in COMMANDS or "." in first[:-1] else text[:1].upper() + text[1:])


def ended(text: str) -> str:
    """The text with an end, cut to `REASON_MAX_CHARS` characters."""
    if len(text) >= REASON_MAX_CHARS:
        return f"{text[: REASON_MAX_CHARS - 1]}…"
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


# Phrases within a sentence.


class RoundName(Reason, frozen=True):
    text = N_("set %(set)s, round %(n)s")
    set: int
    n: int


class RoundsPlayed(Reason, frozen=True):
    text = N_("%(n)s of %(of)s rounds played")
    n: int
    of: int


class OfRound(Reason, frozen=True):
    """A reason about one round."""

    round: RoundName


class OfPlayed(Reason, frozen=True):
    """A reason that says how far the evening is."""

    played: RoundsPlayed


class OfWho(Reason, frozen=True):
    """A reason about the owner of a replica."""

    who: Reason


class ThatTable(Reason, frozen=True):
    text = N_("table %(n)s")
    n: int


ThePage = Reason.declare("ThePage", N_("the page"))


def replica(table: int) -> Reason:
    """The owner of a replica: a table, or the page."""
    return ThePage() if table == PAGE_NO else ThatTable(table)


class AndAlso(Reason, frozen=True):
    text = N_("%(first)s, %(more)s")
    first: Reason
    more: Reason


# Why a command is refused.


HostsOnly = Reason.declare(
    "HostsOnly",
    N_("Commands are taken from the host's page, from pi-bunco host and from the bell button only."),
)
CommandUnreadable = Because.declare("CommandUnreadable", N_("the command cannot be read: %(why)s"))
FourDiceEach = Reason.declare(
    "FourDiceEach",
    N_("each for themselves four can tie, with three dice at a table: choose another tie.method"),
)
EveningIsOpen = OfPlayed.declare("EveningIsOpen", N_("an evening is open, with %(played)s"))
EveningClosed = Reason.declare(
    "EveningClosed",
    N_("the evening is closed; open it again if it should go on"),
    NextCommand("evening_reopen"),
)
LogsOfClosedEvenings = Reason.declare(
    "LogsOfClosedEvenings",
    N_("a name is taken out of the logs while no evening is open: close the evening first"),
    NextCommand("evening_close"),
)
LogsNotWritable = Reason.declare(
    "LogsNotWritable", N_("the logs are being written already, or their disk fails: try again in a minute")
)
CloseItFirst = Reason.declare(
    "CloseItFirst",
    N_("close it first, or open the new one in its place"),
    NextCommand("evening_close"),
    NextCommand("evening_open", {"replace": True}),
)


class RulesAreAFile(Reason, frozen=True):
    text = N_("%(file)s is a file, of which the head knows nothing; send its dimensions")
    file: str


EveningNotOver = OfPlayed.declare("EveningNotOver", N_("the evening is not over: %(played)s"))
StageNotOver = OfStage.declare("StageNotOver", N_("the %(stage)s is not over"))
CanBeClosed = Reason.declare(
    "CanBeClosed",
    N_("the evening can be closed all the same, and opened again until the next one is"),
    NextCommand("evening_close", {"unfinished": True}),
)
HasNotPlayed = OfName.declare("HasNotPlayed", N_("%(name)s has not played this evening"))
NotAwaitedHere = OfTable.declare("NotAwaitedHere", N_("table %(table)s is not waited for to roll for that"))


class SayWhichGroup(Reason, frozen=True):
    text = N_("the groups %(numbers)s roll for it: say which group")
    numbers: Numbers


ComeLater = OfNames.declare(
    "ComeLater", N_("%(names)s can come when the first round is over, or now on a ghost's chair")
)
NoSeatLeft = Reason.declare(
    "NoSeatLeft", N_("every seat is taken; name a substitute, or seat the guest when the first round is over")
)


class NoSuchTables(Reason, frozen=True):
    text = N_("there is no %(tables)s; tables are 1 to %(n)s")
    tables: Tables
    n: int


RoundNotOver = OfRound.declare("RoundNotOver", N_("%(round)s is not over yet"))
NothingTimed = Reason.declare("NothingTimed", N_("the clock times nothing now"), NextCommand("pace"))
ClockStopped = Reason.declare(
    "ClockStopped", N_("the clock is stopped already"), NextCommand("steer", {"to": "go"})
)
ClockRuns = Reason.declare("ClockRuns", N_("the clock is running"), NextCommand("steer", {"to": "hold"}))
BreakAfterTheRound = Reason.declare(
    "BreakAfterTheRound", N_("a round is running; a break can begin when it is over")
)
WouldEndTheRound = Reason.declare(
    "WouldEndTheRound", N_("a round is running; the bell would end it in everybody's ears")
)
NoRollRang = Reason.declare(
    "NoRollRang", N_("no roll rang this bell; it can be taken back alone"), NextCommand("bell_void")
)
NothingIsRead = Reason.declare(
    "NothingIsRead", N_("no evening is being read from the tables; nothing is waited for")
)
NoOtherLog = OfWho.declare("NoOtherLog", N_("%(who)s offers no other log than the head's"))
PressOkLater = Reason.declare(
    "PressOkLater", N_("press OK for it when it is done after the bell, or decide its winner")
)
ReopenItFirst = OfTable.declare(
    "ReopenItFirst", N_("no round is open; reopen table %(table)s first to change its last result"), *REOPEN
)


class RolledSinceThen(Reason, frozen=True):
    text = N_("table %(table)s has rolled again since; its latest roll is now no. %(last)s: %(dice)s")
    table: int
    last: int
    dice: str


class TakenBackAlready(RolledSinceThen, frozen=True):
    text = N_(
        "table %(table)s has that roll taken back already; its latest roll is now no. %(last)s: %(dice)s"
    )


ThisIsTable = OfTable.declare("ThisIsTable", N_("This is table %(table)s."))


# Why no round can start.


NeverThere = OfTable.declare("NeverThere", N_("Table %(table)s: not heard yet; is it switched on?"))
SwitchedOff = OfTable.declare("SwitchedOff", N_("Table %(table)s: switched off."))


class TableSilent(Reason, frozen=True):
    text = N_("Table %(table)s: not heard for %(seconds)s s.")
    table: int
    seconds: int


class DieNotReady(Reason, frozen=True):
    text = N_("Table %(table)s: die %(die)s is %(state)s.")
    table: int
    die: int
    state: Term


class DieSilent(DieNotReady, frozen=True):
    page = N_("Table %(table)s: die %(die)s does not answer.")


class DieLeans(DieNotReady, frozen=True):
    page = N_("Table %(table)s: die %(die)s leans: roll it again.")


class DieFaulty(DieNotReady, frozen=True):
    page = N_("Table %(table)s: die %(die)s has a fault.")


# What a table is to do after the bell.


class OfTurn(OfTable, frozen=True):
    """A reason about a table and who has the dice there."""

    name: str


FinishTurn = OfTurn.declare("FinishTurn", N_("Table %(table)s: finish the turn, %(name)s's turn."))
RollOff = OfTurn.declare("RollOff", N_("Table %(table)s: roll off, %(name)s's turn."))
PressOk = OfTable.declare("PressOk", N_("Table %(table)s: press OK."))
RollOneDie = OfTable.declare(
    "RollOneDie",
    N_("Table %(table)s: roll off with one die for each team: die 1 is US, die 2 is THEM."),
)
StartWithoutIt = Reason.declare(
    "StartWithoutIt", N_("Start without what is missing, or press the bell button twice within 10 s.")
)


# What a table says of itself.


ThereTwice = OfItself.declare(
    "ThereTwice",
    N_("is there twice: two machines have this number. Give one of them another, or switch it off."),
)


class OfTableItself(OfTable, frozen=True):
    """A table's word of itself behind its name."""

    why: Reason


TableTells = OfTableItself.declare("TableTells", N_("Table %(table)s: %(why)s"))
TableGoesOn = OfTableItself.declare("TableGoesOn", N_("Table %(table)s %(why)s"))


def of_table(table: int, why: Reason) -> Reason:
    """A table's word of itself behind its name."""
    return (TableGoesOn if why.goes_on else TableTells)(table, why)


class OtherVersion(OfItself, frozen=True):
    text = N_("runs pi-bunco %(version)s, the head %(head)s: upgrade one of them.")
    version: str
    head: str


ClockIsRough = OfItself.declare(
    "ClockIsRough", N_("knows the evening clock only roughly: its network is slow.")
)


# What is wrong with the head, and what it waits for.


JournalUnwritten = Because.declare("JournalUnwritten", N_("The journal cannot be written: %(why)s."))
JournalBeginsAnew = Because.declare("JournalBeginsAnew", N_("The journal begins anew: %(why)s."))
ReadsTheEnd = Reason.declare(
    "ReadsTheEnd",
    N_("The head reads the end of the evening; wait a moment, or go on with what is here."),
    NextCommand("go_on"),
)


class ReadsTheEndFrom(Reason, frozen=True):
    text = N_(
        "The head reads the end of the evening from %(tables)s; wait a moment, or go on with what is here."
    )
    leads_to = (NextCommand("go_on"),)
    tables: Reason


class OtherEnd(Reason, frozen=True):
    text = N_(
        "%(who)s has another end of this evening from entry %(first)s on, with %(n)s entries: choose it with"
        " branch %(table)s, or start the next round to keep this one."
    )
    page = N_(
        "%(who)s has another end of this evening from entry %(first)s on, with %(n)s entries: take it over,"
        " or start the next round to keep this one."
    )
    leads_to = (NextCommand("branch", {"table": "{table}"}),)
    who: Reason
    first: int
    n: int
    table: int


class OtherKey(Reason, frozen=True):
    text = N_(
        "%(who)s offers an evening of %(n)s entries that this head's key did not make, so that nobody can"
        " check them: choose it with branch %(table)s if you know that it is yours, or start the next round"
        " to go on without it."
    )
    page = N_(
        "%(who)s offers an evening of %(n)s entries that this head did not make, so that nobody can check"
        " them: take it over if you know that it is yours, or start the next round to go on without it."
    )
    leads_to = (NextCommand("branch", {"table": "{table}"}),)
    who: Reason
    n: int
    table: int


MadeOutsideRounds = Reason.declare("MadeOutsideRounds", N_("the table knew of no round when it was made"))
TieElsewhere = Reason.declare("TieElsewhere", N_("its tie is rolled off at another table"))
PassedOver = OfWho.declare(
    "PassedOver",
    N_("%(who)s told of a log and sent nothing of it. The head went on without; what comes later is read."),
)


class RoundAhead(Reason, frozen=True):
    text = N_(
        "Table %(table)s tells of round %(then)s of the evening, and the log ends in round %(now)s. If it is"
        " right, the end of the log is missing: switch on the tables that were there, or start the next round"
        " to go on without it. If you still read this then, the table is wrong: switch it off and on again,"
        " and enter its rolls on paper; if that does not help, give it a new card."
    )
    table: int
    then: int
    now: int


class CameAfterTheClose(Reason, frozen=True):
    text = N_(
        "Table %(table)s tells of %(n)s throws or presses that may be of before the evening was closed. They"
        " are kept there, and what is of before counts if you open the evening again."
    )
    leads_to = (NextCommand("evening_reopen"),)
    table: int
    n: int
