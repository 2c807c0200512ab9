"""One request of HTTP/1.1 and its answer, as an app sees them (ASGI)."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from email.utils import formatdate
from http import HTTPStatus

import h11
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Scope

log = logging.getLogger(__name__)

READ_AHEAD_BYTES = 65_536
"""Bytes of a body that are read before the app asks for them."""
_PHRASES = {status.value: status.phrase.encode() for status in HTTPStatus}

Headers = list[tuple[bytes, bytes]]


def dated(headers: Headers) -> Headers:
    """The headers of an answer behind that of its time."""
    return [(b"date", formatdate(usegmt=True).encode()), *headers]


class HttpExchange:
    """A request whose body may still come, and how far its answer is.

    The answer goes to `transport` while `writable` is set; `completed` is called at its end.
    """

    def __init__(
        self,
        link: h11.Connection,
        transport: asyncio.Transport,
        writable: asyncio.Event,
        completed: Callable[[], None],
    ) -> None:
        self.complete = False
        """The answer is sent, or nobody waits for it any more, or another one has begun in its place."""
        self._link = link
        self._transport = transport
        self._writable = writable
        self._completed = completed
        self._head = b""
        """The beginning of the answer, which goes out with the first of its body."""
        self._body = b""
        self._more_body = True
        self._came = asyncio.Event()

    def take(self, data: bytes) -> None:
        """More of the body is there."""
        self._body += data
        if len(self._body) > READ_AHEAD_BYTES:
            self._transport.pause_reading()
        self._came.set()

    def end_body(self) -> None:
        """All of the body is there."""
        self._more_body = False
        self._came.set()

    def end(self) -> None:
        """Nothing more of the answer is to be sent."""
        self.complete = True
        self._came.set()

    async def run(self, app: ASGIApp, scope: Scope) -> None:
        """Has the app answer once the answer before is nearly read; a fault of it is logged."""
        self._sends_body = scope["method"] != "HEAD"
        await self._writable.wait()
        try:
            with contextlib.suppress(ClientDisconnect):
                await app(scope, self.receive, self.send)
        except Exception:
            log.exception("%s cannot be answered", scope["path"])
        if not self.complete:
            self._transport.close()

    async def receive(self) -> Message:
        """The next part of the body; behind its end `http.disconnect`, once the answer is sent."""
        if not self.complete:
            if self._link.they_are_waiting_for_100_continue:
                self._transport.write(self._sent(h11.InformationalResponse(status_code=100, headers=[])))
            self._transport.resume_reading()
            await self._came.wait()
            self._came.clear()
        if self.complete:
            return {"type": "http.disconnect"}
        body, self._body = self._body, b""
        return {"type": "http.request", "body": body, "more_body": self._more_body}

    async def send(self, message: Message) -> None:
        """Sends the next part of the answer, once the part before is nearly read."""
        await self._writable.wait()
        if self.complete:
            return
        if message["type"] == "http.response.start":
            status, headers = message["status"], dated(list(message.get("headers", ())))
            reason = _PHRASES.get(status, b"")
            self._head = self._sent(h11.Response(status_code=status, headers=headers, reason=reason))
            return
        body = message.get("body", b"") if self._sends_body else b""
        data, self._head = self._head + self._sent(h11.Data(data=body)), b""
        if message.get("more_body", False):
            self._transport.write(data)
            return
        self._transport.write(data + self._sent(h11.EndOfMessage()))
        self.end()
        self._completed()

    def _sent(self, event: h11.Event) -> bytes:
        return self._link.send(event) or b""
