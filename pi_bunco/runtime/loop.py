"""The one loop of a service: takes one message at a time, decides, and has the effects carried out.

`step(message, now)` decides and is pure enough to test alone; `perform(effect)` is the only one that touches
a relay, a socket or a file; here is the only place that waits. What a link brings is decided upon in the
link's own thread, which has it: to wake another one would keep the bell waiting.
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from pi_bunco.runtime.clock import Clock

if TYPE_CHECKING:
    import asyncio
    import socket
    from asyncio.trsock import TransportSocket

Message = TypeVar("Message")
Effect = TypeVar("Effect")

TICK_EVERY_MS = 50.0
IDLE_TICK_EVERY_MS = 250.0
"""Milliseconds between two ticks of a service to which nothing comes."""
BUSY_FOR_MS = 150.0
"""Milliseconds after a message in which what it began may fall due."""
MOST_WAITING = 2000
"""Messages of a link that wait at a time; while there are as many, nothing more is read from it."""


class Tick(Struct, frozen=True):
    """Time has passed."""


class Stop(Struct, frozen=True):
    """The service is to end."""


class Warn(Struct, frozen=True):
    """An effect of any service: say something in its log."""

    text: str


class Health(Struct, frozen=True):
    """All that is wrong now with what `of` names, each a sentence for a host; none: all is well again."""

    faults: tuple[str, ...]
    of: str = "machine"


_TICK: object = Tick()
_DECIDED: object = object()
"""For the loop's thread: a link's message was decided upon, so a tick is due sooner than it waits for."""


def turn(
    message: Message,
    now: float,
    step: Callable[[Message, float], Iterable[Effect]],
    perform: Callable[[Effect], Message | None],
) -> None:
    """One message with all that follows: what an effect reports is decided upon before anything else."""
    reports: list[Message] = []
    for effect in step(message, now):
        report = perform(effect)
        if report is not None:
            reports.append(report)
    for report in reports:
        turn(report, now, step, perform)


class LoopInbox(queue.SimpleQueue[Any]):
    """The inbox of a service: messages from any thread, which wait for the loop's, and those of a link.

    Of a link nothing waits once the loop runs, but for what is being decided upon.
    """

    def __init__(self) -> None:
        self.deciding = threading.Lock()
        """Held by who decides."""
        self.decide: Callable[[Any], object] = self.put

    def deliver(self, message: Any) -> None:
        """Hands a message of a link over, in the link's thread; in the order in which they come."""
        with self.deciding:
            self.decide(message)


class _Turns:
    """Decides upon one message after another, and knows when the next tick is due (ms of the clock)."""

    def __init__(
        self,
        inbox: LoopInbox,
        clock: Clock,
        step: Callable[[object, float], Iterable[Effect]],
        perform: Callable[[Effect], object | None],
    ) -> None:
        self._inbox = inbox
        self._clock = clock
        self._step = step
        self._perform = perform
        self.due = self.busy_until = clock.now()

    def wait(self) -> object:
        """The next message, a tick if none comes until one is due."""
        try:
            return self._inbox.get(timeout=max(self.due - self._clock.now(), 0.0) / 1000)
        except queue.Empty:
            return _TICK

    def take(self, message: object) -> float:
        """One message with all that follows; behind all but a tick one is due soon.

        Returns the time (ms) of the tick, or behind anything else.
        """
        now = self._clock.now()
        if message is not _DECIDED:
            turn(message, now, self._step, self._perform)
        if message is not _TICK:
            now = self._clock.now()
            self.busy_until = now + BUSY_FOR_MS
            self.due = min(self.due, now + TICK_EVERY_MS)
        return now

    def deliver(self, message: object) -> None:
        """A message of a link, in the link's thread; what it raises the loop's thread raises."""
        before = self.due
        try:
            self.take(message)
        except BaseException as error:  # noqa: BLE001 (it is raised there)
            self._inbox.decide = _let_go
            self._inbox.put(error)
        if self.due < before:
            self._inbox.put(_DECIDED)


def run(
    inbox: LoopInbox,
    clock: Clock,
    step: Callable[[object, float], Iterable[Effect]],
    perform: Callable[[Effect], object | None],
    ticked: Callable[[], None] = lambda: None,
    idle_tick_ms: float = TICK_EVERY_MS,
    next_due: Callable[[], float] = lambda: inf,
) -> None:
    """Works until a `Stop` comes; `ticked` is called after every tick, for the watchdog.

    While nothing comes there is a tick every `idle_tick_ms` only, and one at `next_due` (ms of the clock),
    which is asked after every tick; a moment that a tick has seen is past.
    """
    turns = _Turns(inbox, clock, step, perform)
    try:
        while True:
            message = turns.wait()
            with inbox.deciding:
                if isinstance(message, Stop):
                    return
                if isinstance(message, BaseException):
                    raise message
                now = turns.take(message)
                if now >= turns.due:
                    if message is not _TICK:
                        turns.take(_TICK)
                    turns.due = clock.now() + (
                        TICK_EVERY_MS if clock.now() < turns.busy_until else idle_tick_ms
                    )
                    if (moment := next_due()) > now:
                        turns.due = min(turns.due, moment)
                    ticked()
                if inbox.empty():
                    inbox.decide = turns.deliver
    finally:
        with inbox.deciding:
            inbox.decide = _let_go


def _let_go(_message: object) -> None:
    """The loop has ended."""


class AsyncInbox:
    """The inbox of a service whose one loop is asyncio's; before that runs, messages wait.

    They come from any thread, and from a signal handler. A link delivers from a thread of its own, which
    waits where `most` of its messages do: a service that is held fills no memory. The broker keeps meanwhile
    what must not be lost, and ends the link of who is silent for too long, as any link can end. That end
    stands behind all that came before it, and before the next link, for both are told by the link's thread:
    what a session brought is mixed with no other's. Only where a link is thrown away, one message that had
    waited for room may come behind its end, as any that was on its way.
    """

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._beginning = threading.RLock()
        self._early: list[Any] = []
        self._into: Callable[[Any], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._room = threading.Semaphore(most)
        self._ended = False

    def put(self, message: Any) -> None:
        """Hands a message over."""
        with self._beginning:
            if self._loop is None or self._into is None:
                self._early.append(message)
                return
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._into, message)

    def deliver(self, message: Any) -> None:
        """Hands a message of a link over once there is room; belongs into no thread but the link's."""
        self._room.acquire()
        if self._ended:
            self._room.release()  # to the next one that waits
        else:
            self.put(_Delivered(message))

    def into(self, loop: "asyncio.AbstractEventLoop", take: Callable[[Any], None]) -> None:
        """From now on the loop runs."""

        def taken(message: Any) -> None:
            if isinstance(message, _Delivered):
                self._room.release()
                message = message.message
            take(message)

        with self._beginning:  # what comes meanwhile comes behind
            self._loop, self._into = loop, taken
            for message in self._early:
                self.put(message)
            self._early.clear()

    def end(self) -> None:
        """The loop takes no more: no link waits for it, and what one delivers is let go."""
        self._ended = True
        self._room.release()


class _Delivered(Struct, frozen=True):
    message: Any


async def accept_no_more(listening: "Sequence[socket.socket | TransportSocket]") -> None:
    """Nobody is accepted any more, and each that was has a connection that can be closed.

    A server of asyncio that is closed at once drops them without a word.
    """
    import asyncio

    with contextlib.suppress(NotImplementedError):  # the loop of Windows reads otherwise
        for link in listening:
            asyncio.get_running_loop().remove_reader(link)
    for _ in ("a transport", "its protocol", "a task that serves it"):
        await asyncio.sleep(0)
