"""What the players' cards say."""

from collections.abc import Iterable

from msgspec import Struct

from pi_bunco.game.round import Round


class Card(Struct):
    """One card: rounds won and lost, Buncos and minis rolled, points of the player's own turns."""

    wins: int = 0
    losses: int = 0
    buncos: int = 0
    minis: int = 0
    points: int = 0


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
                card.wins += table.winner == seat % 2
                card.losses += table.winner != seat % 2
                card.buncos += table.buncos[seat]
                card.minis += table.minis[seat]
                card.points += table.seat_points[seat]
    return cards
