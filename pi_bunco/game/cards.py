"""The players' cards: what they say, the marks on them one by one, and the overall ranking."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import add
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import astuple

from pi_bunco.game.round import Round
from pi_bunco.game.table import PLAYING, Table

Levels = list[list[str]]
"""Names from best to worst; those of one level are equal."""


class Card(Struct):
    """One card: rounds won and lost, Buncos and minis rolled, points of the player's own turns."""

    wins: int = 0
    losses: int = 0
    buncos: int = 0
    minis: int = 0
    points: int = 0

    def count(self, table: Table, seat: int) -> None:
        """Enters what a final table says of the player on `seat`."""
        if table.winner == seat % 2:
            self.wins += 1
        else:
            self.losses += 1
        self.buncos += table.buncos[seat]
        self.minis += table.minis[seat]
        self.points += table.seat_points[seat]

    def plus(self, other: "Card") -> "Card":
        """Both cards as one."""
        return Card(*map(add, astuple(self), astuple(other)))


def totals(rounds: Iterable[Round]) -> dict[int, Card]:
    """The sum of `rounds` for each card; ghosts have none."""
    cards: dict[int, Card] = {}
    for round_ in rounds:
        for table in round_.tables:
            for seat, name in enumerate(table.seats):
                if table.ghosts[seat]:
                    continue
                number = round_.cards[name]
                card = cards.get(number)
                if card is None:
                    card = cards[number] = Card()
                card.count(table, seat)
    return cards


def value(card: Card, mark: str) -> int:
    """The number on a card under `mark`: wins, losses, buncos, minis, or score (its points)."""
    return int(getattr(card, "points" if mark == "score" else mark))


def levels(values: Mapping[str, Any]) -> Levels:
    """The names from the greatest of their values down."""
    ordered = sorted(values, key=values.__getitem__, reverse=True)
    return [list(level) for _, level in groupby(ordered, key=values.__getitem__)]


def ranking(standings: Mapping[str, Card], order: Sequence[str]) -> Levels:
    """The players from first to last by the marks of `order`; who is level shares a place."""
    return levels({name: tuple(value(card, mark) for mark in order) for name, card in standings.items()})


MarkKind = Literal["bunco", "straight"]


class CardMark(Struct, frozen=True):
    """A roll that goes on a card: its place `n` in the log, the card, and the target of its round."""

    n: int
    card: int
    face: int


def marks(rounds: Iterable[Round], kind: MarkKind) -> list[CardMark]:
    """Every Bunco, or every roll of 1-2-3 (`straight`), of `rounds`; ghosts have none."""
    found = [
        CardMark(n, round_.cards[table.seats[seat]], round_.target)
        for round_ in rounds
        for table in round_.tables
        for n, seat in (_buncos(table) if kind == "bunco" else _straights(round_, table))
        if not table.ghosts[seat]
    ]
    return sorted(found, key=lambda mark: mark.n)  # of a score on paper, seat by seat


def _buncos(table: Table) -> Iterator[tuple[int, int]]:
    """Place and seat of each Bunco that is marked at `table`."""
    if not any(table.buncos):
        return
    again = table.blank_copy()
    before = [0, 0, 0, 0]
    n = again.tallied
    for entry in [None, *table.entries]:
        if entry is not None:
            again.add(entry)
            n = entry[2]
        for seat in range(4):
            yield from [(n, seat)] * (again.buncos[seat] - before[seat])
        before = list(again.buncos)


def _straights(round_: Round, table: Table) -> Iterator[tuple[int, int]]:
    """Place and seat of each 1-2-3 that counted at `table`; a roll-off without marks has none."""
    again = table.blank_copy()
    for entry in table.entries:
        marked = again.phase == PLAYING or round_.rules.tie.method == "lap"
        card = again.card_of(again.seat)
        if entry[0] >= 0 and entry[2] in round_.straights and marked and card is not None:
            yield entry[2], card
        again.add(entry)
