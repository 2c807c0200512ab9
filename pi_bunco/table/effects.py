"""What the table controller wants done, and what comes back of it."""

from msgspec import Struct

from pi_bunco.devices.protocols import LightState, ThrowMark
from pi_bunco.runtime.loop import Warn
from pi_bunco.wire.client import Publish


class Show(Struct, frozen=True):
    """Lights and display show `state`."""

    state: LightState


class Release(Struct, frozen=True):
    """The throw or tap at `mark` is stored, or needs no storing: the dice, or the phone, may forget it."""

    mark: ThrowMark


class ReportUntil(Struct, frozen=True):
    """Have the dice report all that was thrown up to `at` (ms of the clock), and say so."""

    at: float


class Renew(Struct, frozen=True):
    """Make the link to the broker anew."""


Effect = Publish | Show | Release | ReportUntil | Renew | Warn
