"""What runs in a hall on one machine, and what follows when one of it ends; time is a parameter."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from pi_bunco.runtime.loop import Tick

BROKER, HEAD, WEB = "broker", "head", "web"
NAMES = (BROKER, HEAD, WEB)
"""The processes in the order in which they start; they end in the other one."""
FIRST_MS = 500.0
"""Milliseconds until a process that ended is started again, doubling up to `LONGEST_MS`."""
LONGEST_MS = 10_000.0
STEADY_MS = 30_000.0
"""A process that worked for so many milliseconds may end again as if for the first time."""
GIVE_UP = 5
"""A process that ends so often before it was ever ready cannot work here."""


class ProcessReady(Struct, frozen=True):
    """The process said that it is ready."""

    name: str


class ProcessEnded(Struct, frozen=True):
    """The process ended though nobody ended it; `why` is the last that it wrote."""

    name: str
    why: str


class StartProcess(Struct, frozen=True):
    """Start the process."""

    name: str


class Announce(Struct, frozen=True):
    """All is ready: print the address, open the host's page."""


class TellLaptop(Struct, frozen=True):
    """Tell who sits at the laptop."""

    text: str


class GiveUp(Struct, frozen=True):
    """It cannot work; `why` is a sentence."""

    why: str


HallEffect = StartProcess | Announce | TellLaptop | GiveUp


class _Process(Struct):
    ready_at: float | None = None
    was_ready: bool = False
    ends: int = 0
    due: float | None = None


class HallPlan:
    """Starts what is missing, in order, and says when all is ready; `step` is all it does."""

    def __init__(self) -> None:
        self._processes = {name: _Process() for name in NAMES}
        self._announced = False

    def begin(self) -> list[HallEffect]:
        """The first process; the next ones start as each is ready."""
        return [StartProcess(NAMES[0])]

    def step(self, message: object, now: float) -> Iterator[HallEffect]:
        """What follows from `message`, which came at `now` (ms)."""
        yield from _STEPS[type(message)](self, message, now)

    def _ready(self, ready: ProcessReady, now: float) -> Iterator[HallEffect]:
        process = self._processes[ready.name]
        first, process.ready_at, process.was_ready = not process.was_ready, now, True
        following = NAMES[NAMES.index(ready.name) + 1 :]
        if first and following:
            yield StartProcess(following[0])
        if not following and not self._announced:
            self._announced = True
            yield Announce()
        elif not first:
            yield TellLaptop(f"The {ready.name} works again.")

    def _ended(self, ended: ProcessEnded, now: float) -> Iterator[HallEffect]:
        process = self._processes[ended.name]
        steady = process.ready_at is not None and now - process.ready_at >= STEADY_MS
        process.ends = 1 if steady else process.ends + 1
        process.ready_at = None
        if not process.was_ready and process.ends >= GIVE_UP:
            yield GiveUp(f"The {ended.name} does not start: {ended.why}")
            return
        process.due = now + min(FIRST_MS * 2 ** (process.ends - 1), LONGEST_MS)
        if process.was_ready:
            yield TellLaptop(f"The {ended.name} ended ({ended.why}); it starts again, and nothing is lost.")
        else:
            yield TellLaptop(f"The {ended.name} does not start yet ({ended.why}); it is tried again.")

    def _tick(self, _tick: Tick, now: float) -> Iterator[HallEffect]:
        for name, process in self._processes.items():
            if process.due is not None and now >= process.due:
                process.due = None
                yield StartProcess(name)


_STEPS: dict[type, Callable[[HallPlan, Any, float], Iterator[HallEffect]]] = {
    ProcessReady: HallPlan._ready,
    ProcessEnded: HallPlan._ended,
    Tick: HallPlan._tick,
}
