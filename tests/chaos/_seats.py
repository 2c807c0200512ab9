"""The people of a table and their dice box at a pseudo terminal, which keeps what is not acknowledged."""

import select
import threading
from contextlib import closing
from pathlib import Path
from random import Random

from msgspec import Struct

from devices.box_end import KEPT
from devices.simulated_box import Port, SimulatedBox
from pi_bunco.devices.protocols import DICE, LightState, ThreeFaces, Throw
from pi_bunco.play.players import Habits, Players
from pi_bunco.runtime.clock import Clock

Mark = tuple[str, int]
LOOK = 0.004  # s
HABITS = Habits(think=120, tumble=60, ok=60_000)
OF_A_THROW = 6  # messages


class Thrown(Struct, frozen=True):
    """A throw in the ledger; `lit` is whether the table showed that it was awaited when it settled (ms)."""

    table: int
    mark: Mark
    faces: ThreeFaces
    settled: float
    lit: bool


class Box(SimulatedBox):
    """The firmware's part, with the throws that the table has not acknowledged yet."""

    @property
    def full(self) -> bool:
        """True if another throw could push an unacknowledged one out."""
        return len(self._link._unacknowledged) + OF_A_THROW > KEPT

    @property
    def mark(self) -> Mark:
        """The name of the newest message."""
        return self._link.boot, self._link._last


class Seats(threading.Thread):
    """Four people who throw when the lights say so; `thrown` is the ledger. Closed, they throw no more."""

    def __init__(self, table: int, link: Path, clock: Clock, random: Random) -> None:
        super().__init__(name=f"seats-{table}", daemon=True)
        self.thrown: list[Thrown] = []
        self._table = table
        self._clock = clock
        self._random = random
        self._port = Port(link)
        self._box = Box(random, clock.now())
        self._players = Players(random, HABITS)
        self._lock = threading.Lock()
        self._state: LightState | None = None
        self._tumbling: Throw | None = None
        self._open = True

    def see(self, state: LightState | None) -> None:
        """The lights change; None for darkness."""
        with self._lock:
            self._state = state
            self._players.see(state or LightState(), self._clock.now())

    def close(self) -> None:
        self._open = False
        self.join()

    def run(self) -> None:
        with closing(self._port):
            while self._open:
                now = self._clock.now()
                with self._lock:
                    self._play(now)
                self._box.hear(self._port.read(), now)
                self._port.write(self._box.outgoing(now))
                select.select([self._port.fd], [], [], LOOK)

    def _play(self, now: float) -> None:
        throw, due = self._tumbling, self._players.due
        if throw is not None:
            if now >= throw.settled:
                self._tumbling = None
                for die, face in zip(DICE, throw.faces, strict=True):
                    self._box.settle(die, face, now)
                self.thrown.append(Thrown(self._table, self._box.mark, throw.faces, now, self._awaited))
        elif due is not None and now >= due:
            act = self._players.act(now)
            if isinstance(act, Throw) and not self._box.full:
                for die in DICE:
                    self._box.tumble(die, now)
                self._tumbling = Throw(act.faces, now, now + HABITS.tumble * self._random.random() * 2)

    @property
    def _awaited(self) -> bool:
        state = self._state
        return bool(state and (state.rolloff or (state.turn and state.round in ("running", "finish"))))
