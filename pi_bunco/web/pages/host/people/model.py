"""The host's page of the people."""

from msgspec import Struct

from pi_bunco.web.pages.host.model import HostFrame
from pi_bunco.web.site.guests import GuestState, HallGuest
from pi_bunco.web.site.page import PageModel


class GuestRow(Struct, frozen=True):
    """One line of the list: `next` is one tap away; `table` where they sit, 0 for nowhere."""

    guest: HallGuest
    next: GuestState
    since: str = ""
    table: int = 0


class HostPeople(PageModel, frozen=True):
    """`/host/people`: `asking` told a name at the door that is not on the list; `chosen` shows all of one."""

    template = "host/people/host_people.html"
    device = "host"
    scripts = ("drawer.js",)

    frame: HostFrame
    asking: tuple[GuestRow, ...]
    rows: tuple[GuestRow, ...]
    here: int
    chosen: GuestRow | None = None
    forgets: bool = False
