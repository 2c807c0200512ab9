"""The doctor's round in a service."""

import queue
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from doctor.machines import Pi
from pi_bunco.doctor.watch import DoctorWatch
from pi_bunco.runtime.loop import Health

GENEROUS = 60.0


class Round:
    """A watch whose rounds follow one another at once, and are waited for."""

    def __init__(self, pi: Pi) -> None:
        self.pi = pi
        self.told: queue.SimpleQueue[Health] = queue.SimpleQueue()
        self.rounds: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.broken = False
        self.watch = DoctorWatch(
            self.told.put,
            pi.root,
            slowest_ms=self._slowest_ms,
            places=pi.machine.places,
            now=lambda: 1_800_000_000.0,
            period=0.001,
        )
        self.watch.start()

    def _slowest_ms(self) -> float:
        if self.rounds.qsize() < 100:
            self.rounds.put(None)
        if self.broken:
            raise RuntimeError("the store is gone")
        return 0.0

    def next(self) -> tuple[str, ...]:
        return self.told.get(timeout=GENEROUS).faults

    def rounds_pass(self) -> None:
        """Two whole rounds, from now on."""
        while not self.rounds.empty():
            self.rounds.get()
        for _ in range(3):
            self.rounds.get(timeout=GENEROUS)

    def close(self) -> None:
        self.watch.close()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Round]:
    with closing(Round(Pi(tmp_path))) as round_:
        yield round_


def test_watch_reports_changes_alone(watched: Round) -> None:
    watched.rounds_pass()
    assert watched.told.empty()
    watched.pi.put(watched.pi.firmware, "50005\n")
    (low,) = watched.next()
    assert low.startswith("gets too little voltage. Use the official power supply")
    watched.rounds_pass()
    assert watched.told.empty()
    watched.pi.put(watched.pi.firmware, "0\n")
    assert watched.next() == ()


def test_a_reading_that_fails_is_told_and_the_others_are_made(watched: Round) -> None:
    watched.broken = True
    (failed,) = watched.next()
    assert "the store is gone" in failed
    watched.pi.put(watched.pi.firmware, "1\n")
    assert any("voltage" in one for one in watched.next())


def test_a_service_that_cannot_be_told_is_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pi, told, refuse = Pi(tmp_path), queue.SimpleQueue[Health](), [True]

    def put(health: Health) -> None:
        if refuse.pop() if refuse else False:
            raise RuntimeError("not now")
        told.put(health)

    pi.put(pi.firmware, "1\n")
    places = pi.machine.places
    watch = DoctorWatch(put, pi.root, places=places, now=lambda: 1_800_000_000.0, period=0.001)
    with closing(watch):
        watch.start()
        assert told.get(timeout=GENEROUS).faults
    assert "the doctor's round failed" in caplog.text


def test_closing_a_watch_that_never_began_raises_nothing() -> None:
    DoctorWatch(lambda _: None, Path("/")).close()


def test_a_service_does_not_start_later_for_it() -> None:
    """The thread imports all that the checks need."""
    code = (
        "import sys, pi_bunco.doctor.watch;"
        "print([name for name in sys.modules if 'doctor' in name or name == 'subprocess'])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert said == "['pi_bunco.doctor', 'pi_bunco.doctor.watch']\n"


def test_a_round_costs_next_to_nothing(tmp_path: Path) -> None:
    """Under 0.1 % of the 60 seconds between two."""
    from pi_bunco.doctor.watch import check_at_work

    pi = Pi(tmp_path)
    began = time.thread_time()
    for _ in range(20):
        list(check_at_work(pi.machine.places, pi.root, 0.0, lambda: 0.0))
    assert (time.thread_time() - began) / 20 < 0.06
