"""The doctor in a hall: real brokers, with the certificates of pi-bunco provision and worse."""

import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec.structs import replace

from pi_bunco.config import BrokerSettings, Config
from pi_bunco.doctor import broker_path, hall_reports
from pi_bunco.doctor.broker_path import Dates
from pi_bunco.doctor.findings import Finding
from pi_bunco.doctor.hall_reports import Guest, Listened
from pi_bunco.provision.certificates import made
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker as Embedded
from pi_bunco.wire.client import Received
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Beat, HeadStatus, Payload, Status
from provision.halls import HallBroker, provisioned
from wire.nodes import Node, node

NOW = datetime(2027, 1, 1, tzinfo=UTC).timestamp()
DAY = 86_400.0


def faults(found: Iterator[Finding]) -> list[str]:
    return [one.text for one in found if one.level == "fault"]


@pytest.fixture(scope="module")
def provisioned_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HallBroker]:
    out, folder = tmp_path_factory.mktemp("out"), tmp_path_factory.mktemp("etc")
    provisioned(out / "hall")
    with HallBroker(out / "hall", folder) as running:
        yield running


# The way there.


@pytest.mark.system("mosquitto")
def test_a_provisioned_broker_is_reached_and_its_dates_are_known(provisioned_broker: HallBroker) -> None:
    address = provisioned_broker.tls("host-cli")
    reached = broker_path.reach(address)
    assert reached.why == ""
    found = list(broker_path.judge([(address, reached)], NOW))
    assert [(one.check, one.level) for one in found] == [("broker", "ok")] + [("certificate", "ok")] * 2
    assert broker_path.reach(provisioned_broker.unix("host-cli")).why == ""


@pytest.mark.system("mosquitto")
def test_a_broker_that_is_found_at_another_of_its_places_is_all_right(provisioned_broker: HallBroker) -> None:
    first = provisioned_broker.tls("host-cli").at("nowhere.invalid")
    address = replace(first, others=(f"127.0.0.1:{provisioned_broker.port}",))
    place, reached = broker_path.find(address)
    assert (place.port, place.others, reached.why) == (provisioned_broker.port, (), "")
    told = broker_path.judge_reached(place, reached)
    assert told.level == "ok"
    assert "has the name nowhere.invalid; that does no harm" in told.text
    nowhere, reached = broker_path.find(replace(first, others=("127.0.0.1:1",)))
    assert nowhere.host == "nowhere.invalid"
    assert "has the name nowhere.invalid" in reached.why


@pytest.mark.system("mosquitto")
def test_an_unreachable_broker_is_told_by_its_cause(provisioned_broker: HallBroker, tmp_path: Path) -> None:
    there = provisioned_broker
    (tmp_path / "ca.pem").write_text(made("another").ca)
    (tmp_path / "no.pem").write_text("nothing")
    cases = {
        BrokerAddress("127.0.0.1", 1): "There is a machine at 127.0.0.1, but no broker",
        BrokerAddress("/run/none.sock", unix=True): "The broker does not run",
        BrokerAddress("nowhere.invalid"): "has the name nowhere.invalid",
        there.tls("host-cli", ca=str(tmp_path / "ca.pem")): "did not sign it",
        there.tls("host-cli", ca=str(tmp_path / "no.pem")): "no.pem",
        there.tls("host-cli", name="another"): "not for the name another",
    }
    for address, word in cases.items():
        reached = broker_path.reach(address)
        assert word in reached.why
        assert reached.mend
        assert there.password("host-cli") not in f"{reached}"


@pytest.mark.system("mosquitto")
def test_a_port_without_tls_is_told(tmp_path: Path) -> None:
    from pi_bunco.wire import broker as embedded

    (tmp_path / "ca.pem").write_text(made("home").ca)
    with embedded.start(tmp_path / "broker", "mosquitto") as plain:
        host, _, port = plain.address.partition(":")
        address = BrokerAddress(host, int(port), ca=str(tmp_path / "ca.pem"), name="pi-bunco-head")
        assert "TLS" in broker_path.reach(address, 1.0).why


def _ended(folder: Path) -> BrokerAddress:
    """A broker that shows a certificate which ended long ago, and is gone after one handshake."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    begins, ends = datetime(2000, 1, 1, tzinfo=UTC), datetime(2001, 1, 1, tzinfo=UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, begins, ends)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("pi-bunco-head")]), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    (folder / "cert.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as link, context.wrap_socket(link, server_side=True) as wrapped:
            wrapped.recv(1)

    threading.Thread(target=serve, daemon=True).start()
    port = listener.getsockname()[1]
    return BrokerAddress("127.0.0.1", port, ca=str(folder / "cert.pem"), name="pi-bunco-head")


def test_a_certificate_that_has_ended_is_told_with_its_date(tmp_path: Path) -> None:
    address = _ended(tmp_path)
    found = list(broker_path.judge([(address, broker_path.reach(address))], NOW))
    assert [(one.check, one.level) for one in found] == [("broker", "ok")] + [("certificate", "fault")] * 2
    assert found[1].text.endswith("ended on 01 January 2001.")
    assert found[2].text == "The certificate of the broker ended on 01 January 2001."


@pytest.mark.parametrize(
    ("begins", "ends", "level", "word"),
    [
        (NOW - DAY, NOW + 400 * DAY, "ok", "counts until"),
        (NOW - 9 * DAY, NOW - DAY, "fault", "ended on"),
        (NOW + DAY, NOW + 9 * DAY, "fault", "the clock of this machine is wrong"),
        (NOW - DAY, NOW + 9 * DAY, "warning", "ends on"),
    ],
)
def test_the_dates_of_certificates(begins: float, ends: float, level: str, word: str) -> None:
    found = broker_path.judge_dates(Dates("of the broker", begins, ends), NOW)
    assert found.level == level
    assert word in found.text


def test_the_dates_of_a_ca_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing")
    assert broker_path.read_ca(tmp_path / "ca.pem") == broker_path.read_ca(tmp_path / "none.pem") == ()


# As whom.


def test_nobody_is_thrown_out_of_the_broker(tmp_path: Path) -> None:
    def config(*nodes: str) -> Config:
        for one in nodes:
            file = tmp_path / one
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("a-password\n")
        return Config(number=2, broker=BrokerSettings("127.0.0.1:1", secrets=str(tmp_path)))

    assert "root's alone" in hall_reports.guest(config(), False, True).why
    assert "no password" in hall_reports.guest(config(), True, False).why
    on_a_table = config("table/table2")
    assert "only the table's own service" in hall_reports.guest(on_a_table, True, True).why
    assert hall_reports.guest(on_a_table, True, False).name == "table2"
    assert hall_reports.guest(config("host/host-cli"), True, True).name == "host-cli"
    assert hall_reports.guest(Config(), True, True).why == "these settings name no broker (--broker)"
    open_house = hall_reports.guest(Config(broker=BrokerSettings("127.0.0.1:1")), False, True)
    assert open_house.address == BrokerAddress("127.0.0.1", 1)


# Who is there.


def _says(one: Node, topic: str, message: Payload) -> None:
    assert one.client.publish(f"bunco/v1/{topic}", encode(message), qos=1, retain=True)


def test_a_hall_is_heard(broker: Embedded) -> None:
    address = BrokerAddress.parse(broker.address)
    head, lost = HeadStatus("online", "s1", "pi1", "1.0", faults=("It is hot.",)), Status("lost", "s3")
    with node(address, "head", "bunco/v1/+/all/head", "bunco/v1/home/+/up/status") as one:
        one.next()
        _says(one, "home/all/head", head)
        _says(one, "else/all/head", HeadStatus("online", "s2"))
        _says(one, "home/table1/up/status", Status("online", "s", "1.1", "b"))
        _says(one, "home/table3/up/status", lost)
        for _ in range(4):  # the broker has them
            one.expect(Received)
        heard = hall_reports.listen(Guest(address), "home", 2.0)
    assert heard.head == head
    assert list(heard.elsewhere) == ["else"]
    assert heard.statuses[3] == lost
    found = list(hall_reports.judge(heard, Guest(address), "home", None))
    told = [(one.check, one.level) for one in found]
    assert ("login", "ok") in told
    assert ("head", "warning") in told
    assert "Versions differ: the head runs 1.0, table 1 1.1." in [one.text for one in found]


@pytest.mark.system("mosquitto")
def test_a_wrong_password_is_told(provisioned_broker: HallBroker) -> None:
    guest = Guest(provisioned_broker.tls("host-cli", password="wrong"))
    heard = hall_reports.listen(guest, "home", 0.1)
    (why,) = faults(hall_reports.judge(heard, guest, "home", None))
    assert "refuses host-cli" in why
    assert "wrong" not in why


@pytest.mark.system("mosquitto")
def test_topic_only_for_the_head_is_not_reported_fine(provisioned_broker: HallBroker) -> None:
    guest = Guest(provisioned_broker.tls("host-cli"))
    address = provisioned_broker.unix("head")
    with node(address, "head") as head:
        head.next()
        _says(head, "home/all/head", HeadStatus("online", "s", "pi1", "1.0"))
        heard = hall_reports.listen(guest, "home", 2.0)
    found = list(hall_reports.judge(heard, guest, "home", None))
    assert [(one.check, one.level) for one in found] == [
        ("login", "ok"), ("head", "ok"), ("versions", "skipped"), ("tables", "skipped"),
    ]  # fmt: skip


def _heard(**more: object) -> Listened:
    heard = Listened(linked=True, head=HeadStatus("online", "s1", "pi1", "1.0"))
    heard.heads = {"s1": HeadStatus("online", "s1", "pi1")}
    for name, value in more.items():
        setattr(heard, name, value)
    return heard


def test_the_head_is_one_and_there() -> None:
    two = {"s1": HeadStatus("online", "s1", "pi1"), "s2": HeadStatus("online", "s2", "pi9")}
    cases = {
        "There are 2 heads in the hall home, on pi1 and pi9.": _heard(heads=two),
        "The head was switched off.": _heard(head=HeadStatus("stopped", "s1")),
        "The head is lost.": _heard(head=HeadStatus("lost", "s1")),
        "No head has been heard in the hall home.": _heard(head=None),
        "There is no head in the hall home, but one in hom.": _heard(
            head=None, elsewhere={"hom": HeadStatus("online", "s2"), "old": HeadStatus("lost", "s3")}
        ),
    }
    for text, heard in cases.items():
        assert faults(hall_reports.judge_head(heard, "home")) == [text]
    assert faults(hall_reports.judge_head(_heard(), "home")) == []


def test_the_tables_say_what_is_wrong() -> None:
    statuses = {1: Status("online", "s", "1.0", "b"), 3: Status("lost", "s")}
    dice, words = ("ok", "lost", "weak"), ("calls for the host.", "No pad.")
    beats = {1: Beat(2, offset_err_ms=900.0, dice=dice, faults=words)}
    waiting = [
        (1, "Table 1: old news."),
        (4, "Table 4: not heard yet; is it switched on?"),
        (0, "Table talk is no table."),
    ]
    heard = _heard(statuses=statuses, beats=beats, waiting=waiting)
    told = {one.text: one.level for one in hall_reports.judge_tables(heard, 3)}
    assert told == {
        "This machine is table 3, but table 3 is not heard.": "fault",
        "Table 1: die 2 is lost.": "fault",
        "Table 1: the battery of die 3 is weak.": "warning",
        "Table 1 calls for the host.": "warning",
        "Table 1: No pad.": "warning",
        "Table 1 knows the head's clock to 900 ms only.": "warning",
        "Table 3 is not heard: it was lost.": "warning",
        "The head and every table that was heard run 1.0.": "ok",
        "The head says: Table 4: not heard yet; is it switched on?": "warning",
    }
