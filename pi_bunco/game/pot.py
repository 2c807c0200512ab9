"""The pot of an evening: what is in it, what stays in it, and what each prize is worth.

Amounts of money are whole numbers of the smallest unit, so that no share of a pot is ever rounded away.
"""

from collections.abc import Sequence

from msgspec import Struct

from pi_bunco.rules import RuleSet
from pi_bunco.rules.ruleset import Prize


class Amount(Struct, frozen=True, order=True):
    """`units` of the smallest coin, 10 ** `decimals` of which make one of the currency."""

    units: int
    decimals: int

    @property
    def text(self) -> str:
        """The amount as decimal text with all of its decimals, `24.00`."""
        if not self.decimals:
            return str(self.units)
        whole, part = divmod(self.units, 10**self.decimals)
        return f"{whole}.{part:0{self.decimals}}"


def amount(text: str, decimals: int = 0) -> Amount:
    """The amount of decimal text such as `59.50`, with at least `decimals` of them."""
    whole, _, part = text.partition(".")
    places = max(decimals, len(part))
    return Amount(int(whole) * 10**places + int(part.ljust(places, "0") or 0), places)


def decimals_of(*texts: str | None) -> int:
    """The most decimals that any of `texts` is written with: 0 for yen, 2 for euros, 3 for dinars."""
    return max((len(text.partition(".")[2]) for text in texts if text), default=0)


def shares(units: int, weights: Sequence[int]) -> list[int]:
    """`units` in proportion to `weights`; odd units go to the largest remainders, the first of equal ones."""
    whole = sum(weights)
    if not whole:
        return [0] * len(weights)
    parts = [units * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: -(units * weights[i] % whole))
    for i in by_remainder[: units - sum(parts)]:
        parts[i] += 1
    return parts


class Pot(Struct, frozen=True):
    """The worth of each prize, None for a thing or an unknown pot, and the pot itself.

    `rest` is what no prize takes, `keep` stays for the next night, and `short` is the sum that the pot lacks
    for the amounts.
    """

    worth: tuple[Amount | None, ...]
    pot: Amount | None
    rest: Amount
    keep: Amount | None
    short: Amount | None


def shared_out(rules: RuleSet, pot: str | None, payers: int, counts: Sequence[int]) -> Pot:
    """The pot of decimal text, or of the payers' stakes; `counts` says for each prize how often it is given.

    What stays comes off first, then amounts in the order of the list while the pot lasts; percentages share
    the rest.
    """
    prizes = rules.prizes
    amounts = [text for prize in prizes for text in (prize.amount, prize.per_head)]
    decimals = decimals_of(pot, rules.stake, *amounts)
    whole = amount(pot, decimals).units if pot else 0
    if rules.stake:
        whole = payers * amount(rules.stake, decimals).units
    known = pot is not None or rules.stake is not None
    kept = whole * (rules.keep or 0) // 100
    wanted = [_wanted(prize, payers, count, decimals) for prize, count in zip(prizes, counts, strict=True)]
    left, fixed = whole - kept, list(wanted)
    for at, units in enumerate(wanted if known else ()):
        fixed[at] = min(units, left)
        left -= fixed[at]
    parts = shares(left, [prize.percent or 0 for prize in prizes])
    worth = [
        Amount(sure + part, decimals)
        if prize.amount or prize.per_head or (known and prize.percent is not None)
        else None
        for prize, sure, part in zip(prizes, fixed, parts, strict=True)
    ]
    missing = sum(wanted) - (whole - kept)
    return Pot(
        worth=tuple(worth),
        pot=Amount(whole, decimals) if known else None,
        rest=Amount(left - sum(parts), decimals),
        keep=Amount(kept, decimals) if known and rules.keep else None,
        short=Amount(missing, decimals) if known and missing > 0 else None,
    )


def _wanted(prize: Prize, payers: int, count: int, decimals: int) -> int:
    """The fixed amount of a prize: as it stands, for each mark, or for each who pays."""
    if prize.per_head:
        return payers * amount(prize.per_head, decimals).units
    return count * amount(prize.amount, decimals).units if prize.amount else 0
