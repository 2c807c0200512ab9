"""What the players' cards say."""

from collections.abc import Iterable
from operator import add

from msgspec import Struct
from msgspec.structs import astuple

from pi_bunco.game.round import Round
from pi_bunco.game.table import Table


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
