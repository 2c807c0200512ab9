"""The pot: its amount, each prize's part of it, and the rest."""

from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import Any

from game.independent.evening import Evening
from game.independent.prizes import Prize


@dataclass
class Part:
    """The part of a prize in the pot, and of each winner in that; `counts` are marks it is given for."""

    amount: Decimal | None
    shares: list[Decimal]
    counts: list[int] | None = None


@dataclass
class Money:
    """The pot and its parts, in the order of the list."""

    pot: Decimal | None
    keep: Decimal | None
    parts: list[Part]
    rest: Decimal | None
    short: Decimal


def money(evening: Evening, prizes: list[Prize]) -> Money:
    """The pot shared out."""
    rules, declared = evening.rules, evening.rules["prizes"]
    payers = len(evening.people.names) if rules["stake"] is None else len(evening.paid)
    opened = evening.opened.get("pot")
    pot = None if opened is None else Decimal(opened)
    if rules["stake"] is not None:
        pot = Decimal(str(rules["stake"])) * payers
    said = [Decimal(str(one[key])) for one in declared for key in ("amount", "per_head") if one.get(key)]
    finest = max(decimals(amount) for amount in [*said, Decimal(0) if pot is None else pot])
    pot = None if pot is None else floor(pot, finest)
    keep = None if pot is None or rules["keep"] is None else floor(pot * rules["keep"] / 100, finest)
    left, short = None if pot is None else pot - (keep or 0), Decimal(0)
    parts = []
    for one, prize in zip(declared, prizes, strict=True):
        wanted = _wanted(evening, one, prize, payers)
        paid = [] if wanted is None else list(wanted)
        for at, amount in enumerate(paid):
            if left is not None:
                paid[at] = min(amount, left)
                left, short = left - paid[at], short + amount - paid[at]
        counts = _counts(evening, prize) if prize.each else None
        total = None if wanted is None else floor(sum(paid, Decimal(0)), finest)
        parts.append(Part(total, [floor(one, finest) for one in paid] if prize.each else [], counts))
    percents = [int(one.get("percent") or 0) for one in declared]
    if left is not None and any(percents):
        for part, percent, share in zip(parts, percents, shares(left, percents, finest), strict=True):
            part.amount = share if percent else part.amount
    for part, prize in zip(parts, prizes, strict=True):
        if part.amount is not None and prize.winners and not prize.each:
            part.shares = shares(part.amount, [1] * len(prize.winners), decimals(part.amount))
    gone = [part.amount for part, prize in zip(parts, prizes, strict=True)
            if part.amount is not None and (prize.winners or not prize.settled())]  # fmt: skip
    rest = None if pot is None else pot - (keep or 0) - sum(gone, Decimal(0))
    return Money(pot, keep, parts, rest, short)


def _counts(evening: Evening, prize: Prize) -> list[int]:
    cards = evening.cards()
    return [cards[person][prize.what] for person in prize.winners]


def _wanted(evening: Evening, declared: dict[str, Any], prize: Prize, payers: int) -> list[Decimal] | None:
    """The amount of a prize from a pot that lasts: one, or one for each winner."""
    if declared.get("per_head"):
        return [Decimal(str(declared["per_head"])) * payers]
    if not declared.get("amount"):
        return None
    amount = Decimal(str(declared["amount"]))
    return [amount * count for count in _counts(evening, prize)] if prize.each else [amount]


def decimals(amount: Decimal) -> int:
    """With how many decimals it is written."""
    return max(0, -int(amount.as_tuple().exponent))


def floor(amount: Decimal, places: int) -> Decimal:
    """The amount rounded down to `places` decimals."""
    return amount.quantize(Decimal(1).scaleb(-places), rounding=ROUND_DOWN)


def shares(amount: Decimal, weights: list[int], places: int) -> list[Decimal]:
    """The amount by weights; odd coins go to the largest remainders, the first of equal ones."""
    coin = Decimal(1).scaleb(-places)
    exact = [amount * weight / sum(weights) for weight in weights]
    parts = [floor(one, places) for one in exact]
    over = int((amount - sum(parts)) / coin)
    by_remainder = sorted(range(len(weights)), key=lambda at: parts[at] - exact[at])
    return [part + coin if at in by_remainder[:over] else part for at, part in enumerate(parts)]
