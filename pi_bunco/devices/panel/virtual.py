"""`virtual`: buttons that are pressed by method calls."""

from pi_bunco.devices.kinds import PANEL_KINDS, DeviceKind, Hardware
from pi_bunco.devices.panel.buttons import parts
from pi_bunco.devices.pins import Part, virtual
from pi_bunco.devices.protocols import Button, DeviceError, Press, Put
from pi_bunco.runtime.clock import Clock

HOLD_MS = 1000


class VirtualPanel:
    """PanelDecoder that are pressed by method calls."""

    def __init__(self, put: Put, clock: Clock) -> None:
        self._put = put
        self._clock = clock
        self._open = True

    def start(self) -> None:
        """Nothing to begin."""

    def press(self, button: Button) -> None:
        """A short press now; `DeviceError` for UNDO, which is only reported when held."""
        if button == "undo":
            raise DeviceError("undo is held for a second: hold undo")
        self._put(Press(button, self._clock.now(), 0))

    def hold(self, button: Button, held_ms: int = HOLD_MS) -> None:
        """A press that began `held_ms` ago and is long enough."""
        self._put(Press(button, self._clock.now() - held_ms, held_ms))

    def alive(self) -> bool:
        """True until closed."""
        return self._open

    def close(self) -> None:
        """Is not alive any more."""
        self._open = False


def _parts(_argument: str, hardware: Hardware) -> tuple[Part, ...]:
    return virtual(parts(hardware.lines))


PANEL_KINDS.register(
    DeviceKind(
        "virtual", lambda _argument, setup: VirtualPanel(setup.put, setup.clock), typed=True, parts=_parts
    )
)
