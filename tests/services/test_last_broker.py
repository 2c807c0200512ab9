"""A table finds the broker where it was the last time."""

from pathlib import Path

import pytest

from cli.processes import table
from disks import Told
from pi_bunco.table.uplink import last_reached, remember
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Connected, Received
from pi_bunco.wire.outbox import OutboxFile
from ports import free_port
from wire.nodes import node

HALL = BrokerAddress("hall.local", 8883, ca="ca.pem")


@pytest.fixture
def outbox(tmp_path: Path) -> OutboxFile:
    return OutboxFile(tmp_path / "outbox.db", Told().reports, 0)


def test_it_is_remembered_over_a_restart(tmp_path: Path, outbox: OutboxFile) -> None:
    remember(outbox, str(HALL), "10.0.0.9:8883")
    outbox.close()
    again = OutboxFile(tmp_path / "outbox.db", Told().reports, 0)
    found = last_reached(HALL, again.kept)
    again.close()
    assert found is not None
    assert (found.host, found.port, found.name, found.ca) == ("10.0.0.9", 8883, "hall.local", "ca.pem")


def test_another_configured_address_forgets_it(outbox: OutboxFile) -> None:
    remember(outbox, str(HALL), "10.0.0.9:8883")
    assert last_reached(BrokerAddress("other.local", 8883, ca="ca.pem"), outbox.kept) is None
    assert last_reached(BrokerAddress("hall.local", 1883, ca="ca.pem"), outbox.kept) is None
    outbox.close()


def test_what_is_the_same_place_or_no_place_is_nowhere_else(outbox: OutboxFile) -> None:
    assert last_reached(HALL, outbox.kept) is None
    remember(outbox, str(HALL), "")
    assert last_reached(HALL, outbox.kept) is None
    numeric = BrokerAddress("10.0.0.9", 8883)
    remember(outbox, str(numeric), "10.0.0.9:8883")
    assert last_reached(numeric, outbox.kept) is None
    for strange in (["hall.local:8883", "x y"], ["hall.local:8883"], 7, None, {"at": 1}):
        assert last_reached(HALL, {"head_at": strange}) is None
    outbox.close()


def test_a_table_whose_configured_address_leads_nowhere_comes(broker: Broker, tmp_path: Path) -> None:
    nowhere = f"127.0.0.1:{free_port()}"
    (tmp_path / "two").mkdir()
    outbox = OutboxFile(tmp_path / "two" / "outbox.db", Told().reports, 0)
    remember(outbox, nowhere, broker.address)
    outbox.close()
    with node(broker, "web", "bunco/v1/home/+/up/status") as web:
        web.expect(Connected)
        with table(broker, tmp_path / "two", 2, "--broker", nowhere) as two:
            two.ready()
            assert b'"online"' in web.expect(Received).payload
            two.terminate()
