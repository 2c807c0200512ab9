"""The watch at the broker tells systemd that it answers."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from pi_bunco.runtime.broker_watch import answers
from pi_bunco.wire import broker as embedded

WAIT = 60.0  # s; only a broken test waits that long
CONNACK = bytes((0x20, 2, 0, 5))


def knocked(path: Path, reply: bytes) -> bool:
    """The watch's finding at a broker that takes one connection and says `reply`."""
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as door:
        door.bind(str(path))
        door.listen()

        def serve() -> None:
            taken, _ = door.accept()
            with taken:
                taken.recv(100)
                taken.sendall(reply)

        thread = threading.Thread(target=serve)
        thread.start()
        found = answers(path, WAIT)
        thread.join()
    return found


def test_a_refusal_is_an_answer(tmp_path: Path) -> None:
    assert knocked(tmp_path / "socket", CONNACK)


@pytest.mark.parametrize("reply", [b"", b"HTTP/1.1 400"])
def test_wrong_reply_is_no_broker(tmp_path: Path, reply: bytes) -> None:
    assert not knocked(tmp_path / "socket", reply)


def test_nobody_there_is_no_answer(tmp_path: Path) -> None:
    assert not answers(tmp_path / "socket", WAIT)


def test_silent_server_is_waited_for_within_the_limit(tmp_path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as hung:
        hung.bind(str(tmp_path / "socket"))
        hung.listen()  # the kernel takes connections for a process that hangs
        assert not answers(tmp_path / "socket", 0.01)


def silent(systemd: socket.socket) -> bool:
    """True if nothing more comes within twice the time of the watchdog."""
    systemd.settimeout(0.8)
    with contextlib.suppress(TimeoutError):
        for _ in range(10):  # what was on its way
            systemd.recv(100)
        return False
    systemd.settimeout(WAIT)
    return True


@pytest.mark.system("mosquitto")
def test_the_broker_keeps_its_process_and_systemd_hears_of_it_only_while_it_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, heard = tmp_path / "mqtt.sock", tmp_path / "notify"
    settings = tmp_path / "mosquitto.conf"
    settings.write_text(f"user root\nlistener 0 {path}\nallow_anonymous false\nlog_dest stderr\n", "utf-8")
    monkeypatch.setenv("NOTIFY_SOCKET", str(heard))
    monkeypatch.setenv("WATCHDOG_USEC", "400000")
    program = (
        "import sys; import pi_bunco.runtime.broker_watch as w; w.SOCKET_FILE = sys.argv.pop(1); w.main()"
    )
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as systemd:
        systemd.bind(str(heard))
        systemd.settimeout(WAIT)
        command = [sys.executable, "-c", program, str(path), str(embedded.mosquitto()), "-c", str(settings)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True) as broker:
            try:
                while systemd.recv(100) != b"WATCHDOG=1":
                    pass
                assert "mosquitto" in Path(f"/proc/{broker.pid}/comm").read_text("utf-8")
                os.kill(broker.pid, signal.SIGSTOP)
                assert silent(systemd)
                os.kill(broker.pid, signal.SIGCONT)
                while systemd.recv(100) != b"WATCHDOG=1":
                    pass
            finally:
                os.killpg(broker.pid, signal.SIGKILL)
