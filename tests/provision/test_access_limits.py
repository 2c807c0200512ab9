"""The real mosquitto with the generated configuration: a lost card, a wrong clock, a false broker.

Who may say and hear what, `tests/attack` tries for every account and topic.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion

from pi_bunco.wire.client import Connected, Disconnected, Received
from pi_bunco.wire.gate import limit_at
from provision.halls import HALL, SEER, HallBroker, provisioned, seer, sent, until
from wire.nodes import WAIT, node

pytestmark = [
    pytest.mark.system("mosquitto", "mosquitto_passwd"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[HallBroker]:
    provisioned(tmp_path / "out")
    with HallBroker(tmp_path / "out", tmp_path / "etc") as broker:
        yield broker


def test_a_stolen_card_is_thrown_out_and_stays_out(hall: HallBroker) -> None:
    stolen = hall.tls("table7")
    up = f"{HALL}/+/up/+"
    with (
        node(hall.unix("head"), "head", up) as head,
        node(hall.tls("table2"), "table2", f"{HALL}/all/+") as other,
        node(stolen, "table7") as thief,
    ):
        for one in (head, other, thief):
            one.expect(Connected)
        provisioned(hall.out, replace=("7",))
        hall.update()
        assert thief.expect(Disconnected).why.endswith("was lost.")
        assert "refuses table7" in thief.expect(Disconnected).why
        assert not thief.client.publish(f"{HALL}/table7/up/fact", b"stolen")
        sent(other, "table2/up/fact", b"undisturbed")
        assert head.expect(Received) == Received(f"{HALL}/table2/up/fact", b"undisturbed", False)
        with node(hall.tls("table7"), "table7") as new:
            new.expect(Connected)
            sent(new, "table7/up/fact", b"new card")
            assert head.expect(Received).payload == b"new card"
        assert head.idle()
        assert other.idle()


def test_new_tables_come_in_without_disturbing_others(hall: HallBroker) -> None:
    with node(hall.tls("table2"), "table2") as other:
        other.expect(Connected)
        provisioned(hall.out, tables=9)
        hall.update()
        with node(hall.tls("table9"), "table9") as new:
            while isinstance(new.next(), Disconnected):  # until the broker has read its accounts
                pass
        assert other.idle()


@pytest.mark.parametrize(
    ("account", "topic", "way"),
    [
        ("table7", "table7/up/log", "tls"),
        ("head", "table7/down/log", "unix"),
        ("head", "all/log", "unix"),
        ("web", "web/up/command", "unix"),
    ],
)
def test_the_largest_message_that_the_protocol_has_comes_through(
    hall: HallBroker, account: str, topic: str, way: str
) -> None:
    """A recovery asks for the log in such pieces."""
    full = f"{HALL}/{topic}"
    largest = b"x" * limit_at(full)
    with seer(hall) as everything, node(getattr(hall, way)(account), account) as one:
        one.expect(Connected)
        sent(one, topic, largest)
        assert everything.expect(Received) == Received(full, largest, False)
        assert one.idle()


def test_quality_two_ends_the_link_of_its_sender(hall: HallBroker) -> None:
    with seer(hall) as everything, node(hall.tls("table2"), "table2") as one:
        one.expect(Connected)
        fussy = raw(hall, "table7")
        fussy.connect(hall.tls("table7").host, hall.port)
        fussy.publish(f"{HALL}/table7/up/fact", b"twice?", qos=2)
        assert hung_up(fussy)
        sent(one, "table2/up/fact", b"last")
        assert until(everything, b"last") == []


def hung_up(client: paho.Client) -> bool:
    """True if the broker ends the link, after the few messages that it may send first."""
    return any(client.loop(WAIT / 10) != paho.MQTT_ERR_SUCCESS for _ in range(10))


def raw(hall: HallBroker, account: str) -> paho.Client:
    """A client without the limits of our own."""
    address = hall.tls(account)
    client = paho.Client(CallbackAPIVersion.VERSION2, account, reconnect_on_failure=False)
    client.username_pw_set(account, address.password)
    context = address.tls()
    assert context
    client.tls_set_context(context)
    return client


CLOCK = """
import queue, sys, time
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client
where, ca, words = sys.argv[1:]
address = BrokerAddress.parse(
    where, user="table7", password=open(words).read(), ca=ca, name="pi-bunco-head"
)
events = queue.SimpleQueue()
client = Client(address, "table7", events.put, ())
client.start()
print(time.gmtime().tm_year, type(events.get(timeout=20)).__name__)
client.close()
"""


@pytest.mark.system("faketime")
@pytest.mark.parametrize("year", [1969, 1970, 2001, 2026, 2100, 2200])
def test_a_pi_with_a_wrong_clock_finds_the_broker(hall: HallBroker, tmp_path: Path, year: int) -> None:
    """No Pi's clock is before 1970; that year shows that the clock which is checked is the wrong one."""
    (tmp_path / "words").write_text(hall.password("table7"), "utf-8")
    clock = ("faketime", "--exclude-monotonic", f"{year}-01-02 00:00:00 UTC")
    where = (f"127.0.0.1:{hall.port}", hall.folder / "ca.pem", tmp_path / "words")
    wrong = subprocess.run(
        [*clock, sys.executable, "-c", CLOCK, *where],
        capture_output=True,
        timeout=WAIT,
        check=True,
    )
    found = "Disconnected" if year < 1970 else "Connected"
    assert wrong.stdout.decode().split() == [str(year), found], wrong.stderr


def test_a_false_broker_is_found_out(hall: HallBroker, tmp_path: Path) -> None:
    provisioned(tmp_path / "other")
    wrong_ca = str(tmp_path / "other/ca/ca.pem")
    with node(hall.tls("table7", ca=wrong_ca), "table7") as one:
        assert "certificate verify failed" in one.expect(Disconnected).why
    for name in ("pi-bunco-other", None):
        with node(hall.tls("table7", name=name), "table7") as one:
            assert "mismatch" in one.expect(Disconnected).why


def test_the_seers_name_is_no_part_of_what_is_generated(hall: HallBroker) -> None:
    files = "".join(file.read_text("utf-8") for file in hall.out.rglob("*") if file.is_file())
    assert SEER not in files
