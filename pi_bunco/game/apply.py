"""The fold, `evening = fold(apply, facts)`: which part of the game takes which fact."""

from collections.abc import Callable
from typing import Any

from pi_bunco.errors import FactError, RulesError
from pi_bunco.game import facts, reasons, rolloffs, rounds, seating, stages
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Roll
from pi_bunco.game.table import SEATS, Table
from pi_bunco.reason import Reason
from pi_bunco.rules import override, preset


def apply(evening: Evening, fact: facts.Fact) -> Reason | None:
    """Takes the next fact of an evening: None if it counts, else why it changes nothing.

    Raises `FactError` for a table, a rule set or players that cannot be.
    """
    evening.facts += 1
    round_ = evening.round
    if round_ is not None and type(fact) is Roll:  # as nearly all facts are
        epoch = fact.epoch
        plain = fact.tie is None and fact.while_closed is None
        if plain and (epoch is None or epoch == round_.epoch) and fact.table <= len(round_.tables):
            why = round_.roll(fact, evening.facts)
            if round_.bell is not None and round_.tables[fact.table - 1].final and round_.finished:
                rounds.finish(evening, fact.t)  # a roll-off has ended with it
            return why
    why = _misplaced(evening, fact) or APPLY[type(fact)](evening, fact)
    if evening.round and evening.round.finished:
        rounds.finish(evening, fact.t)
    return why


def _misplaced(evening: Evening, fact: facts.Fact) -> Reason | None:
    """The reason why a fact belongs to no evening or round that there is; `FactError` if to no table."""
    kind = type(fact)
    if evening.rules is None:
        return None if kind is facts.EveningOpen else reasons.NoEveningOpen()
    tables = evening.tables
    if kind is facts.Reopen and evening.rounds:  # at a table that is gone since
        tables = max(tables, len(evening.rounds[-1].tables))
    number = getattr(fact, "table", 0)
    if number > tables and kind is not facts.Branch:
        raise FactError(reasons.NoSuchTable(number, evening.tables))
    if getattr(fact, "while_closed", None):
        return reasons.MadeWhileClosed()
    tie: int | None = getattr(fact, "tie", None)
    if evening.closed and kind not in _AFTER_CLOSE and not (tie and kind in (facts.Roll, facts.Undo)):
        return reasons.EveningIsClosed()
    if evening.round and tie:
        return reasons.NoSuchTie(tie)
    if kind not in _OF_A_ROUND:
        return None
    if evening.round is None:
        return None if kind in (facts.Roll, facts.Undo) else reasons.NoRoundOpen()
    epoch = getattr(fact, "epoch", None)
    if epoch not in (None, evening.round.epoch):
        return reasons.OtherRound(epoch, evening.round.epoch)
    return None


def _open(evening: Evening, fact: facts.EveningOpen) -> Reason | None:
    if evening.rules is not None:
        return reasons.EveningOpenAlready()
    try:
        named = {"name": fact.name} if fact.name else {}
        rules = override(preset(fact.rules), {**fact.overrides, **named})
    except RulesError as error:
        raise FactError(*error.reasons) from error
    found = seating.problems(fact.players, fact.ghosts, fact.groups, ghosts_allowed=rules.ghosts)
    if rules.stake and fact.pot:
        found.append(reasons.PotFollows(rules.stake))
    if found:
        raise FactError(*found)
    evening.begin(fact, rules)
    return None


def _undo(evening: Evening, fact: facts.Undo) -> Reason | None:
    """Takes back a table's latest roll, in a round or between two."""
    return _table(evening, fact.table).undo() if evening.round else rolloffs.undo(evening, fact)


def _table(evening: Evening, number: int) -> Table:
    return evening.running.tables[number - 1]


def _nothing(_evening: Evening, _fact: facts.Fact) -> None:
    """A fact that changes nothing in the game, but in the log or the head."""


APPLY: dict[type, Callable[[Evening, Any], Reason | None]] = {
    facts.EveningOpen: _open,
    facts.EveningClose: Evening.close,
    facts.EveningReopen: Evening.reopen,
    facts.Pause: Evening.pause,
    facts.Resume: Evening.resume,
    facts.Pace: Evening.keep_pace,
    facts.Bypass: Evening.bypass,
    facts.Restore: Evening.restore,
    facts.Hand: Evening.hand,
    facts.BellSeen: _nothing,
    facts.Branch: _nothing,
    facts.ClockSet: _nothing,
    facts.Seating: rounds.sit,
    facts.Leave: rounds.leave,
    facts.Arrive: rounds.arrive,
    facts.Substitute: rounds.substitute,
    facts.RoundOpen: Evening.open_round,
    facts.Roll: rolloffs.throw,
    facts.Undo: _undo,
    facts.Begins: lambda evening, fact: _table(evening, fact.table).begin(SEATS.index(fact.seat), fact.t),
    facts.Turn: lambda evening, fact: evening.running.turn(fact, evening.facts),
    facts.Tally: lambda evening, fact: _table(evening, fact.table).tally(fact.cards, evening.facts),
    facts.RoundClose: lambda evening, fact: evening.running.close(fact, evening.facts),
    facts.BellRang: lambda evening, fact: evening.running.bell_rang(fact, evening.facts),
    facts.BellVoid: Evening.void_bell,
    facts.Confirm: lambda evening, fact: evening.running.confirm(fact, evening.facts),
    facts.Faceoff: lambda evening, fact: _table(evening, fact.table).faceoff(fact.dice, fact.t),
    facts.Decide: lambda evening, fact: _table(evening, fact.table).decide(fact.winner, fact.t),
    facts.Reopen: rounds.reopen,
    facts.RoundCancel: Evening.cancel_round,
    facts.StakePaid: Evening.pay,
    facts.TieFormed: rolloffs.form,
    facts.PrizeDecision: rolloffs.decision,
    facts.Rolloff: rolloffs.rolloff,
    facts.StageConfirm: stages.confirm,
}
"""The part that takes a fact; a roll comes here only while no round is open."""
_AFTER_CLOSE = {
    *(facts.EveningReopen, facts.BellSeen, facts.Branch, facts.ClockSet),
    *(facts.TieFormed, facts.PrizeDecision, facts.Rolloff, facts.StakePaid),
}
_OF_A_ROUND = {kind for kind in facts.FACT_KINDS.values() if "epoch" in kind.__struct_fields__} - {
    facts.RoundOpen,
    facts.BellSeen,
}
