"""Two hosts at two terminals are one client for a broker with accounts: each throws the other out."""

import socket
import threading
from pathlib import Path

import pytest

from pi_bunco.cli import ask as asking
from pi_bunco.cli.ask import HeadPlace, ask, look
from pi_bunco.game.evening import Evening
from pi_bunco.game.scoreboard import scoreboard
from pi_bunco.wire import broker as embedded
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Connected, Received, SessionEvent
from pi_bunco.wire.gate import decode, encode
from pi_bunco.wire.messages import Answer, BoardMessage, Command, HeadStatus
from wire.accounts import account, only
from wire.nodes import WAIT, Node, node, packet

STATUS = topics.everyone("home", "head")
ANSWERS = topics.down("home", "host-cli", "answer")


class Head:
    """Answers when it has heard of both, so at least one of them has been thrown out before its answer."""

    def __init__(self) -> None:
        self.node: Node | None = None
        self.asked: list[str] = []

    def put(self, event: SessionEvent) -> None:
        if not isinstance(event, Received) or not event.topic.endswith("/command"):
            return
        command = decode(event.topic, event.payload, event.retained)
        assert isinstance(command, Command)
        assert self.node is not None
        self.asked.append(command.id)
        if len(set(self.asked)) == 2:
            self.node.client.publish(ANSWERS, encode(Answer(command.id, True)), qos=1)


@pytest.mark.system("mosquitto", "mosquitto_passwd")
def test_both_get_their_answers(tmp_path: Path) -> None:
    with embedded.start(tmp_path / "broker", "mosquitto") as broker:
        only(broker, "head", "host-cli")
        head = Head()
        place = HeadPlace(account(broker, "host-cli"), "home", "host-cli")
        answers: list[bool] = []

        def host() -> None:
            answers.append(ask(place, "resume", {}, WAIT).done)

        with node(account(broker, "head"), "head", *topics.uplinks("home"), put=head.put) as head.node:
            head.node.expect(Connected)
            head.node.client.publish(STATUS, encode(HeadStatus("online", "s")), qos=1, retain=True)
            hosts = [threading.Thread(target=host) for _ in range(2)]
            for one in hosts:
                one.start()
            for one in hosts:
                one.join(WAIT)
    assert answers == [True, True]
    assert len(head.asked) > 2


def test_message_lost_by_the_broker_is_requested_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As nats does at times to one who comes just as it begins to keep something."""
    monkeypatch.setattr(asking, "RECONNECT_AFTER_S", 0.1)
    kept = (("head", HeadStatus("online", "s")), ("score", BoardMessage(None, scoreboard(Evening(), {}))))
    tells = b"".join(b"\x31" + _body(f"bunco/v1/home/all/{leaf}", encode(said)) for leaf, said in kept)

    def broker() -> None:
        for more in (b"", tells):
            link, _ = server.accept()
            with link, link.makefile("rb") as said:
                packet(said)
                link.sendall(b"\x20\x02\x00\x00")  # CONNACK
                message_id = packet(said)[:2]
                link.sendall(b"\x90\x06" + message_id + 4 * b"\x01" + more)  # SUBACK
                while said.read(2) == b"\xc0\x00":  # PINGREQ
                    link.sendall(b"\xd0\x00")

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT)
        serving = threading.Thread(target=broker)
        serving.start()
        place = HeadPlace(BrokerAddress("127.0.0.1", server.getsockname()[1]), "home", "host-cli")
        standing = look(place, WAIT)
        serving.join(WAIT)
    assert (standing.online, standing.whole) == (True, True)


def _body(topic: str, payload: bytes) -> bytes:
    """The rest of a PUBLISH behind its first byte; MQTT 3.1.1, section 2.2.3 has a length of two bytes."""
    body = len(topic).to_bytes(2, "big") + topic.encode() + payload
    return bytes((len(body) % 128 | 128, len(body) // 128)) + body
