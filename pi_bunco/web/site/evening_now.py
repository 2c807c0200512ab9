"""All that a page can show: the evening, its log, and the presence of the devices."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from msgspec import Struct, field

from pi_bunco.enrol.desk import AtTheDesk
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Fact
from pi_bunco.game.table import Table
from pi_bunco.reason import Reason
from pi_bunco.web.site.folded_log import Recent
from pi_bunco.web.site.guests import HallGuest
from pi_bunco.web.site.login import TableCode
from pi_bunco.web.site.own_files import OwnFile
from pi_bunco.web.site.screens import Screen
from pi_bunco.web.site.sounds import Sounds
from pi_bunco.web.site.themes import Theme

Key = ParamSpec("Key")
Part = TypeVar("Part")


PHONE_GONE_AFTER_S = 10.0
"""Seconds without a sign of a phone after which it is gone; one with its page open gives one each second."""


class TablePresence(Struct, frozen=True):
    """The presence of a table as it tells it: `silent_s` since its last beat (None: never), `faults`.

    `presses` is how many seconds ago a press of each button was last received. `doubled` while two devices
    claim its number, `help` while it calls the host, `phone` for a phone table; `phone_s` is how many seconds
    ago its phone was last there (None: never).
    """

    online: bool = False
    silent_s: float | None = None
    faults: tuple[Reason, ...] = ()
    dice: tuple[str, ...] = ()
    outbox: int = 0
    phone: bool = False
    phone_s: float | None = None
    help: bool = False
    doubled: bool = False
    presses: Mapping[str, float] = {}

    @property
    def phone_gone(self) -> bool:
        """Nobody has the page of this phone table open, as far as is known."""
        return self.phone and (self.phone_s is None or self.phone_s > PHONE_GONE_AFTER_S)


class HeadPresence(Struct, frozen=True):
    """The presence of the head as it tells it; `silent` where it was not there for some seconds."""

    online: bool = True
    silent: bool = False
    faults: tuple[Reason, ...] = ()


class EveningNow(Struct, frozen=True):
    """All that a page can show. `log[n - 1]` is the fact at place n, all of them applied to `evening`; it
    may be long and on disk, `recent` is what of it pages need at once.

    `t` is the evening clock (ms), `began` the Unix time (s) at which it was 0, `zone` the offset of the
    local time from UTC (s). `title` is what the hall calls its evenings, `base` the address for phones.
    `ignored` has the places of facts that changed nothing, with why; `revealed` is how many steps of the
    finale the host has had told, None where all of it is shown.
    """

    evening: Evening
    log: Sequence[Fact]
    recent: Recent
    t: int
    began: float
    zone: int = 0
    title: str = ""
    base: str = ""
    tables: Mapping[int, TablePresence] = {}
    head: HeadPresence = HeadPresence()
    hosts: tuple[str, ...] = ()
    late: tuple[tuple[str, str], ...] = ()
    guests: tuple[HallGuest, ...] = ()
    """The people of the hall as they say, or the host says, that they are."""
    absent: tuple[HallGuest, ...] = ()
    """The people of the hall who are not expected."""
    portraits: frozenset[str] = frozenset()
    """The ids of the guests who took a picture of themselves."""
    old_logs: tuple[int, ...] = ()
    """The tables that may still have a log from which somebody's name was deleted."""
    helper_pin: str = ""
    """The PIN that lets helpers in at the door; only the host's pages show it."""
    pis: AtTheDesk = AtTheDesk()
    """The Pis that ask to be a table."""
    codes: Mapping[int, TableCode] = {}
    ignored: Mapping[int, Reason] = {}
    revealed: int | None = None
    skipped: bool = False
    """The host has the scoreboards tell the seats alone until the next round."""
    screens: tuple[Screen, ...] = ()
    sounds: Sounds = Sounds()
    theme: str = ""
    themes: tuple[Theme, ...] = ()
    """The themes that a host can choose, and which one is chosen; "" for none."""
    own_files: Mapping[str, tuple[OwnFile, ...]] = {}
    crowd: Reason | None = None
    """Told while nearly as many pages are open as there can be."""
    stamp: object = field(default_factory=object)
    """Another for each evening now."""
    round_stamp: object = field(default_factory=object)
    """Another whenever more than what single tables show may be different."""
    made: dict[Hashable, tuple[object, Any]] = field(default_factory=dict)
    """The parts of pages that were made of it and of those before, and of which, see `shared`."""


def shared(
    make: Callable[Concatenate[EveningNow, Key], Part],
) -> Callable[Concatenate[EveningNow, Key], Part]:
    """Has `make` run once of each evening now, however many pages show what it makes.

    What is as it was before is the same object: a hall's pages do not each hold standings of their own.
    """
    return _kept(make, lambda now: now.stamp)


def shared_by_round(
    make: Callable[Concatenate[EveningNow, Key], Part],
) -> Callable[Concatenate[EveningNow, Key], Part]:
    """As `shared`, for what no roll of a running round, no clock and no table's presence changes."""
    return _kept(make, lambda now: now.round_stamp)


def _kept(
    make: Callable[Concatenate[EveningNow, Key], Part], stamp_of: Callable[[EveningNow], object]
) -> Callable[Concatenate[EveningNow, Key], Part]:
    @wraps(make)
    def made(now: EveningNow, /, *args: Key.args, **kwargs: Key.kwargs) -> Part:
        key, newest_stamp = (make, *args), stamp_of(now)
        stamp, part = now.made.get(key, (None, None))
        if stamp != newest_stamp:
            newest = make(now, *args, **kwargs)
            part = part if part == newest else newest
            now.made[key] = newest_stamp, part
        known: Part = part
        return known

    return made


class PhonePlay(Struct, frozen=True):
    """A phone table's part of it: its table as the table service predicts it.

    `table` is that service's own state (ahead of the head's by what is on its way), `unsent` how many of its
    facts the head does not have, `why` the head refused what was asked here a moment ago. `round` goes
    with every tap, `state` names this state of its table.
    """

    table: Table | None
    dice: tuple[int, ...] = ()
    unsent: int = 0
    online: bool = True
    why: tuple[Reason, ...] = ()
    mode: str = "points"
    allowed: bool = True
    code_wrong: bool = False
    round: str = ""
    state: str = ""
