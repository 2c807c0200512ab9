"""The end of an evening: who wins what, shares to the smallest coin, and ties that are open."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from pi_bunco.game.cards import Card, Levels, levels, marks, ranking, value
from pi_bunco.game.contest import Contest
from pi_bunco.game.evening import Evening
from pi_bunco.game.money import Amount, amount, decimals_of, shares
from pi_bunco.game.places import drawn
from pi_bunco.rules import RuleSet


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


def eligible(evening: Evening) -> Mapping[str, Card]:
    """The cards of who is still here; who has left and not come back wins nothing."""
    present = set(evening.people.present)
    return {name: card for name, card in evening.standings.items() if name in present}


def _levels(evening: Evening, category: str) -> Levels:
    """Ranks for a prize from the best down; who has nothing to show for it is not among them."""
    if not evening.rounds:
        return []
    cards, holders = eligible(evening), evening.people.holders
    match category:
        case "lowest_score":
            return levels({name: -card.points for name, card in cards.items()})
        case "first_bunco" | "last_bunco":
            rolled = marks(evening.rounds, "bunco")
            if category == "last_bunco":
                rolled.reverse()
            return _one(name for one in rolled if (name := holders[one.card]) in cards)
        case "one_two_three":
            counts = Counter(holders[one.card] for one in marks(evening.rounds, "straight"))
            return levels({name: counts[name] for name in cards if counts[name]})
        case "loser_lottery":  # drawn among those with most losses, then among the next, and so on
            losers = levels({name: card.losses for name, card in cards.items() if card.losses})
            return _one(name for level in losers for name in drawn(evening.seed, category, level))
        case "fifty_fifty":
            return _one(drawn(evening.seed, category, cards))
        case "traveling":
            return _one([evening.traveler if evening.traveler in cards else None])
        case "grand_prize":
            return _one([evening.grand_prize])
        case mark:
            return levels({name: points for name, card in cards.items() if (points := value(card, mark))})


def _one(names: Iterable[str | None]) -> Levels:
    """Names of which none is level with another."""
    return [[name] for name in dict.fromkeys(names) if name is not None]


# Who gets what.


def awards(evening: Evening, pot: str | None) -> tuple[list[Award], Amount]:
    """Every prize for a pot of decimal text, and what no winner gets of it."""
    rules = evening.rules
    assert rules is not None
    amounts, rest = _amounts(rules, pot)
    found = []
    for (award, _), prize, money in zip(_settled(evening), rules.prizes, amounts, strict=True):
        if money is not None and not (award.winners or award.tied or award.waits_for):
            rest = Amount(rest.units + money.units, rest.decimals)
        found.append(_paid(award, money, prize.award))
    return found, rest


def _settled(evening: Evening) -> Iterator[tuple[Award, Contest | None]]:
    """Every prize without its money, and the roll-off for it if dice settle one."""
    assert evening.rules is not None
    won: set[str] = set()
    open_prizes: dict[str, tuple[str, ...]] = {}
    for prize in evening.rules.prizes:
        category = prize.category
        award, contest = _award(evening, category, won, open_prizes)
        if evening.rules.prize_once:
            won.update(award.winners)
            open_prizes |= {category: award.tied} if award.tied else {}
        yield award, contest


def _award(
    evening: Evening, category: str, once: Collection[str], open_prizes: Mapping[str, Collection[str]]
) -> tuple[Award, Contest | None]:
    """The prize with its winners; `once` have won one already, `open_prizes` come before it with a tie."""
    if category in evening.prize_rolls.decided:
        return Award(category, evening.prize_rolls.decided[category], by="host"), None
    if category == "grand_prize":  # the final table's, whatever its winner has won besides
        once, open_prizes = (), {}
    ranks = _levels(evening, category)
    best = next((left for level in ranks if (left := tuple(n for n in level if n not in once))), ())
    for earlier, tied in open_prizes.items():  # whoever wins that one passes this one on
        if set(best) & set(tied):
            return Award(category, (), waits_for=earlier), None
    return _of_the_best(evening, category, best)


def _of_the_best(evening: Evening, category: str, best: tuple[str, ...]) -> tuple[Award, Contest | None]:
    """The prize among the `best`: where dice settle a tie, with all that was rolled for it."""
    assert evening.rules is not None
    how = evening.rules.prize_tie
    if len(best) < 2 or how == "split":
        return Award(category, best, by="split" if len(best) > 1 else None), None
    if how == "ask":
        return Award(category, (), tied=best, by=how), None
    contest = Contest(category, best, 1 if how == "one_die" else 3, lowest=category == "lowest_score")
    for purpose, rolled in evening.prize_rolls.rolled:
        if purpose == category and contest.why_not(rolled) is None:
            contest = contest.with_dice(rolled)
    won = (contest.winner,) if contest.winner else ()
    return Award(category, won, tied=() if won else contest.players, by=how), contest


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

    Fixed amounts come first; percentages share the rest.
    """
    decimals = decimals_of(pot, *(prize.amount for prize in rules.prizes))
    fixed = [amount(text, decimals).units if (text := prize.amount) else 0 for prize in rules.prizes]
    rest = max(amount(pot, decimals).units - sum(fixed), 0) if pot else 0
    percents = [prize.percent or 0 for prize in rules.prizes]
    parts = shares(rest, percents)
    worth: list[Amount | None] = []
    for prize, sure, part in zip(rules.prizes, fixed, parts, strict=True):
        known = prize.amount is not None or (pot is not None and prize.percent is not None)
        worth.append(Amount(sure + part, decimals) if known else None)
    return worth, Amount(rest - sum(parts), decimals)


# The end of the evening.


class Results(Struct, frozen=True):
    """The end of an evening; `rest` is left of the pot for the host to give, `left` went early."""

    champions: tuple[str, ...]
    prizes: tuple[Award, ...]
    pot: str | None
    rest: str | None
    grand_prize: str | None
    left: tuple[str, ...]


def results(evening: Evening, pot: str | None = None) -> Results | None:
    """The results of `evening`; None until its last round is finished or it is closed.

    `pot` is decimal text and stands for one that the log does not name.
    """
    if evening.rules is None or not evening.over:
        return None
    pot = pot or evening.pot
    cards = eligible(evening)
    prizes, rest = awards(evening, pot)
    ranked = ranking(cards, evening.rules.champion) if evening.rounds else []
    best = tuple(ranked[0]) if ranked else ()
    return Results(
        champions=evening.prize_rolls.decided.get("champion", best),
        prizes=tuple(prizes),
        pot=None if pot is None else amount(pot, rest.decimals).text,
        rest=None if pot is None else rest.text,
        grand_prize=evening.grand_prize,
        left=tuple(name for name in evening.standings if name not in cards),
    )


def shortage(ended: Results) -> str | None:
    """The sum that the pot lacks for the fixed amounts, as decimal text; None where it pays for all."""
    if ended.pot is None:
        return None
    pot = amount(ended.pot)
    in_all = sum(amount(award.amount, pot.decimals).units for award in ended.prizes if award.amount)
    missing = in_all - pot.units
    return Amount(missing, pot.decimals).text if missing > 0 else None


def open_ties(evening: Evening) -> list[Contest]:
    """The ties for prizes that dice settle, in the order of the prizes."""
    if evening.rules is None or not evening.over:
        return []
    return [contest for award, contest in _settled(evening) if award.tied and contest]
