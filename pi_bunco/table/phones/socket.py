"""The socket between the page and the phones' process: taps in, states and answers out."""

import asyncio
import contextlib
import os
import secrets
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec.structs import replace

from pi_bunco.errors import BuncoError
from pi_bunco.runtime.loop import accept_no_more
from pi_bunco.table.phones import socket_messages

LINE_MAX_BYTES = 1 << 20
GREETING_WITHIN_S = 5.0
PHONES_KEY_VARIABLE = "PI_BUNCO_PHONES_KEY"
"""This variable has the key of a place HOST:PORT, which others of this machine could reach."""
Link = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def reached(place: str) -> Link:
    """The link to the phones' process at `place`, a path or HOST:PORT; `OSError` while it is not there."""
    host, port = _address(place)
    if sys.platform != "win32" and port is None:
        link = await asyncio.open_unix_connection(place, limit=LINE_MAX_BYTES)
    else:
        link = await asyncio.open_connection(host, port, limit=LINE_MAX_BYTES)
    link[1].write(socket_messages.line(socket_messages.PageGreeting(os.environ.get(PHONES_KEY_VARIABLE, ""))))
    return link


class PageLinks:
    """The pages that are linked, in most halls one; `put` takes what they say."""

    def __init__(
        self,
        place: str,
        put: Callable[[socket_messages.Tap | socket_messages.PhonesSeen], object],
        states: Callable[[], Iterable[socket_messages.PhoneState]],
    ) -> None:
        self._place = place
        self._put = put
        self._states = states
        self._pages: dict[int, PageLink] = {}
        self._count = 0
        self._server: asyncio.Server | None = None

    async def listen(self) -> None:
        """Begins to listen; `BuncoError` if that cannot be."""
        host, port = _address(self._place)
        try:
            if sys.platform != "win32" and port is None:
                Path(self._place).unlink(missing_ok=True)
                self._server = await asyncio.start_unix_server(
                    self._linked, self._place, limit=LINE_MAX_BYTES
                )
                os.chmod(self._place, 0o600)
            elif not os.environ.get(PHONES_KEY_VARIABLE):
                raise BuncoError(
                    f"{self._place} could be reached by anybody here: {PHONES_KEY_VARIABLE} must have a key"
                )
            else:
                self._server = await asyncio.start_server(self._linked, host, port, limit=LINE_MAX_BYTES)
        except OSError as error:
            raise BuncoError(f"{self._place} cannot be listened at: {error.strerror or error}") from error

    def tell(self, state: socket_messages.PhoneState) -> None:
        """Tells every page how a table shows itself."""
        if self._pages:
            words = socket_messages.line(state)
            for page in self._pages.values():
                page.tell(state.table, words)

    def answer(self, answer: socket_messages.TapAnswer) -> None:
        """Answers the page by which the tap came, if that is still there."""
        if page := self._pages.get(answer.page):
            page.tell(object(), socket_messages.line(answer))

    async def close(self) -> None:
        """Ends all."""
        if self._server is not None:
            await accept_no_more(self._server.sockets)
            self._server.close()
        for page in self._pages.values():
            page.close()

    async def _linked(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._count += 1
        number, page = self._count, PageLink(writer)
        try:
            greeting = socket_messages.from_page.decode(
                await asyncio.wait_for(reader.readline(), GREETING_WITHIN_S)
            )
            key = greeting.key if isinstance(greeting, socket_messages.PageGreeting) else None
            if key is None or not secrets.compare_digest(
                key.encode(), os.environ.get(PHONES_KEY_VARIABLE, "").encode()
            ):
                return
            self._pages[number] = page
            for state in self._states():
                page.tell(state.table, socket_messages.line(state))
            page.tell(object(), socket_messages.line(socket_messages.AllTold()))
            while words := await reader.readline():
                came = socket_messages.from_page.decode(words)
                if isinstance(came, socket_messages.Tap):
                    self._put(replace(came, page=number))
                elif isinstance(came, socket_messages.PhonesSeen):
                    self._put(came)
                await asyncio.sleep(0)  # what a phone sends at once holds nobody up
        except (OSError, TimeoutError, ValueError):  # it is gone, silent, or no page of this version
            pass
        finally:
            self._pages.pop(number, None)
            page.close()


class PageLink:
    """A page, and what it has still to be told: of a table the newest state alone."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._news: dict[object, bytes] = {}
        self._wanted = asyncio.Event()
        self._telling = asyncio.create_task(self._tell())

    def tell(self, of: object, words: bytes) -> None:
        """Tells the page, as soon as it reads, in place of what it has not read `of` the same."""
        self._news[of] = words
        self._wanted.set()

    def close(self) -> None:
        """Ends the link."""
        self._telling.cancel()
        self._writer.close()

    async def _tell(self) -> None:
        with contextlib.suppress(OSError):  # whoever reads from it notices too
            while await self._wanted.wait():
                while self._news:
                    self._writer.write(self._news.pop(next(iter(self._news))))
                    await self._writer.drain()
                self._wanted.clear()


def _address(place: str) -> tuple[str, int | None]:
    """Host and port of a place HOST:PORT; no port for a path."""
    host, _, port = place.rpartition(":")
    return (host, int(port)) if port.isdecimal() and host and "/" not in place else (place, None)
