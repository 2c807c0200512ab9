import os
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pi_bunco.runtime import systemd as notifying
from pi_bunco.runtime.systemd import THREADS_LOOK_EVERY_MS, Watchdog, notify, watchdog_ms

WAIT = 60.0  # s; only a broken test waits that long


@pytest.fixture(params=["file", "abstract"])
def systemd(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[socket.socket]:
    """The socket at which systemd listens."""
    place = str(tmp_path / "notify") if request.param == "file" else f"@pi-bunco-test-{os.getpid()}"
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as listening:
        listening.bind(place.replace("@", "\0", 1))
        listening.settimeout(WAIT)
        monkeypatch.setenv("NOTIFY_SOCKET", place)
        yield listening


def test_lines_go_in_one_message(systemd: socket.socket) -> None:
    notify("READY=1", "STATUS=table 2\nMAINPID=1")
    assert systemd.recv(1000) == b"READY=1\nSTATUS=table 2 MAINPID=1"
    notify("STOPPING=1")
    assert systemd.recv(1000) == b"STOPPING=1"


@pytest.mark.parametrize(
    "place", [None, "", "nowhere", "/no/such/socket", "@nobody-listens", "/" + "x" * 200]
)
def test_notify_raises_nothing_where_nobody_listens(
    place: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    if place is not None:
        monkeypatch.setenv("NOTIFY_SOCKET", place)
    notify("READY=1")


def test_a_systemd_that_does_not_read_holds_nobody_up(
    systemd: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifying, "WAIT_S", 0.001)
    most = int(Path("/proc/sys/net/unix/max_dgram_qlen").read_text())
    for _ in range(most + 10):
        notify("WATCHDOG=1")
    assert systemd.recv(1000) == b"WATCHDOG=1"


@pytest.mark.parametrize(
    ("usec", "pid", "ms"),
    [
        (None, None, None),
        ("10000000", None, 10_000),
        ("1500", "own", 1.5),
        ("10000000", "1", None),
        ("0", None, None),
        ("-5", None, None),
        ("soon", None, None),
        ("", "", None),
        ("²", None, None),
    ],
)
def test_the_interval_is_what_systemd_tells_this_process(
    usec: str | None, pid: str | None, ms: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = str(os.getpid()) if pid == "own" else pid
    for name, value in (("WATCHDOG_USEC", usec), ("WATCHDOG_PID", own)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert watchdog_ms() == ms


class Service:
    """A loop and its threads."""

    def __init__(self, interval: float | None) -> None:
        self.ended: list[str] = []
        self.said: list[str] = []
        self.complaints: list[str] = []
        self.now = 1e6
        self.watchdog = Watchdog(lambda: self.ended, self.complaints.append, interval, self.said.append)

    def turn(self, ms: float) -> None:
        """Turns for so long."""
        end = self.now + ms
        while self.now < end:
            self.watchdog.ticked(self.now)
            self.now += 50


def test_it_is_told_four_times_in_the_interval_however_often_the_loop_turns() -> None:
    service = Service(10_000)
    service.turn(20_000)
    assert service.said == ["WATCHDOG=1"] * 8


def test_nothing_is_told_any_more_once_a_thread_is_dead_and_that_is_said_once() -> None:
    service = Service(10_000)
    service.turn(1000)
    service.ended = ["the dice", "the panel"]
    service.turn(60_000)
    assert service.said == ["WATCHDOG=1", "STATUS=the dice and the panel ended; only a new start helps"]
    assert service.complaints == ["the dice and the panel ended; only a new start helps"]


def test_a_service_without_a_watchdog_complains_of_dead_threads_alone() -> None:
    service = Service(None)
    service.turn(20_000)
    assert service.said == []
    service.ended = ["the outbox"]
    service.turn(THREADS_LOOK_EVERY_MS)
    assert service.complaints == ["the outbox ended; only a new start helps"]
