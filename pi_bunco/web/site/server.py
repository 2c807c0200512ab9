"""The HTTP servers of one asyncio loop: a plain one and, where there is a certificate, one with TLS."""

import asyncio
import contextlib
import os
import socket
import ssl
import struct
import sys
from asyncio import sslproto
from collections.abc import Iterator, Sequence

from msgspec import Struct
from starlette.types import ASGIApp

from pi_bunco.errors import BuncoError
from pi_bunco.runtime.loop import accept_no_more
from pi_bunco.web.site.connections import Connections, CountedTLS, HttpConnection

HTTP_PORTS = range(8080, 8100)
"""Ports for pages if nobody names one: the first of these that is free."""
GONE_AFTER_MS = 20_000
"""Milliseconds after which a browser that confirms nothing of what it was sent is gone."""
BACKLOG = 2048
"""Connections that wait to be taken: all phones of a hall come back at once."""
GRACE_S = 1.0
AEAD = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""The suites of TLS 1.2; TLS 1.3 has no others."""
_INTERFACES = "/sys/class/net"
_SIOCGIFADDR = 0x8915
"""netdevice(7): the address of an interface."""


class ListenError(BuncoError, OSError):
    """An address at which no page can be served; the text says why."""


class Endpoint(Struct, frozen=True):
    """Address of pages: HOST:PORT, and certificate and key for TLS."""

    host: str
    port: int
    cert: str | None = None
    key: str | None = None

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.cert else 'http'}://{host}:{self.port}"


def endpoint(text: str) -> Endpoint:
    """The endpoint `HOST:PORT`; an empty host is every address. `ListenError` on anything else."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise ListenError(f"{text!r} is no address to listen at: HOST:PORT is, such as 0.0.0.0:8080")
    return Endpoint(host.strip("[]") or "0.0.0.0", int(port))


def free_place(host: str) -> Endpoint:
    """A free endpoint on `host`, a port for TLS beside it; `ListenError` if no port is free."""
    for port in HTTP_PORTS:
        place = Endpoint(host, port)
        with contextlib.suppress(ListenError), bound(place), bound(secure(place, "", "")):
            return place
    raise ListenError(
        f"No port from {HTTP_PORTS[0]} to {HTTP_PORTS[-1]} is free on this machine:"
        " end a program that takes one"
    )


def secure(plain: Endpoint, cert: str, key: str) -> Endpoint:
    """The endpoint of TLS beside the plain one: port 443 beside 80, else the next port."""
    port = 443 if plain.port == 80 else plain.port + 1
    return Endpoint(plain.host, port, cert, key)


def bound(place: Endpoint) -> socket.socket:
    """A socket that listens there; `ListenError`."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        listening = socket.create_server((place.host, place.port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise ListenError(f"{place} cannot be served: {error.strerror or error}") from error
    listening.setblocking(False)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; elsewhere a phone that is gone is noticed later
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GONE_AFTER_MS)
    return listening


def address_of(place: Endpoint) -> str:
    """The address that others reach the endpoint by, `http://192.168.4.1:8080`; without the default port."""
    host = place.host
    if host in ("0.0.0.0", "::"):
        host = _local_address(host) or "localhost"
    shown = f"[{host}]" if ":" in host else host
    scheme, port = ("https", 443) if place.cert else ("http", 80)
    return f"{scheme}://{shown}" + ("" if place.port == port else f":{place.port}")


def reachable(place: Endpoint) -> bool:
    """True if other devices can reach the endpoint."""
    every = place.host in ("0.0.0.0", "::")
    host = _local_address(place.host) if every else place.host
    return bool(host) and host != "localhost" and not host.startswith("127.") and host != "::1"


def local_addresses(place: Endpoint) -> tuple[str, ...]:
    """The numeric addresses by which the endpoint is reached, as far as they are known."""
    if place.host not in ("0.0.0.0", "::"):
        return (place.host,)
    return tuple(one for one in (_local_address(place.host), "127.0.0.1") if one)


def _local_address(every: str) -> str:
    """This machine's address on the network that its default route, or its access point, is on."""
    family, far = (socket.AF_INET6, "2001:db8::1") if every == "::" else (socket.AF_INET, "192.0.2.1")
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))  # sends nothing: RFC 5737, an address for documents
            return str(probe.getsockname()[0])
    except OSError:
        return next(_addresses(), "") if family == socket.AF_INET else ""


def _addresses() -> Iterator[str]:
    """This machine's IPv4 addresses where no route leads out, as in a hotspot without internet."""
    found: list[str] = []
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            for name in _interfaces():
                with contextlib.suppress(OSError):  # it has no address
                    interface = struct.pack("256s", name.encode()[:15])
                    found.append(socket.inet_ntoa(fcntl.ioctl(probe, _SIOCGIFADDR, interface)[20:24]))
    else:
        with contextlib.suppress(OSError):
            found += (
                str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
            )
    yield from (one for one in found if not one.startswith("127."))


def _interfaces() -> list[str]:
    try:
        return [name for _, name in socket.if_nameindex()]
    except OSError:  # the sandbox of the unit has no netlink
        return sorted(os.listdir(_INTERFACES))


class Servers:
    """The servers of an app, on sockets that are bound already."""

    def __init__(
        self, app: ASGIApp, places: Sequence[tuple[Endpoint, socket.socket]], browsers: Connections
    ) -> None:
        sslproto.SSLProtocol = CountedTLS  # type: ignore[misc]
        self.started = False
        """All take requests."""
        self._app = app
        self._places = places
        self._browsers = browsers
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()

    async def serve(self) -> None:
        """Serves until `stop`; an answer may take `GRACE_S` more, and no connection outlives it."""
        servers = [
            await self._loop.create_server(self._connection, sock=link, ssl=_tls(place), backlog=BACKLOG)
            for place, link in self._places
        ]
        self.started = True
        await self._ended.wait()
        await accept_no_more([link for _, link in self._places])
        for server in servers:
            server.close()
        if self._browsers.tasks:
            await asyncio.wait(self._browsers.tasks, timeout=GRACE_S)
        await self._browsers.abort_all()

    def stop(self) -> None:
        """Ends all, soon; from any thread."""
        self._loop.call_soon_threadsafe(self._ended.set)

    def _connection(self) -> HttpConnection:
        return HttpConnection(self._app, self._browsers)


def _tls(place: Endpoint) -> ssl.SSLContext | None:
    if place.cert is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(place.cert, place.key)
    context.set_ciphers(AEAD)
    return context
