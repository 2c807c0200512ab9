"""A head asks whether there is another one, and throws out nobody by that."""

import fcntl
import logging
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_bunco.head import role
from pi_bunco.head.role import LOCK, TOLD_WITHIN_S, HeadRuns, other_head, without_head
from pi_bunco.wire import broker as embedded
from pi_bunco.wire import client, topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Client, Connected, Received, SessionEvent
from pi_bunco.wire.gate import decode, encode
from pi_bunco.wire.messages import Answer, Command, HeadStatus
from wire.accounts import account, only
from wire.nodes import WAIT, Node, freeze, node

THERE = HeadStatus("online", "s1", "the hall's Pi")


def answering(link: list[Node]) -> Callable[[SessionEvent], None]:
    """Answers every command, as a head does that is there."""

    def put(event: SessionEvent) -> None:
        if not isinstance(event, Received) or not event.topic.endswith("/command"):
            return
        command = decode(event.topic, event.payload, event.retained)
        assert isinstance(command, Command)
        to = topics.down("home", topics.parse(event.topic).node, "answer")
        link[0].client.publish(to, encode(Answer(command.id, False, ("What?",))), qos=1)

    return put


def found_beside_a_head(
    broker: Broker, as_head: BrokerAddress, asking: BrokerAddress, kept: bool = True
) -> HeadStatus | None:
    link: list[Node] = []
    with node(as_head, "head", *topics.uplinks("home"), put=answering(link)) as head:
        link.append(head)
        head.expect(Connected)
        for _ in range(2 if kept else 0):  # once it hears the second, the broker keeps the first
            head.client.publish(topics.everyone("home", "head"), encode(THERE), qos=1, retain=True)
            head.expect(Received)
        found = other_head(asking, "home")
        assert head.client.session is not None
        assert all(isinstance(event, Received) for event in iter_events(head))
    return found


def iter_events(of: Node) -> list[SessionEvent]:
    events = []
    while not of.idle():
        events.append(of.next())
    return events


def test_a_head_that_is_there_is_found(broker: Broker) -> None:
    anybody = BrokerAddress.parse(broker.address)
    assert found_beside_a_head(broker, anybody, anybody) == THERE
    assert other_head(anybody, "home") is None  # what the broker still tells of it is not believed
    assert other_head(anybody, "another") is None


def test_a_head_of_which_the_broker_says_nothing_is_found(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """nats can leave out what it began to keep just now."""
    monkeypatch.setattr(role, "TOLD_WITHIN_S", WAIT)
    anybody = BrokerAddress.parse(broker.address)
    found = found_beside_a_head(broker, anybody, anybody, kept=False)
    assert found is not None
    assert found.state == "online"


@pytest.mark.system("mosquitto")
def test_a_broker_that_is_busy_for_a_while_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Client):
        def start(self) -> None:
            freeze(broker)
            super().start()
            goes_on.start()

    monkeypatch.setattr(client, "Client", Slow)
    with embedded.start(tmp_path / "broker", "mosquitto") as broker:
        goes_on = threading.Timer(5 * TOLD_WITHIN_S, os.kill, (broker.pid, signal.SIGCONT))
        anybody = BrokerAddress.parse(broker.address)
        assert found_beside_a_head(broker, anybody, anybody) == THERE
        goes_on.join()


@pytest.mark.system("mosquitto", "mosquitto_passwd")
def test_where_there_are_accounts_it_asks_as_the_probe(tmp_path: Path) -> None:
    with embedded.start(tmp_path / "broker", "mosquitto") as broker:
        only(broker, "head", "probe")
        assert found_beside_a_head(broker, account(broker, "head"), account(broker, "probe")) == THERE


@pytest.mark.system("mosquitto", "mosquitto_passwd")
def test_role_never_asks_as_the_head(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with embedded.start(tmp_path / "broker", "mosquitto") as broker:
        only(broker, "head")
        assert found_beside_a_head(broker, account(broker, "head"), account(broker, "head")) is None
    assert "the user head may be in use" in caplog.text


@pytest.mark.system("mosquitto", "mosquitto_passwd")
def test_a_probe_that_is_refused_keeps_nobody_from_being_head(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with embedded.start(tmp_path / "broker", "mosquitto") as broker:
        only(broker, "head")
        assert other_head(account(broker, "probe"), "home") is None
    assert "refuses probe: not authorized" in caplog.text


# Whatever rings for a test, while no head runs.


def test_a_head_that_runs_keeps_its_bell(tmp_path: Path) -> None:
    with (tmp_path / LOCK).open("a+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held.write(b"4711")
        held.flush()
        sentence = r"^process 4711 is head .* use pi-bunco host bell-test$"
        with pytest.raises(HeadRuns, match=sentence), without_head(tmp_path):
            raise AssertionError("it has been let in")
    assert (tmp_path / LOCK).read_bytes() == b"4711"


def test_no_head_starts_meanwhile_and_one_may_afterwards(tmp_path: Path) -> None:
    (tmp_path / LOCK).write_bytes(b"99999999")
    with (tmp_path / LOCK).open("rb") as head:
        with without_head(tmp_path):
            assert (tmp_path / LOCK).read_text() == str(os.getpid())
            with pytest.raises(BlockingIOError):
                fcntl.flock(head, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(head, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_where_no_head_has_been_nothing_is_made(tmp_path: Path) -> None:
    with without_head(tmp_path), without_head(None), without_head(tmp_path / "missing"):
        assert not list(tmp_path.iterdir())


def test_a_lock_that_cannot_be_opened_may_be_held(tmp_path: Path) -> None:
    (tmp_path / LOCK).mkdir()
    with pytest.raises(HeadRuns, match="a head may be running"), without_head(tmp_path):
        raise AssertionError("it has been let in")
