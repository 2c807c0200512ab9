"""The doctor's round while a service runs: the cheap readings, once a minute, told when they change.

What the checks need is imported by the thread, so that no service starts later for it.
"""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pi_bunco.provision.places import Places
from pi_bunco.runtime.loop import Health

_HERE = Places()
log = logging.getLogger(__name__)

PERIOD = 60.0
"""Seconds between two rounds."""
SETTLED = 2.0
"""Seconds before the first one: a service that starts has better things to do."""


class DoctorWatch:
    """A thread that tells `put` what is wrong with this machine, whenever that changes.

    `data` is the service's folder; `who` begins each sentence ("The head's Pi"), where that is not said by
    others ("Table 2"); `slowest_ms` is its writer's.
    """

    def __init__(
        self,
        put: Callable[[Health], object],
        data: Path,
        who: str = "",
        slowest_ms: Callable[[], float] = lambda: 0.0,
        *,
        places: Places = _HERE,
        now: Callable[[], float] = time.time,
        period: float = PERIOD,
    ) -> None:
        self._put, self._data, self._who, self._slowest_ms = put, data, who, slowest_ms
        self._places, self._now, self._period = places, now, period
        self._ended = threading.Event()
        self._reported: tuple[str, ...] = ()
        self._thread = threading.Thread(target=self._run, name="doctor", daemon=True)

    def start(self) -> None:
        """Begins to look."""
        self._thread.start()

    def close(self) -> None:
        """Ends the thread; a reading that hangs is not waited for."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(0.5)

    def _run(self) -> None:
        pause = min(SETTLED, self._period)
        while not self._ended.wait(pause):
            try:
                self._look()
            except Exception:
                log.exception("the doctor's round failed; the next one is made")
            pause = self._period

    def _look(self) -> None:
        from pi_bunco.doctor.findings import reported
        from pi_bunco.doctor.glance import glance

        found = glance(self._places, self._data, self._now(), self._slowest_ms)
        urgent = sorted(
            (one for one in found if one.level in ("fault", "warning")), key=lambda one: one.level
        )
        sentences = tuple(reported(one, self._who) for one in urgent)
        if sentences != self._reported:
            self._put(Health(sentences))
            self._reported = sentences
