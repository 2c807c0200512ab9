"""Dice that are rolled between rounds: for prizes with a tie, and for the places of a tournament."""

from pi_bunco.game import facts, reasons, stages
from pi_bunco.game.contest import Awaited
from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import open_ties
from pi_bunco.game.tournament import Tournament
from pi_bunco.reason import Reason


def awaited(evening: Evening, table: int) -> Awaited | None:
    """The throw that the game waits for at `table` now; prizes are rolled for at the head table."""
    if evening.round or evening.closed:
        return None
    if evening.tournament and not evening.over:
        return evening.tournament.awaited(table)
    if table != 1:
        return None
    return next((tie.awaited(table) for tie in open_ties(evening)), None)


def throw(evening: Evening, fact: facts.Roll) -> Reason | None:
    """Three dice at a table while no round is open; returns why they do not count."""
    wanted = awaited(evening, fact.table)
    if wanted is None or fact.t < evening.finished_t:
        return reasons.NoRoundOpen()
    if fact.dice is None:
        return reasons.NeedsFaces()
    dice = wanted.each(fact.dice)
    if evening.tournament and not evening.over:
        _count(evening, evening.tournament.thrown(wanted.purpose, wanted.group, dice))
    else:
        evening.prize_rolls.roll(wanted.purpose, dice)
    return None


def rolloff(evening: Evening, fact: facts.Rolloff) -> Reason | None:
    """Takes the host's word for what players rolled; returns why it does not count."""
    if evening.tournament and not evening.over:
        why = evening.tournament.why_not_count(fact.purpose, fact.group, fact.dice)
        if why is None:
            _count(evening, evening.tournament.thrown(fact.purpose, fact.group, fact.dice))
        return why
    tie = next((tie for tie in open_ties(evening) if tie.purpose == fact.purpose), None)
    if tie is None:
        return reasons.NobodyRollsFor(fact.purpose)
    why = tie.why_not(fact.dice)
    if why is None:
        evening.prize_rolls.roll(fact.purpose, fact.dice)
    return why


def decision(evening: Evening, fact: facts.PrizeDecision) -> Reason | None:
    """The host's word on a prize; returns why it changes nothing."""
    assert evening.rules is not None
    known = ["champion", *(prize.category for prize in evening.rules.prizes)]
    if fact.category not in known:
        return reasons.NoSuchPrize(fact.category, tuple(known))
    names = (fact.to,) if isinstance(fact.to, str) else fact.to
    strangers = [name for name in names if name not in evening.people.cards]
    if strangers or not names:
        return reasons.NoCard(strangers[0]) if strangers else reasons.PrizeNeedsWinner()
    if len(set(names)) < len(names):
        return reasons.WinnerTwice()
    evening.prize_rolls.decide(fact.category, tuple(names))
    return None


def undo(evening: Evening, fact: facts.Undo) -> Reason | None:
    """Takes back the latest throw of a tournament's roll-off or final; returns why that is not possible."""
    if evening.tournament is None or evening.over:
        return reasons.NoRoundOpen()
    why = evening.tournament.why_not_undo(fact.table)
    if why is None:
        evening.advance(evening.tournament.undone())
    return why


def _count(evening: Evening, after: Tournament) -> None:
    evening.advance(after)
    stages.replace(evening)
