"""The players' cards: what they say, the marks on them one by one, and the overall ranking."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct

from pi_bunco.game.round import Round
from pi_bunco.game.table import Table

RankedNames = list[list[str]]
"""Names from best to worst; those of one level are equal."""


class Card(Struct):
    """One card: rounds won and lost, Buncos and minis rolled, points of the player's own turns.

    `others` are what else the rules count, by its name there: `wipes`, or a word of the host's.
    """

    wins: int = 0
    losses: int = 0
    buncos: int = 0
    minis: int = 0
    points: int = 0
    others: dict[str, int] = {}

    def count(self, table: Table, seat: int) -> None:
        """Enters what a final table says of the player on `seat`."""
        if table.won(seat):
            self.wins += 1
        else:
            self.losses += 1
        self.buncos += table.buncos[seat]
        self.minis += table.minis[seat]
        self.points += table.seat_points[seat]

    def plus(self, other: "Card") -> "Card":
        """Both cards as one."""
        others = Counter(self.others) + Counter(other.others)
        return Card(
            self.wins + other.wins,
            self.losses + other.losses,
            self.buncos + other.buncos,
            self.minis + other.minis,
            self.points + other.points,
            dict(others),
        )


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
        for word in round_.rules.counted:
            for mark in _marks_of(round_, word):
                others = cards[mark.card].others
                others[word] = others.get(word, 0) + 1
    return cards


def plain(card: Card, words: Iterable[str]) -> dict[str, int]:
    """The card as plain values, with those `words` that the rules count besides."""
    fields: dict[str, int] = msgspec.to_builtins(card)
    del fields["others"]
    return fields | {word: card.others.get(word, 0) for word in words}


def value(card: Card, mark: str) -> int:
    """The number on a card under `mark`: wins, losses, buncos, minis, score (its points), or another one."""
    if mark in ("wins", "losses", "buncos", "minis"):
        return int(getattr(card, mark))
    return card.points if mark == "score" else card.others.get(mark, 0)


def levels(values: Mapping[str, Any]) -> RankedNames:
    """The names from the greatest of their values down."""
    ordered = sorted(values, key=values.__getitem__, reverse=True)
    return [list(level) for _, level in groupby(ordered, key=values.__getitem__)]


def ranking(standings: Mapping[str, Card], order: Sequence[str]) -> RankedNames:
    """The players from first to last by the marks of `order`; who is level shares a place."""
    return levels({name: tuple(value(card, mark) for mark in order) for name, card in standings.items()})


class CardMark(Struct, frozen=True):
    """A roll that goes on a card: its place `n` in the log, the card, and the target of its round."""

    n: int
    card: int
    face: int


def marks(rounds: Iterable[Round], word: str) -> list[CardMark]:
    """Every roll of `rounds` that a card counts under `word`: `buncos`, `wipes`, `one_two_three`, a word."""
    found = [mark for round_ in rounds for mark in _marks_of(round_, word)]
    return sorted(found, key=lambda mark: mark.n)  # of a score on paper, seat by seat


def _marks_of(round_: Round, word: str) -> Iterator[CardMark]:
    rolled = {"buncos": "bunco", "wipes": "wipe"}.get(word, word)
    for table in round_.tables:
        for n, seat in _places(table, rolled):
            yield CardMark(n, round_.cards[table.seats[seat]], round_.target)


def _places(table: Table, rolled: str) -> Iterator[tuple[int, int]]:
    """Place and seat of each roll that is marked so at `table`."""
    if rolled == "bunco":
        if not any(table.buncos):
            return
        for seat in range(4):
            yield from [(table.tallied, seat)] * table.base.buncos[seat]
    for entry, seat, effects in table.marking():
        if rolled in effects.marks and seat >= 0:
            yield entry[2], seat
