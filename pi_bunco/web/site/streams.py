"""Server-sent events over HTTP: who gets a stream, and how one ends.

A reader that does not read for `SLOW_S` is dropped, so nobody's phone in a pocket costs memory.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from functools import partial
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from pi_bunco.web.site.connections import Connections, full
from pi_bunco.web.site.guard import GOES_ON

MAX_STREAMS = 2000
"""Event streams at a time; then a device with more than another one makes room for it."""
MANY = 1800
"""Event streams from which on the host is told."""
SLOW_S = 20.0
"""Seconds in which a reader must take what was sent."""
END_S = 0.5
"""Seconds in which a reader must take a stream's end; without one the server tells of an error."""
RETRY_MS = 1000
"""Milliseconds after which a browser that lost the stream comes back."""
_HEADERS = ((b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no"))

Events = AsyncGenerator[bytes, None]
Meanwhile = contextlib.AbstractContextManager[None] | None
"""What is entered while a stream is open."""
_Client = tuple[str, int] | None
"""Address and port at the other end, as in an ASGI scope."""


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


class Streams:
    """All event streams that are open; `connections` ends those that do not read."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self.refused = 0
        """How many were not taken, or ended for another device."""
        self._open: dict[asyncio.Task[Any], _Client] = {}
        self._of: dict[str, dict[asyncio.Task[Any], None]] = {}
        """Those of each device, the oldest first."""

    def __len__(self) -> int:
        return len(self._open)

    def response(self, events: Events, meanwhile: Meanwhile = None) -> "EventStream":
        """The answer to a request for these events."""
        return EventStream(self, events, meanwhile or contextlib.nullcontext())

    def close(self) -> None:
        """Ends all."""
        for task in self._open:
            task.cancel()

    def push(self, data: bytes) -> None:
        """Writes one event to all that are open, within this call; a slow reader misses it."""
        for client in self._open.values():
            self._connections.push(client, data)

    def full(self, client: _Client) -> bool:
        """True if there is no room for a stream of `client`."""
        return len(self._open) >= MAX_STREAMS and self._replaceable(client) is None

    def _replaceable(self, client: _Client) -> asyncio.Task[Any] | None:
        """The oldest stream of the device with most, if that is more than `client` has with a new one.

        Else the oldest of its own: after a reboot of the router that one hangs, and nobody here knows.
        """
        most, mine = max(self._of.values(), key=len, default={}), self._of.get(_device(client), {})
        return next(iter(most if len(most) > len(mine) + 1 else mine), None)

    def _make_room(self, client: _Client) -> bool:
        self.refused += 1
        if (task := self._replaceable(client)) is None:
            return False
        evicted = self._open[task]
        self._drop(task)
        self._connections.push(evicted, EVICTED)
        self._connections.close(evicted)
        task.cancel()
        return True

    def _drop(self, task: asyncio.Task[Any]) -> None:
        if task in self._open:
            device = _device(self._open.pop(task))
            del self._of[device][task]
            if not self._of[device]:
                del self._of[device]

    async def run(self, scope: Scope, send: Send, *, stream: "EventStream") -> None:
        """Sends its events until the reader goes away, does not read, or the service ends."""
        client: _Client = scope.get("client")
        if len(self._open) >= MAX_STREAMS and not self._make_room(client):
            await _full(scope, send)
            return
        task = asyncio.current_task()
        if task is None or not self._connections.cancel_when_closed(client, task):
            return
        self._open[task] = client
        self._of.setdefault(_device(client), {})[task] = None
        with contextlib.suppress(asyncio.CancelledError), stream.meanwhile:
            await self._send(scope, send, stream.events)
        self._drop(task)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_S):
                await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send(self, scope: Scope, send: Send, events: Events) -> None:
        try:
            async with asyncio.timeout(SLOW_S):
                await send({"type": "http.response.start", "status": 200, "headers": list(_HEADERS)})
                await _body(send, f"retry: {RETRY_MS}\n\n".encode())
            async with contextlib.aclosing(events) as news:
                async for data in news:
                    async with asyncio.timeout(SLOW_S):
                        await _body(send, data)
                    del data  # else each reader holds a whole page
                    await asyncio.sleep(0)  # others get their turn, though the reader takes all or is gone
        except TimeoutError:
            self._connections.abort(scope.get("client"))


def reload_page() -> Response:
    """A stream that has an open page load itself again, and ends."""
    return Response(event("", "alive"), media_type="text/event-stream")


class EventStream(Response):
    """An ASGI answer that goes on once all that led to it has returned: 1,500 of that are much memory."""

    def __init__(
        self, streams: Streams, events: Events, meanwhile: contextlib.AbstractContextManager[None]
    ) -> None:
        self._streams = streams
        self.events = events
        self.meanwhile = meanwhile

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Has the guard send it; of `HEAD` the headers alone."""
        if scope["method"] == "HEAD":
            status = 503 if self._streams.full(scope.get("client")) else 200
            await send({"type": "http.response.start", "status": status, "headers": list(_HEADERS)})
            await send({"type": "http.response.body", "body": b""})
        else:
            scope[GOES_ON] = partial(self._streams.run, stream=self)


def _device(client: _Client) -> str:
    return client[0] if client else ""


async def _body(send: Send, data: bytes) -> None:
    if data:
        await send({"type": "http.response.body", "body": data, "more_body": True})


async def _full(scope: Scope, send: Send) -> None:
    headers = [(b"retry-after", b"5"), (b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    text = full(Headers(scope=scope).get("accept-language", ""))
    await send({"type": "http.response.body", "body": text})
