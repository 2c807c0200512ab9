"""Who wins what: shares of the pot to the cent, things to carry home, and how ties are settled."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from pi_bunco.game.cards import Card
from pi_bunco.game.standings import value
from pi_bunco.rules import Prize, RuleSet

_MARKS = {
    "most buncos": "buncos",
    "most wins": "wins",
    "most losses": "losses",
    "most minis": "minis",
    "highest score": "score",
    "lowest score": "score",
}


class Award(Struct, frozen=True):
    """A prize and who gets it.

    `cents` is the share of each of `players`, None where the prize has no share of the pot. While `tie`
    says how they settle it ("one_die", "three_dice", "ask"), one of the tied `players` gets all of `pot`.
    """

    category: str
    players: tuple[str, ...]
    award: str | None = None
    pot: int | None = None
    cents: tuple[int, ...] | None = None
    tie: str | None = None


def awards(
    rules: RuleSet, standings: Mapping[str, Card], traveler: str | None = None, pot: int = 0
) -> list[Award]:
    """The prizes of the evening for a pot of so many cents; shares are whole cents and add up to the pot.

    The grand prize is played for at the final table of a tournament and has no player here.
    """
    shares = _shares(pot, [prize.percent or 0 for prize in rules.prizes])
    return [
        _award(rules, prize, _best(prize, standings, traveler), share if prize.percent is not None else None)
        for prize, share in zip(rules.prizes, shares, strict=True)
    ]


def _best(prize: Prize, standings: Mapping[str, Card], traveler: str | None) -> tuple[str, ...]:
    if prize.category == "traveling":
        return (traveler,) if traveler else ()
    if prize.category == "grand prize" or not standings:
        return ()
    values = {name: value(card, _MARKS[prize.category]) for name, card in standings.items()}
    best = (min if prize.category == "lowest score" else max)(values.values())
    return tuple(name for name in values if values[name] == best)


def _award(rules: RuleSet, prize: Prize, players: tuple[str, ...], share: int | None) -> Award:
    category, thing = prize.category, prize.award
    if len(players) > 1 and rules.prize_tie != "split":
        return Award(category, players, thing, share, None, rules.prize_tie)
    cents = None if share is None else tuple(_shares(share, [1] * len(players)))
    return Award(category, players, thing, share, cents)


def _shares(pot: int, weights: Sequence[int]) -> list[int]:
    """`pot` cents in proportion to `weights`, the odd cents to the largest remainders, the first at a tie."""
    whole = sum(weights)
    if not whole:
        return [0] * len(weights)
    shares = [pot * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda i: -(pot * weights[i] % whole))
    for i in by_remainder[: pot - sum(shares)]:
        shares[i] += 1
    return shares


def settle(award: Award, thrown: Mapping[str, int]) -> Award:
    """A tied `award` after all of its players rolled: `thrown` is each one's die, or sum of three dice.

    The highest takes it, the lowest for the lowest score; who is level again stays tied.
    """
    best = (min if award.category == "lowest score" else max)(thrown[name] for name in award.players)
    players = tuple(name for name in award.players if thrown[name] == best)
    if len(players) > 1:
        return Award(award.category, players, award.award, award.pot, None, award.tie)
    cents = None if award.pot is None else (award.pot,)
    return Award(award.category, players, award.award, award.pot, cents)
