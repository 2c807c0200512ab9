"""The end of an evening: who wins what, shares to the smallest coin, and ties that are open."""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from pi_bunco.game.contest import Contest
from pi_bunco.game.evening import Evening
from pi_bunco.game.fields import TieDice
from pi_bunco.game.money import Amount, amount, decimals_of, shares
from pi_bunco.game.ranks import CHAMPION, eligible, ranks
from pi_bunco.rules import RuleSet
from pi_bunco.rules.ruleset import Prize


class Award(Struct, frozen=True, omit_defaults=True):
    """A prize and who gets it; amounts are decimal text.

    `each` is what every winner gets. Where the prize does not divide evenly `shares` says it winner by
    winner. While `tied` names players the prize is open; `by` is how the tie is or was settled: `one_die`,
    `three_dice`, `ask` the host, or `host` by the host's word.
    """

    category: str = field(name="for")
    winners: tuple[str, ...]
    each: str | None = None
    shares: tuple[str, ...] | None = None
    amount: str | None = None
    award: str | None = None
    tied: tuple[str, ...] = ()
    by: str | None = None
    waits_for: str | None = None
    """The open prize that must be settled first, where nobody wins twice."""
    place: int = 1
    """The place that it is for: 2 is for the next in rank behind all that the first one went to."""
    lapsed: bool = False
    """The host gave it on other standings, and must give it again."""

    @property
    def open(self) -> bool:
        """Somebody will win it, once a tie is settled."""
        return bool(self.tied or self.waits_for)


class _Settled(Struct, frozen=True):
    """A prize without its money, and its tie, settled or not."""

    award: Award
    tie: Contest | None = None


# Who gets what.


def awards(evening: Evening, pot: str | None) -> tuple[list[Award], Amount]:
    """Every prize for a pot of decimal text, and what no winner gets of it."""
    rules = evening.rules
    assert rules is not None
    amounts, rest = _amounts(rules, pot)
    found = []
    for one, prize, money in zip(_settled(evening), rules.prizes, amounts, strict=True):
        if money is not None and not (one.award.winners or one.award.open):
            rest = Amount(rest.units + money.units, rest.decimals)
        found.append(_paid(one.award, money, prize.award))
    return found, rest


def _settled(evening: Evening) -> Iterator[_Settled]:
    """Every prize of the rules in their order."""
    assert evening.rules is not None
    before: list[Award] = []
    for prize in evening.rules.prizes:
        one = _award(evening, prize, before)
        before.append(one.award)
        yield one


def _award(evening: Evening, prize: Prize, before: Sequence[Award]) -> _Settled:
    """The prize with its winners, after those that stand `before` it."""
    assert evening.rules is not None
    category, place = prize.category, prize.place
    award = Award(category, (), place=place)
    found = ranks(evening, category)
    earlier = [one for one in before if one.category == category]
    once = before if evening.rules.prize_once and category != "grand_prize" else []
    passed = {name for one in (*earlier, *once) for name in one.winners}
    best = next((left for level in found.levels if (left := _without(level, passed))), ())
    waits_for = _waits_for(evening, best, earlier, once)
    tie = None
    if waits_for:
        award = replace(award, waits_for=waits_for)
    elif all(one.winners for one in earlier):
        award, tie = _of_the_best(evening, award, best)
    if winners := evening.ties.given(category, place, found.basis):
        award = Award(category, winners, by="host", place=place)
    elif evening.ties.lapsed(category, place, found.basis):
        award = replace(award, lapsed=True)
    return _Settled(award, tie)


def _without(level: Sequence[str], names: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in level if name not in names)


def _waits_for(
    evening: Evening, best: Sequence[str], earlier: Sequence[Award], once: Sequence[Award]
) -> str | None:
    """The open prize that must be settled first: an earlier place, or one whose winner passes this one on."""
    bound = [one for one in earlier if one.open] or [
        one for one in once if one.open and not set(best).isdisjoint(_could_win(evening, one))
    ]
    return bound[0].category if bound else None


def _could_win(evening: Evening, award: Award) -> Iterator[str]:
    """Those to whom an open prize can go: who rolls for it, or all in rank while it waits for another."""
    if award.tied:
        return iter(award.tied)
    return (name for level in ranks(evening, award.category).levels for name in level)


def _of_the_best(evening: Evening, award: Award, best: tuple[str, ...]) -> tuple[Award, Contest | None]:
    """The prize among the `best`: where dice settle a tie, with all that was rolled for it."""
    assert evening.rules is not None
    how = evening.rules.prize_tie
    if len(best) < 2 or how == "split":
        return replace(award, winners=best, by="split" if len(best) > 1 else None), None
    tie = rolled(evening, _tie(evening, award.category, best, award.place, 1 if how == "one_die" else 3))
    if how == "ask":
        opened = evening.ties.dice_are_open(tie)
        tie, how = tie if opened else replace(tie, dice=0), "three_dice" if opened or tie.steps else how
    won = (tie.winner,) if tie.winner else ()
    return replace(award, winners=won, tied=() if won else tie.players, by=how), tie


def _tie(evening: Evening, purpose: str, best: tuple[str, ...], place: int = 1, dice: TieDice = 0) -> Contest:
    return Contest(
        purpose, best, dice, purpose == "lowest_score", place=place, rounds=len(evening.rounds), formed=best
    )


def rolled(evening: Evening, tie: Contest) -> Contest:
    """The tie with all that was rolled for it."""
    for dice in evening.ties.throws(tie)[tie.steps :]:
        tie = tie.stepped(dice)
    return tie


def _champions(evening: Evening) -> _Settled:
    """The first in the overall ranking, as a prize of no worth; only the host's word settles that tie."""
    found = ranks(evening, CHAMPION)
    best = tuple(found.levels[0]) if evening.rounds and found.levels else ()
    tie = _tie(evening, CHAMPION, best) if len(best) > 1 else None
    return _Settled(Award(CHAMPION, evening.ties.given(CHAMPION, 1, found.basis) or best), tie)


def _paid(award: Award, money: Amount | None, thing: str | None) -> Award:
    if money is None:
        return replace(award, award=thing)
    count = len(award.winners)
    each = [Amount(part, money.decimals).text for part in shares(money.units, [1] * count)]
    return replace(
        award,
        award=thing,
        amount=money.text,
        each=each[-1] if each else None,
        shares=tuple(each) if len(set(each)) > 1 else None,
    )


def _amounts(rules: RuleSet, pot: str | None) -> tuple[list[Amount | None], Amount]:
    """The worth of each prize, None for a thing or an unknown pot, and the rest of the pot.

    Fixed amounts come first, in the order of the list while the pot lasts; percentages share the rest.
    """
    decimals = decimals_of(pot, *(prize.amount for prize in rules.prizes))
    fixed = [amount(text, decimals).units if (text := prize.amount) else 0 for prize in rules.prizes]
    rest = amount(pot, decimals).units if pot else 0
    for at, wanted in enumerate(fixed if pot else ()):
        fixed[at] = min(wanted, rest)
        rest -= fixed[at]
    percents = [prize.percent or 0 for prize in rules.prizes]
    parts = shares(rest, percents)
    worth: list[Amount | None] = []
    for prize, sure, part in zip(rules.prizes, fixed, parts, strict=True):
        known = prize.amount is not None or (pot is not None and prize.percent is not None)
        worth.append(Amount(sure + part, decimals) if known else None)
    return worth, Amount(rest - sum(parts), decimals)


# The end of the evening.


class Results(Struct, frozen=True, omit_defaults=True):
    """The end of an evening; `rest` is left of the pot for the host to give, `left` went early.

    `short` is the sum that the pot lacks for the fixed amounts, absent where it pays for all.
    """

    champions: tuple[str, ...]
    prizes: tuple[Award, ...]
    pot: str | None
    rest: str | None
    grand_prize: str | None
    left: tuple[str, ...]
    short: str | None = None


def results(evening: Evening, pot: str | None = None) -> Results | None:
    """The results of `evening`; None until its last round is finished or it is closed.

    `pot` is decimal text and stands for one that the log does not name.
    """
    if evening.rules is None or not evening.over:
        return None
    pot = pot or evening.pot
    cards = eligible(evening)
    prizes, rest = awards(evening, pot)
    return Results(
        champions=_champions(evening).award.winners,
        prizes=tuple(prizes),
        pot=None if pot is None else amount(pot, rest.decimals).text,
        rest=None if pot is None else rest.text,
        grand_prize=evening.grand_prize,
        left=tuple(name for name in evening.standings if name not in cards),
        short=_short(evening.rules, pot),
    )


def _short(rules: RuleSet, pot: str | None) -> str | None:
    if pot is None:
        return None
    decimals = decimals_of(pot, *(prize.amount for prize in rules.prizes))
    wanted = sum(amount(prize.amount, decimals).units for prize in rules.prizes if prize.amount)
    missing = wanted - amount(pot, decimals).units
    return Amount(missing, decimals).text if missing > 0 else None


def prize_ties(evening: Evening) -> list[Contest]:
    """The ties that stand for prizes, in their order, and for the champion; those that are settled too."""
    if evening.rules is None or not evening.over:
        return []
    return [one.tie for one in (*_settled(evening), _champions(evening)) if one.tie]


def open_ties(evening: Evening) -> list[Contest]:
    """The ties for prizes that dice settle now, in the order of the prizes."""
    if evening.rules is None or not evening.over:
        return []
    return [one.tie for one in _settled(evening) if one.award.tied and one.tie and one.tie.dice]


def unsettled_ties(evening: Evening) -> list[Contest]:
    """The ties for prizes that are not settled: dice or the host's word can do it."""
    if evening.rules is None or not evening.over:
        return []
    return [one.tie for one in _settled(evening) if one.award.tied and one.tie]
