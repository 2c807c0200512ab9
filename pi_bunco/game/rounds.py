"""The rounds of an evening: from the bell that opens one to where everybody sits next.

Each function does one fact and returns why it does not count, or None.
"""

from pi_bunco.game import facts, reasons, stages
from pi_bunco.game.evening import Evening
from pi_bunco.game.places import drawn
from pi_bunco.game.round import EndBell
from pi_bunco.game.table import SEATS, Table
from pi_bunco.reason import Reason


def open_round(evening: Evening, fact: facts.RoundOpen) -> Reason | None:
    """A round begins: the host's bell."""
    why = evening.why_not_open()
    if why is None:
        evening.open_round(fact.t, fact.epoch)
    return why


def close_round(evening: Evening, fact: facts.RoundClose) -> Reason | None:
    """The time is over, or the host ends the round: the bell rings."""
    if evening.running.bell:
        return reasons.BellRangAlready()
    evening.running.ring(EndBell(fact.t, "time" if fact.by == "time" else "host", None), evening.facts)
    return None


def bell_rang(evening: Evening, fact: facts.BellRang) -> Reason | None:
    """The relay has switched: from now on the bell of the roll before could be heard."""
    round_ = evening.running
    if round_.bell is None:
        return reasons.NothingRang()
    if round_.rang_at != evening.facts - 1:
        return reasons.BellRecordedAlready()
    round_.ring(EndBell(fact.t, round_.bell.by, round_.bell.player), round_.rang_at)
    return None


def void_bell(evening: Evening, fact: facts.BellVoid) -> Reason | None:
    """The bell was a false alarm; the round goes on."""
    if evening.running.bell is None:
        return reasons.BellNotRung()
    evening.void_bell(fact.t)
    return None


def begin(evening: Evening, fact: facts.Begins) -> Reason | None:
    """Somebody has the first turn at a table."""
    return _table(evening, fact).begin(SEATS.index(fact.seat), fact.t)


def drawn_first(evening: Evening, t: int, by: str | None = None) -> list[facts.Begins]:
    """Who begins at each table of the running round where that is drawn."""
    if evening.rules is None or evening.rules.begins != "drawn":
        return []
    found = []
    for table in evening.running.tables:
        people = [name for name, ghost in zip(table.seats, table.ghosts, strict=True) if not ghost]
        first = drawn(evening.seed, f"begins {evening.epoch} {table.number}", people)[0]
        found.append(facts.Begins(t, table.number, SEATS[table.seats.index(first)], by=by))
    return found


def turn(evening: Evening, fact: facts.Turn) -> Reason | None:
    """It is another seat's turn, maybe for rolls that were made already."""
    return evening.running.turn(fact, evening.facts)


def confirm(evening: Evening, fact: facts.Confirm) -> Reason | None:
    """A scorekeeper's OK."""
    return evening.running.confirm(fact, evening.facts)


def faceoff(evening: Evening, fact: facts.Faceoff) -> Reason | None:
    """One die for each side."""
    return _table(evening, fact).faceoff(fact.dice, fact.t)


def decide(evening: Evening, fact: facts.Decide) -> Reason | None:
    """The host's word on who wins at a table."""
    return _table(evening, fact).decide(fact.winner, fact.t)


def tally(evening: Evening, fact: facts.Tally) -> Reason | None:
    """The score that a table kept on paper."""
    return _table(evening, fact).tally(fact.cards, evening.facts)


def reopen(evening: Evening, fact: facts.Reopen) -> Reason | None:
    """A table's result is taken back, in the running round or the one before."""
    if evening.round is None and (why := evening.why_not_reopen()):
        return why
    round_ = evening.round or evening.rounds[-1]
    if fact.table > len(round_.tables):
        return reasons.NotInThatRound(fact.table)
    why = round_.tables[fact.table - 1].reopen()
    if why is None and evening.round is None:
        evening.reopen_round()
        if evening.tournament:
            evening.advance(evening.tournament.reopened())
    return why


def _table(evening: Evening, fact: facts.Begins | facts.Faceoff | facts.Decide | facts.Tally) -> Table:
    return evening.running.tables[fact.table - 1]


def finish(evening: Evening, t: int) -> None:
    """The running round is final at all tables: everybody moves, and a break or a stage may follow."""
    assert evening.rules is not None
    evening.finish_round(t)
    sets = evening.rules.evening
    after = sets.break_after or 0  # a tournament's own break is that of its stages
    if after < sets.sets and len(evening.rounds) == after * len(sets.faces):
        evening.rest(sets.break_minutes)
    stages.round_finished(evening)
