"""Draws, the groups of a tournament, and the places in its later stages: what wins each, and who has it.

A draw depends on the evening's seed alone, so that anybody can draw again from the log: it puts names in the
order of the SHA-256 of seed, purpose and name, one to a line. It is the same on every machine and in every
language, and does not depend on the order in which the names are given.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Literal

from msgspec import Struct

from pi_bunco.game.seating import SeatNames

PlaceBy = Literal["wins", "buncos", "drawn", "wild_card"]
GROUP = 3
"""Tables of a group: twelve players."""


class Place(Struct, frozen=True):
    """A place in the next stage: what wins it, in which group (from 1), and who has it; None: nobody yet."""

    by: PlaceBy
    group: int | None = None
    player: str | None = None
    ghost: str | None = None
    """The ghost that has the seat until somebody is found for it."""


def drawn(seed: str, purpose: str, names: Iterable[str]) -> list[str]:
    """`names` in drawn order, the first one wins; `purpose` tells the draws of an evening apart."""
    return sorted(names, key=lambda name: (sha256(f"{seed}\n{purpose}\n{name}".encode()).digest(), name))


def usual_groups(tables: int) -> tuple[tuple[int, ...], ...]:
    """Groups of three tables each; the last one is smaller where the tables do not fill it."""
    return tuple(tuple(range(first, min(first + GROUP, tables + 1))) for first in range(1, tables + 1, GROUP))


def opening_groups(players: int) -> tuple[tuple[tuple[int, ...], ...], int]:
    """The groups of that many players where the host names none, and the number of ghosts that fill them.

    From twelve players on all groups are whole; fewer sit at as few tables as hold them.
    """
    tables = GROUP * -(-players // (4 * GROUP)) if players >= 4 * GROUP else -(-players // 4)
    return usual_groups(tables), 4 * tables - players


def drawn_tables(players: Sequence[str], seed: str) -> list[SeatNames]:
    """The drawn seats of the semi-final; ghosts fill the last table, where nobody sits alone."""
    order = drawn(seed, "semi_final", players)
    sizes = [min(4, len(order) - first) for first in range(0, len(order), 4)]
    if len(sizes) > 1 and sizes[-1] == 1:
        sizes[-2:] = [3, 2]
    tables: list[SeatNames] = []
    ghosts = 0
    for size in sizes:
        names = [order.pop(0) for _ in range(size)]
        while len(names) < 4:
            ghosts += 1
            names.append(f"Ghost {ghosts}")
        a, b, c, d = names
        tables.append((a, b, c, d))
    return tables


def holders(places: Sequence[Place]) -> Iterator[str]:
    """Players who have a place, in the order of the places."""
    return (place.player for place in places if place.player)
