"""The connections of browsers: how many there may be, how long one may be silent, and how a slow one ends."""

import asyncio
import re
from asyncio import sslproto

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import get_remote_addr

from pi_bunco.web.site.guard import LOOPBACK
from pi_bunco.web.site.reasons import TooManyPages
from pi_bunco.words.catalogue import wanted
from pi_bunco.words.sentences import sentences

MAX_CONNECTIONS = 2400
"""Open connections; beyond it one that was answered and is idle makes room, else the oldest of the same
device, which may hang since a router's reboot, else one that asked for nothing, else nobody does."""
EACH = 100
"""Open connections of one device while more than half of all are taken: phones behind one router share an
address. This machine itself, where a proxy may stand, has no such limit."""
LOOK_EVERY_S = 0.1
"""Seconds after which idle connections are looked for again where there were none."""
IDLE_S = 15.0
"""Seconds that a connection may take until its request is complete; its body may take twice as long."""
TLS_BUFFER = 4096
"""Bytes of the buffer of a connection with TLS; of 1,500 asyncio's own 256 kB are 400 MB."""
REFUSED_S = 1.0
"""Seconds in which a device that has too many may ask, and is told so."""
REFUSING = 50
"""Connections at a time that are told; more are closed at once."""
_ANSWER = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nretry-after: 5\r\n"
    b"connection: close\r\ncontent-length: %d\r\n\r\n%s"
)
_LANGUAGE = re.compile(rb"(?i)\naccept-language:([^\r\n]*)")

Client = tuple[str, int] | None
"""Address and port at the other end, as in an ASGI scope."""
Headers = list[tuple[bytes, bytes]]


def full(languages: str) -> bytes:
    """The page for somebody who finds no room, in one of the `languages` of an Accept-Language header."""
    return f"{sentences(wanted(languages)).of(TooManyPages())}\n".encode()


class Connections:
    """All open connections by the address of their other end, the oldest first."""

    def __init__(self, most: int = MAX_CONNECTIONS) -> None:
        self.most = most
        self.refused = 0
        """How many were closed to make room, or not taken."""
        self.refusing = 0
        """How many are open that are told that there is no room for them."""
        self._open: dict[Client, LimitedProtocol | Lasting] = {}
        self._of: dict[str, dict[Client, LimitedProtocol | Lasting]] = {}
        """Those of each device."""
        self._none_idle_until = {False: 0.0, True: 0.0}
        """Until when no idle connection is sought, of those that were answered or were not."""

    def __len__(self) -> int:
        return len(self._open)

    def add(self, connection: "LimitedProtocol") -> bool:
        """Takes a connection in, if there is or can be room."""
        scarce = len(self._open) * 2 >= self.most
        others = len(self._of.get(connection.device, ()))
        greedy = scarce and others >= EACH and connection.device not in LOOPBACK
        if greedy or (len(self._open) >= self.most and not self._make_room(connection)):
            self.refused += 1
            return False
        self._open[connection.client] = connection
        self._of.setdefault(connection.device, {})[connection.client] = connection
        return True

    def drop(self, connection: "LimitedProtocol | Lasting") -> None:
        """A connection has ended."""
        if self._open.get(connection.client) is connection:
            del self._open[connection.client]
            del self._of[connection.device][connection.client]
            if not self._of[connection.device]:
                del self._of[connection.device]

    def abort_all(self) -> None:
        """Ends every connection at once."""
        for connection in tuple(self._open.values()):
            connection.transport.abort()

    def hand_over(self, client: Client, to: "Lasting", headers: Headers) -> bytes:
        """Has `to` answer `client`: the beginning of that answer, or nothing where nobody is there."""
        connection = self._open.get(client)
        if not isinstance(connection, LimitedProtocol):
            return b""
        to.client, to.transport, to.browsers = connection.client, connection.transport, self
        self._open[client] = self._of[to.device][client] = to
        return connection.hand_over(to, headers)

    def _make_room(self, connection: "LimitedProtocol") -> bool:
        """Closes another connection; after a reboot of the router hundreds ask for that at once."""
        now, of_device = connection.loop.time(), self._of.get(connection.device, {})
        old = (
            self._first_idle(True, now)
            or next(iter(of_device.values()), None)
            or self._first_idle(False, now)
        )
        if old is None:
            return False
        self.refused += 1
        self.drop(old)
        old.transport.abort()
        return True

    def _first_idle(self, answered: bool, now: float) -> "LimitedProtocol | Lasting | None":
        """The first idle connection, answered or not; where there is none, none is sought for a while."""
        if now < self._none_idle_until[answered]:
            return None
        idle = (one for one in self._open.values() if one.idle and one.answered == answered)
        found = next(idle, None)
        if found is None:
            self._none_idle_until[answered] = now + LOOK_EVERY_S
        return found


class LimitedProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn that counts its connections and ends those on which nothing comes."""

    __slots__ = ("_looked_at", "_patience", "_refused")  # in the dict they would make it 1.3 kB
    browsers = Connections()

    @property
    def device(self) -> str:
        """The address at the other end."""
        return self.client[0] if self.client else ""

    @property
    def answered(self) -> bool:
        """True if anything was asked on it."""
        return self.cycle is not None

    @property
    def idle(self) -> bool:
        """True if no request is being answered on it."""
        return self.cycle is None or self.cycle.response_complete

    def begin(self, transport: asyncio.Transport) -> None:
        """Takes the connection in, of TLS before its handshake, or closes it at once."""
        self.transport, self.client = transport, get_remote_addr(transport)
        self._looked_at: object = None
        self._patience: asyncio.TimerHandle | None = None
        self._refused = False
        if self.browsers.add(self):
            self._patience = self.loop.call_later(IDLE_S, self._impatient)
        else:
            self._refuse()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A connection is there."""
        if self.client is None:
            self.begin(transport)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self.end()
        super().connection_lost(exc)

    def end(self) -> None:
        """The connection is no more, of TLS perhaps before its handshake was over."""
        self.browsers.refusing -= self._refused
        self._refused = False
        self.browsers.drop(self)
        if self._patience is not None:
            self._patience.cancel()

    def data_received(self, data: bytes) -> None:
        """Takes what comes in; where there is no room for the connection, says so and closes it."""
        if self._refused:
            asked = _LANGUAGE.search(data)
            text = full(asked[1].decode("latin-1") if asked else "")
            self.transport.write(_ANSWER % (len(text), text))
            self.transport.close()
        else:
            super().data_received(data)

    def hand_over(self, to: "Lasting", headers: Headers) -> bytes:
        """The beginning of an answer that lasts as long as the connection, which `to` has from now on."""
        if self._patience is not None:
            self._patience.cancel()
        self.connections.discard(self)
        self.cycle.disconnected = True  # nothing more is to be sent by it
        self.flow.resume_reading()
        self.transport.set_protocol(to)
        lines = (b"%b: %b" % header for header in (*self.server_state.default_headers, *headers))
        return b"\r\n".join((b"HTTP/1.1 200 OK", *lines, b"", b""))

    def _refuse(self) -> None:
        if self.browsers.refusing >= REFUSING:
            self.transport.abort()
            return
        self._refused = True
        self.browsers.refusing += 1
        self._patience = self.loop.call_later(REFUSED_S, self.transport.abort)

    def _impatient(self) -> None:
        coming = self.cycle if self.cycle is not None and self.cycle.more_body else None
        waits = self.idle and self.timeout_keep_alive_task is None
        if waits or (coming is not None and coming is self._looked_at):
            self.transport.abort()
        else:
            self._looked_at = coming
            self._patience = self.loop.call_later(IDLE_S, self._impatient)


class Lasting(asyncio.Protocol):
    """A connection of which no more is held than its socket, for as long as its answer goes on."""

    __slots__ = ("browsers", "client", "transport")
    answered, idle = True, False

    browsers: Connections
    client: Client
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

    max_size = TLS_BUFFER

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The handshake begins."""
        super().connection_made(transport)
        if isinstance(self._app_protocol, LimitedProtocol):
            self._app_protocol.begin(transport)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Nobody else tells of a handshake that was not over."""
        if isinstance(self._app_protocol, LimitedProtocol):
            self._app_protocol.end()
        super().connection_lost(exc)
