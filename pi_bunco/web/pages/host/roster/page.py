"""The page that takes a roster: what was understood is shown, and counts once the host says so."""

from msgspec.structs import replace

from pi_bunco.game.opening import same
from pi_bunco.web.pages.host.frame import HostPage, HostQuery, frame, host_page
from pi_bunco.web.pages.host.prepare.draft import draft_of, keep
from pi_bunco.web.pages.host.roster.roster import FIELDS, Field, Roster, read_roster
from pi_bunco.web.site.app import Form
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.page_state import PageState

PATH = "/host/roster"


class HostRoster(HostPage, frozen=True):
    """`/host/roster`: `text` as it was given; `taken` were put on the list just now, `text` is the rest."""

    template = "host/roster/host_roster.html"
    live = False

    text: str = ""
    roster: Roster = Roster()
    taken: int = 0


def shown_roster(now: EveningNow, query: HostQuery, text: str = "", taken: int = 0) -> HostRoster:
    """`/host/roster`."""
    return HostRoster(frame(now, "prepare", query), text, read_roster(text), taken)


async def _read(state: PageState, _session: HostSession, form: dict[str, str]) -> str | HostRoster:
    """Shows what a roster is understood as, and takes it."""
    text = form.get("file") or form.get("text", "")
    roster = read_roster(text, {} if form.get("file") else _chosen(form))
    taken = 0
    if form.get("do") == "take" and not form.get("file"):
        _take(state, roster)
        taken = len(roster.rows)
        if not roster.bad:
            return "/host/people"
        text = "\n".join([*[roster.header_text] * bool(roster.header), *(one.text for one in roster.bad)])
        roster = read_roster(text, roster.columns)
    return replace(shown_roster(state.evening_now(), HostQuery(), text, taken), roster=roster)


def _chosen(form: dict[str, str]) -> dict[Field, int]:
    """Columns that the host has chosen; -1 is none."""
    typed = {field: form.get(f"col.{field}", "") for field in FIELDS}
    return {field: int(text) for field, text in typed.items() if text in ("-1", *map(str, range(100)))}


def _take(state: PageState, roster: Roster) -> None:
    """Puts all of the roster on the list of tonight, each once."""
    draft, now = draft_of(state), state.unix_s()
    known, more = set(map(same, draft.names)), list[str]()
    for row in roster.rows:
        state.guests.sign_up(row.name, row.team, row.wish, row.paid, now)
        guest = state.guests.of(row.name)
        if guest and not known & set(map(same, guest.names)):
            known.add(same(guest.name))
            more.append(guest.name)
    keep(state, replace(draft, names=(*draft.names, *more)))


PAGE = host_page(PATH, shown_roster)
FORM = Form(PATH, _read)
