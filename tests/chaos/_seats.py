"""The people of a table and their dice box at a pseudo terminal, which keeps what is not acknowledged."""

import threading
import time
from contextlib import closing
from pathlib import Path
from random import Random

from msgspec import Struct

from pi_bunco.devices.dice.lines import CheckedLines, encode
from pi_bunco.devices.dice.link import KEPT, BoxLink
from pi_bunco.devices.dice.messages import BoxAck, Message, Numbered, parse, payload
from pi_bunco.devices.protocols import Faces, LightState, Throw
from pi_bunco.runtime.clock import Clock
from pi_bunco.sim.dicebox import Port
from pi_bunco.sim.players import Habits, Players

Mark = tuple[str, int]
LOOK = 0.004  # s
HABITS = Habits(think=120, tumble=60, ok=60_000)
OF_A_THROW = 6  # messages


class Thrown(Struct, frozen=True):
    """A throw in the ledger; `lit` is whether the table showed that it was awaited when it settled (ms)."""

    table: int
    mark: Mark
    faces: Faces
    settled: float
    lit: bool


class Box:
    """What the firmware does, and how much of it the table has not acknowledged."""

    def __init__(self, boot: str, now: float) -> None:
        self._boot = boot
        self._booted = now
        self._link = BoxLink(boot, boot)
        self._lines = CheckedLines()
        self._out: list[Message] = [self._link.hello()]
        self._made = self._acknowledged = 0

    @property
    def full(self) -> bool:
        """Whether another throw could push an unacknowledged one out."""
        return self._made - self._acknowledged + OF_A_THROW > KEPT

    def tumble(self, now: float) -> None:
        for die in (1, 2, 3):
            self._tell(self._link.tumbled(die, self._ms(now)))

    def settle(self, faces: Faces, now: float) -> Mark:
        for die, face in enumerate(faces, 1):
            self._tell(self._link.settled(die, face, self._ms(now)))
        return self._boot, self._made

    def hear(self, data: bytes, now: float) -> None:
        for text in self._lines.feed(data):
            if (message := parse(text)) is None:
                continue
            self._out += self._link.take(message, self._ms(now))
            if isinstance(message, BoxAck) and message.boot == self._boot:
                self._acknowledged = max(self._acknowledged, message.seq)

    def outgoing(self, now: float) -> bytes:
        lines = [*self._out, *self._link.tick(self._ms(now))]
        self._out = []
        return b"".join(encode(payload(message)) for message in lines)

    def _tell(self, messages: list[Message]) -> None:
        self._out += messages
        self._made = max(one.seq for one in messages if isinstance(one, Numbered))

    def _ms(self, now: float) -> int:
        return int(now - self._booted)


class Seats(threading.Thread):
    """Four people who throw when the lights say so; `thrown` is the ledger. Closed, they throw no more."""

    def __init__(self, table: int, link: Path, clock: Clock, random: Random) -> None:
        super().__init__(name=f"seats-{table}", daemon=True)
        self.thrown: list[Thrown] = []
        self._table = table
        self._clock = clock
        self._random = random
        self._port = Port(link)
        self._box = Box(f"{table}{random.getrandbits(28):07x}", clock.now())
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
                time.sleep(LOOK)

    def _play(self, now: float) -> None:
        throw, due = self._tumbling, self._players.due
        if throw is not None:
            if now >= throw.settled:
                self._tumbling = None
                mark = self._box.settle(throw.faces, now)
                self.thrown.append(Thrown(self._table, mark, throw.faces, now, self._awaited))
        elif due is not None and now >= due:
            act = self._players.act(now)
            if isinstance(act, Throw) and not self._box.full:
                self._box.tumble(now)
                self._tumbling = Throw(act.faces, now, now + HABITS.tumble * self._random.random() * 2)

    @property
    def _awaited(self) -> bool:
        state = self._state
        return bool(state and (state.rolloff or (state.turn and state.round in ("running", "finish"))))
