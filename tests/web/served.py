"""Pages served on a real socket of loopback, for clients that do not behave."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator

from starlette.types import ASGIApp

from pi_bunco.web.site.connections import Connections
from pi_bunco.web.site.server import Endpoint, Servers, bound

HOST = "127.0.0.1"
PATIENCE = 60.0
"""Seconds in which what is awaited must happen, on a machine however busy."""
ANYWHERE = Endpoint(HOST, 0)


@contextlib.contextmanager
def served(app: ASGIApp, browsers: Connections, place: Endpoint = ANYWHERE) -> Iterator[int]:
    """Serves the app meanwhile; gives the port."""
    listening = bound(place)
    port: int = listening.getsockname()[1]
    servers: list[Servers] = []
    there = threading.Event()

    async def serve() -> None:
        servers.append(Servers(app, [(place, listening)], browsers))
        asyncio.get_running_loop().call_soon(there.set)
        await servers[0].serve()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert there.wait(PATIENCE)
    try:
        yield port
    finally:
        servers[0].stop()
        thread.join(PATIENCE)


def connected(port: int, sent: bytes = b"") -> socket.socket:
    """A connection on which `sent` went out."""
    link = socket.create_connection((HOST, port), timeout=PATIENCE)
    link.sendall(sent)
    return link


def answer(port: int, sent: bytes) -> bytes:
    """All that comes back until the other end hangs up, or 64 KiB."""
    with connected(port, sent) as link:
        got = b""
        with contextlib.suppress(ConnectionError):
            while len(got) < 65536 and (part := link.recv(65536)):
                got += part
        return got


def get(path: str, more: str = "") -> bytes:
    """A request after which the connection closes."""
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n{more}\r\n".encode()
