"""The words between the page and the phones' process: one JSON object a line, tagged by `type`."""

from typing import Literal, get_args

import msgspec
from msgspec import Struct

from pi_bunco.devices.protocols import Button
from pi_bunco.reason import Coded
from pi_bunco.wire.messages import View

TapName = Literal[Button, "wipe", "dice", "faceoff"]
TAP_NAMES: frozenset[str] = frozenset((*get_args(Button), "wipe", "dice", "faceoff"))


class PageGreeting(Struct, frozen=True, tag="greeting"):
    """The first line of a page, with the key where others of this machine could reach the place."""

    key: str = ""


class Tap(Struct, frozen=True, tag="tap"):
    """A tap on a phone of `table`: its name for it (`boot`, `seq`), the key, and faces where it was dice.

    `round` is that of the page that was tapped, as `PhoneState` has it; "" where nobody said. `id` names it
    in the answer, to the connection `page` by which it came. It counts for when it was made: the `phone` (the
    page's name for it) has kept it for `age` (ms), and the page knows of no sign of it since.
    """

    table: int
    boot: str
    seq: int
    what: TapName
    dice: tuple[int, ...] = ()
    round: str = ""
    id: int = 0
    page: int = 0
    age: int = 0
    phone: str = ""


class PhonesSeen(Struct, frozen=True, tag="seen"):
    """A phone of each of these tables gave a sign of life just now."""

    tables: tuple[int, ...]


class TapAnswer(Struct, frozen=True, tag="answer"):
    """The tap `id` is on disk; with `why`, in English and with code and fields, it was refused for good."""

    id: int
    english: str = ""
    why: Coded | None = None
    page: int = 0


class PhoneState(Struct, frozen=True, tag="state"):
    """A phone table as it shows itself: the view with the `table` that is predicted here, the last dice.

    `unsent` facts are not on the head's disk; `online` while the head is there.
    """

    table: int
    view: View | None = None
    unsent: int = 0
    dice: tuple[int, ...] = ()
    online: bool = False

    @property
    def round(self) -> str:
        """The name of evening and round, by which a tap that a phone kept is none of the next round."""
        return round_name(self.view)


class AllTold(Struct, frozen=True, tag="all"):
    """The states of all phone tables that play have been told."""


def round_name(view: View | None) -> str:
    """The evening and round of a view, "" without one."""
    return f"{view.evening}.{view.epoch}" if view else ""


encoder = msgspec.json.Encoder()
from_page = msgspec.json.Decoder(PageGreeting | Tap | PhonesSeen)
from_phones = msgspec.json.Decoder(TapAnswer | PhoneState | AllTold)


def line(message: Struct) -> bytes:
    """One of these messages as it goes over the socket."""
    return encoder.encode(message) + b"\n"
