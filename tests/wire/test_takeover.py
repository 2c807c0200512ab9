"""Two processes of one name at a broker: who was first keeps it, the other one waits, and both say so."""

import heapq
import queue
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.wire import broker as embedded
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Client, Connected, Disconnected, Event
from pi_bunco.wire.takeover import STEADY, WAIT, WINDOW, Takeovers
from wire.nodes import WAIT as WAIT_S
from wire.nodes import node


class Machine:
    """A node that comes back a quarter of a second after it was cut off."""

    def __init__(self) -> None:
        self.takeovers = Takeovers()
        self.began: float | None = None
        self.online_s = 0.0


class OneName:
    """A broker at which several machines use one name, in virtual time."""

    def __init__(self) -> None:
        self.now = 0.0
        self.on: Machine | None = None
        self._heap: list[tuple[float, int, Machine]] = []
        self._order = count()

    def comes(self, machine: Machine, at: float) -> None:
        heapq.heappush(self._heap, (at, next(self._order), machine))

    def run(self, until: float) -> None:
        while self._heap and self._heap[0][0] <= until:
            self.now, _, machine = heapq.heappop(self._heap)
            self._ends(by_broker=True)
            self.on, machine.began = machine, self.now
            machine.takeovers.connected(self.now)
        self.now = until

    def _ends(self, by_broker: bool) -> None:
        machine = self.on
        if machine is None or machine.began is None:
            return
        machine.online_s += self.now - machine.began
        machine.takeovers.ended(machine.began, self.now, by_broker)
        self.comes(machine, self.now + 0.25 + machine.takeovers.wait(self.now))


@given(st.floats(STEADY + 1, 1000), st.floats(0, 0.2))
def test_the_earlier_machine_keeps_the_name_and_both_know(later: float, jitter: float) -> None:
    hall, first, second = OneName(), Machine(), Machine()
    hall.comes(first, 0)
    hall.comes(second, later + jitter)
    hall.run(later + 600)
    assert hall.on is first or hall.now - (first.began or 0) < 1
    assert second.online_s < 600 / WAIT * 2
    assert first.takeovers.shared(hall.now)
    assert second.takeovers.shared(hall.now)
    assert first.takeovers.wait(hall.now) == 0
    assert second.takeovers.wait(hall.now) == WAIT


def test_a_broker_that_is_restarted_again_and_again_is_no_takeover() -> None:
    takeovers = Takeovers()
    for start in range(0, 60, 10):
        takeovers.connected(start)
        takeovers.ended(start, start + 8, by_broker=True)
        takeovers.not_reached()
    assert not takeovers.shared(60)


def test_one_takeover_is_no_conflict_and_two_are_forgotten_after_a_while() -> None:
    takeovers = Takeovers()
    for start in (0, 20):
        takeovers.connected(start)
        takeovers.ended(start, start + 1, by_broker=True)
        takeovers.connected(start + 1.2)
        assert takeovers.shared(start + 1.2) == (start == 20)
        takeovers.ended(start + 1.2, start + 19, by_broker=False)
    assert takeovers.shared(21 + WINDOW - 22)
    assert not takeovers.shared(21 + WINDOW)


@pytest.mark.system("mosquitto")
def test_two_tables_of_one_number_at_a_broker(tmp_path: Path) -> None:
    """The one that was there first stays, after the other one has thrown it out twice; both say why."""
    with embedded.start(tmp_path / "broker", "mosquitto") as broker:
        fight(broker)


def fight(broker: Broker) -> None:
    hasty = Takeovers(steady=0.5, wait=3600)
    with node(broker, "table2") as first:
        first.client._takeovers._steady_s = 0.0
        first.expect(Connected)
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        second = Client(BrokerAddress.parse(broker.address), "table2", events.put, (), takeovers=hasty)
        second.start()
        for _ in range(2):
            first.expect(Disconnected)
            first.expect(Connected)
            assert isinstance(events.get(timeout=WAIT_S), Connected)
            assert isinstance(events.get(timeout=WAIT_S), Disconnected)
        assert "was first" not in first.client.conflict
        assert "Another machine is table2" in first.client.conflict
        assert second.session is None
        assert "this one waits" in second.conflict
        second.close()


def test_two_halls_share_a_broker(broker: Broker) -> None:
    address = BrokerAddress.parse(broker.address)
    one, other = list[Event](), list[Event]()
    first = Client(address, "head", one.append, (), hall="home")
    second = Client(address, "head", other.append, (), hall="club")
    with node(broker, "probe", "x") as probe:
        probe.expect(Connected)
        first.start()
        second.start()
        while not (first.session and second.session):
            assert not any(isinstance(event, Disconnected) for event in one + other)
        assert first.publish("x", b"1", qos=1)
        probe.next()
        assert second.publish("x", b"2", qos=1)
        probe.next()
        assert len(one) == len(other) == 1
    first.close()
    second.close()
