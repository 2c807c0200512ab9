"""`virtual`: lights that remember what they showed."""

from collections import deque

from pi_bunco.devices.kinds import LIGHTS_KINDS, DeviceKind, Hardware
from pi_bunco.devices.lights.shift_registers import parts
from pi_bunco.devices.pins import Part, virtual
from pi_bunco.devices.protocols import LightState

REMEMBERED = 1000


class VirtualLights:
    """Lights that remember what they showed, each state once, the latest last."""

    def __init__(self) -> None:
        self.shown: deque[LightState] = deque(maxlen=REMEMBERED)

    @property
    def state(self) -> LightState | None:
        """What they show now; None for darkness."""
        return self.shown[-1] if self.shown else None

    def show(self, state: LightState) -> None:
        """Shows `state`."""
        if state != self.state:
            self.shown.append(state)

    def close(self) -> None:
        """Nothing to turn off."""


def _parts(_argument: str, hardware: Hardware) -> tuple[Part, ...]:
    return virtual(parts(hardware.lines))


LIGHTS_KINDS.register(
    DeviceKind(
        "virtual",
        lambda _argument, _setup: VirtualLights(),
        typed=True,
        parts=_parts,
    )
)
