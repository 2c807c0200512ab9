"""The cards added up over rounds."""

from collections.abc import Iterable

from game.independent.people import People
from game.independent.rounds import Round

KEYS = ("wins", "losses", "buncos", "minis", "points")


def standings(people: People, rounds: Iterable[Round]) -> dict[str, dict[str, int]]:
    """What everybody with a card has of these rounds."""
    found = {name: dict.fromkeys(KEYS, 0) for name in people.names}
    for round_ in rounds:
        for table in round_.tables:
            winner = ["US", "THEM"].index(str(table.now().winner))
            for seat, card in enumerate(table.cards()):
                if table.is_ghost(seat):
                    continue
                line = found[people.names[round_.persons[table.seats[seat]]]]
                line["wins" if seat % 2 == winner else "losses"] += 1
                for key in ("buncos", "minis", "points"):
                    line[key] += card[key]
    return found
