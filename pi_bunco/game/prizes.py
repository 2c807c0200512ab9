"""The end of an evening: who wins what, shares to the smallest coin, and ties that are open."""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from pi_bunco.game.contest import Contest
from pi_bunco.game.evening import Evening
from pi_bunco.game.fields import TieDice
from pi_bunco.game.pot import Amount, Pot, amount, shared_out, shares
from pi_bunco.game.ranks import CHAMPION, DICE_LOTTERY, TeamRow, eligible, ranks, teams
from pi_bunco.game.score_cards import value
from pi_bunco.rules.ruleset import Prize


class Award(Struct, frozen=True, omit_defaults=True):
    """A prize and who gets it; amounts are decimal text.

    `each` is what every winner gets at least. Where they do not get the same `shares` says it winner by
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
    counts: tuple[int, ...] = ()
    """Of a prize for each mark: the marks of every winner."""
    lapsed: bool = False
    """The host gave it on other standings, and must give it again."""

    @property
    def open(self) -> bool:
        """Somebody will win it, once a tie is settled."""
        return bool(self.tied or self.waits_for)

    @property
    def names(self) -> tuple[str, ...]:
        """The winners, of a prize for each mark with the number of theirs: "Ann (2)"."""
        if not self.counts:
            return self.winners
        return tuple(f"{name} ({count})" for name, count in zip(self.winners, self.counts, strict=True))


class _Settled(Struct, frozen=True):
    """A prize without its money, and its tie, settled or not."""

    award: Award
    tie: Contest | None = None


# Who gets what.


def awards(evening: Evening, pot: str | None) -> tuple[list[Award], Pot]:
    """Every prize with its money, and the pot that it comes from; `pot` is decimal text."""
    rules = evening.ruleset
    settled = [one.award for one in _settled(evening)]
    payers = len(evening.payers) if rules.stake else len(evening.people.holders)
    counts = [
        sum(award.counts) if prize.each else 1 for award, prize in zip(settled, rules.prizes, strict=True)
    ]
    shared = shared_out(rules, pot, payers, counts)
    found = [
        _paid(
            award,
            money,
            prize.award,
            amount(prize.amount, money.decimals) if prize.amount and money else None,
        )
        for award, prize, money in zip(settled, rules.prizes, shared.worth, strict=True)
    ]
    return found, shared


def _rest(found: Sequence[Award], shared: Pot) -> Amount:
    """The rest of the pot, with the money of prizes that nobody wins."""
    unwon = [
        money.units
        for award, money in zip(found, shared.worth, strict=True)
        if money is not None and not (award.winners or award.open)
    ]
    return Amount(shared.rest.units + sum(unwon), shared.rest.decimals)


def _settled(evening: Evening) -> Iterator[_Settled]:
    before: list[Award] = []
    for prize in evening.ruleset.prizes:
        one = _Settled(_for_each(evening, prize)) if prize.each else _award(evening, prize, before)
        if not prize.each:
            before.append(one.award)
        yield one


def _for_each(evening: Evening, prize: Prize) -> Award:
    """The prize that is given for every mark on the cards of those who are here."""
    counts = {name: value(card, prize.category) for name, card in eligible(evening).items()}
    winners = tuple(name for name in evening.standings if counts.get(name))
    return Award(prize.category, winners, counts=tuple(counts[name] for name in winners))


def _award(evening: Evening, prize: Prize, before: Sequence[Award]) -> _Settled:
    """The prize with its winners, after those that stand `before` it."""
    category, place = prize.category, prize.place
    award = Award(category, (), place=place)
    found = ranks(evening, category)
    earlier = [one for one in before if one.category == category]
    once = before if evening.ruleset.prize_once and category != "grand_prize" else []
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
    """People to whom an open prize can go: those who roll, or all in rank while it waits for another."""
    if award.tied:
        return iter(award.tied)
    return (name for level in ranks(evening, award.category).levels for name in level)


def _of_the_best(evening: Evening, award: Award, best: tuple[str, ...]) -> tuple[Award, Contest | None]:
    """The prize among the `best`: where dice settle a tie, with all that was rolled for it."""
    how = "one_die" if award.category == DICE_LOTTERY else evening.ruleset.prize_tie
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


def _paid(award: Award, money: Amount | None, thing: str | None, for_each: Amount | None) -> Award:
    """The award with its thing and its money; of a prize for each mark, `for_each` of them."""
    if money is None:
        return replace(award, award=thing)
    units = shares(money.units, [1] * len(award.winners))
    if award.counts and for_each:
        left = money.units
        for at, count in enumerate(award.counts):
            units[at] = min(count * for_each.units, left)
            left -= units[at]
    texts = tuple(Amount(part, money.decimals).text for part in units)
    return replace(
        award,
        award=thing,
        amount=money.text,
        each=Amount(min(units), money.decimals).text if units else None,
        shares=texts if len(set(texts)) > 1 else None,
    )


# The end of the evening.


class Results(Struct, frozen=True, omit_defaults=True):
    """The end of an evening; `rest` is left of the pot for the host to give, `left` went early.

    `short` is the sum that the pot lacks for the fixed amounts, absent where it pays for all; `keep` stays
    for the next night, and `holders` are the things that somebody takes home until then. `teams` are there
    where each table is one.
    """

    champions: tuple[str, ...]
    prizes: tuple[Award, ...]
    pot: str | None
    rest: str | None
    grand_prize: str | None
    left: tuple[str, ...]
    short: str | None = None
    keep: str | None = None
    holders: dict[str, str] = {}
    teams: tuple[TeamRow, ...] = ()


def results(evening: Evening, pot: str | None = None) -> Results | None:
    """The results of `evening`; None until its last round is finished or it is closed.

    `pot` is decimal text and stands for one that the log does not name.
    """
    if evening.rules is None or not evening.over:
        return None
    cards = eligible(evening)
    prizes, shared = awards(evening, pot or evening.pot)
    return Results(
        champions=_champions(evening).award.winners,
        prizes=tuple(prizes),
        pot=_text(shared.pot),
        rest=_text(shared.pot and _rest(prizes, shared)),
        grand_prize=evening.grand_prize,
        left=tuple(name for name in evening.standings if name not in cards),
        short=_text(shared.short),
        keep=_text(shared.keep),
        holders=_holders(evening, prizes),
        teams=teams(evening),
    )


def _text(money: Amount | None) -> str | None:
    return None if money is None else money.text


def _holders(evening: Evening, prizes: Sequence[Award]) -> dict[str, str]:
    """Holders of things that go over to the next night; a prize that a thing is the gift of hands it on."""
    handed = {
        award.award: award.winners[0]
        for award in prizes
        if award.award and len(award.winners) == 1 and evening.closed and evening.played
    }
    found = {thing: handed.get(thing) or evening.holder(thing) for thing in evening.ruleset.holds}
    return {thing: name for thing, name in found.items() if name}


def carried_over(before: Evening, things: Sequence[str]) -> dict[str, str]:
    """The holders of these things from the evening `before`."""
    ended = results(before)
    return {thing: name for thing, name in ended.holders.items() if thing in things} if ended else {}


def prize_ties(evening: Evening) -> list[Contest]:
    """The ties that stand for prizes, in their order, and for the champion; those that are settled too."""
    if evening.rules is None or not evening.over:
        return []
    return [one.tie for one in (*_settled(evening), _champions(evening)) if one.tie]


def unsettled_ties(evening: Evening) -> list[Contest]:
    """The ties for prizes that are not settled: dice or the host's word can do it."""
    if evening.rules is None or not evening.over:
        return []
    return [one.tie for one in _settled(evening) if one.award.tied and one.tie]


def open_ties(evening: Evening) -> list[Contest]:
    """The ties for prizes that dice settle now, in the order of the prizes."""
    return [tie for tie in unsettled_ties(evening) if tie.dice]
