"""The phones and TVs of a hall as one process: it keeps their pages open, taps, and notes when what came.

Each has a source address of its own. Each line of standard input is a call of a method of `Browsers` as JSON,
`[name, arguments]`, and is answered by a line with what it returns.

Nothing of a page is parsed but where its events begin, so that a measurement is of the pages and not of this.
"""

import asyncio
import contextlib
import json
import resource
import ssl
import sys
import time
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, cast

from msgspec import Struct, convert

from pi_bunco.runtime.clock import SystemClock

OPENING = 64
"""Connections at a time that are being made when a hall fills."""
OPEN_S = 60.0
"""Seconds in which every page must be open."""
ANSWER_S = 60.0
"""Seconds in which a tap must be answered."""
TAP_S = 4.0
"""Seconds from one roll of a table to its next, as people tap them in."""
TAPS = ("one", "two", "miss")
BELL, PAGE = b"event: bell\n", b"event: page\n"
BETWEEN = len(BELL) - 1
"""Bytes in which the beginning of an event may hide at the end of what came."""
clock = SystemClock()


class Device(Struct, frozen=True):
    """A phone or TV: the stream of the page that it shows, its cookie, its address, the table that it is."""

    path: str
    cookie: str
    source: str
    table: int = 0


class Screen(asyncio.Protocol):
    """A device whose page is open."""

    def __init__(self, device: Device, host: str) -> None:
        self.device = device
        self.shown: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the whole page has come."""
        self.transport: asyncio.Transport | None = None
        self.bytes = 0
        self.bell_at = self.picture_at = self.tapped_at = 0.0
        """Times (ms) of a bell, of the picture after it, and of a tap that is not shown yet."""
        self.taps: list[float] = []
        """Milliseconds from each tap to the picture that shows it."""
        self._end = b""
        cookie = f"Cookie: {device.cookie}\r\n" if device.cookie else ""
        self._request = f"GET {device.path} HTTP/1.1\r\nHost: {host}\r\n{cookie}\r\n".encode()

    def tap(self) -> None:
        """Something is tapped; what was tapped before and is not shown yet took at least until now."""
        now = clock.now()
        if self.tapped_at:
            self.taps.append(now - self.tapped_at)
        self.tapped_at = now

    @property
    def open(self) -> bool:
        """True if its page is there and lives."""
        return self.shown.done() and not self.shown.cancelled() and self.shown.exception() is None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        now = clock.now()
        self.bytes += len(data)
        text, self._end = self._end + data, data[-BETWEEN:]
        bell = text.find(BELL) if not self.bell_at else -1
        if bell >= 0:
            self.bell_at = now
        if text.find(PAGE, max(bell, 0)) < 0:
            return
        if self.bell_at and not self.picture_at:
            self.picture_at = now
        if self.tapped_at:
            self.taps.append(now - self.tapped_at)
            self.tapped_at = 0.0
        if not self.shown.done():
            self.shown.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.shown.done():
            self.shown = asyncio.get_running_loop().create_future()
        self.shown.cancel()

    def close(self) -> None:
        """The device is gone."""
        if self.transport:
            self.transport.abort()


class Keys:
    """The connection on which the phone of a table sends its taps."""

    def __init__(self, browsers: "Browsers", device: Device) -> None:
        self._browsers = browsers
        self._device = device
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._seq = 0

    async def tap(self, what: str) -> tuple[int, float]:
        """Sends a tap once: the status of the answer, 0 for none, and after how many milliseconds it came."""
        self._seq += 1
        body = f"mark_boot=bench&mark_seq={self._seq}&tap={what}"
        head = (
            f"POST /table/{self._device.table}/tap HTTP/1.1\r\nHost: {self._browsers.host}\r\n"
            f"Cookie: {self._device.cookie}\r\nAccept: application/json\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        began = clock.now()
        try:
            async with asyncio.timeout(ANSWER_S):
                status = await self._asked((head + body).encode())
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            self.close()
            status = 0
        return status, clock.now() - began

    async def _asked(self, request: bytes) -> int:
        if self._streams is None or self._streams[0].at_eof():
            self.close()
            browsers = self._browsers
            self._streams = await asyncio.open_connection(
                browsers.host, browsers.port, ssl=browsers.tls, local_addr=(self._device.source, 0)
            )
        reader, writer = self._streams
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        _, found, rest = head.lower().partition(b"content-length:")
        if found:
            await reader.readexactly(int(rest.split(b"\r\n")[0]))
        return int(head.split(b" ", 2)[1])

    def close(self) -> None:
        """Ends the connection."""
        if self._streams:
            self._streams[1].transport.abort()
        self._streams = None


class Browsers:
    """All devices."""

    def __init__(self, host: str, port: int, tls: bool) -> None:
        self.host = host
        self.port = port
        self.tls = _any_certificate() if tls else None
        self._screens: list[Screen] = []
        self._keys: list[Keys] = []
        self._players: list[asyncio.Task[None]] = []
        self._rest = asyncio.Event()
        self._random = Random(1)
        self._answers: list[float] = []
        self._statuses: Counter[str] = Counter()

    async def open(self, devices: Sequence[Any], at_once: int = OPENING) -> dict[str, Any]:
        """Opens the pages of these devices beside those that are open; how many came, within what time."""
        screens = [Screen(convert(device, Device), self.host) for device in devices]
        self._screens += screens
        began, room = clock.now(), asyncio.Semaphore(at_once)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(OPEN_S):
                await asyncio.gather(*(self._shown(screen, room) for screen in screens))
        return {"open": sum(screen.open for screen in screens), "took_ms": clock.now() - began}

    async def _shown(self, screen: Screen, room: asyncio.Semaphore) -> None:
        async with room:
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await asyncio.get_running_loop().create_connection(
                    lambda: screen,
                    self.host,
                    self.port,
                    ssl=self.tls,
                    local_addr=(screen.device.source, 0),
                )
                await screen.shown

    async def reboot(self) -> dict[str, Any]:
        """The router reboots: what was open hangs, unknown to the server, and all come back at once."""
        before, self._screens = self._screens, []
        for screen in before:
            if screen.transport and not screen.transport.is_closing():
                screen.transport.pause_reading()
        back = await self.open([screen.device for screen in before], len(before))
        for screen in before:
            screen.close()
        return back

    async def play(self) -> None:
        """Every phone table begins to tap what is rolled there."""
        screens = [one for one in self._screens if one.device.table]
        if not self._keys:
            self._keys = [Keys(self, one.device) for one in screens]
        self._answers, self._statuses, self._rest = [], Counter(), asyncio.Event()
        self._players = [
            asyncio.ensure_future(self._table(keys, screen))
            for keys, screen in zip(self._keys, screens, strict=True)
        ]

    async def _table(self, keys: Keys, screen: Screen) -> None:
        wait = self._random.uniform(0, TAP_S)
        while not await within(wait, self._rest):
            screen.tap()
            status, ms = await keys.tap(self._random.choice(TAPS))
            self._statuses[str(status)] += 1
            if status == 204:
                self._answers.append(ms)
            else:
                screen.tapped_at = 0.0
            wait = max(TAP_S * self._random.uniform(0.5, 1.5) - ms / 1000, 0)

    async def rest(self, until_shown: bool = False) -> dict[str, Any]:
        """Nobody taps any more: the answers since `play`, and the pictures, as far as they have come."""
        self._rest.set()
        await asyncio.gather(*self._players)
        screens = [one for one in self._screens if one.device.table]
        end = clock.now() + ANSWER_S * 1000
        while until_shown and any(one.tapped_at for one in screens) and clock.now() < end:
            await asyncio.sleep(0.01)
        for one in screens:
            one.tap()
            one.tapped_at = 0.0
        shown = [ms for one in screens for ms in one.taps]
        for one in screens:
            one.taps = []
        return {"answers_ms": self._answers, "shown_ms": shown, "statuses": self._statuses}

    async def mark(self) -> None:
        """A bell is awaited."""
        for screen in self._screens:
            screen.bell_at = screen.picture_at = 0.0
            screen.bytes = 0

    async def bell(self) -> dict[str, Any]:
        """Times (ms of the machine's clock) and bytes on each open page since `mark`; 0 for nothing."""
        there = [screen for screen in self._screens if screen.open]
        return {
            "bells": [screen.bell_at for screen in there],
            "pictures": [screen.picture_at for screen in there],
            "bytes": [screen.bytes for screen in there],
        }

    async def cpu(self) -> float:
        """Seconds of processor time that this process has taken."""
        return time.process_time()


async def within(seconds: float, event: asyncio.Event) -> bool:
    """True if `event` is set within `seconds`."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()


def _any_certificate() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def main(host: str, port: int, tls: bool) -> None:
    browsers = Browsers(host, port, tls)
    lines = asyncio.StreamReader(limit=1 << 24)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin.buffer
    )
    print("ready", flush=True)
    while line := await lines.readline():
        name, arguments = json.loads(line)
        print(json.dumps(await getattr(browsers, name)(*arguments)), flush=True)


if __name__ == "__main__":
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (16384, max(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 16384))
    )
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:] == ["tls"]))
