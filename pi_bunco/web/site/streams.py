"""Server-sent events over HTTP: who gets a stream, and how one ends.

A hall has 1,500 streams, so one is no more than a socket and what it was told last: nothing of the HTTP
server is held for an answer that has begun. It lasts until its connection ends. A reader that does not read
for `SLOW_S` is dropped, so nobody's phone in a pocket costs memory.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from functools import partial
from typing import Protocol

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pi_bunco.web.site.connections import ClientAddress, Connections, Lasting, full
from pi_bunco.web.site.guard import GOES_ON, HEADERS

MAX_EVENT_STREAMS = 2000
"""Event streams at a time; then a device with more than another one makes room for it."""
MANY = 1800
"""Event streams from which on the host is told."""
SLOW_S = 20.0
"""Seconds in which a reader must take what was sent."""
END_S = 0.5
"""Seconds in which a reader must take the last of a stream that ends."""
RETRY = b"retry: 1000\n\n"
"""Milliseconds after which a browser that lost the stream comes back."""
_HEADERS = [
    (name.encode(), value.encode())
    for name, value in {
        "content-type": "text/event-stream; charset=utf-8",
        "x-accel-buffering": "no",
        "cache-control": "no-store",
        "connection": "close",
        **HEADERS,
    }.items()
]

Events = AsyncGenerator[bytes, None]
Meanwhile = contextlib.AbstractContextManager[None] | None
"""A context that is entered while a stream is open."""


def event(data: str, kind: str = "", id: str = "") -> bytes:
    """One event as it goes over the wire."""
    lines = [f"event: {kind}"] if kind else []
    lines += [f"id: {id}"] if id else []
    lines += [f"data: {line}" for line in data.split("\n")]
    return "\n".join([*lines, "", ""]).encode()


EVICTED = event("", "full")
"""Another device has no stream yet: the page waits for a while before it asks for one again."""
BELLS = {signal: event(signal, "bell") for signal in ("start", "end", "test")}
"""The bell, encoded beforehand: to every stream before anything is drawn; `test` tries the pages' own."""
SCREEN_ASKED = event("", "screen")
"""Every page that is a screen tells of itself at once."""

CHIME = event("", "chime")
"""Somebody is here: the screens say so."""


class Source(Protocol):
    """A page that streams tell of."""

    def begin(self, reader: "Reader") -> None:
        """A reader is there that was told nothing yet."""

    def go_on(self, reader: "Reader") -> None:
        """A reader that was slow has read what it was sent."""

    def leave(self, reader: "Reader") -> None:
        """A reader is gone."""


class Reader(Lasting):
    """The other end of a stream."""

    __slots__ = ("_late", "_meanwhile", "_streams", "drawn", "source")

    def __init__(
        self, streams: "Streams", source: Source, meanwhile: Meanwhile = None, drawn: str = ""
    ) -> None:
        self._streams = streams
        self.source = source
        self.drawn = drawn
        """Name of the drawing that it has before it is told anything."""
        self._meanwhile = meanwhile
        self._late: asyncio.TimerHandle | None = None
        """Ends the connection of a reader that is slow."""

    @property
    def slow(self) -> bool:
        """True while what was sent is still to be read."""
        return self._late is not None

    def begin(self) -> None:
        """The answer has begun."""
        if self._meanwhile is not None:
            self._meanwhile.__enter__()
        self.source.begin(self)

    def write(self, data: bytes) -> None:
        """Sends it, within this call; a slow reader misses it."""
        if not self.slow and not self.transport.is_closing():
            self.transport.write(data)

    def end(self) -> None:
        """Ends the stream once all is read, or soon."""
        self._leave()
        self.transport.close()
        asyncio.get_running_loop().call_later(END_S, self.transport.abort)

    def pause_writing(self) -> None:
        """It reads more slowly than is sent."""
        if not self.slow:
            self._late = asyncio.get_running_loop().call_later(SLOW_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read nearly all."""
        self._hurry()
        if not self.transport.is_closing():
            self.source.go_on(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        super().connection_lost(exc)
        self._hurry()
        self._leave()

    def _hurry(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _leave(self) -> None:
        if self._streams.drop(self):
            self.source.leave(self)
            if self._meanwhile is not None:
                self._meanwhile.__exit__(None, None, None)


class Feed:
    """Events that are made for one reader alone, as fast as that reads."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._read = asyncio.Event()

    def begin(self, reader: Reader) -> None:
        """Tells all, until the reader is gone."""
        self._task = asyncio.create_task(self._tell(reader))

    def go_on(self, _reader: Reader) -> None:
        """Tells more."""
        self._read.set()

    def leave(self, _reader: Reader) -> None:
        """Tells no more."""
        self._task.cancel()

    async def _tell(self, reader: Reader) -> None:
        try:
            async with contextlib.aclosing(self._events) as news:
                async for data in news:
                    self._read.clear()
                    reader.write(data)
                    if reader.slow:
                        await self._read.wait()
                    await asyncio.sleep(0)  # others get their turn, though the reader takes all
        finally:
            reader.end()


class Streams:
    """All event streams that are open."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.refused = 0
        """Number of those that were not taken, or ended for another device."""
        self._open: dict[Reader, None] = {}
        self._of: dict[str, dict[Reader, None]] = {}
        """Those of each device, the oldest first."""

    def __len__(self) -> int:
        return len(self._open)

    def response(self, source: Source, meanwhile: Meanwhile = None, drawn: str = "") -> "EventStream":
        """The answer to a request for what `source` tells, of one who has that drawing."""
        return EventStream(self, Reader(self, source, meanwhile, drawn))

    def close(self) -> None:
        """Ends all."""
        for reader in tuple(self._open):
            reader.end()

    def push(self, data: bytes) -> None:
        """Writes one event to all that are open, within this call; a slow reader misses it."""
        for reader in self._open:
            reader.write(data)

    def full(self, client: ClientAddress) -> bool:
        """True if there is no room for a stream of `client`."""
        return len(self._open) >= MAX_EVENT_STREAMS and self._replaceable(client) is None

    def _replaceable(self, client: ClientAddress) -> Reader | None:
        """The oldest stream of the device with most, if that is more than `client` has with a new one.

        Else the oldest of its own: after a reboot of the router that one hangs, and nobody here knows.
        """
        most, mine = (
            max(self._of.values(), key=len, default={}),
            self._of.get(client[0] if client else "", {}),
        )
        return next(iter(most if len(most) > len(mine) + 1 else mine), None)

    def _make_room(self, client: ClientAddress) -> bool:
        self.refused += 1
        if (reader := self._replaceable(client)) is None:
            return False
        reader.write(EVICTED)
        reader.end()
        return True

    def drop(self, reader: Reader) -> bool:
        """Forgets a reader; False where it is forgotten already."""
        if reader not in self._open:
            return False
        del self._open[reader]
        del self._of[reader.device][reader]
        if not self._of[reader.device]:
            del self._of[reader.device]
        return True

    async def begin(self, scope: Scope, send: Send, *, reader: Reader) -> None:
        """Takes the connection over, and has `reader` told from now on; without room says so."""
        client: ClientAddress = scope.get("client")
        if len(self._open) >= MAX_EVENT_STREAMS and not self._make_room(client):
            await _full(scope, send)
        elif head := self._connections.hand_over(client, reader, _HEADERS):
            self._open[reader] = None
            self._of.setdefault(reader.device, {})[reader] = None
            reader.write(head + RETRY)
            reader.begin()


def reload_page() -> Response:
    """A stream that has an open page load itself again, and ends."""
    return Response(event("", "alive"), media_type="text/event-stream")


class EventStream(Response):
    """An ASGI answer that goes on once all that led to it has returned."""

    def __init__(self, streams: Streams, reader: Reader) -> None:
        self._streams = streams
        self._reader = reader

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Has the guard begin it; of `HEAD` the headers alone."""
        if scope["method"] == "HEAD":
            status = 503 if self._streams.full(scope.get("client")) else 200
            await send({"type": "http.response.start", "status": status, "headers": _HEADERS})
            await send({"type": "http.response.body", "body": b""})
        else:
            scope[GOES_ON] = partial(self._streams.begin, reader=self._reader)


async def _full(scope: Scope, send: Send) -> None:
    headers = [(b"retry-after", b"5"), (b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    text = full(Headers(scope=scope).get("accept-language", ""))
    await send({"type": "http.response.body", "body": text})
