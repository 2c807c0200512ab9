"""TCP links between tables and the broker that stall, are cut, or are dead without either end knowing."""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable

from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.loop import accept_no_more

LINGER = struct.pack("ii", 1, 0)  # a close sends RST


class Pair:
    """The two connections of one session."""

    def __init__(self, *ends: asyncio.StreamWriter) -> None:
        self.ends = ends
        self.deaf = False


class Link:
    """A proxy in front of the broker's port; `back` says when a table came back (ms of the clock)."""

    def __init__(self, loop: asyncio.AbstractEventLoop, upstream: tuple[str, int], clock: Clock) -> None:
        self.back: list[float] = []
        self._loop = loop
        self._upstream = upstream
        self._clock = clock
        self._flows = asyncio.Event()
        self._flows.set()
        self._away = False
        self._pairs: set[Pair] = set()
        self.ends: list[asyncio.StreamWriter] = []
        started = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._meet, "127.0.0.1", 0), loop)
        self.server = started.result()
        self.port: int = self.server.sockets[0].getsockname()[1]

    def stall(self, seconds: float) -> None:
        """Nothing gets through for a while, and nothing is lost."""
        self._soon(self._flows.clear)
        self._soon(lambda: self._loop.call_later(seconds, self._flow))

    def half_open(self) -> None:
        """Loses all that is sent from now on, and tells nobody."""
        self._soon(self._deafen)

    def reset(self) -> None:
        """Both ends are told that the link is cut."""
        self._soon(self._cut)

    def cut(self) -> None:
        """Both ends are told that the link is cut, and whoever comes is turned away until `mend`."""
        self._soon(lambda: setattr(self, "_away", True))
        self.reset()

    def mend(self) -> None:
        """Lets in who comes again."""
        self._soon(lambda: setattr(self, "_away", False))

    def _soon(self, work: Callable[[], object]) -> None:
        self._loop.call_soon_threadsafe(work)

    def _flow(self) -> None:
        self._flows.set()
        self.back.append(self._clock.now())

    def _deafen(self) -> None:
        for pair in self._pairs:
            pair.deaf = True

    def _cut(self) -> None:
        for end in [end for pair in self._pairs for end in pair.ends]:
            if not end.is_closing():
                end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)
                end.transport.abort()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.CancelledError):  # asyncio logs it of who serves a connection
            await self._serve(reader, writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.ends.append(writer)
        await self._flows.wait()
        if self._away:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._upstream)
        except OSError:
            writer.transport.abort()
            return
        self.ends.append(far_writer)
        self.back.append(self._clock.now())
        pair = Pair(writer, far_writer)
        self._pairs.add(pair)
        await asyncio.gather(
            self._pump(pair, reader, writer, far_writer), self._pump(pair, far_reader, far_writer, writer)
        )
        self._pairs.discard(pair)

    async def _pump(
        self, pair: Pair, source: asyncio.StreamReader, near: asyncio.StreamWriter, far: asyncio.StreamWriter
    ) -> None:
        try:
            while data := await source.read(65536):
                await self._flows.wait()
                if not pair.deaf:
                    far.write(data)
                    await far.drain()
        except OSError:
            pass
        finally:
            near.close()
            if not pair.deaf:
                far.close()


class Links:
    """One link for each table, in a thread."""

    def __init__(self, tables: int, address: str, clock: Clock) -> None:
        host, _, port = address.rpartition(":")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="links", daemon=True)
        self._thread.start()
        self.of = [Link(self._loop, (host, int(port)), clock) for _ in range(tables)]

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        await accept_no_more([listening for link in self.of for listening in link.server.sockets])
        for link in self.of:
            link.server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for end in [end for link in self.of for end in link.ends]:
            end.transport.abort()
        await asyncio.sleep(0)  # the sockets are closed in the loop's next turn
