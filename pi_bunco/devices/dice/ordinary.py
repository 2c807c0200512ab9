"""`none`: ordinary dice from a shop, which nobody reads; every roll is entered at the panel."""

from pi_bunco.devices.kinds import DICE_KINDS, DeviceKind
from pi_bunco.devices.protocols import AllReported, Put
from pi_bunco.runtime.clock import Clock


class Unread:
    """A device that no thread reads: it is alive until closed."""

    def __init__(self, put: Put, clock: Clock) -> None:
        self._put = put
        self._clock = clock
        self._open = True

    def start(self) -> None:
        """Nothing to begin."""

    def alive(self) -> bool:
        """True until closed."""
        return self._open

    def close(self) -> None:
        """Is not alive any more."""
        self._open = False


class NoDice(Unread):
    """Dice that report nothing and have no faults."""

    def committed(self, boot: str, seq: int) -> None:
        """Nothing to forget."""

    def report_until(self, at: float) -> None:
        """Nothing is under way."""
        self._put(AllReported(at))


DICE_KINDS.register(DeviceKind("none", lambda _argument, setup: NoDice(setup.put, setup.clock)))
