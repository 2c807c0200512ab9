"""A round at a table whose dice are the very firmware in the real interpreter, over a pseudo terminal."""

import json
import queue
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from cli.processes import WAIT, done, head, replayed, started, status, table
from devices.simulated_box import Port
from firmware.test_serial import Pico, reports
from pi_bunco.log import journal
from pi_bunco.log.entry import Entry
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Client, Connected, Received, SessionEvent
from pi_bunco.wire.gate import decode

PLAYERS = "Ann,Bob,Cat,Dee"


class Facts:
    """Facts that the head has taken and journaled, as anybody on the network hears them."""

    def __init__(self, broker: Broker) -> None:
        self._events: queue.SimpleQueue[SessionEvent] = queue.SimpleQueue()
        self._client = Client(
            BrokerAddress.parse(broker.address), "ear", self._events.put, ["bunco/v1/home/all/log"]
        )
        self._client.start()
        assert isinstance(self._events.get(timeout=WAIT), Connected)
        self._known = 0

    def roll(self) -> list[int]:
        """The faces of the next roll."""
        while True:
            event = self._events.get(timeout=WAIT)
            assert isinstance(event, Received)
            entry = decode(event.topic, event.payload, event.retained)
            assert isinstance(entry, Entry)
            fact = entry.plain()
            if entry.n > self._known and fact["kind"] == "roll":
                self._known = entry.n
                return list(fact["dice"])

    def close(self) -> None:
        self._client.close()


@pytest.mark.long
def test_a_round_is_played_with_the_dice_box(broker: Broker, tmp_path: Path) -> None:
    with ExitStack() as stack:
        port = stack.enter_context(closing(Port(tmp_path / "box")))
        pico = stack.enter_context(closing(Pico(port)))
        referee = stack.enter_context(head(broker, tmp_path / "head", "--auto-confirm", "0"))
        one = stack.enter_context(table(broker, tmp_path / "one", 1, "--dice", f"serial:{tmp_path / 'box'}"))
        for service in (referee, one):
            assert service.ready().startswith("ready:")
        told = stack.enter_context(closing(Facts(broker)))
        done(broker, "open", "--rules", "bonko", "--players", PLAYERS, "--set", "end.points=3")
        done(broker, "draw")
        started(broker)
        rolls = []
        while (state := status(broker)["score"]["board"]["state"]) != "between_rounds":
            if state == "round_open":  # after the bell only the head's OK is missing
                pico.order("r")
                rolls.append(told.roll())
        for service in (one, referee):
            assert service.terminate() == (0, "")
        pico.order("q")
        shown = [list(faces) for faces in reports(pico.off())]
    log = [json.loads(line) for line in journal.export(tmp_path / "head" / "journal.db")]
    assert [fact["dice"] for fact in log if fact["kind"] == "roll"] == rolls == shown
    (played,) = replayed(tmp_path / "head")["rounds"]
    assert max(played["tables"][0]["points"]) >= 3
