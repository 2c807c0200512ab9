"""The links to three GoDice: a thread with bleak's loop, and in it a task for each die."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any

from pi_bunco.devices.protocols import DICE, DiceEvent, Put
from pi_bunco.devices.threads import ReadingThread
from pi_bunco.devices.throws.godice import GoDiceThrows
from pi_bunco.runtime.clock import Clock

NOTIFIES = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"
TAKES = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
"""The characteristics of Nordic's UART service."""
ASK_BATTERY = b"\x03"
BATTERY_EVERY_S = 300.0
AGAIN_AFTER_S = 2.0
TICK_S = 0.1
_log = logging.getLogger(__name__)

Client = Callable[[str, Callable[[Any], None]], Any]
"""Makes bleak's client of an address, given what to call when its link breaks."""


class GoDice(ReadingThread):
    """Three GoDice; one that is out of reach is tried again and again."""

    def __init__(self, addresses: Iterable[str], put: Put, clock: Clock, client: Client) -> None:
        super().__init__("godice")
        self._addresses = dict(zip(DICE, addresses, strict=True))
        self._put = put
        self._clock = clock
        self._client = client
        self._throws = GoDiceThrows()
        self._loop: asyncio.AbstractEventLoop | None = None

    def committed(self, boot: str, seq: int) -> None:
        """The dice remember nothing."""

    def report_until(self, at: float) -> None:
        """`AllReported` follows when what the dice said by then has come."""
        self._throws.report_until(at)

    def _run(self) -> None:
        asyncio.run(self._read())

    async def _read(self) -> None:
        tasks = [asyncio.create_task(self._keep(die, address)) for die, address in self._addresses.items()]
        while not self._stop.is_set():
            self._report(self._throws.tick(self._clock.now()))
            await asyncio.sleep(TICK_S)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _keep(self, die: int, address: str) -> None:
        """Keeps the die connected."""
        from bleak.exc import BleakError

        why = ""
        while True:
            try:
                await self._linked(die, address)
                problem = "its link broke"
            except (BleakError, OSError, TimeoutError) as error:
                problem = str(error) or type(error).__name__
            self._report(self._throws.unlinked(die, self._clock.now(), f"{address}: {problem}"))
            if problem != why:
                _log.warning("die %s at %s: %s; trying again until it is back", die, address, problem)
            why = problem
            await asyncio.sleep(AGAIN_AFTER_S)

    async def _linked(self, die: int, address: str) -> None:
        """Takes what the die says until its link breaks."""
        broken = asyncio.Event()
        async with self._client(address, lambda _client: broken.set()) as link:
            await link.start_notify(NOTIFIES, lambda _sender, data: self._take(die, bytes(data)))
            self._report(self._throws.linked(die, self._clock.now()))
            while not broken.is_set():
                await link.write_gatt_char(TAKES, ASK_BATTERY)
                try:
                    await asyncio.wait_for(broken.wait(), BATTERY_EVERY_S)
                except TimeoutError:
                    continue

    def _take(self, die: int, data: bytes) -> None:
        self._report(self._throws.take(die, data, self._clock.now()))

    def _report(self, events: Iterable[DiceEvent]) -> None:
        for event in events:
            self._put(event)


def bleak_client(address: str, broken: Callable[[Any], None]) -> Any:
    """The client of a die at this machine's radio."""
    from bleak import BleakClient

    return BleakClient(address, disconnected_callback=broken)
