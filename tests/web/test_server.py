"""Clients that do not behave are refused or dropped, and all others are served."""

import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pi_bunco.web import connections, stream
from pi_bunco.web.connections import Connections
from pi_bunco.web.guard import Guard
from pi_bunco.web.stream import EventStream, Streams, event
from web.served import HOST, answer, connected, get, served

BIG = "x" * 1_000_000


class Pages:
    """An app with a page and endless event streams."""

    def __init__(self) -> None:
        self.browsers = Connections(most=40)
        self.streams = Streams(self.browsers)
        routes = [Route("/", self.page), Route("/events", self.events)]
        self.app = Guard(Starlette(routes=routes))

    async def page(self, _request: Request) -> PlainTextResponse:
        return PlainTextResponse("fine")

    async def events(self, _request: Request) -> EventStream:
        return self.streams.response(self.endless())

    async def endless(self) -> AsyncIterator[bytes]:
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


@pytest.mark.parametrize(
    "sent",
    [
        b"rubbish\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"y" * 700_000,
        b"GET /\x00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
)
def test_a_malformed_request_is_refused_and_the_next_one_served(port: int, sent: bytes) -> None:
    got = b""
    with contextlib.suppress(OSError), connected(port, sent) as link:  # it may have hung up already
        link.shutdown(socket.SHUT_WR)
        got = link.recv(1000)
    assert got == b"" or got.split(b" ")[1][:1] == b"4"
    assert fine(port)


def test_idle_connections_make_room_for_one_that_asks(pages: Pages, port: int) -> None:
    with contextlib.ExitStack() as opened:
        for _ in range(200):
            opened.enter_context(contextlib.suppress(OSError))
            opened.enter_context(connected(port, b"GET / HT"))
        assert fine(port)
    assert pages.browsers.refused >= 160
    assert len(pages.browsers) <= pages.browsers.most


def test_a_request_that_never_ends_is_given_up(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_S", 0.05)
    with (
        connected(port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n") as link,
        contextlib.suppress(ConnectionError),
    ):
        assert link.recv(1000) == b""


def test_a_reader_that_does_not_read_is_dropped(
    pages: Pages, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "SLOW_S", 0.2)
    with socket.create_connection((HOST, port), timeout=10) as link:
        link.sendall(get("/events"))
        until(port, lambda: len(pages.streams) == 1)
        until(port, lambda: len(pages.streams) == 0)


def until(port: int, true: Callable[[], bool]) -> None:
    """Looks again and again, and sees each time that others are served; the test's bound ends it."""
    while not true():
        assert fine(port)


def test_streams_beyond_the_limit_are_told_to_come_back(
    pages: Pages, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "MOST", 0)
    assert b"503" in answer(port, get("/events"))[:20]
    assert fine(port)
