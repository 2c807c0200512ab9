import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pi_bunco.errors import BuncoError
from pi_bunco.wire import broker as embedded
from pi_bunco.wire.broker import Broker, BrokerError
from pi_bunco.wire.client import Connected, Received
from wire.nodes import node

VIEW = "bunco/v1/home/table1/down/view"


def test_a_broker_answers_when_it_has_started(broker: Broker) -> None:
    assert broker.address.startswith("127.0.0.1:")
    assert alive(broker.pid)
    with node(broker) as one:
        one.expect(Connected)


def test_broker_restarts_on_the_same_port(broker: Broker) -> None:
    address, pid = broker.address, broker.pid
    broker.kill()
    assert not alive(pid)
    broker.restart()
    assert broker.address == address
    assert broker.pid != pid
    broker.restart()
    assert alive(broker.pid)


def test_a_stopped_broker_is_gone_and_may_be_stopped_again(broker: Broker) -> None:
    broker.stop()
    assert not alive(broker.pid)
    broker.stop()


def test_two_at_a_time_do_not_meet(broker: Broker, tmp_path: Path) -> None:
    with embedded.start(tmp_path / "other", broker.kind) as other:
        assert other.address != broker.address


@pytest.mark.system("mosquitto")
@pytest.mark.parametrize("persistence", [False, True])
def test_mosquitto_keeps_retained_messages_only_when_told(tmp_path: Path, persistence: bool) -> None:
    with embedded.start(tmp_path, "mosquitto", persistence=persistence) as broker:
        with node(broker, "head", VIEW) as head:
            head.expect(Connected)
            head.client.publish(VIEW, b"{}", qos=1, retain=True)
            head.expect(Received)
        broker.stop()
        broker.restart()
        with node(broker, "table1", VIEW) as table:
            table.expect(Connected)
            table.client.publish(VIEW, b"marker", qos=1)
            assert table.expect(Received).retained == persistence


PARENT = """
import sys
from pathlib import Path
from pi_bunco.wire import broker
print(broker.start(Path(sys.argv[1]), sys.argv[2]).pid, flush=True)
sys.stdin.read()
"""


def test_broker_dies_with_its_parent(broker: Broker, tmp_path: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path / "orphan"), broker.kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        orphan = os.pidfd_open(pid)
        parent.kill()
    died = ended(orphan)
    if not died:
        signal.pidfd_send_signal(orphan, signal.SIGKILL)
    os.close(orphan)
    assert died


def ended(pidfd: int) -> bool:
    """Waits for the end of a process that is no child of ours."""
    return bool(select.select([pidfd], [], [], 30)[0])


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_mosquitto_is_taken_first_and_nats_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(embedded._FINDERS, "mosquitto", lambda: None)
    with embedded.start(tmp_path) as broker:
        assert broker.kind == "nats"


@pytest.mark.system("mosquitto")
def test_mosquitto_is_found_outside_of_a_users_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with embedded.start(tmp_path) as broker:
        assert broker.kind == "mosquitto"


def test_without_any_broker_it_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(embedded._FINDERS, "mosquitto", lambda: None)
    monkeypatch.setitem(embedded._FINDERS, "nats", lambda: None)
    for prefer, word in ((None, "apt install mosquitto"), ("mosquitto", "apt"), ("nats", "pip install")):
        with pytest.raises(BrokerError, match=word):
            embedded.start(tmp_path, prefer)  # type: ignore[arg-type]
    assert issubclass(BrokerError, BuncoError)


def test_a_config_that_it_does_not_take_is_told_with_the_brokers_own_words(broker: Broker) -> None:
    broker.config.write_text("nonsense here\n", "utf-8")
    with pytest.raises(BrokerError, match=r"does not come up: ."):
        broker.restart()
    assert not alive(broker.pid)
