"""The pot of an evening: what is in it, what stays in it, and what each prize is worth."""

from collections.abc import Sequence

from msgspec import Struct

from pi_bunco.game.money import Amount, amount, decimals_of, shares
from pi_bunco.rules import RuleSet
from pi_bunco.rules.ruleset import Prize


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
        Amount(sure + part, decimals) if _is_money(prize, known) else None
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


def _is_money(prize: Prize, known: bool) -> bool:
    return bool(prize.amount or prize.per_head) or (known and prize.percent is not None)
