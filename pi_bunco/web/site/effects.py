"""Messages to the page service, and effects of them."""

from typing import Any

from msgspec import Struct

from pi_bunco.reason import Reason
from pi_bunco.runtime.loop import Warn
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Publish

NODE = "web"


class WebOptions(Struct, frozen=True):
    """Identity of this page: the hall, its machine's boot and the program's version."""

    hall: str = "home"
    boot: str = "0"
    version: str = ""

    def up(self, leaf: str) -> str:
        """The topic on which the page says `leaf`."""
        return topics.up(self.hall, NODE, leaf)


class Ask(Struct, frozen=True):
    """A host's command is to go to the head."""

    command: messages.Command


class TimeOfDay(Struct, frozen=True):
    """The time of day is `unix` seconds."""

    unix: float


class CommandDone(Struct, frozen=True):
    """Outcome of a command: done, or refused for every reason in `why`; `leads_to` has commands."""

    id: str
    done: bool
    why: tuple[Reason, ...] = ()
    leads_to: tuple[messages.WayOn, ...] = ()


class Changed(Struct, frozen=True):
    """These topics of the pages are different now; without any, all."""

    topics: tuple[str, ...] = ()


class BellBegan(Struct, frozen=True):
    """A bell begins to ring: `start` or `end`."""

    signal: str


class Remember(Struct, frozen=True):
    """Remember `value` under `key` over a restart."""

    key: str
    value: Any


class LogChanged(Struct, frozen=True):
    """The log has grown, or is another."""


WebEffect = Publish | CommandDone | Changed | BellBegan | Remember | LogChanged | Warn
