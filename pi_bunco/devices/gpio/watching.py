"""The thread of the backends that watch inputs, which no exception of a callback can end."""

import logging
import threading
from collections.abc import Sequence
from typing import Any, Protocol

from pi_bunco.devices.threads import Complaint

RECOVER_S = 0.25
log = logging.getLogger(__name__)

PinChange = tuple[float, Any, int]
"""The time (ticks), the pin, and its new level."""


class Inputs(Protocol):
    """The source of changes."""

    def pause(self, pins: Sequence[Any]) -> None:
        """Waits until one of the pins may have changed, or it is time to look all the same."""

    def look(self, pins: Sequence[Any]) -> list[PinChange]:
        """The changes since the last look, in order; no pin is let go of meanwhile."""

    def wake(self) -> None:
        """Ends a pause."""

    def close(self) -> None:
        """Frees what it holds."""


class LineWatch:
    """Calls back for the changes of the pins that are watched; its thread runs while there are any."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._lock = threading.Lock()
        self._pins: tuple[Any, ...] = ()
        self._thread: threading.Thread | None = None

    def add(self, pin: Any) -> None:
        """Watches the pin too."""
        with self._lock:
            self._pins = (*self._pins, pin)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="gpio inputs", daemon=True)
                self._thread.start()
        self._inputs.wake()

    def remove(self, pin: Any) -> None:
        """Watches the pin no more: it is not read any more when this returns."""
        with self._lock:
            self._pins = tuple(other for other in self._pins if other is not pin)
        self._inputs.wake()

    def alive(self) -> bool:
        """True while the thread runs or there is nothing to watch."""
        thread = self._thread
        return thread is None or thread.is_alive()

    def close(self) -> None:
        """Watches nothing any more; returns when the thread has ended."""
        with self._lock:
            self._pins, thread = (), self._thread
        self._inputs.wake()
        if thread is not None:
            thread.join()
        self._inputs.close()

    def _run(self) -> None:
        complaint = Complaint(log)
        while pins := self._watched():
            try:
                self._inputs.pause(pins)
                with self._lock:
                    changes = self._inputs.look(self._pins)
            except OSError as error:
                complaint.tell("the GPIO inputs cannot be read: %s; trying again", error)
                threading.Event().wait(RECOVER_S)
                continue
            complaint.works()
            for ticks, changed, level in changes:
                deliver(changed, ticks, level)

    def _watched(self) -> tuple[Any, ...]:
        with self._lock:
            if not self._pins:
                self._thread = None
            return self._pins


def deliver(pin: Any, ticks: float, level: int) -> None:
    """Calls back for a change of the pin; what goes wrong there is told, and all other inputs live on."""
    reference = pin._when_changed
    callback = reference and reference()
    if callback is None or pin.edges not in ("both", ("falling", "rising")[level]):
        return
    try:
        callback(ticks, level)
    except Exception:
        log.exception("what was to happen at a change of %r failed", pin)
