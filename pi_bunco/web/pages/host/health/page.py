"""Health of the hall's equipment, and the codes of the phone tables."""

from msgspec import Struct

from pi_bunco.web.pages.host.checks import BELL_TEST, HostNote, bad, good
from pi_bunco.web.pages.host.frame import HostPage, HostQuery, frame, host_page
from pi_bunco.web.pages.shared.standings import roll_at
from pi_bunco.web.site.evening_now import EveningNow, TablePresence
from pi_bunco.web.site.login import TableCode
from pi_bunco.web.site.notices import Action

PANEL_BUTTONS = ("one", "two", "mini", "bunco", "miss", "undo", "ok", "help")
"""The buttons of a panel, in the order in which they are asked for."""
CHECK_S, NOW_S = 300.0, 2.5
"""Seconds for which a press counts as of this check, and as of just now."""


class KeyCheck(Struct, frozen=True):
    """The panel of `table` key by key: `done` are the keys that arrived, `now` those that came just now.

    `next` is the one to press, empty when all have arrived; `playing` while a press would count.
    """

    table: int
    done: frozenset[str] = frozenset()
    now: frozenset[str] = frozenset()
    next: str = ""
    online: bool = True
    playing: bool = False

    def state(self, key: str) -> str:
        """The look of a key on the drawn panel: `now`, `done`, `next`, or nothing."""
        if key in self.now or key in self.done:
            return "now" if key in self.now else "done"
        return "next" if key == self.next and not self.playing else ""


class HostHealth(HostPage, frozen=True):
    """`/host/health`: what is to mend, and what is well; `panels` are the tables with a panel.

    `phones_alone`: every table is a phone, and none has a panel to try.
    """

    template = "host/health/host_health.html"
    scripts = ("drawer.js",)

    bad: tuple[HostNote, ...]
    good: tuple[HostNote, ...]
    sheet: Action | None = None
    panels: tuple[int, ...] = ()
    phones_alone: bool = False
    keys: KeyCheck | None = None


class PhoneCodes(HostPage, frozen=True):
    """`/host/codes`: for each phone table its number and code, with a QR code that leads to it."""

    template = "host/health/phone_codes.html"

    codes: tuple[tuple[int, TableCode], ...]


def shown_health(now: EveningNow, query: HostQuery) -> HostHealth:
    """`/host/health`."""
    wrong = bad(now)
    questions = [BELL_TEST, *(action for reason in wrong for action in reason.actions if action.ask)]
    return HostHealth(
        frame=frame(now, "health", query),
        bad=tuple(wrong),
        good=tuple(good(now)),
        sheet=next((one for one in questions if one.question == query.ask), None),
        panels=tuple(panels(now)),
        phones_alone=bool(now.codes) and not panels(now),
        keys=keys(now, query.table) if query.table in panels(now) else None,
    )


def shown_codes(now: EveningNow, query: HostQuery) -> PhoneCodes:
    """`/host/codes`: the phone tables' codes."""
    return PhoneCodes(frame(now, "health", query), tuple(sorted(now.codes.items())))


def panels(now: EveningNow) -> list[int]:
    """The tables with equipment of their own, as far as anything was received from them."""
    return sorted(number for number, presence in now.tables.items() if not presence.phone)


def keys(now: EveningNow, table: int) -> KeyCheck:
    """The buttons of the table's panel that have arrived in this check, and the one to be pressed."""
    presence = now.tables.get(table, TablePresence())
    done = {key for key in PANEL_BUTTONS if presence.presses.get(key, CHECK_S) < CHECK_S}
    return KeyCheck(
        table=table,
        done=frozenset(done),
        now=frozenset(key for key in done if presence.presses[key] < NOW_S),
        next=next((key for key in PANEL_BUTTONS if key not in done), ""),
        online=presence.online,
        playing=now.evening.round is not None or roll_at(now, table) is not None,
    )


HEALTH_PAGE = host_page("/host/health", shown_health)
CODES_PAGE = host_page("/host/codes", shown_codes)
