"""`virtual`: dice that fall as they are told."""

from collections import deque

from pi_bunco.devices.dice.header_dice import parts
from pi_bunco.devices.dice.throw_rule import DICE
from pi_bunco.devices.kinds import DICE_KINDS, DeviceKind, Hardware
from pi_bunco.devices.pins import Part, virtual
from pi_bunco.devices.protocols import (
    AllReported,
    DiceState,
    DieState,
    Faces,
    Put,
    Throw,
    ThrowMark,
    ThrowVoid,
)
from pi_bunco.runtime.clock import Clock

REMEMBERED = 1000


class VirtualDice:
    """Dice that fall as they are told; `marks` are the latest throws that the service called committed."""

    def __init__(self, put: Put, clock: Clock) -> None:
        self.marks: deque[ThrowMark] = deque(maxlen=REMEMBERED)
        self._put = put
        self._clock = clock
        self._open = True

    def start(self) -> None:
        """Nothing to begin."""

    def roll(self, faces: Faces, tumble_ms: float = 0, mark: ThrowMark | None = None) -> None:
        """Three dice settle now, after tumbling for `tumble_ms`."""
        now = self._clock.now()
        self._put(Throw(faces, now - tumble_ms, now, mark))

    def void(self, why: str) -> None:
        """A throw goes wrong."""
        self._put(ThrowVoid(why, self._clock.now()))

    def turn(self, die: int, state: DieState) -> None:
        """A die gets another state."""
        self._put(DiceState(die, state))

    def committed(self, boot: str, seq: int) -> None:
        """Remembers the mark."""
        self.marks.append(ThrowMark(boot, seq))

    def report_until(self, at: float) -> None:
        """Nothing is under way."""
        self._put(AllReported(at))

    def alive(self) -> bool:
        """True until closed."""
        return self._open

    def close(self) -> None:
        """Is not alive any more."""
        self._open = False


def _parts(_argument: str, hardware: Hardware) -> tuple[Part, ...]:
    return virtual(parts(hardware.lines, hardware.encoding)[: len(DICE)])


DICE_KINDS.register(
    DeviceKind(
        "virtual", lambda _argument, setup: VirtualDice(setup.put, setup.clock), typed=True, parts=_parts
    )
)
