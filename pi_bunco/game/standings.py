"""The overall ranking of an evening (the dimension `champion`)."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from pi_bunco.game.cards import Card


def value(card: Card, mark: str) -> int:
    """What a card says under `mark`: wins, losses, buncos, minis, or score (its points)."""
    return int(getattr(card, "points" if mark == "score" else mark))


def ranking(standings: Mapping[str, Card], order: Sequence[str]) -> list[list[str]]:
    """The players from first to last by the marks of `order`; who is level shares a place."""

    def rank(name: str) -> tuple[int, ...]:
        return tuple(-value(standings[name], mark) for mark in order)

    return [list(level) for _, level in groupby(sorted(standings, key=rank), key=rank)]
