"""How an evening ended: champions, every prize to the smallest coin, and the ties that are still open."""

from msgspec import Struct

from pi_bunco.game import prizes
from pi_bunco.game.contest import Contest
from pi_bunco.game.evening import Evening
from pi_bunco.game.money import Amount, amount
from pi_bunco.game.prizes import Award
from pi_bunco.game.standings import ranking
from pi_bunco.game.terms import TITLES, together


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
    cards = prizes.eligible(evening)
    awards, rest = prizes.awards(evening, pot)
    levels = ranking(cards, evening.rules.champion) if evening.rounds else []
    best = tuple(levels[0]) if levels else ()
    return Results(
        champions=evening.prize_rolls.decided.get("champion", best),
        prizes=tuple(awards),
        pot=None if pot is None else amount(pot, rest.decimals).text,
        rest=None if pot is None else rest.text,
        grand_prize=evening.grand_prize,
        left=tuple(name for name in evening.standings if name not in cards),
    )


def shortage(ended: Results) -> str | None:
    """What the pot lacks for the fixed amounts, as decimal text; None where it pays for all."""
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
    return prizes.contests(evening)


def who(award: Award) -> str:
    """Who has the prize, or what is still to be done about it, as a host reads it."""
    if award.waits_for:
        return f"open until {TITLES[award.waits_for].lower()} is settled"
    if award.tied:
        return f"{together(award.tied)} are equal: {_TO_DO[award.by or 'ask']}"
    return together(award.winners) or "nobody; it is the host's to give"


_TO_DO = {
    "one_die": "each rolls one die",
    "three_dice": "each rolls three dice",
    "ask": "the host decides",
}


def worth(award: Award) -> str:
    """What each winner gets: an amount, a thing, or nothing that has a name."""
    if award.shares:
        return " and ".join(award.shares)
    each = award.each if award.winners else award.amount
    many = " each" if award.each and len(award.winners) > 1 else ""
    return ", ".join(filter(None, [f"{each}{many}" if each else "", award.award]))
