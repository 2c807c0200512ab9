"""Amounts of money as whole numbers of the smallest unit, so that no share of a pot is ever rounded away."""

from collections.abc import Sequence

from msgspec import Struct


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
