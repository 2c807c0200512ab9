"""Lines whose changes mean something together: a thread around a decoder that knows only timestamps."""

import queue
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Generic, NamedTuple, Protocol, TypeVar

from pi_bunco.devices.gpio import Gpio, Input
from pi_bunco.devices.pins import Line
from pi_bunco.devices.threads import ReadingThread
from pi_bunco.runtime.clock import Clock

Event = TypeVar("Event", covariant=True)
Reported = TypeVar("Reported")
LOOK_EVERY_MS = 250.0
CHANGE_UNDER_WAY_MS = 5.0
READINGS_BELIEVED = 100
"""A line that is read differently so often in a row has changed without an edge."""


class Change(NamedTuple):
    """The line `name` went on or off at `at` (ms), or was on `already` when its reading began then."""

    at: float
    name: str
    on: bool
    already: bool = False


class Decoder(Protocol[Event]):
    """The meaning of changes of lines; times are ms and do not fall."""

    @property
    def due(self) -> float | None:
        """Time (ms) at which unchanged lines mean something; None for never."""

    def change(self, change: Change) -> Iterable[Event]:
        """The events that follow from a change, and from the time before it."""

    def quiet(self, now: float) -> Iterable[Event]:
        """The events that follow from nothing having changed up to `now`."""


class Decoding(ReadingThread, Generic[Reported]):
    """Reads `lines` of the header and reports what `decoder` makes of them, from a thread of its own.

    Before it concludes anything from silence it reads the lines: one that is not as its last change said has
    a change under way, which is waited for. So a late thread takes no spike for a press.
    """

    def __init__(
        self,
        gpio: Gpio,
        lines: Mapping[str, Line],
        decoder: Decoder[Reported],
        put: Callable[[Reported], object],
        clock: Clock,
    ) -> None:
        """Takes the lines; `DeviceError` says which cannot be had."""
        super().__init__(" ".join(lines), put, clock)
        self._gpio = gpio
        self._decoder = decoder
        self._changes: queue.SimpleQueue[Change | None] = queue.SimpleQueue()
        self._levels = dict.fromkeys(lines, False)
        self._doubts = 0
        self._inputs: dict[str, Input] = {}
        try:
            for name, line in lines.items():
                self._inputs[name] = gpio.input(line, partial(self._noted, name))
        except BaseException:
            self._let_go()
            raise

    def start(self) -> None:
        """Begins to report, first what is on already."""
        now = self._clock.now()
        for name, input in self._inputs.items():
            if input.on():
                self._changes.put(Change(now, name, True, already=True))
        super().start()

    def alive(self) -> bool:
        """True while the lines are read."""
        return super().alive() and self._gpio.alive()

    def close(self) -> None:
        """Stops reporting and lets go of the lines."""
        super().close()
        self._let_go()

    def _wake(self) -> None:
        self._changes.put(None)

    def _noted(self, name: str, on: bool, at: float) -> None:
        self._changes.put(Change(at, name, on))

    def _let_go(self) -> None:
        for input in self._inputs.values():
            input.close()
        self._inputs = {}

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                first = self._changes.get(timeout=self._timeout_s())
            except queue.Empty:
                first = None
            self._take([first] if first else [])

    def _timeout_s(self) -> float | None:
        """Seconds until the decoder has something to conclude."""
        due = self._decoder.due
        if due is None:
            return None
        if self._doubts:
            return CHANGE_UNDER_WAY_MS / 1000
        return min(max(due - self._clock.now(), 0.0), LOOK_EVERY_MS) / 1000

    def _take(self, changes: list[Change]) -> None:
        """Takes all changes in the order of time, and emits what follows now."""
        now = self._clock.now()  # first: every change up to now that was noted is in the queue by then
        while not self._changes.empty():
            if change := self._changes.get():
                changes.append(change)
        for change in sorted(changes, key=lambda change: change.at):
            self._levels[change.name] = change.on
            self._report(self._decoder.change(change))
        due = self._decoder.due
        if due is not None and due <= now and self._certain():
            self._report(self._decoder.quiet(now))

    def _certain(self) -> bool:
        """True if no change is under way; after a while the levels that are read are believed."""
        try:
            different = [name for name, input in self._inputs.items() if input.on() != self._levels[name]]
        except OSError:  # what watches the lines says so, and reads on
            self._doubts += 1
            return False
        self._doubts = self._doubts + 1 if different else 0
        if self._doubts >= READINGS_BELIEVED:
            self._doubts = 0
            for name in different:
                self._changes.put(Change(self._clock.now(), name, not self._levels[name]))
        return not different
