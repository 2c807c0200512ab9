"""A broker that is not where it is said to be, but where it was reached before."""

import queue
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from pi_bunco.wire import broker as embedded
from pi_bunco.wire.address import AddressError, BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Client, Connected, Disconnected
from ports import free_port
from wire.nodes import Node
from wire.test_access import LEAKY, add

ALL = "bunco/v1/home/all/+"


class Elsewhere(Node):
    """A node for which the broker may be elsewhere; `asked` counts how often it wanted to know."""

    def __init__(self, configured: BrokerAddress, other: BrokerAddress | None) -> None:
        self.asked, self.other = 0, other
        self.events = queue.SimpleQueue()
        self.client = Client(configured, "table1", self.events.put, [ALL], elsewhere=self.elsewhere)
        self.client.start()

    def elsewhere(self) -> BrokerAddress | None:
        self.asked += 1
        return self.other


def nowhere() -> BrokerAddress:
    return BrokerAddress("127.0.0.1", free_port())


def test_address_of_the_reached_broker_is_told(broker: Broker) -> None:
    node = Elsewhere(BrokerAddress.parse(broker.address.replace("127.0.0.1", "localhost")), nowhere())
    try:
        assert node.expect(Connected).at == broker.address
        assert node.asked == 0
    finally:
        node.client.close()


def test_where_the_configured_address_leads_nowhere_the_other_one_is_tried(broker: Broker) -> None:
    configured = nowhere()
    node = Elsewhere(configured, BrokerAddress.parse(broker.address))
    try:
        assert str(configured) in node.expect(Disconnected).why
        assert node.expect(Connected).at == broker.address
    finally:
        node.client.close()


def test_every_place_is_tried_and_a_link_that_breaks_is_made_again_where_it_was(broker: Broker) -> None:
    first, last = nowhere(), nowhere()
    node = Elsewhere(replace(first, others=(str(nowhere()), broker.address)), last)
    try:
        missed = [node.expect(Disconnected).why for _ in range(3)]
        assert [str(place) in why for place, why in zip((first, last), missed, strict=False)] == [True, True]
        assert node.expect(Connected).at == broker.address
        asked = node.asked
        broker.kill()
        assert broker.address in node.expect(Disconnected).why
        broker.restart()
        while not isinstance(event := node.next(), Connected):
            assert isinstance(event, Disconnected)
        assert event.at == broker.address
        assert node.asked >= asked
    finally:
        node.client.close()


def test_the_configured_address_is_tried_again_and_again(broker: Broker) -> None:
    broker.kill()
    other = nowhere()
    node = Elsewhere(BrokerAddress.parse(broker.address), other)
    try:
        assert broker.address in node.expect(Disconnected).why
        assert str(other) in node.expect(Disconnected).why
        broker.restart()
        assert node.back().at == broker.address
        assert node.asked
    finally:
        node.client.close()


@pytest.mark.parametrize(("place", "shown"), [("10.0.0.9:8883", "10.0.0.9:8883"), ("[::1]:1", "[::1]:1")])
def test_the_same_broker_at_another_address(place: str, shown: str) -> None:
    before = BrokerAddress("hall.local", 8883, user="table1", password="x", ca="ca.pem")
    after = before.at(place)
    assert str(after) == shown
    assert (after.user, after.password, after.ca, after.name) == ("table1", "x", "ca.pem", "hall.local")
    named = BrokerAddress("hall.local", 8883, ca="ca.pem", name="pi-bunco-head")
    assert named.at(place).name == "pi-bunco-head"
    assert BrokerAddress("hall.local").at(place).name is None


def test_a_place_that_is_none() -> None:
    with pytest.raises(AddressError):
        BrokerAddress("hall.local").at("10.0.0.9:99999")


@LEAKY
@pytest.mark.system("mosquitto", "openssl")
def test_the_certificate_is_checked_there_too(tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=head"
        f" -addext subjectAltName=DNS:pi-bunco-head -out {cert} -keyout {key}".split(),
        check=True,
        capture_output=True,
    )
    port = free_port()
    with embedded.start(tmp_path / "broker", "mosquitto") as broker:
        add(broker, f"listener {port} 127.0.0.1", f"certfile {cert}", f"keyfile {key}")
        for name, kind in (("pi-bunco-head", Connected), ("another", Disconnected)):
            configured = BrokerAddress("127.0.0.1", free_port(), ca=str(cert), name=name)
            node = Elsewhere(configured, configured.at(f"127.0.0.1:{port}"))
            try:
                node.expect(Disconnected)
                event = node.next()
                assert isinstance(event, kind)
                assert "certificate" in getattr(event, "why", "certificate")
            finally:
                node.client.close()
