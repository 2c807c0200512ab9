"""Effects of the referee, and reports of what became of them."""

from typing import Any

from msgspec import Struct

from pi_bunco.devices.bell.limits import RingRequest
from pi_bunco.log.entry import Entry
from pi_bunco.log.records import Answered, StrayFact
from pi_bunco.log.rewriting import WrittenAnew
from pi_bunco.reason import Reason
from pi_bunco.runtime.loop import Warn
from pi_bunco.wire.client import Publish


class Ring(RingRequest, frozen=True):
    """Sound the signal `id`, which is never sounded twice.

    `sounded` if it has been already, at `at` (ms of the clock) where that is known: then it is only noted.
    """

    sounded: bool = False
    at: float | None = None


class Append(Struct, frozen=True):
    """Journal these entries, and with them the answer to the command that made them."""

    entries: tuple[Entry, ...]
    answer: Answered | None = None


class TakeOver(Struct, frozen=True):
    """Journal entries that replicas kept, and with them all that is entered behind; what differs from them is
    kept beside the log.
    """

    entries: tuple[Entry, ...]
    answer: Answered | None = None


class Rewrite(Struct, frozen=True):
    """Journal all of these entries once more, for a file that was lost: what is there stays."""

    entries: tuple[Entry, ...]


class WriteAnew(Struct, frozen=True):
    """Write all evenings of the journal that name somebody anew, and keep the answer to who asked for it."""

    record: WrittenAnew
    answer: Answered | None = None


class SetAside(Struct, frozen=True):
    """Keep a table's fact that belongs to another evening."""

    aside: StrayFact


class Keep(Struct, frozen=True):
    """Keep a small value in the journal's file."""

    key: str
    value: Any


HeadEffect = Publish | Ring | Append | TakeOver | Rewrite | WriteAnew | SetAside | Keep | Warn


class Rang(Struct, frozen=True):
    """The relay for signal `id` switched at `at` (ms of the clock), now or before a restart."""

    id: str
    at: float


class Silent(Struct, frozen=True):
    """The signal `id` was not sounded, because of `why`."""

    id: str
    why: Reason


class BellButtonPress(Struct, frozen=True):
    """The host's bell button was pressed, or held for two seconds."""

    long: bool
