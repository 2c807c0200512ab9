"""What is printed."""

from typing import Literal

from msgspec import Struct

from pi_bunco.web.models.host import HostResults
from pi_bunco.web.models.parts import Heading, SeatRow, TableShown


class CardRow(Struct, frozen=True):
    """One round of a score card; without `partner` it is to be filled in by pencil."""

    target: int
    partner: str = ""
    points: int = 0
    won: bool | None = None
    buncos: int = 0
    minis: int = 0


class ScoreCard(Struct, frozen=True):
    """A player's card, set by set."""

    name: str
    sets: tuple[tuple[CardRow, ...], ...]


class PrintPage(Struct, frozen=True):
    """`/host/print/seats`, `cards` and `results`: paper."""

    kind: Literal["seats", "cards", "results"]
    heading: Heading
    date: str
    follow: str
    tables: tuple[TableShown, ...] = ()
    seats: tuple[SeatRow, ...] = ()
    cards: tuple[ScoreCard, ...] = ()
    results: HostResults | None = None
    break_after: int = 0
    after_bell: str = ""
    moves: str = ""
