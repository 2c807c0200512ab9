"""The host's page of the evening tonight."""

from typing import Literal

from msgspec import Struct

from pi_bunco.reason import Reason
from pi_bunco.web.pages.host.checks import HostNote
from pi_bunco.web.pages.host.frame import HostPage
from pi_bunco.web.pages.host.log.page import LogRow
from pi_bunco.web.pages.shared.model import TableShown, ThrowShown
from pi_bunco.web.site.login import TableCode
from pi_bunco.web.site.notices import Action


class BigKey(Struct, frozen=True):
    """The one large key: `kind` names a text of `wording.BIG`; without `action` it waits, saying for what.

    `soon`: for nothing but a moment.
    """

    kind: str
    round: int = 0
    waits: int = 0
    action: Action | None = None
    soon: bool = False


class Person(Struct, frozen=True):
    """Somebody who can leave or be substituted; `table` 0 for a guest without a chair."""

    name: str
    table: int


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
    faults: tuple[Reason, ...] = ()


class PaceForm(Struct, frozen=True):
    """The clock as it is set, in seconds; `over` is the time of day at which the evening ends by it, about.

    `ends` are quarters of an hour to end at, as Unix time (s) and time of day; `end_by` is the host's.
    An evening that is later ends in time after `rounds`, or whole `sets`; by `move_s` if that `helps`.
    """

    play_s: int | None
    move_s: int
    wait_s: int | None
    ends: tuple[tuple[int, str], ...]
    over: str = ""
    end_by: int = 0
    helps: bool = False
    rounds: int | None = None
    sets: int = 0


class HostTonight(HostPage, frozen=True):
    """`/host`: the evening tonight. `sheet` asks before a dangerous command, `drawer` is one table.

    `rather` is the key of the sheet for the other thing that a host may mean.

    `stage` is a tournament's where no round comes next. `steers` are the keys of the clock that starts and
    ends rounds, `pace` what a host can ask of it.
    """

    template = "host/tonight/host_tonight.html"
    scripts = ("drawer.js",)

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
    shows: bool | None = None
    """Whether the scoreboards tell more than the seats between rounds; None while no seats are told."""
