import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.wire.address import AddressError, BrokerAddress


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:1884", BrokerAddress("127.0.0.1", 1884)),
        ("head.local", BrokerAddress("head.local", 1883)),
        ("[fe80::1%eth0]:1884", BrokerAddress("fe80::1%eth0", 1884)),
        ("[::1]", BrokerAddress("::1", 1883)),
        ("unix:/run/mosquitto.sock", BrokerAddress("/run/mosquitto.sock", unix=True)),
    ],
)
def test_addresses(text: str, address: BrokerAddress) -> None:
    assert BrokerAddress.parse(text) == address
    assert BrokerAddress.parse(str(address)) == address


def test_a_broker_may_have_several_places() -> None:
    found = BrokerAddress.parse(
        "head.local:8883,10.0.0.1:8883,[::1]:1", user="table1", password="x", ca="ca.pem"
    )
    assert str(found) == "head.local:8883"
    assert [str(place) for place in found.places()] == ["head.local:8883", "10.0.0.1:8883", "[::1]:1"]
    assert [place.name for place in found.places()] == [None, "head.local", "head.local"]
    assert {(place.user, place.ca, place.others) for place in found.places()} == {("table1", "ca.pem", ())}


@pytest.mark.parametrize(
    "text",
    [
        "head.local:8883,",
        "head.local:8883,10.0.0.1:99999",
        "head.local,unix:/run/mosquitto.sock",
        "",
        ":1883",
        "head:0",
        "head:65536",
        "head:x",
        "head:",
        "a b:1",
        "::1",
        "unix:",
        "unix:here",
        "mqtt://head",
    ],
)
def test_what_is_no_address_says_how_one_looks(text: str) -> None:
    with pytest.raises(AddressError, match="unix:/PATH"):
        BrokerAddress.parse(text)


@given(st.text())
def test_any_text_is_an_address_that_reads_back_or_an_error(text: str) -> None:
    try:
        address = BrokerAddress.parse(text)
    except AddressError:
        return
    assert BrokerAddress.parse(str(address)) == address.places()[0]
    assert [BrokerAddress.parse(str(place)) for place in address.places()] == [*address.places()]


def test_half_a_certificate_and_a_password_of_nobody_are_refused() -> None:
    with pytest.raises(AddressError, match="three files"):
        BrokerAddress.parse("head", ca="ca.pem", cert="c.pem")
    with pytest.raises(AddressError, match="three files"):
        BrokerAddress.parse("head", cert="c.pem", key="c.key")
    with pytest.raises(AddressError, match="needs a user"):
        BrokerAddress.parse("head", password="secret")
    assert BrokerAddress.parse("head", user="table1", password="secret").user == "table1"


def test_unusable_tls_files_are_named() -> None:
    with pytest.raises(AddressError, match=r"/nowhere/ca\.pem: No such file"):
        BrokerAddress.parse("head", ca="/nowhere/ca.pem").tls()
    assert BrokerAddress.parse("head").tls() is None
