"""What is printed."""

from typing import Literal

from msgspec import Struct

from pi_bunco.web.pages.shared.model import Chart, DiceCount, Finale, Heading, RankRow, SeatRow, TableShown
from pi_bunco.web.site.page import PageModel


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


class PrintedResults(Struct, frozen=True):
    """Champions, prizes and standings, the race to them, and what fell."""

    finale: Finale
    rows: tuple[RankRow, ...]
    race: Chart
    dice: tuple[DiceCount, ...]


class PrintPage(PageModel, frozen=True):
    """`/host/print/seats`, `cards` and `results`: paper."""

    template = "paper/print_page.html"

    kind: Literal["seats", "cards", "results"]
    heading: Heading
    date: str
    follow: str
    tables: tuple[TableShown, ...] = ()
    seats: tuple[SeatRow, ...] = ()
    cards: tuple[ScoreCard, ...] = ()
    results: PrintedResults | None = None
    break_after: int = 0
    after_bell: str = ""
    moves: str = ""
