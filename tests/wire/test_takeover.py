"""Two processes of one name at a broker: who was first keeps it, the other one waits, and both say so."""

import contextlib
import heapq
import queue
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.wire import broker as embedded
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Client, Connected, Disconnected, SessionEvent, Will
from pi_bunco.wire.gate import Received, Undelivered, delivery
from pi_bunco.wire.takeover import NAME_LEFT_FOR_S, SHARED_FOR_S, STEADY_LINK_S, Takeovers, watched
from wire.nodes import WAIT as WAIT_S
from wire.nodes import Node, node

STATUS = topics.up("home", "table2", "status")


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
        self._status = b""
        self._heap: list[tuple[float, int, Machine]] = []
        self._order = count()

    def comes(self, machine: Machine, at: float) -> None:
        heapq.heappush(self._heap, (at, next(self._order), machine))

    def run(self, until: float) -> None:
        while self._heap and self._heap[0][0] <= until:
            self.now, session, machine = heapq.heappop(self._heap)
            self._ends()
            self.on, machine.began = machine, self.now
            machine.takeovers.connected(str(session))
            machine.takeovers.status(self._status, self.now)
            self._status = word("online", str(session))
        self.now = until

    def _ends(self) -> None:
        machine = self.on
        if machine is None or machine.began is None:
            return
        machine.online_s += self.now - machine.began
        machine.takeovers.ended(self.now - machine.began)
        self.comes(machine, self.now + 0.25 + machine.takeovers.wait(self.now))


def word(state: str, session: str) -> bytes:
    return msgspec.json.encode({"state": state, "session": session})


def test_a_session_that_a_hung_broker_took_when_its_node_had_given_up_is_nobody_elses() -> None:
    """Trace: the broker stands still for 40 s and goes on; the will of each attempt meanwhile comes out."""
    takeovers = Takeovers()
    for session in ("s1", "s2", "s3"):
        takeovers.connecting(session)
    takeovers.connected("s3")
    takeovers.status(word("lost", "s1"), 40.0)
    takeovers.ended(60.0)
    takeovers.connecting("s4")
    takeovers.connecting("s5")
    takeovers.connected("s5")
    takeovers.status(word("lost", "s4"), 101.0)
    assert not takeovers.shared(101.0)
    takeovers.status(word("online", "x1"), 102.0)
    assert takeovers.shared(102.0)


@given(st.floats(STEADY_LINK_S + 1, 1000), st.floats(0, 0.2))
def test_the_earlier_machine_keeps_the_name_and_both_know(later: float, jitter: float) -> None:
    hall, first, second = OneName(), Machine(), Machine()
    hall.comes(first, 0)
    hall.comes(second, later + jitter)
    hall.run(later + 600)
    assert hall.on is first or hall.now - (first.began or 0) < 1
    assert second.online_s < 600 / NAME_LEFT_FOR_S * 2
    assert first.takeovers.shared(hall.now)
    assert second.takeovers.shared(hall.now)
    assert first.takeovers.wait(hall.now) == 0
    assert second.takeovers.wait(hall.now) == NAME_LEFT_FOR_S


def test_a_broker_that_is_restarted_again_and_again_is_no_takeover() -> None:
    takeovers = Takeovers()
    for session in map(str, range(6)):
        takeovers.connected(session)
        takeovers.status(word("online", session), 1)
        takeovers.ended(8)
    assert not takeovers.shared(1)


def test_only_a_will_of_a_session_that_was_not_there_first_is_a_takeover() -> None:
    takeovers = Takeovers()
    takeovers.connected("a")
    takeovers.status(word("online", "before"), 1)
    takeovers.connected("b")
    takeovers.status(word("lost", "before"), 2)
    takeovers.status(word("stopped", "other"), 2)
    takeovers.status(word("lost", "a"), 2)
    takeovers.status(b"", 2)
    assert not takeovers.shared(2)
    takeovers.status(word("lost", "other"), 3)
    assert takeovers.shared(3)
    assert takeovers.shared(3 + SHARED_FOR_S - 1)
    assert not takeovers.shared(3 + SHARED_FOR_S)


@pytest.mark.system("mosquitto")
def test_a_broker_that_is_back_at_once_is_no_other_machine(tmp_path: Path) -> None:
    with embedded.start(tmp_path / "broker", "mosquitto") as broker, table2(broker) as table:
        table.expect(Connected)
        for _ in range(3):
            broker.restart()
            table.expect(Disconnected)
            table.back()
        assert table.client.conflict == ""


@pytest.mark.system("mosquitto")
def test_two_tables_of_one_number_at_a_broker(tmp_path: Path) -> None:
    """The one that was there first stays, after the other one has thrown it out twice; both say why."""
    with embedded.start(tmp_path / "broker", "mosquitto") as broker:
        fight(broker)


def status(session: str) -> Will:
    return Will(STATUS, word("lost", session))


@contextlib.contextmanager
def table2(broker: Broker) -> Iterator[Node]:
    """A table that says its birth at each connection."""

    started = threading.Event()  # the broker may let a table in before `node` returns

    def born(event: SessionEvent) -> None:
        if isinstance(event, Connected) and started.wait(WAIT_S):
            one.client.publish(STATUS, word("online", event.session), qos=1, retain=True)

    with node(broker, "table2", will=status, put=born) as one:
        started.set()
        yield one


def fight(broker: Broker) -> None:
    hasty = Takeovers(steady_s=0.5, wait_s=3600)
    with table2(broker) as first:
        first.client._takeovers._steady_s = 0.0
        first.expect(Connected)
        events: queue.SimpleQueue[SessionEvent] = queue.SimpleQueue()
        second = Client(
            BrokerAddress.parse(broker.address), "table2", events.put, (), status, takeovers=hasty
        )
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
    one, other = list[SessionEvent](), list[SessionEvent]()
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


def test_a_status_of_this_name_that_nobody_can_read_is_counted_like_any_malformed_message() -> None:
    """Trace: somebody with table 2's account says a status nested as deep as fits into a message.

    The link's thread printed a RecursionError's traceback.
    """
    put = list[SessionEvent]()
    take = watched(put.append, STATUS, False, Takeovers())
    take(Received(STATUS, b'{"state":"online","session":"s"}', False))
    assert put == []
    deep = Received(STATUS, b'{"x":' + b"[" * 4000 + b"]" * 4000 + b"}", False)
    take(deep)
    assert put == [deep]
    assert isinstance(delivery(deep), Undelivered)
