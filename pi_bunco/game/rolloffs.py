"""Ties and the dice that are rolled for them between rounds: for prizes, and for places of a tournament."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pi_bunco.game import facts, reasons, stages
from pi_bunco.game.contest import Awaited, Contest, Faces, TieKey
from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import open_ties, prize_ties, unsettled_ties
from pi_bunco.game.ranks import CHAMPION, ranks
from pi_bunco.game.tournament import FINAL_TABLE
from pi_bunco.reason import Reason


def standing_ties(evening: Evening) -> list[Contest]:
    """The ties that stand now; none while a round is open."""
    if evening.round:
        return []
    return list(evening.staged.contests) if evening.staged else prize_ties(evening)


def unnumbered(evening: Evening, t: int) -> facts.TieFormed | None:
    """The fact that gives the first standing tie without a number the next one."""
    for tie in standing_ties(evening):
        if evening.ties.number(tie) is None:
            number = max(evening.ties.numbers.values(), default=0) + 1
            return facts.TieFormed(
                t, number, tie.purpose, tie.formed, tie.rounds, tie.dice, tie.place, tie.stage, tie.group
            )
    return None


def form(evening: Evening, fact: facts.TieFormed) -> Reason | None:
    """A tie that stands is given its number."""
    cards, numbers = evening.people.cards, evening.ties.numbers
    players = frozenset(cards.get(name, -1) for name in fact.players)
    key = TieKey(fact.purpose, fact.place, players, fact.rounds, fact.stage, fact.group)
    if key not in map(evening.ties.key, standing_ties(evening)):
        return reasons.NoSuchTie(fact.id)
    if key in numbers or fact.id in numbers.values():
        return reasons.TieHasNumber(fact.id)
    numbers[key] = fact.id
    return None


def awaited(evening: Evening, table: int) -> Awaited | None:
    """The throw that the game waits for at `table` now; prizes are rolled for at the head table."""
    if evening.round or evening.closed:
        return None
    if tie := _tie_at(evening, table):
        return tie.awaited(table, evening.ties.number(tie))
    return evening.staged.awaited_in_final(table) if evening.staged else None


def _tie_at(evening: Evening, table: int) -> Contest | None:
    if evening.staged:
        return evening.staged.tie_at(table)
    return next(iter(open_ties(evening)), None) if table == 1 else None


def _numbered(evening: Evening, number: int) -> Contest | None:
    return next((tie for tie in standing_ties(evening) if evening.ties.number(tie) == number), None)


def table_of(evening: Evening, number: int) -> int | None:
    """The table at which the tie of this number is rolled off; None if none stands."""
    tie = _numbered(evening, number)
    if tie is None:
        return None
    return evening.staged.table_of(tie) if evening.staged else FINAL_TABLE


def _first(ties: Sequence[Contest], purpose: str, group: int | None, place: int) -> Contest | None:
    wanted = (purpose, group, place)
    return next((tie for tie in ties if (tie.purpose, tie.group, tie.place) == wanted), None)


def tie_for(evening: Evening, purpose: str, group: int | None = None, place: int | None = None) -> int | None:
    """The number of the first tie that is open for this; None where there is none."""
    if evening.round:
        return None
    tie = _first(_unsettled(evening), purpose, group, place or 1)
    return evening.ties.number(tie) if tie else None


def _unsettled(evening: Evening) -> Sequence[Contest]:
    return evening.staged.contests if evening.staged else unsettled_ties(evening)


# Dice.


def throw(evening: Evening, fact: facts.Roll) -> Reason | None:
    """Three dice at a table while no round is open; returns why they do not count."""
    if fact.tie is not None:
        tie = _numbered(evening, fact.tie)
        if tie is None or not tie.to_throw:
            return reasons.NoSuchTie(fact.tie)
        wanted: Awaited | None = tie.awaited(fact.table)
    else:
        tie, wanted = _tie_at(evening, fact.table), awaited(evening, fact.table)
    if wanted is None or fact.t < evening.finished_t:
        return reasons.NoRoundOpen()
    if fact.dice is None:
        return reasons.NeedsFaces()
    if tie is None:
        stages.throw_in_final(evening, wanted.each(fact.dice))
    else:
        _roll(evening, tie, wanted.each(fact.dice))
    return None


def rolloff(evening: Evening, fact: facts.Rolloff) -> Reason | None:
    """Takes the host's word for what players rolled; returns why it does not count."""
    staged = evening.staged
    if staged and fact.tie is None and fact.purpose == "final" and staged.awaited_in_final(FINAL_TABLE):
        why = staged.why_not_in_final(fact.dice)
        if why is None:
            stages.throw_in_final(evening, fact.dice)
        return why
    if fact.tie is None:
        tie = _first(_unsettled(evening), fact.purpose, fact.group, fact.place or 1)
    else:
        tie = _numbered(evening, fact.tie)
    if tie is None or tie.purpose == CHAMPION:
        return reasons.NobodyRollsFor(fact.purpose)
    if not fact.dice:
        if tie.dice:
            return reasons.DiceAreOpen()
        evening.ties.open_dice(tie)
        return None
    tie = tie if tie.dice else replace(tie, dice=3)
    why = tie.why_not(fact.dice)
    if why is None:
        _roll(evening, tie, fact.dice)
    return why


def _roll(evening: Evening, tie: Contest, dice: Mapping[str, Faces]) -> None:
    evening.ties.roll(tie, dice)
    stages.recall(evening)


def undo(evening: Evening, fact: facts.Undo) -> Reason | None:
    """Takes back a throw between rounds: the latest for its tie, or without one the tournament's latest."""
    if fact.tie is not None:
        key = evening.ties.keys.get(fact.tie)
        if evening.staged:
            return stages.take_back(evening, key, word=False) if key else reasons.NoThrowToTakeBack()
        tie = _numbered(evening, fact.tie)
        return (
            None
            if tie and evening.ties.take_back(evening.ties.key(tie), word=False)
            else reasons.NoThrowToTakeBack()
        )
    if evening.staged is None:
        return reasons.NoRoundOpen()
    return evening.staged.why_not_undo(fact.table) or stages.take_back(evening)


# Words.


def decision(evening: Evening, fact: facts.PrizeDecision) -> Reason | None:
    """The host's word on a prize or a tie, or none any more; returns why it changes nothing."""
    names = (fact.to,) if isinstance(fact.to, str) else fact.to
    place, tie = fact.place or 1, None
    if fact.tie is not None:
        tie = _numbered(evening, fact.tie)
        if tie is None:
            return reasons.NoSuchTie(fact.tie) if names else _take_back_word(evening, fact.tie)
        purpose, place = tie.purpose, tie.place
    else:
        purpose = fact.category
        tie = _first(_unsettled(evening), purpose, fact.group, place)
    if tie and tie.stage:
        return _name(evening, tie, names)
    return _no_such_prize(evening, purpose, place) or _give(evening, purpose, place, names)


def _no_such_prize(evening: Evening, purpose: str, place: int) -> Reason | None:
    known = evening.ruleset.prizes
    prizes = [(CHAMPION, 1), *((one.category, one.place) for one in known if not one.each)]
    if (purpose, place) in prizes:
        return None
    if any(one.each and one.category == purpose for one in known):
        return reasons.PrizeByCards(purpose)
    return reasons.NoSuchPrize(purpose, tuple(dict.fromkeys(kind for kind, _ in prizes)))


def _name(evening: Evening, tie: Contest, names: Sequence[str]) -> Reason | None:
    """Takes the host's word which of those still tied has the place."""
    if len(names) != 1 or names[0] not in tie.players:
        return reasons.NameOneOfTied(tie.players)
    _roll(evening, tie, {names[0]: ()})
    return None


def _take_back_word(evening: Evening, number: int) -> Reason | None:
    """Opens the tie of a stage again that the host's word had settled."""
    key = evening.ties.keys.get(number)
    return stages.take_back(evening, key, word=True) if evening.staged and key else reasons.NoSuchTie(number)


def _give(evening: Evening, purpose: str, place: int, names: Sequence[str]) -> Reason | None:
    if strangers := [name for name in names if name not in evening.people.cards]:
        return reasons.NoCard(strangers[0])
    if len(set(names)) < len(names):
        return reasons.WinnerTwice()
    basis = ranks(evening, purpose).basis
    if not names and not evening.ties.given(purpose, place, basis):
        return reasons.PrizeNeedsWinner()
    evening.ties.give(purpose, place, names, basis)
    return None
