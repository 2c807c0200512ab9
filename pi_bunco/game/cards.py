"""What the players' cards say."""

from collections.abc import Iterable

from msgspec import Struct

from pi_bunco.game.round import Round


class Tally(Struct):
    """One card: rounds won and lost, Buncos and minis rolled, points of the player's own turns."""

    wins: int = 0
    losses: int = 0
    buncos: int = 0
    minis: int = 0
    points: int = 0


def tallies(rounds: Iterable[Round]) -> dict[int, Tally]:
    """The sum of `rounds` for each card; ghosts have none."""
    totals: dict[int, Tally] = {}
    for round_ in rounds:
        for table in round_.tables:
            for seat, name in enumerate(table.seats):
                if table.ghosts[seat]:
                    continue
                tally = totals.setdefault(round_.cards[name], Tally())
                tally.wins += table.winner == seat % 2
                tally.losses += table.winner != seat % 2
                tally.buncos += table.buncos[seat]
                tally.minis += table.minis[seat]
                tally.points += table.own[seat]
    return totals
