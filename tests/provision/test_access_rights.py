"""The real mosquitto with the generated configuration: each right works, and each wrong does nothing.

On MQTT 3.1.1 a refused message looks like one that was taken, so what counts is who hears it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_bunco.wire.client import Connected, Disconnected, Received, Will
from provision.halls import HALL, SEER, HallBroker, provisioned, seer, sent, until
from wire.nodes import node

pytestmark = [
    pytest.mark.system("mosquitto", "mosquitto_passwd"),
    # paho 2.2.0 leaves the socket of a failed handshake to the garbage collector.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
OWN = ("up/fact", "up/status", "up/beat", "up/clock", "up/log", "up/log_request")


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HallBroker]:
    folder = tmp_path_factory.mktemp("hall")
    provisioned(folder / "out")
    with HallBroker(folder / "out", folder / "etc") as broker:
        yield broker


def test_a_table_says_what_is_its_own_to_say(hall: HallBroker) -> None:
    with node(hall.unix("head"), "head", f"{HALL}/+/up/+") as head, node(hall.tls("table7"), "table7") as one:
        head.expect(Connected)
        one.expect(Connected)
        for leaf in OWN:
            sent(one, f"table7/{leaf}", leaf.encode())
        assert [head.expect(Received).topic for _ in OWN] == [f"{HALL}/table7/{leaf}" for leaf in OWN]


@pytest.mark.parametrize("retain", [False, True])
@pytest.mark.parametrize(
    "topic",
    [
        "table2/up/fact", "table2/up/status", "table2/down/view", "table7/down/ack", "table7/down/view",
        "all/bell", "all/head", "all/round", "all/score", "all/log", "head/up/command", "host-cli/up/command",
        "host-ann/up/command", "web/up/command", "table7/up/anything", "table7/up/fact/more",
        "table77/up/fact", "../other/table7/up/fact",
    ],
)  # fmt: skip
def test_a_table_says_nothing_else(hall: HallBroker, topic: str, retain: bool) -> None:
    full = f"bunco/v1/{topic[3:]}" if topic.startswith("../") else f"{HALL}/{topic}"
    with seer(hall) as everything, node(hall.tls("table7"), "table7") as one:
        one.expect(Connected)
        assert one.client.publish(full, b"forged", qos=1, retain=retain)
        sent(one, "table7/up/fact", b"last")
        assert until(everything, b"last") == []
    with seer(hall) as everything, node(hall.tls("table7"), "table7") as one:  # nor is it kept for later
        one.expect(Connected)
        sent(one, "table7/up/fact", b"later")
        assert until(everything, b"later") == []


def test_the_seer_would_hear_it(hall: HallBroker) -> None:
    with seer(hall) as everything, node(hall.unix("head"), "head") as head:
        head.expect(Connected)
        sent(head, "all/bell", b"rings")
        assert everything.expect(Received) == Received(f"{HALL}/all/bell", b"rings", False)


def test_a_will_forges_nothing_either(hall: HallBroker) -> None:
    forged = Will(f"{HALL}/table2/up/status", b"lost")
    with seer(hall) as everything, node(hall.tls("table7"), "table7", will=lambda _: forged) as one:
        one.next()
        with node(hall.tls("table7"), "table7") as again:  # throws the first out, so its will is due
            again.expect(Connected)
            sent(again, "table7/up/fact", b"last")
            assert until(everything, b"last") == []


@pytest.mark.parametrize("place", ["table2/down/#", "+/down/+", "+/up/+", "#", "$share", "$SYS"])
def test_a_table_hears_what_is_for_it_and_no_more(hall: HallBroker, place: str) -> None:
    special = {"$share": f"$share/us/{HALL}/table2/down/#", "$SYS": "$SYS/#"}
    wanted = special.get(place, f"{HALL}/{place}")
    with node(hall.unix("head"), "head") as head, node(hall.unix("host-cli"), "host-cli") as ann:
        head.expect(Connected)
        ann.expect(Connected)
        with node(hall.tls("table7"), "table7", wanted, f"{HALL}/table7/down/+", f"{HALL}/all/+") as one:
            first = one.next()
            if isinstance(first, Disconnected):  # not even asked for
                assert "does not let table7 read" in first.why
                return
            sent(ann, "host-cli/up/command", b"command")
            for topic in ("table2/down/ack", "head/down/answer", "host-cli/down/answer", "table3/up/fact"):
                sent(head, topic, b"not for you")
            sent(head, "all/bell", b"ding")
            sent(head, "table7/down/ack", b"last")
            assert {(event.topic, event.payload) for event in until(one, b"last")} == {
                (f"{HALL}/all/bell", b"ding")
            }


def test_the_broker_tells_of_itself_but_not_to_tables(hall: HallBroker) -> None:
    with seer(hall, "$SYS/#") as everything:
        assert everything.expect(Received).topic.startswith("$SYS/")


@pytest.mark.parametrize("way", ["tls", "unix"])
@pytest.mark.parametrize(
    ("user", "password"),
    [
        (None, None), ("table7", None), ("table7", "wrong"), ("table7", ""), ("head", "wrong"),
        ("head", "head"), ("phone", "x"), ("phone", None), ("host-ann", "x"), ("table8", "x"),
        ("table7/../head", "x"), ("+", "x"),
    ],
)  # fmt: skip
def test_who_has_no_account_is_nobody(
    hall: HallBroker, way: str, user: str | None, password: str | None
) -> None:
    address = getattr(hall, way)("table7", user=user, password=password)
    with node(address, "phone", f"{HALL}/all/+") as phone:
        why = phone.expect(Disconnected).why
        assert "refuses phone" in why
        assert not phone.client.publish(f"{HALL}/all/bell", b"{}")


def test_a_tables_password_opens_no_other_account(hall: HallBroker) -> None:
    for user in ("head", "table2", "host-cli", "probe"):
        with node(hall.tls("table7", user=user), user) as one:
            assert "refuses" in one.expect(Disconnected).why


def test_the_rung_below_tls_is_closed(hall: HallBroker) -> None:
    with node(hall.tls("table7", ca=None, name=None), "table7") as one:
        assert "lost" in one.expect(Disconnected).why
    assert b"table7" not in hall.log.read_bytes().splitlines()[-1]


def test_a_false_broker_is_found_out(hall: HallBroker, tmp_path: Path) -> None:
    provisioned(tmp_path / "other")
    wrong_ca = str(tmp_path / "other/ca/ca.pem")
    with node(hall.tls("table7", ca=wrong_ca), "table7") as one:
        assert "certificate verify failed" in one.expect(Disconnected).why
    for name in ("pi-bunco-other", None):
        with node(hall.tls("table7", name=name), "table7") as one:
            assert "mismatch" in one.expect(Disconnected).why


def test_nobody_takes_the_heads_place(hall: HallBroker) -> None:
    """The id that a client asks for means nothing, so nobody is thrown out who is not of the account."""
    with (
        node(hall.unix("head"), "head", f"{HALL}/head/down/+") as head,
        node(hall.tls("table7"), "head", f"{HALL}/head/down/+") as thief,
    ):
        head.expect(Connected)
        thief.expect(Connected)
        sent(thief, "all/head", b"me")
        sent(head, "head/down/x", b"still here")
        assert head.expect(Received).payload == b"still here"
        assert thief.idle()
        sent(thief, "table7/up/fact", b"as table 7")
        with node(hall.tls("table7"), "table7", f"{HALL}/all/+") as owner:
            owner.expect(Connected)
            assert isinstance(thief.next(), Disconnected)
        assert head.idle()


def test_the_seers_name_is_no_part_of_what_is_generated(hall: HallBroker) -> None:
    files = "".join(file.read_text("utf-8") for file in hall.out.rglob("*") if file.is_file())
    assert SEER not in files
