"""The host's pages. An action is a form that posts a command, or a link."""

from typing import Literal

from msgspec import Struct

from pi_bunco.web.models.board import Finale
from pi_bunco.web.models.parts import Heading, RankRow, TableShown, ThrowShown


class Action(Struct, frozen=True):
    """A key: posts `command` with `args` (JSON text), or leads to `href`. `look` is a class of the key.

    `label` names a text of `host_words`; `name` fills it in. `ask` shows the sheet first.
    """

    label: str
    command: str = ""
    args: str = "{}"
    href: str = ""
    look: Literal["", "brass", "felt", "ivory", "bad"] = ""
    name: str = ""
    icon: str = ""
    ask: bool = False

    @property
    def question(self) -> str:
        """What the address of the sheet calls it."""
        return f"{self.command}.{self.name}" if self.name else self.command


class HostNote(Struct, frozen=True):
    """Why it does not go on, or what is wrong: `kind` names a text of `wording.REASONS`, or `text` is one."""

    kind: str
    table: int = 0
    name: str = ""
    points: tuple[int, int] = (0, 0)
    text: str = ""
    level: Literal["", "bad", "good"] = ""
    actions: tuple[Action, ...] = ()


class BigKey(Struct, frozen=True):
    """The one large key: `kind` names a text of `wording.BIG`; without `action` it waits, saying for what.

    `soon`: for nothing but a moment.
    """

    kind: str
    round: int = 0
    waits: int = 0
    action: Action | None = None
    soon: bool = False


class Notice(Struct, frozen=True):
    """The answer to the command before: done, or refused for every reason in `why`.

    `ways` lead on from a refusal, or take back what was done.
    """

    done: bool
    command: str = ""
    why: tuple[str, ...] = ()
    ways: tuple[Action, ...] = ()


class LogRow(Struct, frozen=True):
    """One fact in the log: place, time of the day, the kind, and what fills its sentence in."""

    n: int
    at: str
    kind: str
    table: int = 0
    name: str = ""
    detail: str = ""
    by: str = ""
    ignored: str = ""


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
    code: str = ""
    phone: bool = False


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


class HostTonight(Struct, frozen=True):
    """`/host`: the evening tonight. `sheet` asks before a dangerous command, `drawer` is one table.

    `stage` is a tournament's where no round comes next.
    """

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
    panel: Literal["", "people", "break", "horn", "tally"] = ""
    sheet: Action | None = None
    page: int = 1
    pages: int = 1
    stage: str = ""


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


class HostHealth(Struct, frozen=True):
    """`/host/health`: what is to mend, and what is well; `panels` are the tables with a panel."""

    frame: HostFrame
    bad: tuple[HostNote, ...]
    good: tuple[HostNote, ...]
    tables: int = 0
    sheet: Action | None = None
    panels: tuple[int, ...] = ()
    keys: KeyCheck | None = None


class Chart(Struct, frozen=True):
    """A line for each name: its values round by round; the first few are drawn strong."""

    names: tuple[str, ...]
    lines: tuple[tuple[int, ...], ...]
    marks: str


class DiceCount(Struct, frozen=True):
    """Faces that fell, from 1 to 6, at `table` (0: all), and p of the chi-square test."""

    table: int
    faces: tuple[int, ...]
    p: float


class HostResults(Struct, frozen=True):
    """`/host/results`: standings, prizes and ties of this evening or, with `evening`, of a past one.

    `steps` are what the scoreboard tells one after the other: kinds of prizes, `champion` last; `revealed`
    how many it has, None where it does not wait for the host.
    """

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


class HostEvenings(Struct, frozen=True):
    """`/host/evenings`: the past ones, latest first."""

    frame: HostFrame
    evenings: tuple[PastEvening, ...]


class HostLog(Struct, frozen=True):
    """`/host/log`: the facts, latest first, `page` of `pages`."""

    frame: HostFrame
    lines: tuple[LogRow, ...]
    page: int
    pages: int
    evening: str = ""


class LoginPage(Struct, frozen=True):
    """`/host/login`: `wrong` after a wrong PIN, `why` in a sentence; `next` where to go then."""

    title: str
    wrong: bool = False
    wait_s: int = 0
    next: str = "/host"
    why: str = ""


class PhoneCodes(Struct, frozen=True):
    """`/host/codes`: for each phone table its number and code, with a QR code that leads to it."""

    frame: HostFrame
    codes: tuple[tuple[int, str], ...]
