"""The doctor's round while a service runs: the cheap checks, once a minute, reported when they change.

What the checks need is imported by the thread, so that no service starts later for it.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pi_bunco.provision.places import Places
from pi_bunco.runtime.loop import Health

if TYPE_CHECKING:
    from pi_bunco.doctor.findings import Finding

_HERE = Places()
log = logging.getLogger(__name__)

ROUND_EVERY_S = 60.0
FIRST_ROUND_AFTER_S = 2.0
"""A service that starts has better things to do."""


class DoctorWatch:
    """A thread that hands `put` the faults of this machine whenever they change.

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
        period: float = ROUND_EVERY_S,
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
        pause = min(FIRST_ROUND_AFTER_S, self._period)
        while not self._ended.wait(pause):
            try:
                self._look()
            except Exception:
                log.exception("the doctor's round failed; the next one is made")
            pause = self._period

    def _look(self) -> None:
        from pi_bunco.doctor.findings import reported

        found = check_at_work(self._places, self._data, self._now(), self._slowest_ms)
        urgent = sorted(
            (one for one in found if one.level in ("fault", "warning")), key=lambda one: one.level
        )
        sentences = tuple(reported(one, self._who) for one in urgent)
        if sentences != self._reported:
            self._put(Health(sentences))
            self._reported = sentences


def check_at_work(
    places: Places, data: Path, now: float, slowest_ms: Callable[[], float]
) -> Iterator["Finding"]:
    """The findings that cost next to nothing, all about this machine, `now` in seconds since 1970.

    No program is run, nothing written.
    """
    from pi_bunco.doctor import card, machine_state
    from pi_bunco.doctor.findings import guarded
    from pi_bunco.doctor.machine_state import Machine

    machine = Machine(places, lambda _: None)
    checks: tuple[tuple[str, Callable[[], Iterable[Finding]]], ...] = (
        ("power", lambda: machine_state.look_power(machine)),
        ("card", lambda: card.look_mounts(machine, (str(data.resolve()),))),
        ("card health", lambda: card.look_wear(machine)),
        ("card speed", lambda: card.judge_slowest(slowest_ms() / 1000)),
        ("disk space", lambda: (card.judge_room(*card.read_room(data)),)),
        ("memory", lambda: card.look_memory(machine)),
        ("clock", lambda: machine_state.look_clock(machine, now)),
        ("Wi-Fi", lambda: machine_state.look_wifi(machine)),
    )
    for check, look in checks:
        yield from guarded(check, look)
