"""Clients that do not behave are refused or dropped, and all others are served."""

import asyncio
import contextlib
import gc
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pi_bunco.runtime.serving import allow_many
from pi_bunco.web.site import connections
from pi_bunco.web.site import streams as stream
from pi_bunco.web.site.certificate import self_signed
from pi_bunco.web.site.connections import Connections, full
from pi_bunco.web.site.guard import Guard
from pi_bunco.web.site.server import Endpoint, Servers, bound
from pi_bunco.web.site.streams import BELLS, Events, EventStream, Feed, Reader, Streams, event
from thorough import times
from web.served import ANYWHERE, HOST, PATIENCE, answer, connected, get, served

BIG = "x" * 1_000_000
MALFORMED = (
    b"rubbish\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"y" * 700_000,
    b"GET /\x00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
)


class Pages:
    """An app with a page and endless event streams."""

    def __init__(self) -> None:
        self.browsers = Connections(most=40)
        self.streams = Streams(self.browsers)
        self.begun = False
        """True if a stream has been begun."""
        self.taking = False
        """True while a body is awaited."""
        self.bodies = threading.Semaphore(0)
        """Counts those that have been awaited."""
        routes = [
            Route("/", self.page),
            Route("/long", self.long),
            Route("/wrong", self.wrong),
            Route("/events", self.events),
            Route("/quiet", self.quiet),
            Route("/late", self.late),
            Route("/ring", self.ring),
            Route("/taken", self.taken, methods=["POST"]),
            Route("/close", self.close),
        ]
        self.app = Guard(Starlette(routes=routes))

    async def page(self, _request: Request) -> PlainTextResponse:
        return PlainTextResponse("fine")

    async def long(self, _request: Request) -> PlainTextResponse:
        return PlainTextResponse(BIG * 32)

    async def wrong(self, _request: Request) -> PlainTextResponse:
        raise ValueError("a fault of the page")

    async def taken(self, request: Request) -> PlainTextResponse:
        self.taking = True
        self.bodies.release()
        try:
            return PlainTextResponse(str(len(await request.body())))
        finally:
            self.taking = False

    async def events(self, _request: Request) -> EventStream:
        return self.streams.response(Feed(self.endless()))

    async def quiet(self, _request: Request) -> EventStream:
        return self.streams.response(Feed(self.nothing()))

    async def late(self, _request: Request) -> EventStream:
        return self.streams.response(Late())

    async def ring(self, _request: Request) -> PlainTextResponse:
        self.streams.push(BELLS["end"])
        return PlainTextResponse("rung")

    async def close(self, _request: Request) -> PlainTextResponse:
        self.streams.close()
        return PlainTextResponse("closed")

    async def nothing(self) -> Events:
        self.loop = asyncio.get_running_loop()
        yield event("first")
        await asyncio.Event().wait()

    async def endless(self) -> Events:
        self.begun = True
        while True:
            yield event(BIG)


@pytest.fixture
def pages() -> Pages:
    return Pages()


@pytest.fixture
def port(pages: Pages) -> Iterator[int]:
    with served(pages.app, pages.browsers) as port:
        yield port


def fine(port: int) -> bool:
    return answer(port, get("/")).endswith(b"fine")


def test_a_malformed_request_is_refused_and_the_next_one_served(port: int) -> None:
    for sent in MALFORMED:
        got = b""
        with contextlib.suppress(OSError), connected(port, sent) as link:  # it may have hung up already
            link.shutdown(socket.SHUT_WR)
            got = link.recv(1000)
        assert got == b"" or got.split(b" ")[1][:1] == b"4", sent[:100]
        assert fine(port)


def test_a_body_with_two_ends_is_refused_with_all_that_comes_behind_it(port: int) -> None:
    two = (
        b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    got = answer(port, two + b"0\r\n\r\n" + get("/"))
    assert got.startswith(b"HTTP/1.1 400 ")
    assert got.count(b"HTTP/1.1") == 1


def test_headers_that_come_at_once_are_too_many_too(port: int) -> None:
    assert answer(port, get("/", "X: y\r\n" * 6000)).startswith(b"HTTP/1.1 400 ")
    assert answer(port, get("/", "X: y\r\n" * 2000)).endswith(b"fine")


@contextlib.contextmanager
def crowded(pages: Pages, port: int, begins: bytes) -> Iterator[None]:
    """Five times as many connections as there is room for, which begin so and say no more."""
    with contextlib.ExitStack() as opened:
        for _ in range(200):
            opened.enter_context(contextlib.suppress(OSError))
            opened.enter_context(connected(port, begins))
        yield
        assert pages.browsers.refused == 0
        assert len(pages.browsers) <= pages.browsers.most


def test_idle_connections_make_room_for_one_that_asks(pages: Pages, port: int) -> None:
    with crowded(pages, port, b"GET / HT"):
        assert fine(port)


@pytest.fixture
def tls(pages: Pages, tmp_path: Path) -> Iterator[int]:
    cert = self_signed(tmp_path, [HOST])
    assert cert
    with served(pages.app, pages.browsers, Endpoint(HOST, 0, *cert)) as port:
        yield port


def fine_by_tls(port: int) -> bool:
    with ssl._create_unverified_context().wrap_socket(connected(port)) as link:
        link.sendall(get("/"))
        return b"200" in link.recv(1000)


def test_handshakes_that_never_end_make_room_for_who_asks(pages: Pages, tls: int) -> None:
    with crowded(pages, tls, b"\x16\x03\x01\x02"):
        assert fine_by_tls(tls)


def test_a_handshake_that_never_ends_is_given_up(
    pages: Pages, tls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "IDLE_S", 0.05)
    with connected(tls, b"\x16\x03\x01\x02") as link, contextlib.suppress(ConnectionError):
        assert link.recv(1000) == b""
    assert not len(pages.browsers)


def test_a_device_is_told_by_tls_too_that_there_is_no_room(
    pages: Pages, tls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REFUSED_S", PATIENCE)
    pages.browsers.most = 0
    with ssl._create_unverified_context().wrap_socket(connected(tls)) as link:
        link.sendall(get("/"))
        assert b" 503 " in link.recv(1000)


def test_a_request_that_never_ends_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_S", 0.05)
    with (
        connected(port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n") as link,
        contextlib.suppress(ConnectionError),
    ):
        assert link.recv(1000) == b""


def test_a_body_that_never_comes_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_S", 0.05)
    started = b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\ntap="
    with connected(port, started) as link, contextlib.suppress(ConnectionError):
        assert link.recv(1000) == b""


def test_a_body_that_comes_slowly_is_taken(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_S", PATIENCE)
    started = b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 4\r\n\r\n"
    with connected(port, started) as link:
        for byte in b"tap=":
            assert fine(port)
            link.sendall(bytes([byte]))
        assert b"200" in link.recv(1000)


def test_requests_of_a_connection_are_answered_in_turn(port: int) -> None:
    first = b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n\r\ntap="
    got = answer(port, first + first.replace(b"POST", b"HEAD").replace(b"/taken", b"/") + get("/"))
    heads = got.split(b"HTTP/1.1 200 OK\r\n")[1:]
    assert [head.partition(b"\r\n\r\n")[2] for head in heads] == [b"4", b"", b"fine"]
    assert all(head.startswith(b"date: ") for head in heads)


def test_a_body_that_nobody_reads_is_passed_over(port: int) -> None:
    unread = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 200000\r\n\r\n" + b"x" * 200_000
    assert answer(port, unread + get("/")).endswith(b"fine")


def test_what_comes_behind_the_last_request_is_passed_over(port: int) -> None:
    last = b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 4\r\n\r\ntap="
    assert answer(port, last + b"\r\n").endswith(b"\r\n\r\n4")
    got = answer(port, get("/") + get("/taken"))
    assert got.count(b"HTTP/1.1 ") == 1
    assert got.endswith(b"fine")


def test_who_still_sends_reads_a_refusal(port: int, tls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_S", PATIENCE)
    large = b"POST /large HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 3000000\r\n\r\n"
    for link in (connected(port), ssl._create_unverified_context().wrap_socket(connected(tls))):
        with link:
            link.sendall(large)
            read_to(link, b"Not Found")
            link.sendall(b"x" * 3_000_000)
            assert link.recv(1000) == b""


def test_a_browser_that_leaves_in_the_middle_of_a_body_is_no_news(
    pages: Pages, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(port, b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\ntap="):
        until(port, lambda: pages.taking)
    until(port, lambda: not pages.taking)
    assert caplog.messages == []


def test_a_stream_behind_an_answer_begins_once_that_is_read(pages: Pages, port: int) -> None:
    with connected(port, b"GET /long HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + get("/events")) as link:
        for _ in range(10):
            assert fine(port)
        assert not pages.begun
        read_to(link, b"data: x")


def test_who_asks_before_sending_a_body_is_told_to_go_on(port: int) -> None:
    asks = b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n"
    with connected(port, asks) as link:
        read_to(link, b"100 \r\n\r\n")
        link.sendall(b"tap=")
        read_to(link, b"\r\n\r\n4")


def test_a_long_answer_is_whole_though_it_is_read_late(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "KEEP_ALIVE_S", 0.0)
    with connected(port, b"GET /long HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as link:
        assert fine(port)
        read = 0
        while part := link.recv(1 << 20):
            read += len(part)
    assert read > 32 * len(BIG)


def test_a_page_with_a_fault_says_so_and_the_log_has_it(port: int, caplog: pytest.LogCaptureFixture) -> None:
    assert b" 500 " in answer(port, get("/wrong"))
    assert caplog.messages == ["/wrong cannot be answered"]
    assert fine(port)


def test_one_device_cannot_take_all_the_room(
    pages: Pages, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_OF_ONE_DEVICE", 5)
    monkeypatch.setattr(stream, "SLOW_S", PATIENCE)
    pages.browsers.most = 10
    with contextlib.ExitStack() as opened:
        for _ in range(20):
            link = socket.create_connection((HOST, port), PATIENCE, source_address=("127.0.0.9", 0))
            opened.enter_context(link).sendall(get("/events"))
            fine(port)
        until(port, lambda: len(pages.streams) == 5)
        assert pages.browsers.refused == 15
        greedy = socket.create_connection((HOST, port), PATIENCE, source_address=("127.0.0.9", 0))
        opened.enter_context(greedy).sendall(get("/", "Accept-Language: de-AT\r\n"))
        refusal = greedy.recv(1000)
        assert b" 503 " in refusal
        assert refusal.endswith(full("de"))
        assert full("de") != full("") == full("xx")


def test_the_device_with_most_connections_makes_room(pages: Pages, port: int) -> None:
    pages.browsers.most = most = 2 * connections.MAX_OF_ONE_BROWSER
    slow = b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4000\r\n\r\nx"
    with contextlib.ExitStack() as opened:
        for _ in range(most):
            link = socket.create_connection((HOST, port), PATIENCE, source_address=("127.0.0.9", 0))
            opened.enter_context(link).sendall(slow)
            assert pages.bodies.acquire(timeout=PATIENCE)
        assert fine(port)
        assert pages.browsers.refused == 0


def test_devices_share_the_streams_when_they_are_scarce(
    pages: Pages, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MAX_EVENT_STREAMS", 6)
    monkeypatch.setattr(stream, "SLOW_S", PATIENCE)
    with contextlib.ExitStack() as opened:

        def reader(device: str) -> socket.socket:
            link = socket.create_connection((HOST, port), PATIENCE, source_address=(device, 0))
            opened.enter_context(link).sendall(get("/events"))
            return link

        first = connected(port, get("/quiet"))
        opened.enter_context(first)
        read_to(first, b"data: first")
        for device in ("127.0.0.9", "127.0.0.1", "127.0.0.9", "127.0.0.1", "127.0.0.9"):
            reader(device)
        until(port, lambda: len(pages.streams) == 6)
        for n in (1, 2, 3, 4):
            assert b" 200 " in reader(f"127.0.1.{n}").recv(20)
        read_to(first, b"event: full\n")
        assert len(pages.streams) == 6
        assert pages.streams.refused == 4
        assert b" 503 " in reader("127.0.1.5").recv(20)  # each has one
        assert b" 200 " in reader("127.0.0.9").recv(20)  # instead of its own, which may hang
        assert len(pages.streams) == 6


def test_a_device_whose_page_hangs_comes_back_though_there_is_no_room(pages: Pages, port: int) -> None:
    pages.browsers.most = 4
    with contextlib.ExitStack() as opened:
        for device in ("127.0.1.1", "127.0.1.2", "127.0.1.3", "127.0.1.4", "127.0.1.2", "127.0.1.4"):
            link = socket.create_connection((HOST, port), PATIENCE, source_address=(device, 0))
            opened.enter_context(link).sendall(get("/quiet"))
            read_to(link, b"data: first")
        assert len(pages.browsers) == 4


class Crowd:
    """Everything that a thousand ill-behaved connections do at once."""

    KINDS = (
        b"",
        b"GET / HT",
        b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4000\r\n\r\nx",
        b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n" + b"x" * 5000,
        b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /static/../../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"\x16\x03\x01\x02\x00 no page",
        b"GET /" + b"a" * 4000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    )

    def __init__(self, port: int) -> None:
        self._port = port
        self._links: list[socket.socket] = []

    def come(self, count: int) -> None:
        """Connects `count` readers, each from another device, none of which reads what it gets."""
        for n in range(count):
            device = f"127.{1 + n % 250}.0.9"
            link = socket.create_connection((HOST, self._port), PATIENCE, source_address=(device, 0))
            self._links.append(link)
            with contextlib.suppress(OSError):  # it was refused already
                link.sendall(self.KINDS[n % len(self.KINDS)])

    def go(self) -> None:
        """They leave."""
        for link in self._links:
            link.close()


def test_up_to_a_thousand_connections_that_misbehave_keep_nobody_out(pages: Pages, port: int) -> None:
    allow_many()
    pages.browsers.most = most = times(800)
    crowd = Crowd(port)
    try:
        for _ in range(10):
            crowd.come(times(100))
            assert fine(port)
        assert len(pages.browsers) <= most
        assert fine(port)
    finally:
        crowd.go()
    until(port, lambda: len(pages.browsers) <= 1)


def test_a_reader_that_does_not_read_is_dropped(
    pages: Pages, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "SLOW_S", 0.2)
    with socket.create_connection((HOST, port), timeout=PATIENCE) as link:
        link.sendall(get("/events"))
        until(port, lambda: pages.begun and not len(pages.streams))


def test_the_bell_goes_to_every_stream_though_its_page_has_nothing_to_say(pages: Pages, port: int) -> None:
    links = [connected(port, get("/quiet")) for _ in range(3)]
    for link in links:
        read_to(link, b"data: first")
    with connected(port, get("/events")) as slow:
        until(port, lambda: pages.begun)
        assert answer(port, get("/ring")).endswith(b"rung")
        for link in links:
            read_to(link, b"event: bell\ndata: end\n\n")
            link.close()
        read_to(slow, b"x" * 1000)


def test_streams_by_tls_are_told_and_end(pages: Pages, tls: int) -> None:
    with ssl._create_unverified_context().wrap_socket(connected(tls, b"")) as link:
        link.sendall(get("/quiet"))
        read_to(link, b"data: first")
        assert fine_by_tls(tls)
        pages.loop.call_soon_threadsafe(pages.streams.push, BELLS["end"])
        read_to(link, b"event: bell\ndata: end\n\n")
        pages.loop.call_soon_threadsafe(pages.streams.close)
        assert link.recv(1000) == b""
    assert not len(pages.streams)


def test_nothing_of_the_http_server_is_held_for_a_stream(pages: Pages, port: int) -> None:
    with contextlib.ExitStack() as links:
        for _ in range(3):
            read_to(links.enter_context(connected(port, get("/quiet"))), b"data: first")
        assert len(pages.browsers) == 3
        gc.collect()
        held = [one for one in gc.get_objects() if type(one).__name__ in ("HttpConnection", "HttpExchange")]
        assert held == []


class Late:
    """Tells too much at once, and what is newest to who has read it."""

    def begin(self, reader: Reader) -> None:
        """More than a socket takes."""
        while not reader.slow:
            reader.write(event(BIG))

    def go_on(self, reader: Reader) -> None:
        """The newest."""
        reader.write(event("newest"))

    def leave(self, reader: Reader) -> None:
        """Nothing is to be forgotten."""


def test_a_slow_reader_goes_on_with_what_is_newest(pages: Pages, port: int) -> None:
    with connected(port, get("/late")) as link:
        until(port, lambda: len(pages.streams) == 1)
        assert answer(port, get("/ring")).endswith(b"rung")
        read = b""
        while not read.endswith(b"data: newest\n\n"):
            read = read[-100_000:] + link.recv(65536)
        assert BELLS["end"] not in read


def read_to(link: socket.socket, end: bytes) -> None:
    """Reads until `end` came; the socket's own patience ends it."""
    got = b""
    while end not in got:
        part = link.recv(65536)
        assert part, got
        got = got[-len(end) :] + part


def until(port: int, true: Callable[[], bool]) -> None:
    """Looks again and again, and sees each time that others are served; the test's bound ends it."""
    while not true():
        assert fine(port)


def test_no_connection_outlives_the_servers(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "SLOW_S", PATIENCE)
    with contextlib.ExitStack() as links:
        with served(pages.app, pages.browsers) as port:
            for sent in (b"", get("/quiet"), get("/events"), b"POST /taken HTTP/1.1\r\nHost: 127.0.0.1\r\n"):
                links.enter_context(connected(port, sent))
            until(port, lambda: len(pages.streams) == 2)
        assert not len(pages.browsers)


def test_nobody_who_is_told_that_there_is_no_room_outlives_the_servers(pages: Pages) -> None:
    pages.browsers.most = 0
    with contextlib.ExitStack() as links:
        with served(pages.app, pages.browsers) as port:
            links.enter_context(connected(port))
            assert b" 503 " in answer(port, get("/"))
        assert not pages.browsers.refusing


@pytest.mark.parametrize("rounds", range(5))
def test_who_comes_in_the_last_moment_does_not_outlive_the_servers_either(pages: Pages, rounds: int) -> None:
    listening = bound(ANYWHERE)

    async def ended_while_one_comes() -> socket.socket:
        servers = Servers(pages.app, [(ANYWHERE, listening)], pages.browsers)
        serving = asyncio.create_task(servers.serve())
        while not servers.started:
            await asyncio.sleep(0)
        link = connected(listening.getsockname()[1])
        for _ in range(rounds):
            await asyncio.sleep(0)
        servers.stop()
        await serving
        return link

    with asyncio.run(ended_while_one_comes()) as link:
        link.setblocking(False)
        with contextlib.suppress(ConnectionError):
            assert link.recv(1) == b""


def test_streams_that_the_service_ends_are_no_news(
    pages: Pages, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(port, get("/quiet")) as link:
        read_to(link, b"data: first")
        assert answer(port, get("/close")).endswith(b"closed")
        assert link.recv(1000) == b""
    assert not len(pages.streams)
    assert caplog.messages == []


def test_the_head_of_a_stream_ends(pages: Pages, port: int) -> None:
    got = answer(port, get("/events").replace(b"GET", b"HEAD"))
    assert b" 200 " in got
    assert b"text/event-stream" in got
    assert not pages.begun
    assert not len(pages.streams)


def test_streams_beyond_the_limit_are_told_to_come_back(
    pages: Pages, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MAX_EVENT_STREAMS", 0)
    assert b"503" in answer(port, get("/events"))[:20]
    assert fine(port)
