import contextlib
import os
import queue
import resource
import signal
import socket
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.enums import MQTTErrorCode

from pi_bunco.wire import session
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import (
    MAX_QUEUED,
    Connected,
    Disconnected,
    Received,
    SessionEvent,
    Will,
    reconnect_delay,
)
from pi_bunco.wire.gate import LIMIT_BYTES
from pi_bunco.wire.topics import WireError
from wire.nodes import WAIT, Node, freeze, node, packet

FACT = "bunco/v1/home/table1/up/fact"
STATUS = "bunco/v1/home/table1/up/status"
UP = "bunco/v1/home/+/up/+"


@pytest.fixture
def head(broker: Broker) -> Iterator[Node]:
    with node(broker, "head", UP) as head:
        head.expect(Connected)
        yield head


@pytest.fixture
def table(broker: Broker) -> Iterator[Node]:
    with node(broker, "table1", FACT) as table:
        table.expect(Connected)
        yield table


@pytest.mark.parametrize("qos", [0, 1])
def test_published_message_is_received(head: Node, table: Node, qos: int) -> None:
    assert table.client.publish(FACT, b"{}", qos=qos)
    assert head.next() == Received(FACT, b"{}", False)


def test_what_is_published_goes_out_while_the_link_itself_is_kept_waiting(broker: Broker, head: Node) -> None:
    """So a page that is held, or a thread that gets no turn, delays nothing that a service says."""
    kept_waiting, goes_on = threading.Event(), threading.Event()

    def wait(event: SessionEvent) -> None:
        if isinstance(event, Received):
            kept_waiting.set()
            goes_on.wait(WAIT)

    with node(broker, "table1", STATUS, put=wait) as table:
        table.expect(Connected)
        try:
            assert head.client.publish(STATUS, b"online")
            assert kept_waiting.wait(WAIT)
            assert head.next() == Received(STATUS, b"online", False)
            assert table.client.publish(FACT, b"{}")
            assert head.next() == Received(FACT, b"{}", False)
            broker.kill()
            head.expect(Disconnected)
            for _ in range(3):  # a link that fails ends in its own thread; this one goes on
                table.client.publish(FACT, b"{}")
        finally:
            goes_on.set()
        table.expect(Received)
        assert broker.address in table.expect(Disconnected).why


def test_a_link_is_made_in_a_process_with_a_thousand_open_files(broker: Broker, head: Node) -> None:
    """A page has a file for each phone; select(2) takes none above 1,023."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        for _ in range(1100):
            stack.callback(os.close, os.dup(0))
        with node(broker, "table1", STATUS) as table:
            table.expect(Connected)
            assert table.client.publish(STATUS, b"online")
            assert table.next() == head.next() == Received(STATUS, b"online", False)


def test_a_kept_message_comes_after_connected_and_says_that_it_was_kept(broker: Broker, head: Node) -> None:
    assert head.client.publish(STATUS, b"online", qos=1, retain=True)
    assert head.next() == Received(STATUS, b"online", False)
    assert kept(broker) == Received(STATUS, b"online", True)


def test_a_node_without_subscriptions_connects_too(broker: Broker, head: Node) -> None:
    with node(broker, "table1") as table:
        table.expect(Connected)
        assert table.client.publish(FACT, b"{}")
        head.expect(Received)


def test_after_the_broker_was_killed_all_is_as_before(broker: Broker, head: Node, table: Node) -> None:
    before = table.client.session
    broker.kill()
    for one in (head, table):
        assert broker.address in one.expect(Disconnected).why
        assert one.client.session is None
    broker.restart()
    for one in (head, table):
        one.back()
    assert table.client.session != before
    assert table.client.publish(FACT, b"again", qos=1)
    assert head.next() == Received(FACT, b"again", False)


def test_no_link_is_made_before_the_end_of_the_last_one_is_taken(broker: Broker, head: Node) -> None:
    """So no birth names an earlier session than that of its link, whose will would then mean nothing."""
    ended, goes_on = threading.Event(), threading.Event()

    def wait(event: SessionEvent) -> None:
        if isinstance(event, Disconnected):
            ended.set()
            goes_on.wait(WAIT)

    with node(broker, "table1", STATUS, put=wait) as table:
        table.expect(Connected)
        broker.restart()
        assert ended.wait(WAIT)
        head.expect(Disconnected)
        head.back()
        assert not table.client.publish(STATUS, b"{}")
        goes_on.set()
        table.expect(Disconnected)
        table.back()


def test_offline_message_is_dropped_for_good(broker: Broker, head: Node, table: Node) -> None:
    broker.kill()
    head.expect(Disconnected)
    table.expect(Disconnected)
    assert not table.client.publish(FACT, b"offline", qos=1)
    assert not table.client.publish(FACT, b"offline", qos=0)
    broker.restart()
    head.back()
    table.back()
    assert table.client.publish(FACT, b"online", qos=1)
    assert head.next() == Received(FACT, b"online", False)


def test_message_of_a_broken_link_is_not_delivered_later(broker: Broker, table: Node) -> None:
    freeze(broker)
    for number in range(50):
        assert table.client.publish(FACT, b"under way %d" % number, qos=1)
    broker.restart()
    table.expect(Disconnected)
    table.back()
    assert table.client.publish(FACT, b"after", qos=1)
    assert table.next() == Received(FACT, b"after", False)


def test_a_jammed_link_takes_no_more_than_it_may_hold(broker: Broker, table: Node) -> None:
    freeze(broker)
    assert sum(table.client.publish(FACT, b"x", qos=1) for _ in range(MAX_QUEUED + 100)) == MAX_QUEUED
    broker.kill()  # it would not hear that it is to stop


def test_a_link_takes_more_than_it_may_hold_once_the_broker_has_some(
    broker: Broker, table: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    acknowledged: queue.SimpleQueue[None] = queue.SimpleQueue()
    take = session._Paho._handle_pubackcomp

    def taken(paho: session._Paho, command: str) -> MQTTErrorCode:
        result = take(paho, command)
        acknowledged.put(None)
        return result

    monkeypatch.setattr(session._Paho, "_handle_pubackcomp", taken)
    monkeypatch.setattr(session, "MAX_QUEUED", 3)
    for number in range(10):
        assert table.client.publish(FACT, b"%d" % number, qos=1)
        acknowledged.get(timeout=WAIT)
        assert table.next() == Received(FACT, b"%d" % number, False)


def test_of_a_message_under_way_little_is_kept(broker: Broker, table: Node) -> None:
    """A hall's phones have thousands under way to a broker that has no time."""
    freeze(broker)
    tracemalloc.start()
    for _ in range(2000):
        assert table.client.publish(FACT, b"x" * 200, qos=1)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 2000 * 1000
    broker.kill()


def test_an_absent_broker_is_waited_for_and_told_once() -> None:
    """A listener that hangs up at once: three attempts, one sentence."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT)
        address = BrokerAddress("127.0.0.1", server.getsockname()[1])
        with node(address, "table1", FACT) as table:
            for _ in range(3):
                server.accept()[0].close()
            table.expect(Disconnected)
            server.accept()[0].close()
            assert table.idle(), table.events.get()
            assert table.client.session is None
            assert not table.client.publish(FACT, b"{}")


def test_a_broker_that_comes_later_is_found(broker: Broker) -> None:
    broker.kill()
    with node(broker, "table1", FACT) as table:
        assert "cannot be reached" in table.expect(Disconnected).why
        broker.restart()
        table.back()


def test_a_silent_broker_is_noticed(broker: Broker) -> None:
    """The process stops and the link stays open, as when a cable is pulled."""
    with node(broker, "table1", FACT, keepalive=3) as table:
        table.expect(Connected)
        freeze(broker)
        assert "does not answer" in table.expect(Disconnected).why
        os.kill(broker.pid, signal.SIGCONT)
        table.back()
        assert table.client.publish(FACT, b"{}", qos=1)
        assert table.next() == Received(FACT, b"{}", False)


DYING = """
import queue, sys
from pi_bunco.wire import session
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import MAX_QUEUED, Client, Will
events = queue.SimpleQueue()
def will(session):
    return Will(sys.argv[2], session.encode())
Client(BrokerAddress.parse(sys.argv[1]), "table1", events.put, [], will).start()
print(events.get(timeout=30).session, flush=True)
sys.stdin.read()
"""


def test_the_will_of_its_session_is_published_when_a_node_dies(broker: Broker, head: Node) -> None:
    command = [sys.executable, "-c", DYING, broker.address, STATUS]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as dying:
        assert dying.stdout
        session = dying.stdout.readline().strip()
        dying.kill()
    assert head.next() == Received(STATUS, session, False)
    assert kept(broker) == Received(STATUS, session, True)


def kept(broker: Broker) -> SessionEvent:
    """The message that the broker keeps; nats begins with that after it has told it."""
    for _ in range(10):
        with node(broker, "web", UP) as web, contextlib.suppress(queue.Empty):
            web.expect(Connected)
            return web.events.get(timeout=WAIT / 10)
    raise AssertionError("nothing is kept")


def test_a_node_that_closes_sends_its_last_word_and_no_will(broker: Broker, head: Node) -> None:
    with node(broker, "table1", FACT, will=lambda session: Will(STATUS, b"lost")) as table:
        table.expect(Connected)
        assert table.client.publish(STATUS, b"stopped", qos=1)
        table.client.close()
        assert not table.client.publish(STATUS, b"too late")
        assert table.idle() or table.next() == Received(STATUS, b"stopped", False)  # its own word, come back
    assert head.next() == Received(STATUS, b"stopped", False)
    assert head.client.publish(FACT, b"marker", qos=1)
    assert head.next() == Received(FACT, b"marker", False)


def test_closing_ends_the_thread_and_may_be_repeated(broker: Broker) -> None:
    with node(broker, "table7", FACT) as table:
        table.expect(Connected)
        thread = of("mqtt-table7")
        table.client.close()
        assert ended(thread)
        table.client.close()
        table.client.rebuild()
        assert table.idle()


def test_closing_does_not_wait_for_a_silent_broker(broker: Broker) -> None:
    with node(broker, "table7", FACT) as table:
        table.expect(Connected)
        freeze(broker)
        for _ in range(1000):  # more than its sockets hold
            assert table.client.publish(FACT, b"x" * LIMIT_BYTES, qos=1)
        thread = of("mqtt-table7")
        table.client.close()
        broker.kill()
        assert ended(thread)


def of(name: str) -> threading.Thread:
    (found,) = (thread for thread in threading.enumerate() if thread.name == name)
    return found


def ended(thread: threading.Thread) -> bool:
    """True if it ends; on a busy machine that can be after `close` has returned."""
    thread.join(WAIT)
    return not thread.is_alive()


def test_rebuilding_makes_a_new_link(broker: Broker, head: Node, table: Node) -> None:
    before = table.client.session
    assert isinstance(table.client.rebuild(), Disconnected)
    assert table.expect(Connected).session != before
    assert table.client.publish(FACT, b"{}", qos=1)
    assert head.next() == Received(FACT, b"{}", False)
    assert table.next() == Received(FACT, b"{}", False)


def test_rebuilding_leaves_a_hung_thread_behind(broker: Broker, head: Node) -> None:
    hung, freed = threading.Event(), threading.Event()

    def hang(event: SessionEvent) -> None:
        if isinstance(event, Received) and event.payload == b"hang":
            hung.set()
            freed.wait(WAIT)

    with node(broker, "table1", FACT, put=hang) as table:
        table.expect(Connected)
        head.client.publish(FACT, b"hang", qos=1)
        assert hung.wait(WAIT)
        assert table.client.rebuild()
        table.expect(Connected)
        assert table.client.publish(FACT, b"{}", qos=1)
        assert table.next() == Received(FACT, b"{}", False)
        freed.set()


def test_a_callback_that_raises_does_not_end_the_link(
    head: Node, broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    def raise_at_boom(event: SessionEvent) -> None:
        if isinstance(event, Received) and event.payload == b"boom":
            raise RuntimeError("boom")

    with node(broker, "table1", FACT, put=raise_at_boom) as table:
        session = table.expect(Connected).session
        for payload in (b"boom", b"boom", b"calm"):
            assert head.client.publish(FACT, payload, qos=1)
        assert table.next() == Received(FACT, b"calm", False)
        assert table.client.session == session
    assert [record.exc_info is not None for record in caplog.records if record.levelname == "ERROR"] == [
        True
    ] * 2


def test_an_error_while_the_loss_is_told_does_not_end_the_link_either(broker: Broker) -> None:
    def raise_at_loss(event: SessionEvent) -> None:
        if isinstance(event, Disconnected):
            raise RuntimeError("boom")

    with node(broker, "table1", FACT, put=raise_at_loss) as table:
        session = table.expect(Connected).session
        broker.restart()
        assert table.back().session != session


def test_what_overtakes_the_suback_waits_and_a_broken_topic_is_one_that_nobody_takes() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT)
        with node(BrokerAddress("127.0.0.1", server.getsockname()[1]), "table1", "t") as table:
            link, _ = server.accept()
            with link, link.makefile("rb") as said:
                packet(said)
                link.sendall(b"\x20\x02\x00\x00")  # CONNACK
                message_id, filters = (asked := packet(said))[:2], asked[2:]
                assert filters == b"\x00\x01t\x00"  # at QoS 0
                link.sendall(b"\x31\x07\x00\x01tkept")  # PUBLISH, retained
                link.sendall(b"\x90\x03" + message_id + b"\x00")  # SUBACK
                link.sendall(b"\x30\x04\x00\x01\xffx")  # PUBLISH to a topic that is no UTF-8
                link.sendall(b"\x30\x06\x00\x01tnew")
                table.expect(Connected)
                assert table.next() == Received("t", b"kept", True)
                assert table.next() == Received("\N{REPLACEMENT CHARACTER}", b"x", False)
                assert table.next() == Received("t", b"new", False)
                table.client.close()


def test_the_farewell_is_heard_though_more_came_in_than_was_read() -> None:
    """The node closes while a page of messages waits: no reset overtakes its last word and DISCONNECT."""
    came = threading.Event()

    def close_in_the_midst(event: SessionEvent) -> None:
        if isinstance(event, Received) and leaving.client.session:
            assert came.wait(WAIT)
            assert leaving.client.publish("t", b"stopped", qos=1)
            leaving.client.close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT)
        address = BrokerAddress("127.0.0.1", server.getsockname()[1])
        with node(address, "table1", put=close_in_the_midst) as leaving:
            link, _ = server.accept()
            with link, link.makefile("rb") as said:
                packet(said)
                link.sendall(b"\x20\x02\x00\x00")  # CONNACK
                leaving.expect(Connected)
                link.sendall(b"\x30\x06\x00\x01tnew" * 1000)
                came.set()
                assert said.read().endswith(b"stopped\xe0\x00")  # PUBLISH, DISCONNECT, the end


@pytest.mark.parametrize("jammed", [False, True])
def test_nothing_is_lost_when_four_threads_publish_into_a_storm_of_callbacks(
    broker: Broker, head: Node, jammed: bool
) -> None:
    """The node hears its own storm while it makes it; each thread's messages come whole and in order."""
    with node(broker, "table1", FACT) as table:
        table.expect(Connected)
        storm = [threading.Thread(target=publish_many, args=(table, letter)) for letter in "abcd"]
        if jammed:
            freeze(broker)
        for thread in storm:
            thread.start()
        if jammed:
            storm[0].join()
            os.kill(broker.pid, signal.SIGCONT)
        heard = [[one.expect(Received).payload for _ in range(800)] for one in (head, table)]
        for thread in storm:
            thread.join()
        for payloads in heard:
            for letter in "abcd":
                mine = [payload for payload in payloads if payload[:1] == letter.encode()]
                assert mine == [numbered(letter, number) for number in range(200)]


def publish_many(table: Node, letter: str) -> None:
    for number in range(200):
        assert table.client.publish(FACT, numbered(letter, number), qos=1)


def numbered(letter: str, number: int) -> bytes:
    return letter.encode() + b"%d" % number + b"." * 8000


def test_too_large_message_never_reaches_the_broker(head: Node, table: Node) -> None:
    with pytest.raises(WireError, match="8193"):
        table.client.publish(FACT, b"x" * (LIMIT_BYTES + 1))
    assert table.client.publish(FACT, b"x" * LIMIT_BYTES)
    assert len(head.expect(Received).payload) == LIMIT_BYTES


@given(st.integers(0, 5000), st.floats(0, 1))
def test_the_wait_before_reconnecting_is_bounded_and_grows(failures: int, chance: float) -> None:
    assert 0.05 <= reconnect_delay(failures, chance) <= 0.5
    assert reconnect_delay(failures, chance) <= reconnect_delay(failures + 1, chance)
    assert reconnect_delay(failures, 1.0) == reconnect_delay(failures, 0.0) / 2
