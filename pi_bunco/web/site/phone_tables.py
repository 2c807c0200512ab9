"""The phone tables of the page service, started one after the other beside its loop."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from pi_bunco.errors import BuncoError
from pi_bunco.runtime.clock import Clock
from pi_bunco.table.service import TableSettings
from pi_bunco.web.site.phones import PhoneThread
from pi_bunco.web.site.reasons import NotThere, PhoneTableFailed

log = logging.getLogger(__name__)

STOPPERS = 16
"""So many phone tables end at a time."""
_FAULTS = (BuncoError, OSError, RuntimeError, MemoryError)
"""How a phone table may fail to start: a thread that there is no room for is a RuntimeError."""
Make = Callable[[TableSettings, Clock, Callable[[], None]], PhoneThread]


class PhoneTables:
    """Starts the phone tables that are wanted; `changed` is called from the thread of one that changes.

    `running` has those that work. Opening their files takes a while, which no page and no host waits for.
    Those in `left` are phones no more: they only send what they have not sent, and end.
    """

    def __init__(
        self,
        settings: Sequence[TableSettings],
        clock: Clock,
        changed: Callable[[], None],
        make: Make,
        left: Sequence[TableSettings] = (),
    ) -> None:
        self.running: dict[int, PhoneThread] = {}
        self.leaving: dict[int, PhoneThread] = {}
        self.failed: set[int] = set()
        self._left = left
        self._settings = settings
        self._clock = clock
        self._changed = changed
        self._make = make
        self._coming: dict[int, asyncio.Future[None]] = {}
        self._starting: asyncio.Task[None] | None = None
        self._sending: asyncio.Task[None] | None = None
        self._ending: list[asyncio.Task[None]] = []

    def want(self, most: int) -> None:
        """Those up to number `most` are wanted. Belongs into the loop."""
        loop = asyncio.get_running_loop()
        for one in self._settings:
            if one.number <= most and one.number not in self.running:
                self._coming.setdefault(one.number, loop.create_future())
        if self._coming and (self._starting is None or self._starting.done()):
            self._starting = loop.create_task(self._start())

    def send_rest(self) -> None:
        """Has the phones that are none any more send what they kept. Belongs into the loop."""
        self._sending = asyncio.get_running_loop().create_task(self._send_rest())

    def look(self) -> None:
        """Something has changed at a phone table: one that has sent all may end. Belongs into the loop."""
        for number, phone in list(self.leaving.items()):
            if not phone.unsent:
                del self.leaving[number]
                log.info("table %d is no phone any more; all that the phone kept is sent", number)
                self._ending.append(asyncio.get_running_loop().create_task(asyncio.to_thread(phone.stop)))

    async def _send_rest(self) -> None:
        for settings in self._left:
            try:
                phone = await asyncio.to_thread(self._made, settings)
            except _FAULTS as error:
                log.error("what table %d kept as a phone is not sent: %s", settings.number, error)
                continue
            if phone.unsent:
                self.leaving[settings.number] = phone
                phone.start()
            else:
                await asyncio.to_thread(phone.stop)

    async def there(self, number: int) -> bool:
        """Whether the table is a phone, once it has started if it is about to; `NotThere` if that failed."""
        if coming := self._coming.get(number):
            await asyncio.shield(coming)
        if number in self.failed:
            raise NotThere(PhoneTableFailed(number), 503)
        return number in self.running

    async def _start(self) -> None:
        while self._coming:
            number = min(self._coming)
            settings = next(one for one in self._settings if one.number == number)
            try:
                phone = await asyncio.to_thread(self._made, settings)
                phone.start()
                self.running[number] = phone
            except _FAULTS as error:
                log.error("phone table %d does not start: %s", number, error)
                self.failed.add(number)
                self._settings = [one for one in self._settings if one.number != number]
            finally:
                coming = self._coming.pop(number)
                if not coming.done():
                    coming.set_result(None)
            self._changed()

    def _made(self, settings: TableSettings) -> PhoneThread:
        settings.data.mkdir(parents=True, exist_ok=True)
        return self._make(settings, self._clock, self._changed)

    async def stop(self) -> None:
        """Starts no more."""
        tasks = [task for task in (self._starting, self._sending) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks or self._ending:
            await asyncio.wait((*tasks, *self._ending))
        for coming in self._coming.values():
            coming.cancel()

    def close(self) -> None:
        """Ends the work of all and has their taps on disk."""
        with ThreadPoolExecutor(STOPPERS) as stoppers:
            phones = (*self.running.values(), *self.leaving.values())
            list(stoppers.map(lambda phone: phone.stop(), phones))
