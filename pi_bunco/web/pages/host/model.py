"""The host's pages. An action is a form that posts a command, or a link."""

from typing import Literal

from msgspec import Struct

from pi_bunco.reason import Reason
from pi_bunco.web.pages.shared.model import Chart, DiceCount, Finale, Heading, RankRow, TableShown, ThrowShown
from pi_bunco.web.site.login import TableCode
from pi_bunco.web.site.notices import Action, Notice
from pi_bunco.web.site.page import PageModel
from pi_bunco.web.site.screens import Screen
from pi_bunco.web.site.viewer import Viewer

ICONS = {
    "doubled": "hand",
    "finishing": "bell",
    "head_away": "net",
    "help": "hand",
    "left_out": "pen",
    "needs_word": "pen",
    "not_ok": "pen",
    "not_there": "net",
    "roll_each": "d3",
    "rolloff": "d3",
    "silent": "net",
}


class HostNote(Struct, frozen=True):
    """Why it does not go on, or what is wrong: `kind` names a text of `HostWords`, or `why` is one."""

    kind: str
    table: int = 0
    name: str = ""
    points: tuple[int, int] = (0, 0)
    why: Reason | None = None
    level: Literal["", "bad", "good"] = ""
    actions: tuple[Action, ...] = ()

    @property
    def icon(self) -> str:
        """The picture in front of it."""
        return ICONS.get(self.kind, "check" if self.level == "good" else "warn")


class BigKey(Struct, frozen=True):
    """The one large key: `kind` names a text of `wording.BIG`; without `action` it waits, saying for what.

    `soon`: for nothing but a moment.
    """

    kind: str
    round: int = 0
    waits: int = 0
    action: Action | None = None
    soon: bool = False


class LogRow(Struct, frozen=True):
    """One fact in the log: place, time of the day, the kind, and what fills its sentence in."""

    n: int
    at: str
    kind: str
    table: int = 0
    name: str = ""
    detail: str = ""
    by: str = ""
    ignored: Reason | None = None


class Person(Struct, frozen=True):
    """Somebody who can leave or be substituted; `table` 0 for a guest without a chair."""

    name: str
    table: int
    ghost: bool = False


class HostTable(Struct, frozen=True):
    """The drawer of one table: `undo` names the roll and its place `undo_n`; `done` means that OK is next."""

    table: TableShown
    undo: ThrowShown | None = None
    undo_n: int = 0
    hand: bool = False
    bypassed: bool = False
    done: bool = False
    final: bool = False
    code: TableCode | None = None
    phone: bool = False
    faults: tuple[Reason, ...] = ()


class HostFrame(Struct, frozen=True):
    """What stands around every host page: hosts, how many things to mend, the last command's answer.

    `round` names evening and round, so that a key that was made for one is not pressed in another.
    """

    heading: Heading
    tab: Literal["prepare", "tonight", "health", "results", "evenings"]
    faults: int = 0
    hosts: tuple[str, ...] = ()
    notice: Notice | None = None
    silent_s: int = 0
    round: str = ""


class PaceForm(Struct, frozen=True):
    """The clock as it is set, in seconds; `over` is the time of day at which the evening ends by it, about.

    `ends` are quarters of an hour to end at, as Unix time (s) and time of day.
    """

    play_s: int | None
    move_s: int
    wait_s: int | None
    ends: tuple[tuple[int, str], ...]
    over: str = ""


class HostTonight(PageModel, frozen=True):
    """`/host`: the evening tonight. `sheet` asks before a dangerous command, `drawer` is one table.

    `rather` is the key of the sheet for the other thing that a host may mean.

    `stage` is a tournament's where no round comes next. `steers` are the keys of the clock that starts and
    ends rounds, `pace` what a host can ask of it.
    """

    template = "host/tonight/host_tonight.html"
    device = "host"
    scripts = ("drawer.js",)

    frame: HostFrame
    state: str
    minutes: int
    big: BigKey
    reasons: tuple[HostNote, ...]
    tables: tuple[TableShown, ...]
    lately: tuple[LogRow, ...]
    people: tuple[Person, ...]
    tools: tuple[Action, ...]
    drawer: HostTable | None = None
    panel: Literal["", "people", "break", "horn", "tally", "tools", "pace"] = ""
    sheet: Action | None = None
    rather: Action | None = None
    page: int = 1
    pages: int = 1
    stage: str = ""
    steers: tuple[Action, ...] = ()
    pace: PaceForm | None = None


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


class HostHealth(PageModel, frozen=True):
    """`/host/health`: what is to mend, and what is well; `panels` are the tables with a panel.

    `phones_alone`: every table is a phone, and none has a panel to try.
    """

    template = "host/health/host_health.html"
    device = "host"
    scripts = ("drawer.js",)

    frame: HostFrame
    bad: tuple[HostNote, ...]
    good: tuple[HostNote, ...]
    tables: int = 0
    sheet: Action | None = None
    panels: tuple[int, ...] = ()
    phones_alone: bool = False
    keys: KeyCheck | None = None


class HostResults(PageModel, frozen=True):
    """`/host/results`: standings, prizes and ties of this evening or, with `evening`, of a past one.

    `steps` are what the scoreboard tells one after the other: kinds of prizes, `champion` last; `revealed`
    how many it has, None where it does not wait for the host.
    """

    template = "host/results/host_results.html"
    device = "host"

    frame: HostFrame
    state: str
    finale: Finale
    rows: tuple[RankRow, ...]
    marks: tuple[str, ...]
    race: Chart
    results: tuple[int, ...]
    dice: tuple[DiceCount, ...]
    date: str = ""
    evening: str = ""
    closed: bool = False
    steps: tuple[str, ...] = ()
    revealed: int | None = None


class PastEvening(Struct, frozen=True):
    """One evening of the archive."""

    id: str
    date: str
    title: str
    players: int
    rounds: int
    rules: str
    champions: tuple[str, ...]
    current: bool = False


class HostEvenings(PageModel, frozen=True):
    """`/host/evenings`: the past ones, latest first."""

    template = "host/evenings/host_evenings.html"
    device = "host"

    frame: HostFrame
    evenings: tuple[PastEvening, ...]


class HostLog(PageModel, frozen=True):
    """`/host/log`: the facts, latest first, `page` of `pages`."""

    template = "host/log/host_log.html"
    device = "host"

    frame: HostFrame
    lines: tuple[LogRow, ...]
    page: int
    pages: int
    evening: str = ""


class LoginPage(PageModel, frozen=True):
    """`/host/login`: `why` the last try did not let in; `next` where to go then."""

    template = "host/login_page.html"
    live = False

    title: str
    next: str = "/host"
    why: Reason | None = None


class RedPage(PageModel, frozen=True):
    """The word before a browser's warning; the host's page is at `address`."""

    template = "host/red_page.html"
    live = False

    title: str
    address: str


class PhoneCodes(PageModel, frozen=True):
    """`/host/codes`: for each phone table its number and code, with a QR code that leads to it."""

    template = "host/health/phone_codes.html"
    device = "host"

    frame: HostFrame
    codes: tuple[tuple[int, TableCode], ...]


class HostScreens(PageModel, frozen=True):
    """`/host/screens`: the screens, and for each choice of what a TV shows its text."""

    template = "host/health/host_screens.html"
    device = "host"

    frame: HostFrame
    screens: tuple[Screen, ...]
    choices: tuple[str, ...]


class HostQuery(Struct, frozen=True):
    """The query of a host page: `?table=2&panel=people&ask=round_cancel&page=2`."""

    table: int = 0
    panel: str = ""
    ask: str = ""
    page: int = 1


def query(viewer: Viewer) -> HostQuery:
    """The query of the page that the viewer looks at."""
    return HostQuery(
        table=viewer.number("table"),
        panel=viewer.first("panel"),
        ask=viewer.first("ask"),
        page=max(viewer.number("page", 1), 1),
    )
