"""New Pis in the host's hands: two words to compare, and one tap that says which table it is."""

from typing import cast, get_args

from starlette.responses import Response

from pi_bunco.enrol import reasons
from pi_bunco.enrol.desk import PiThatAsks
from pi_bunco.enrol.protocol import MAX_TABLE, JoiningEquipment
from pi_bunco.reason import Reason
from pi_bunco.web.pages.host.frame import HostPage, HostQuery, frame, host_page
from pi_bunco.web.site.app import Form, handed_out
from pi_bunco.web.site.evening_now import EveningNow, TablePresence
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page_state import PageState

PIS = "/host/pis"


class HostPis(HostPage, frozen=True):
    """`/host/pis`: the Pis that ask, and those `taken` in just now.

    `free` are the tables of which nothing is received, `there` those whose Pi would be replaced.
    """

    template = "host/pis/host_pis.html"

    asking: tuple[PiThatAsks, ...]
    taken: tuple[PiThatAsks, ...]
    free: tuple[int, ...]
    there: tuple[int, ...]
    full: bool


def shown_pis(now: EveningNow, query: HostQuery) -> HostPis:
    """`/host/pis`."""
    known = {number for number, presence in now.tables.items() if presence.silent_s is not None}
    last = max(now.evening.tables, *known, *(pi.answer.table for pi in now.pis.taken if pi.answer), 0)
    pi_tables = [n for n in range(1, last + 2) if not now.tables.get(n, TablePresence()).phone]
    there = tuple(n for n in pi_tables if now.tables.get(n, TablePresence()).online)
    given = {pi.answer.table for pi in now.pis.taken if pi.answer}
    return HostPis(
        frame=frame(now, "health", query),
        asking=now.pis.asking,
        taken=now.pis.taken,
        free=tuple(n for n in pi_tables if n not in there and n not in given and n <= MAX_TABLE),
        there=there,
        full=now.pis.full,
    )


async def _tap(state: PageState, session: HostSession, form: dict[str, str]) -> str:
    """Takes a Pi in as a table, waits for keys at its panel, or sends it away."""
    id, table, plays = form.get("id", ""), form.get("table", ""), form.get("plays", "gpio")
    why: Reason | None = None
    if "away" in form:
        state.backend.pis.send_away(id)
    elif "keys" in form:
        why = state.backend.pis.ask_for_keys(id)
    elif (
        table.isascii()
        and table.isdecimal()
        and 1 <= int(table[:4]) <= MAX_TABLE
        and plays in get_args(JoiningEquipment)
    ):
        why = await _taken_in(state, id, int(table), cast("JoiningEquipment", plays))
    if why is not None:
        state.notify(session, Notice(False, "join", (why,)), PIS)
    state.changes.changed()
    return PIS


async def _copy(state: PageState, session: HostSession, _form: dict[str, str]) -> str | Response:
    """Hands a sealed copy of the hall out."""
    copy = await state.backend.pis.copy()
    if isinstance(copy, Reason):
        state.notify(session, Notice(False, "join", (copy,)), PIS)
        return PIS
    return handed_out(copy, "application/octet-stream", "hall.copy")


async def _taken_in(state: PageState, id: str, table: int, plays: JoiningEquipment) -> Reason | None:
    if state.evening_now().tables.get(table, TablePresence()).phone:
        return reasons.TableIsPhone(table)
    return await state.backend.pis.take_in(id, table, plays)


PAGE = host_page(PIS, shown_pis)
FORMS = (Form(PIS, _tap), Form(f"{PIS}/copy", _copy))
