"""The options of a table controller, and the effects that it asks for."""

from msgspec import Struct

from pi_bunco.devices.protocols import ThrowMark
from pi_bunco.runtime.loop import Warn
from pi_bunco.table.lights import ShowLights as ShowLights
from pi_bunco.wire import topics
from pi_bunco.wire.client import Publish


class TableOptions(Struct, frozen=True):
    """The table; `boot` is the machine's, `broker` its configured address.

    `dice` is false where there are no dice that can be read.
    """

    hall: str = "home"
    number: int = 1
    boot: str = "0"
    version: str = ""
    dice: bool = True
    broker: str = ""

    def up(self, leaf: str) -> str:
        """The topic on which this table says `leaf`."""
        return topics.up(self.hall, topics.table_node(self.number), leaf)


class ForgetThrow(Struct, frozen=True):
    """The throw or tap at `mark` is stored, or needs no storing: the dice, or the phone, may forget it."""

    mark: ThrowMark


class ReportUntil(Struct, frozen=True):
    """Have the dice report all that was thrown up to `at` (ms of the clock), and say so."""

    at: float


class RebuildLink(Struct, frozen=True):
    """Make the link to the broker anew."""


TableEffect = Publish | ShowLights | ForgetThrow | ReportUntil | RebuildLink | Warn
