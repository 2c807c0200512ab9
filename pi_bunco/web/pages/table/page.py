"""`/table/N`: one table in large."""

from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.rolloff import roll_at
from pi_bunco.web.pages.shared.seats import seat_rows
from pi_bunco.web.pages.shared.tables import table_now
from pi_bunco.web.pages.table.model import TablePage
from pi_bunco.web.site.app import Page
from pi_bunco.web.site.evening_now import EveningNow


def shown_table(now: EveningNow, number: int) -> TablePage:
    """`/table/N`."""
    evening = now.evening
    rows = [row for row in seat_rows(now, evening.seating) if row.table == number]
    return TablePage(
        heading=heading.heading(now),
        number=number,
        table=table_now(now, number),
        state=evening.state if evening.rules else "none",
        bell=heading.bell(now),
        rows=tuple(rows) if evening.round is None else (),
        silent_s=now.head.silent_s,
        roll=roll_at(now, number),
    )


PAGE = Page("/table/([1-9][0-9]{0,2})", lambda state, _, path: shown_table(state.evening_now(), int(path[1])))
