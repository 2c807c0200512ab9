import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_bunco.wire import broker as embedded
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Connected, Disconnected, Received
from ports import free_port
from wire.nodes import node

FACT = "bunco/v1/home/table1/up/fact"
# paho 2.2.0 leaves the socket of a failed handshake or unix connect to the garbage collector.
LEAKY = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Broker]:
    with embedded.start(tmp_path / "broker", "mosquitto") as running:
        yield running


@pytest.fixture
def nats(tmp_path: Path) -> Iterator[Broker]:
    with embedded.start(tmp_path / "broker", "nats") as running:
        yield running


def add(broker: Broker, *lines: str) -> None:
    broker.config.write_text(broker.config.read_text("utf-8") + "\n".join(lines) + "\n", "utf-8")
    broker.restart()


@pytest.mark.system("mosquitto", "mosquitto_passwd")
def test_mosquitto_refuses_a_wrong_password_and_takes_the_right_one(
    mosquitto: Broker, tmp_path: Path
) -> None:
    words = tmp_path / "words"
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(words), "table1", "right"], check=True)
    config = mosquitto.config.read_text("utf-8").replace("allow_anonymous true", "allow_anonymous false")
    mosquitto.config.write_text(config, "utf-8")
    add(mosquitto, f"password_file {words}")
    refuses_the_wrong_password(mosquitto)


def test_nats_refuses_a_wrong_password_and_takes_the_right_one(nats: Broker) -> None:
    add(nats, "authorization { user: table1, password: right }")
    refuses_the_wrong_password(nats)


def refuses_the_wrong_password(broker: Broker) -> None:
    for password in (None, "wrong"):
        user = "table1" if password else None
        with node(BrokerAddress.parse(broker.address, user=user, password=password)) as table:
            why = table.expect(Disconnected).why
            assert "refuses table1: " in why
            assert why.endswith(("authorized.", "password."))
    with node(BrokerAddress.parse(broker.address, user="table1", password="right")) as table:
        table.expect(Connected)


def test_a_refused_subscription_is_told(nats: Broker) -> None:
    may = 'permissions: { subscribe: { deny: "secret.>" } }'
    add(nats, f"authorization {{ users: [ {{ user: table1, password: x, {may} }} ] }}")
    address = BrokerAddress.parse(nats.address, user="table1", password="x")
    with node(address, "table1", "open/+", "secret/+") as table:
        assert table.expect(Disconnected).why == "The broker does not let table1 read secret/+."
    with node(address, "table1", "open/+") as table:
        table.expect(Connected)


@LEAKY
@pytest.mark.system("mosquitto", "openssl")
def test_tls_with_a_certificate_on_both_sides(mosquitto: Broker, tmp_path: Path) -> None:
    ours, key = certificate(tmp_path / "ours")
    strange, _ = certificate(tmp_path / "strange")
    port = free_port()
    add(
        mosquitto,
        f"listener {port} 127.0.0.1",
        f"cafile {ours}",
        f"certfile {ours}",
        f"keyfile {key}",
        "require_certificate true",
    )
    where = f"127.0.0.1:{port}"
    with node(BrokerAddress.parse(where, ca=ours, cert=ours, key=key), "table1", FACT) as table:
        table.expect(Connected)
        assert table.client.publish(FACT, b"x" * 8000, qos=1)
        assert len(table.expect(Received).payload) == 8000
    with node(BrokerAddress.parse(where, ca=strange), "table1") as table:
        assert "certificate verify failed" in table.expect(Disconnected).why
    with node(BrokerAddress.parse(where, ca=ours), "table1") as table:
        table.expect(Disconnected)
    with node(BrokerAddress.parse(where, ca=str(tmp_path / "none")), "table1") as table:
        assert f"{tmp_path}/none: No such file" in table.expect(Disconnected).why


def certificate(stem: Path) -> tuple[str, str]:
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    cert, key = f"{stem}.pem", f"{stem}.key"
    subprocess.run(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        f" -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -out {cert} -keyout {key}".split(),
        check=True,
        capture_output=True,
    )
    return cert, key


@LEAKY
@pytest.mark.system("mosquitto")
def test_a_unix_socket(mosquitto: Broker, tmp_path: Path) -> None:
    path = tmp_path / "mqtt.sock"
    with node(BrokerAddress.parse(f"unix:{path}"), "head", FACT) as head:
        assert f"unix:{path} cannot be reached: No such file" in head.expect(Disconnected).why
        add(mosquitto, f"listener 0 {path}")
        head.back()
        assert head.client.publish(FACT, b"{}", qos=1)
        assert head.next() == Received(FACT, b"{}", False)
