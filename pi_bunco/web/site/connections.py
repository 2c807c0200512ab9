"""The connections of browsers: how many there may be, how long one may be silent, and how a slow one ends."""

import asyncio
import re
from asyncio import sslproto
from collections.abc import Callable
from urllib.parse import unquote

import h11
from starlette.types import ASGIApp, Scope

from pi_bunco.web.site.exchange import Headers, HttpExchange, dated
from pi_bunco.web.site.guard import LOOPBACK
from pi_bunco.web.site.reasons import TooManyPages
from pi_bunco.words.catalogue import wanted
from pi_bunco.words.sentences import sentences

MAX_CONNECTIONS = 2400
"""Open connections; beyond it one that was answered and is idle makes room, else the oldest of the device
with most, if those are more than `MAX_OF_ONE_BROWSER`, else the oldest of the same device, which may hang
since a router's reboot, else one that asked for nothing, else nobody does."""
MAX_OF_ONE_BROWSER = 8
"""Connections of one browser that loads a page, and some more."""
MAX_OF_ONE_DEVICE = 100
"""Open connections of one device while more than half of all are taken: phones behind one router share an
address. This machine itself, where a proxy may stand, has no such limit."""
LOOK_EVERY_S = 0.1
"""Seconds after which idle connections are looked for again where there were none."""
IDLE_S = 15.0
"""Seconds that a connection may take until its first request has begun, and as many for the body of one."""
KEEP_ALIVE_S = 10.0
"""Seconds from an answer to the next request."""
MAX_HEADERS_BYTES = 16 * 1024
"""Bytes of a request's line and headers; twice as many may be read of one before it is refused."""
TLS_BUFFER_BYTES = 4096
"""Bytes of the buffer of a connection with TLS; of 1,500 asyncio's own 256 kB are 400 MB."""
REFUSED_S = 1.0
"""Seconds in which a device that has too many may ask, and is told so."""
MAX_REFUSING = 50
"""Connections at a time that are told; more are closed at once."""
_ANSWER = (
    b"HTTP/1.1 %s\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s"
)
_LANGUAGE = re.compile(rb"(?i)\naccept-language:([^\r\n]*)")

ClientAddress = tuple[str, int] | None
"""Address and port at the other end, as in an ASGI scope."""


def full(languages: str) -> bytes:
    """The page for somebody who finds no room, in one of the `languages` of an Accept-Language header."""
    return f"{sentences(wanted(languages)).of(TooManyPages())}\n".encode()


class Connections:
    """All open connections by the address of their other end, the oldest first."""

    def __init__(self, most: int = MAX_CONNECTIONS) -> None:
        self.most = most
        self.refused = 0
        """Number of those that were not taken."""
        self.refusing = set[HttpConnection]()
        """Those that are told that there is no room for them."""
        self.tasks = set[asyncio.Task[None]]()
        """The requests that are being answered."""
        self._open: dict[ClientAddress, HttpConnection | Lasting] = {}
        self._of: dict[str, dict[ClientAddress, HttpConnection | Lasting]] = {}
        """Those of each device."""
        self._none_idle_until = {False: 0.0, True: 0.0}
        """Until when no idle connection is sought, of those that were answered or were not."""

    def __len__(self) -> int:
        return len(self._open)

    @property
    def scarce(self) -> bool:
        """True while half of the room is taken."""
        return len(self._open) * 2 >= self.most

    def add(self, connection: "HttpConnection") -> bool:
        """Takes a connection in, if there is or can be room."""
        others = len(self._of.get(connection.device, ()))
        greedy = self.scarce and others >= MAX_OF_ONE_DEVICE and connection.device not in LOOPBACK
        if greedy or (len(self._open) >= self.most and not self._make_room(connection)):
            self.refused += 1
            return False
        self._open[connection.client] = connection
        self._of.setdefault(connection.device, {})[connection.client] = connection
        return True

    def drop(self, connection: "HttpConnection | Lasting") -> None:
        """A connection has ended."""
        if self._open.get(connection.client) is connection:
            del self._open[connection.client]
            del self._of[connection.device][connection.client]
            if not self._of[connection.device]:
                del self._of[connection.device]

    async def abort_all(self) -> None:
        """Ends every connection, and waits until it has."""
        while left := [*self._open.values(), *self.refusing]:
            for connection in left:
                connection.transport.abort()
            await asyncio.sleep(0)

    def hand_over(self, client: ClientAddress, to: "Lasting", headers: Headers) -> bytes:
        """Has `to` answer `client`: the beginning of that answer, or nothing where nobody is there."""
        connection = self._open.get(client)
        if not isinstance(connection, HttpConnection):
            return b""
        to.client, to.transport, to.browsers = connection.client, connection.transport, self
        self._open[client] = self._of[to.device][client] = to
        return connection.hand_over(to, headers)

    def _make_room(self, connection: "HttpConnection") -> bool:
        """Closes another connection; after a reboot of the router hundreds ask for that at once."""
        now, mine = asyncio.get_running_loop().time(), self._of.get(connection.device, {})
        most = max(self._of.values(), key=len, default=mine)
        of_device = most if len(most) > max(len(mine), MAX_OF_ONE_BROWSER) else mine
        old = (
            self._first_idle(True, now)
            or next(iter(of_device.values()), None)
            or self._first_idle(False, now)
        )
        if old is None:
            return False
        self.drop(old)
        old.transport.abort()
        return True

    def _first_idle(self, answered: bool, now: float) -> "HttpConnection | Lasting | None":
        """The first idle connection, answered or not; where there is none, none is sought for a while."""
        if now < self._none_idle_until[answered]:
            return None
        idle = (one for one in self._open.values() if one.idle and one.answered == answered)
        found = next(idle, None)
        if found is None:
            self._none_idle_until[answered] = now + LOOK_EVERY_S
        return found


class HttpConnection(asyncio.Protocol):
    """HTTP/1.1 of one browser: its requests one after the other; ends where nothing comes."""

    def __init__(self, app: ASGIApp, browsers: Connections) -> None:
        self.client: ClientAddress = None
        self.transport: asyncio.Transport
        self._app = app
        self._browsers = browsers
        self._loop = asyncio.get_running_loop()
        self._link = h11.Connection(h11.SERVER, MAX_HEADERS_BYTES)
        self._writable = asyncio.Event()
        self._writable.set()
        self._exchange: HttpExchange | None = None
        """The latest request and its answer."""
        self._patience: asyncio.TimerHandle | None = None

    @property
    def device(self) -> str:
        """The address at the other end."""
        return self.client[0] if self.client else ""

    @property
    def answered(self) -> bool:
        """True if anything was asked on it."""
        return self._exchange is not None

    @property
    def idle(self) -> bool:
        """True if no request is being answered on it."""
        return self._exchange is None or self._exchange.complete

    @property
    def _takes_more(self) -> bool:
        """False behind the last request: what comes then is passed over."""
        return self._link.their_state is not h11.MUST_CLOSE and not self.transport.is_closing()

    def begin(self, transport: asyncio.Transport) -> None:
        """Takes the connection in, of TLS before its handshake, or closes it at once."""
        self.transport, self.client = transport, _address(transport, "peername")
        if self._browsers.add(self):
            self._wait(IDLE_S, transport.abort)
        else:
            self._refuse()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection is there."""
        if self.client is None:
            self.begin(transport)
        self.transport = transport

    def connection_lost(self, _exc: Exception | None) -> None:
        """Forgets the connection."""
        self.end()
        if self._exchange is not None:
            self._exchange.end()
        self._writable.set()

    def end(self) -> None:
        """The connection is no more, of TLS perhaps before its handshake was over."""
        self._browsers.refusing.discard(self)
        self._browsers.drop(self)
        self._wait_no_more()

    def data_received(self, data: bytes) -> None:
        """Takes what comes in; where there is no room for the connection, says so and closes it."""
        if self in self._browsers.refusing:
            language = _LANGUAGE.search(data)
            text = full(language[1].decode("latin-1") if language else "")
            self.transport.write(_ANSWER % (b"503 Service Unavailable\r\nretry-after: 5", len(text), text))
            self.transport.close()
            return
        for at in range(0, len(data), MAX_HEADERS_BYTES):  # h11 counts only what no request is made of yet
            if self._takes_more:
                self._link.receive_data(data[at : at + MAX_HEADERS_BYTES])
                self._go_on()

    def pause_writing(self) -> None:
        """The browser reads more slowly than is sent."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """It has read nearly all."""
        self._writable.set()

    def hand_over(self, to: "Lasting", headers: Headers) -> bytes:
        """The beginning of an answer that lasts as long as the connection, which `to` has from now on."""
        self._wait_no_more()
        if self._exchange is not None:
            self._exchange.end()
        self.transport.resume_reading()
        self.transport.set_protocol(to)
        lines = (b"%b: %b" % header for header in dated(headers))
        return b"\r\n".join((b"HTTP/1.1 200 OK", *lines, b"", b""))

    def _go_on(self) -> None:
        """Takes what came, as far as the answer to the request before is complete."""
        try:
            while self._takes_more and (event := self._link.next_event()) is not h11.NEED_DATA:
                if event is h11.PAUSED:
                    self.transport.pause_reading()
                    return
                self._take(event)
        except h11.RemoteProtocolError:
            if self._exchange is not None:
                self._exchange.end()
            if self._link.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                text = b"This is no request.\n"
                self.transport.write(_ANSWER % (b"400 Bad Request", len(text), text))
            self.transport.close()

    def _take(self, event: object) -> None:
        match event:
            case h11.Request():
                if {b"content-length", b"transfer-encoding"} <= {name for name, _ in event.headers}:
                    raise h11.RemoteProtocolError("another server may see another end of it")
                self._wait(IDLE_S, self.transport.abort)
                self._exchange = HttpExchange(self._link, self.transport, self._writable, self._completed)
                task = self._loop.create_task(self._exchange.run(self._app, self._scope(event)))
                self._browsers.tasks.add(task)
                task.add_done_callback(self._browsers.tasks.discard)
            case h11.Data() if self._exchange and not self._exchange.complete:
                self._exchange.take(bytes(event.data))
            case h11.EndOfMessage() if self._exchange:
                self._wait_no_more()
                self._exchange.end_body()
                if self._exchange.complete:
                    self._completed()

    def _scope(self, request: h11.Request) -> Scope:
        path, _, query = request.target.partition(b"?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": request.http_version.decode("ascii"),
            "server": _address(self.transport, "sockname"),
            "client": self.client,
            "scheme": "https" if self.transport.get_extra_info("sslcontext") else "http",
            "method": request.method.decode("ascii"),
            "root_path": "",
            "path": unquote(path.decode("ascii")),
            "raw_path": path,
            "query_string": query,
            "headers": list(request.headers),
        }

    def _completed(self) -> None:
        """An answer is sent: the next request may come, or has, once all of this one has."""
        self.transport.resume_reading()
        if self._link.their_state is h11.SEND_BODY:
            return  # closed before all has come, the answer might be lost
        if self._link.our_state is h11.MUST_CLOSE:
            self.transport.close()
        else:
            self._wait(KEEP_ALIVE_S, self.transport.close)  # once the answer is read
            self._link.start_next_cycle()
            self._loop.call_soon(self._go_on)

    def _refuse(self) -> None:
        if len(self._browsers.refusing) >= MAX_REFUSING:
            self.transport.abort()
            return
        self._browsers.refusing.add(self)
        self._wait(REFUSED_S, self.transport.abort)

    def _wait(self, seconds: float, end: Callable[[], None]) -> None:
        """Has the connection end so unless something comes by then."""
        self._wait_no_more()
        self._patience = self._loop.call_later(seconds, end)

    def _wait_no_more(self) -> None:
        if self._patience is not None:
            self._patience.cancel()


def _address(transport: asyncio.Transport, end: str) -> ClientAddress:
    """The address and port of one end, `peername` or `sockname`."""
    found = transport.get_extra_info(end)
    return (str(found[0]), int(found[1])) if isinstance(found, tuple) else None


class Lasting(asyncio.Protocol):
    """A connection of which no more is held than its socket, for as long as its answer goes on."""

    __slots__ = ("browsers", "client", "transport")
    answered, idle = True, False

    browsers: Connections
    client: ClientAddress
    transport: asyncio.Transport

    @property
    def device(self) -> str:
        """The address at the other end."""
        return self.client[0] if self.client else ""

    def connection_lost(self, _exc: Exception | None) -> None:
        """Forgets the connection."""
        self.browsers.drop(self)


class CountedTLS(sslproto.SSLProtocol):
    """TLS whose connections count among all from the beginning of their handshakes."""

    max_size = TLS_BUFFER_BYTES

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The handshake begins."""
        super().connection_made(transport)
        if isinstance(self._app_protocol, HttpConnection):
            self._app_protocol.begin(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Nobody else tells of a handshake that was not over."""
        if isinstance(self._app_protocol, HttpConnection):
            self._app_protocol.end()
        super().connection_lost(exc)
