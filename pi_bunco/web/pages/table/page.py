"""`/table/N`: one table in large."""

from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.model import BellShown, Heading, RollHere, TableShown
from pi_bunco.web.pages.shared.standings import roll_at
from pi_bunco.web.pages.shared.tables import table_now
from pi_bunco.web.site.app import Page
from pi_bunco.web.site.changes import HEAD, ROUND, of_table
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.page import PageModel


class TablePage(PageModel, frozen=True):
    """`/table/N`: one table in large; `table` is None before the draw."""

    template = "table/table_page.html"
    css = "tv"
    device = "tablet"

    heading: Heading
    number: int
    table: TableShown | None
    state: str
    bell: BellShown | None = None
    silent: bool = False
    roll: RollHere | None = None

    @property
    def topics(self) -> frozenset[str]:
        """The round, the head and the table."""
        return frozenset((ROUND, HEAD, of_table(self.number)))


def shown_table(now: EveningNow, number: int) -> TablePage:
    """`/table/N`."""
    evening = now.evening
    return TablePage(
        heading=heading.heading(now),
        number=number,
        table=table_now(now, number),
        state=evening.state if evening.rules else "none",
        bell=heading.bell(now),
        silent=now.head.silent,
        roll=roll_at(now, number),
    )


PAGE = Page("/table/([1-9][0-9]{0,2})", lambda state, _, path: shown_table(state.evening_now(), int(path[1])))
