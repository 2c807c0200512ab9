"""`virtual` or `virtual:FILE`: a bell that remembers its rings, or notes them in a JSON Lines file."""

from collections import deque
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_bunco.devices.bell.limits import LONGEST_MS, shortened
from pi_bunco.devices.bell.relays import parts
from pi_bunco.devices.kinds import BELL_KINDS, DeviceKind, Hardware
from pi_bunco.devices.pins import Part, virtual
from pi_bunco.devices.protocols import Blast, Blasts
from pi_bunco.runtime.clock import Clock

REMEMBERED = 1000


class RungBlast(Struct, frozen=True):
    """One ring as it happened: its id, when the relay switched (ms), and the blasts within the limit."""

    id: str
    t: float
    pattern: tuple[Blast, ...]


class VirtualBell:
    """A bell that remembers its rings, and notes each in the JSON Lines file `log`, if there is one.

    A line is `{"id":...,"t":...,"pattern":[[relay,on_ms,off_ms],...]}`, written at once, for others to count.
    """

    def __init__(self, clock: Clock, log: Path | None = None) -> None:
        self.rings: deque[RungBlast] = deque(maxlen=REMEMBERED)
        self.silenced: deque[float] = deque(maxlen=REMEMBERED)
        self._clock = clock
        self._log = log

    def ring(self, ring: Blasts) -> float:
        """Rings, for `LONGEST_MS` at most; returns when the relay switches (ms)."""
        rang = RungBlast(ring.id, self._clock.now() + ring.wait_ms, shortened(ring.pattern, LONGEST_MS))
        self.rings.append(rang)
        if self._log is not None:
            with self._log.open("ab") as file:
                file.write(msgspec.json.encode(rang) + b"\n")
        return rang.t

    def off(self) -> None:
        """Remembers when it was silenced (ms)."""
        self.silenced.append(self._clock.now())

    def close(self) -> None:
        """Silences it."""
        self.off()


def _parts(_argument: str, hardware: Hardware) -> tuple[Part, ...]:
    return virtual(parts(hardware.lines))


BELL_KINDS.register(
    DeviceKind(
        "virtual",
        lambda argument, setup: VirtualBell(setup.clock, Path(argument) if argument else None),
        argument="FILE",
        optional=True,
        typed=True,
        parts=_parts,
    )
)
