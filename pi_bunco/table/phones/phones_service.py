"""The phones' process: all phone tables in one loop, with one link to the broker and one store."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec import Struct

from pi_bunco import __version__
from pi_bunco.log.log_store import kept_replica
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.files import claimed
from pi_bunco.runtime.loop import TICK_EVERY_MS, AsyncInbox, Stop, Tick, Warn, turn
from pi_bunco.runtime.store import sound
from pi_bunco.runtime.writer import Reports
from pi_bunco.table.effects import RebuildLink, TableOptions
from pi_bunco.table.phones.phone_table import PhoneControllers, PhoneEffect, PhoneTable
from pi_bunco.table.phones.phones_store import PhonesStore
from pi_bunco.table.phones.socket import PageLinks
from pi_bunco.table.phones.socket_messages import PhoneState, TapAnswer
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Connected, Publish, Will, delivering, send
from pi_bunco.wire.gate import Delivered, encode
from pi_bunco.wire.messages import Status, View
from pi_bunco.wire.topics import PHONES

log = logging.getLogger(__name__)
LOCK = "phones.lock"
EVENING = "evening"
"""The name under which the evening is kept that the head has open."""


class PhonesSettings(Struct, frozen=True):
    """Settings of the process: the `phones` listen to the page at `place`, a path or HOST:PORT.

    `as_needed`: only as many of them play as the head has tables.
    """

    broker: BrokerAddress
    data: Path
    place: str
    phones: tuple[int, ...]
    as_needed: bool = False
    hall: str = "home"


class PhonesService:
    """Carries out the controllers' effects."""

    def __init__(self, settings: PhonesSettings, clock: Clock) -> None:
        """Opens the store, which is one process' alone; `BuncoError` if another one has it."""
        self.clock = clock
        self.inbox = AsyncInbox()
        self._settings = settings
        self._lock = ExitStack()
        already = (
            f"serves the phones already with the data in {settings.data}:"
            " end that one, or give this one another folder with --data"
        )
        self._lock.enter_context(claimed(settings.data, LOCK, already))
        reports = Reports.into(self.inbox.put)
        path = settings.data / "phones.db"
        self.store = sound(path, lambda path: PhonesStore(path, reports), log.error)
        self.store.forget_unused()
        # One disk counts once, so one table keeps the log for all.
        keepers = [number for number in settings.phones if topics.is_replica(topics.table_node(number))]
        self._keeper = min(keepers, default=0)
        self._replica = kept_replica(settings.data / "replica.db") if keepers else None
        evening = self.store.kept.get(EVENING)
        begun = self.store.begun(evening) if settings.as_needed else settings.phones
        begun = sorted({*begun, *self.store.left(settings.phones)})
        self.controllers = PhoneControllers(
            self._made, self.store.shared_out, settings.phones, begun, clock.now(), self._keeper
        )
        self._status = topics.up(settings.hall, PHONES, "status")
        tables = sorted({*settings.phones, *begun})
        self.client = Client(
            settings.broker,
            PHONES,
            delivering(self.inbox.put, self.inbox.deliver),
            topics.phones_inbox(settings.hall, tables, self._replica is not None),
            lambda session: Will(self._status, encode(Status("lost", session))),
            hall=settings.hall,
        )
        self._pages = PageLinks(settings.place, self.inbox.put, self.controllers.states)
        self._error: BaseException | None = None
        self._ended = asyncio.Event()

    def lives(self) -> dict[str, bool]:
        """True for each thread that lives."""
        return {
            "the link to the broker": self.client.alive,
            "the outbox": self.store.writer.alive,
            "the replica of the log": self._replica is None or self._replica.writer.alive,
        }

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox; `ready` is called when what is sent to them comes in."""
        asyncio.run(self._serve(ready, ticked))

    async def _serve(self, ready: Callable[[], None], ticked: Callable[[], None]) -> None:
        self._ready = ready
        await self._pages.listen()
        self.client.start()
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._failed)
        self.inbox.into(loop, self._take)
        while not self._ended.is_set():
            self._take(Tick())
            if (name := self.client.health()) is not None:
                self._take(name)
            ticked()
            try:
                await asyncio.wait_for(self._ended.wait(), TICK_EVERY_MS / 1000)
            except TimeoutError:
                continue
        await self._pages.close()
        self.inbox.end()
        if self._error is not None:
            raise self._error

    def _failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Ends the process on an exception, as any service; systemd starts it again."""
        self._error = context.get("exception") or RuntimeError(context["message"])
        self._ended.set()

    def _take(self, message: object) -> None:
        if isinstance(message, Stop):
            self._ended.set()
            return
        if isinstance(message, Connected):
            self._ready()
            birth = Status("online", message.session, __version__, self.clock.boot)
            send(self.client, Publish(self._status, birth, 1, True))
        if isinstance(message, Delivered) and isinstance(message.message, View):
            self._note_evening(message.message.evening)
        turn(message, self.clock.now(), self.controllers.step, self.perform)

    def _note_evening(self, evening: str) -> None:
        if evening != self.store.kept.get(EVENING):
            self.store.keep_later(EVENING, evening)

    def perform(self, effect: PhoneEffect) -> object | None:
        """Carries out one effect; what it reports is to be decided upon at once."""
        match effect:
            case Publish():
                send(self.client, effect)
            case PhoneState():
                self._pages.tell(effect)
            case TapAnswer():
                self._pages.answer(effect)
            case RebuildLink():
                return self.client.rebuild()
            case Warn():
                log.warning("%s", effect.text)
        return None

    def close(self) -> None:
        """Says farewell for all, and has everything on disk."""
        if session := self.client.session:
            stopped = Status("stopped", session)
            for number, table in self.controllers.tables.items():
                if number not in self.controllers.leaving:
                    send(self.client, Publish(table.controller.options.up("status"), stopped, 1, True))
            send(self.client, Publish(self._status, stopped, 1, True))
        self.client.close()
        self.store.close()
        if self._replica is not None:
            self._replica.close()
        self._lock.close()

    def _made(self, number: int, now: float) -> PhoneTable:
        settings = self._settings
        options = TableOptions(
            settings.hall, number, self.clock.boot, __version__, False, str(settings.broker)
        )
        replica = self._replica if number == self._keeper else None
        return PhoneTable(options, self.store.outbox(number, now), replica, now)
