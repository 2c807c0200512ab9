"""The links to three Bluetooth dice: a thread with bleak's loop, and in it a task for each die."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import AsyncExitStack, suppress
from typing import Any

from pi_bunco.devices.protocols import DICE, Put
from pi_bunco.devices.threads import ReadingThread
from pi_bunco.devices.throws.radio_dice import RadioModel, RadioThrows
from pi_bunco.runtime.clock import Clock

BATTERY_EVERY_S = 300.0
AGAIN_AFTER_S = 2.0
TICK_S = 0.1
CANCEL_AGAIN_S = 1.0
_log = logging.getLogger(__name__)

RadioClient = Callable[[str, Callable[[Any], None]], Any]
"""Makes bleak's client of an address, given what to call when its link breaks."""


class RadioDice(ReadingThread):
    """Three dice of a model; one that is out of reach is tried again and again."""

    def __init__(
        self, model: RadioModel, addresses: Iterable[str], put: Put, clock: Clock, client: RadioClient
    ) -> None:
        super().__init__(model.word, put, clock)
        self._model = model
        self._addresses = dict(zip(DICE, addresses, strict=True))
        self._client = client
        self._throws = RadioThrows(model)
        self._connecting = asyncio.Lock()  # a radio that looks for one die and connects to another fails

    def committed(self, boot: str, seq: int) -> None:
        """The dice remember nothing."""

    def report_until(self, at: float) -> None:
        """`AllReported` follows when what the dice said by then has come."""
        self._throws.report_until(at)

    def _run(self) -> None:
        asyncio.run(self._read())

    async def _read(self) -> None:
        async with asyncio.TaskGroup() as links:
            tasks = {links.create_task(self._keep(die, place)) for die, place in self._addresses.items()}
            while not self._stop.is_set():
                self._report(self._throws.tick(self._clock.now()))
                await asyncio.sleep(TICK_S)
            while tasks:  # a library may lose the word that a task is to end
                for task in tasks:
                    task.cancel()
                _, tasks = await asyncio.wait(tasks, timeout=CANCEL_AGAIN_S)

    async def _keep(self, die: int, address: str) -> None:
        from bleak.exc import BleakError

        why = ""
        while True:
            try:
                await self._linked(die, address)
                problem = "its link broke"
            except (BleakError, OSError, EOFError, TimeoutError) as error:
                problem = str(error) or type(error).__name__
            self._report(self._throws.unlinked(die, self._clock.now(), f"{address}: {problem}"))
            if problem != why:
                _log.warning("die %s at %s: %s; trying again until it is back", die, address, problem)
            why = problem
            await asyncio.sleep(AGAIN_AFTER_S)

    async def _linked(self, die: int, address: str) -> None:
        """Reads the die's messages and sends requests until its link breaks."""
        asks: asyncio.Queue[bytes | None] = asyncio.Queue()

        def take(_sender: Any, data: bytearray) -> None:
            self._report(self._throws.take(die, bytes(data), self._clock.now()))
            ask()

        def ask() -> None:
            for question in self._throws.questions.pop(die, ()):
                asks.put_nowait(question)

        async with AsyncExitStack() as stack:
            async with self._connecting:
                client = self._client(address, lambda _client: asks.put_nowait(None))
                link = await stack.enter_async_context(client)
            await link.start_notify(self._model.notifies, take)
            self._report(self._throws.linked(die, self._clock.now()))
            ask()
            asks.put_nowait(self._model.battery)
            while True:
                question: bytes | None = self._model.battery
                with suppress(TimeoutError):
                    async with asyncio.timeout(BATTERY_EVERY_S):
                        question = await asks.get()
                if question is None:
                    return
                await link.write_gatt_char(self._model.takes, question)


def bleak_client(address: str, broken: Callable[[Any], None]) -> Any:
    """The client of a die at this machine's radio."""
    from bleak import BleakClient

    return BleakClient(address, disconnected_callback=broken)
