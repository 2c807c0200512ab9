"""Check-in by helpers: several phones, a PIN of their own, no rights over the game."""

from collections.abc import Sequence

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.game.fields import NAME_MAX_CHARS
from pi_bunco.reason import Reason
from pi_bunco.web.pages.shared import tables
from pi_bunco.web.pages.shared.model import TableShown
from pi_bunco.web.pages.shared.names import order, plain_name
from pi_bunco.web.site.app import App
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.forms import fields
from pi_bunco.web.site.guard import sender
from pi_bunco.web.site.guests import HallGuest
from pi_bunco.web.site.host_only import HostOnly
from pi_bunco.web.site.login import HostSession, Login
from pi_bunco.web.site.page import PageModel
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.reasons import NotLetIn, NotThere, TooManyAtTheDoor
from pi_bunco.web.site.streams import CHIME
from pi_bunco.web.site.viewer import viewer

DOOR, DOOR_LOGIN, SLIP = "/door", "/door/login", "/door/slip"
HELPER = "bunco_helper"
"""The cookie of a helper's session."""
PEOPLE_ON_A_PAGE = 40
"""People on a page of the list; a longer one is searched."""


class DoorLogin(PageModel, frozen=True):
    """`/door/login`: `why` the last try did not let in; `closed` while the host lets no helpers in."""

    template = "door/door_login.html"
    live = False

    closed: bool = False
    why: Reason | None = None


class DoorRow(Struct, frozen=True):
    """Somebody of tonight, and the table where they sit, 0 for nowhere."""

    guest: HallGuest
    table: int = 0


class DoorPage(PageModel, frozen=True):
    """`/door`: people whom `search` finds, `more` beyond `PEOPLE_ON_A_PAGE`; `here` of `all` are here.

    `tap` names the taps of this page, so that one that comes twice does nothing twice.
    """

    template = "door/door_page.html"
    scripts = ("door.js",)
    live = False

    rows: tuple[DoorRow, ...]
    here: int
    all: int
    more: int = 0
    search: str = ""
    tap: str = ""


class SeatSlip(PageModel, frozen=True):
    """`/door/slip?id=`: where somebody sits, to be shown or printed; `table` is None without a seat."""

    template = "paper/seat_slip.html"
    css = "paper"
    live = False

    title: str
    name: str
    table: TableShown | None = None
    partner: str = ""


def shown_slip(now: EveningNow, guest: HallGuest) -> SeatSlip:
    """The slip of somebody's seat in the round that runs, or in the next one."""
    number = tables.where(now.evening).get(guest.name, 0)
    table = tables.table_now(now, number)
    partner = ""
    if table is not None:
        names = [chair.name for chair in table.chairs]
        partner = names[(names.index(guest.name) + 2) % 4] if guest.name in names else ""
    return SeatSlip(now.title, guest.name, table, partner)


def shown_door(now: EveningNow, search: str = "", tap: str = "") -> DoorPage:
    """`/door`; without a search who is not here yet stands first."""
    where = tables.where(now.evening)
    fitting = [guest for guest in now.guests if fits(guest.names, search)]
    fitting.sort(key=lambda guest: (not search and guest.state == "here", order(guest.name)))
    return DoorPage(
        tuple(DoorRow(guest, where.get(guest.name, 0)) for guest in fitting[:PEOPLE_ON_A_PAGE]),
        sum(guest.state == "here" for guest in now.guests),
        len(now.guests),
        max(len(fitting) - PEOPLE_ON_A_PAGE, 0),
        search,
        tap,
    )


def fits(names: Sequence[str], search: str) -> bool:
    """True if each word of the search begins a word of one of these names, whatever its case and accents."""
    wanted = order(search)[0].split()
    return any(
        all(
            any(part.startswith(word) for part in order(name)[0].replace("-", " ").split()) for word in wanted
        )
        for name in names
    )


class HelpersOnly(HostOnly):
    """The guard of the door; nothing below `/host` knows the cookie of helpers."""

    home, login, cookie, lasts_s = DOOR, DOOR_LOGIN, HELPER, None

    @property
    def logins(self) -> Login:
        """The helpers."""
        return self.state.helpers

    def take(self, request: Request, session: HostSession) -> None:
        """Takes a form as anybody's."""


def routes(state: PageState, site: App) -> list[Route]:
    """The list, the slip of somebody's seat, and the login."""
    helpers = HelpersOnly(state)

    async def page(request: Request, session: HostSession) -> Response:
        search = plain_name(request.query_params.get("q", ""))[:NAME_MAX_CHARS]
        model = shown_door(state.evening_now(), search, state.guests.new_tap())
        return site.document(model, viewer(request, session))

    async def posted(_request: Request, _session: HostSession, form: dict[str, str]) -> Response:
        _take(state, form)
        return RedirectResponse(DOOR, 303)

    async def slip(request: Request, session: HostSession) -> Response:
        guest = state.guests.people.get(request.query_params.get("id", ""))
        if guest is None:
            return RedirectResponse(DOOR, 303)
        return site.document(shown_slip(state.evening_now(), guest), viewer(request, session))

    async def login_page(request: Request) -> Response:
        return helpers.elsewhere(request) or login_form(request)

    def login_form(request: Request, why: Reason | None = None) -> Response:
        model = DoorLogin(not state.helper_pin, why)
        return site.document(model, viewer(request), 403 if why else 200)

    async def login(request: Request) -> Response:
        if elsewhere := helpers.elsewhere(request):
            return elsewhere
        pin, now = (await fields(request)).get("pin", ""), state.backend.clock.now()
        try:
            session = helpers.logins.enter(pin, "", sender(request), now, state.time_of_day())
        except NotLetIn as error:
            return login_form(request, error.reason)
        return helpers.let_in(request, session, DOOR)

    return [
        Route(DOOR, helpers.read(page), methods=["GET"]),
        Route(DOOR, helpers.posted(posted), methods=["POST"]),
        Route(SLIP, helpers.read(slip), methods=["GET"]),
        Route(DOOR_LOGIN, login_page, methods=["GET"]),
        Route(DOOR_LOGIN, login, methods=["POST"]),
    ]


def _take(state: PageState, form: dict[str, str]) -> None:
    """Takes a tap."""
    book, now, id = state.guests, state.unix_s(), form.get("id", "")
    tap = f"{form.get('tap', '')} {id} {form.get('do', '')} {form.get('name', '')}"
    if book.has_taken(tap):
        return
    guest, name = book.people.get(id), plain_name(form.get("name", ""))[:NAME_MAX_CHARS]
    match form.get("do"):
        case "here" if guest:
            book.mark(id, "here", now)
            state.streams.push(CHIME)
        case "not_here" if guest:
            book.mark(id, "coming", now)
        case "pays" if guest:
            book.pay(id)
        case "walk_in" if name and book.arrive(name, now) is None:
            raise NotThere(TooManyAtTheDoor(), 429)
    book.note_tap(tap)
    state.changes.changed()
