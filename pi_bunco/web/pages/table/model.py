"""`/table/N`: one table in large."""

from pi_bunco.web.pages.shared.model import BellShown, Heading, RollHere, SeatRow, TableShown
from pi_bunco.web.site.page import PageModel


class TablePage(PageModel, frozen=True):
    """`/table/N`: one table in large; `table` is None before the draw, `scene` as on the scoreboard."""

    template = "table/table_page.html"

    heading: Heading
    number: int
    table: TableShown | None
    state: str
    bell: BellShown | None = None
    rows: tuple[SeatRow, ...] = ()
    silent_s: int = 0
    roll: RollHere | None = None
