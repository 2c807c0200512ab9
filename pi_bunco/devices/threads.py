"""Threads of devices: one that reads until it is closed, and one that shows the latest state."""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from pi_bunco.devices.protocols import LightState
from pi_bunco.runtime.clock import Clock

FIRST_REOPEN_S, LAST_REOPEN_S = 0.1, 2.0


class Complaint:
    """Something that does not work and is tried again: told in the log once, until it has worked."""

    def __init__(self, log: logging.Logger, level: int = logging.ERROR) -> None:
        self._log, self._level = log, level
        self._complained = False

    def tell(self, text: str, *values: object) -> None:
        """It does not work; `text` with its `values` is what the log has of that."""
        if not self._complained:
            self._log.log(self._level, text, *values)
        self._complained = True

    def works(self) -> None:
        """It works: the next time is told again."""
        self._complained = False


class ReadingThread(ABC):
    """A device that a thread of its own reads, from `start` to `close`; what it reports, `put` gets."""

    def __init__(self, name: str, put: Callable[[Any], object], clock: Clock) -> None:
        self._put = put
        self._clock = clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begins to report."""
        self._thread.start()

    def alive(self) -> bool:
        """True while the thread runs."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Stops reporting; returns once the thread has ended."""
        self._stop.set()
        self._wake()
        if self._thread.is_alive():
            self._thread.join()

    def _wake(self) -> None:  # noqa: B027 (not every thread waits for something else)
        """Ends a wait of the thread for something other than `_stop`."""

    def _report(self, events: Iterable[Any]) -> None:
        for event in events:
            self._put(event)

    @abstractmethod
    def _run(self) -> None:
        """Reads until `_stop` is set."""


class ReopeningThread(ReadingThread):
    """A device at a port that is opened again when it went away, first soon and then ever later."""

    errors: tuple[type[Exception], ...] = (OSError,)

    def __init__(self, name: str, put: Callable[[Any], object], clock: Clock) -> None:
        super().__init__(name, put, clock)
        self._reopen_s = FIRST_REOPEN_S

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._read()
            except self.errors as error:
                self._complain(error)
            self._unplugged()
            self._stop.wait(self._reopen_s)
            self._reopen_s = min(self._reopen_s * 2, LAST_REOPEN_S)

    def _works(self) -> None:
        """Resets the back-off: something was read, so the port is tried again soon."""
        self._reopen_s = FIRST_REOPEN_S

    @abstractmethod
    def _read(self) -> None:
        """Opens the port and reads until it goes away."""

    @abstractmethod
    def _complain(self, error: Exception) -> None:
        """Reports why the port cannot be read."""

    def _unplugged(self) -> None:
        """Hook before each new attempt."""


class ShowingThread(ABC):
    """Lights that a thread of its own draws, so that `show` never waits."""

    def __init__(self, name: str) -> None:
        self._state: LightState | None = None
        self._changed = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def show(self, state: LightState) -> None:
        """Shows `state` as soon as it can be drawn."""
        with self._changed:
            self._state = state
            self._changed.notify()

    def close(self) -> None:
        """Turns everything dark."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()
        self._darken()

    def _run(self) -> None:
        while not self._closing:
            with self._changed:
                state = self._state
            wait_s = self._draw(state)
            with self._changed:
                if not self._closing and state is self._state:
                    self._changed.wait(wait_s)

    @abstractmethod
    def _draw(self, state: LightState | None) -> float | None:
        """Draws `state`; returns the seconds until the next drawing, None while the state is the same."""

    @abstractmethod
    def _darken(self) -> None:
        """Turns everything dark, after the thread's end."""
