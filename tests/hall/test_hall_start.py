"""A host starts a hall: where it cannot be, and what it says then."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clocks import FakeClock
from hall.night import Night
from pi_bunco.cli import main
from pi_bunco.hall.hall import HallSettings
from pi_bunco.hall.host_laptop import HallService
from pi_bunco.web.site.server import Endpoint, reachable
from pi_bunco.wire import broker
from pi_bunco.wire.broker import NoBroker
from ports import free_port


@pytest.fixture
def night(tmp_path: Path) -> Iterator[Night]:
    running = Night(tmp_path / "hall", free_port(), options=["--silent"])
    yield running
    running.close()


@pytest.mark.system("mosquitto")
def test_a_second_hall_with_the_same_evenings_is_refused(
    night: Night, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hall", "--data", str(night.data), "--no-browser"]) == 2
    why = capsys.readouterr().err
    assert f"a hall runs already with the evenings in {night.data} (process " in why
    assert "or start another with its own --data DIR" in why


@pytest.mark.parametrize("place", ["/dev/null/hall", "/proc/hall"])
def test_a_folder_that_cannot_be_written_is_told(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hall", "--data", place]) == 2
    why = capsys.readouterr().err
    assert f"the evenings cannot be kept in {place} (" in why
    assert "name another folder, --data DIR" in why


def test_a_taken_port_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_bunco.cli.hall.STOP_S", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        assert main(["hall", "--data", str(tmp_path), "--listen", place]) == 2
    why = capsys.readouterr().err
    assert "cannot be used (Address already in use): name another with --listen HOST:PORT" in why


def test_without_a_broker_program_it_says_at_once_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "_FINDERS", {"mosquitto": lambda: None, "nats": lambda: None})
    told: list[str] = []
    settings = HallSettings(tmp_path, Endpoint("127.0.0.1", 1))
    with pytest.raises(NoBroker, match="There is no MQTT broker here: install one with"):
        HallService(settings, FakeClock(), told.append, lambda _: None).run()
    assert told == []


def test_a_pin_that_a_power_cut_left_empty_is_drawn_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "_FINDERS", {"mosquitto": lambda: None, "nats": lambda: None})
    (tmp_path / "pin").touch()
    settings = HallSettings(tmp_path, Endpoint("127.0.0.1", 1))
    with pytest.raises(NoBroker):
        HallService(settings, FakeClock(), lambda _: None, lambda _: None).run()
    assert (tmp_path / "pin").read_text().strip().isdecimal()


@pytest.mark.system("unshare", "ip")
def test_without_a_network_it_says_that_nobody_else_can_reach_it() -> None:
    look = (
        "from pi_bunco.web.site.server import *; place = Endpoint('0.0.0.0', 8080); print(reachable(place))"
    )
    alone = ["unshare", "--net", "sh", "-c", f'ip link set lo up; exec "$0" -c "{look}"']
    cable = "ip link add v0 type veth peer name v1; ip addr add 10.9.8.7/24 dev v0"
    beside = [*alone[:-1], alone[-1].replace("; exec", f"; {cable}; exec")]
    for command, answer in ((alone, "False"), (beside, "True")):
        done = subprocess.run([*command, sys.executable], capture_output=True, text=True)
        if "Operation not permitted" in done.stderr:
            pytest.skip("only root may make a network of its own")
        assert done.stdout.strip() == answer, done.stderr


@pytest.mark.parametrize(("host", "others"), [("127.0.0.1", False), ("::1", False), ("192.168.4.1", True)])
def test_loopback_address_serves_this_machine_alone(host: str, others: bool) -> None:
    assert reachable(Endpoint(host, 8080)) == others


WITHOUT = """
import sys
sys.modules["cryptography"] = None
from pi_bunco.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_hall_without_pis_needs_no_extra(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT, "hall", "--data", str(tmp_path)]
    done = subprocess.run([*command, "--listen", "nowhere"], capture_output=True, text=True)
    assert "'nowhere' is no address to listen at" in done.stderr, "all is loaded by then"
    done = subprocess.run([*command, "--pis", "2"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "brings it" in done.stderr
    assert "Traceback" not in done.stderr
