"""Devices without hardware that do what they are told and remember what happened."""

from collections import deque
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_bunco.devices.bell import LONGEST_MS, shortened
from pi_bunco.devices.protocols import (
    Blast,
    Button,
    DeviceError,
    DiceState,
    DieState,
    Faces,
    LightState,
    Mark,
    Press,
    Put,
    Ring,
    Throw,
    ThrowVoid,
)
from pi_bunco.runtime.clock import Clock

HELD_MS = 1000
REMEMBERED = 1000


class Rang(Struct, frozen=True):
    """One ring as it happened: its id, when the relay switched (ms), and the blasts within the limit."""

    id: str
    t: float
    pattern: tuple[Blast, ...]


class VirtualDice:
    """Dice that fall as they are told; `marks` are the latest throws that the service called committed."""

    def __init__(self, put: Put, clock: Clock) -> None:
        self.marks: deque[Mark] = deque(maxlen=REMEMBERED)
        self._put = put
        self._clock = clock
        self._open = True

    def start(self) -> None:
        """Nothing to begin."""

    def roll(self, faces: Faces, tumble_ms: float = 0, mark: Mark | None = None) -> None:
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
        self.marks.append(Mark(boot, seq))

    def alive(self) -> bool:
        """True until closed."""
        return self._open

    def close(self) -> None:
        """Is not alive any more."""
        self._open = False


class VirtualPanel:
    """Buttons that are pressed by method calls."""

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

    def hold(self, button: Button, held_ms: int = HELD_MS) -> None:
        """A press that began `held_ms` ago and is long enough."""
        self._put(Press(button, self._clock.now() - held_ms, held_ms))

    def alive(self) -> bool:
        """True until closed."""
        return self._open

    def close(self) -> None:
        """Is not alive any more."""
        self._open = False


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


class VirtualBell:
    """A bell that remembers its rings, and notes each in the JSON Lines file `log`, if there is one.

    A line is `{"id":...,"t":...,"pattern":[[relay,on_ms,off_ms],...]}`, written at once, for others to count.
    """

    def __init__(self, clock: Clock, log: Path | None = None) -> None:
        self.rings: deque[Rang] = deque(maxlen=REMEMBERED)
        self.silenced: deque[float] = deque(maxlen=REMEMBERED)
        self._clock = clock
        self._log = log

    def ring(self, ring: Ring) -> float:
        """Rings, for `LONGEST_MS` at most; returns when the relay switches (ms)."""
        rang = Rang(ring.id, self._clock.now() + ring.wait_ms, shortened(ring.pattern, LONGEST_MS))
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
