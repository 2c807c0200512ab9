"""The marks of an evening one by one, in log order: who rolled which Bunco, and who rolled 1-2-3."""

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from pi_bunco.game.round import Round
from pi_bunco.game.table import PLAYING, Table

Kind = Literal["bunco", "straight"]


class Mark(Struct, frozen=True):
    """A roll that goes on a card: its place `n` in the log, the card, and the target of its round."""

    n: int
    card: int
    face: int


def marks(rounds: Iterable[Round], kind: Kind) -> list[Mark]:
    """Every Bunco, or every roll of 1-2-3 (`straight`), of `rounds`; ghosts have none."""
    found = [
        Mark(n, round_.cards[table.seats[seat]], round_.target)
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
    again = table.twin()
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
    again = table.twin()
    for entry in table.entries:
        marked = again.phase == PLAYING or round_.rules.tie.method == "lap"
        card = again.card_of(again.seat)
        if entry[0] >= 0 and entry[2] in round_.straights and marked and card is not None:
            yield entry[2], card
        again.add(entry)
