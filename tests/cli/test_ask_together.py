"""Two hosts at two terminals are one client for a broker with accounts: each throws the other out."""

import threading
from pathlib import Path

import pytest

from pi_bunco.cli.ask import Place, ask
from pi_bunco.wire import broker as embedded
from pi_bunco.wire import topics
from pi_bunco.wire.client import Connected, Event, Received
from pi_bunco.wire.gate import decode, encode
from pi_bunco.wire.messages import Answer, Command, HeadStatus
from wire.accounts import account, only
from wire.nodes import WAIT, Node, node

STATUS = topics.everyone("home", "head")
ANSWERS = topics.down("home", "host-cli", "answer")


class Head:
    """Answers when it has heard of both, so at least one of them has been thrown out before its answer."""

    def __init__(self) -> None:
        self.node: Node | None = None
        self.asked: list[str] = []

    def put(self, event: Event) -> None:
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
        place = Place(account(broker, "host-cli"), "home", "host-cli")
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
