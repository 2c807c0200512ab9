"""The shell of the page service: one asyncio loop for MQTT, log, phones and browsers.

Requests read the state between two messages, in the same thread, so nothing is locked.
"""

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from pi_bunco import __version__
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.loop import TICK_EVERY_MS, Stop, Tick, Warn, turn
from pi_bunco.runtime.store import sound
from pi_bunco.runtime.writer import Reports, Store
from pi_bunco.table.service import TableSettings, kept_replica
from pi_bunco.web.site.archive import EveningArchive
from pi_bunco.web.site.changes import Changes, of_phone
from pi_bunco.web.site.connections import Connections
from pi_bunco.web.site.controller import WebController
from pi_bunco.web.site.effects import (
    NODE,
    Ask,
    BellBegan,
    Changed,
    CommandDone,
    LogChanged,
    Remember,
    TimeOfDay,
    WebEffect,
    WebOptions,
)
from pi_bunco.web.site.phone_tables import PhoneTables
from pi_bunco.web.site.phones import PhoneThread
from pi_bunco.web.site.server import Endpoint, Servers, address_of, bound
from pi_bunco.web.site.store import WebStore
from pi_bunco.web.site.streams import BELLS, Streams
from pi_bunco.wire import messages, topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Publish, Will, delivering, send
from pi_bunco.wire.gate import encode

log = logging.getLogger(__name__)

DAY_TICKS = 20
"""Ticks between two looks at the time of day."""


class WebSettings(Struct, frozen=True):
    """What the page service needs to run; `places` are the endpoints, the plain one first.

    `left` are tables that were phones here and have equipment of their own now.
    """

    broker: BrokerAddress
    data: Path
    places: tuple[Endpoint, ...]
    hall: str = "home"
    pin: str | None = None
    wifi: str = ""
    names: tuple[str, ...] = ()
    phones: tuple[TableSettings, ...] = ()
    phones_as_needed: bool = False
    left: tuple[TableSettings, ...] = ()
    key: str | None = None


class PhoneChanged(Struct, frozen=True):
    """A phone table shows something else."""


class _Inbox:
    """Takes messages from any thread, and from a signal handler, into the loop; before it runs they wait."""

    def __init__(self) -> None:
        self._early: list[Any] = []
        self._into: Callable[[Any], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def put(self, message: Any) -> None:
        """Hands a message over."""
        if self._loop is None or self._into is None:
            self._early.append(message)
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._into, message)

    def into(self, loop: asyncio.AbstractEventLoop, take: Callable[[Any], None]) -> None:
        """From now on the loop runs."""
        self._loop, self._into = loop, take
        early, self._early = self._early, []
        for message in early:
            self.put(message)


class WebService:
    """Carries out the controller's effects, and serves the pages that `app` makes of this service."""

    def __init__(self, settings: WebSettings, clock: Clock, app: Callable[["WebService"], Any]) -> None:
        """Binds the endpoints (`ListenError`) and opens the store."""
        self.settings = settings
        self.inbox = _Inbox()
        self.clock = clock
        self.browsers = Connections()
        self.streams = Streams(self.browsers)
        self.changes = Changes()
        self._sockets: list[socket.socket] = []
        for place in settings.places:
            self._sockets.append(bound(place))
        reports = Reports(lambda _: None, lambda why: log.warning("the page's store: %s", why))
        self._store, damage = sound(settings.data / "web.db", lambda path: WebStore(path, reports))
        if damage:
            log.error("%s", damage)
        self._archivist = EveningArchive(self._store)
        options = WebOptions(settings.hall, clock.boot, __version__)
        quiet = Reports(lambda _: None, lambda why: log.warning("the replica of the log: %s", why))
        self._replica = kept_replica(settings.data / "replica.db", quiet)
        self.controller = WebController(options, self._store.kept, clock.now(), self._replica)
        self._answers: dict[str, asyncio.Future[CommandDone]] = {}
        self._ticks = 0
        self._there: Callable[[], object] = lambda: None
        """Says that the page is served and hears the broker, once it is so."""
        self._subscribe()
        self._phones = PhoneTables(settings.phones, clock, self._phone_changed, PhoneThread, settings.left)
        self.base = address_of(settings.places[0])
        self.names, self.pin, self.key = settings.names, settings.pin, settings.key
        self.wifi = settings.wifi
        self.tls_port = next((place.port for place in settings.places if place.cert), None)
        self.app = app(self)

    def _subscribe(self) -> None:
        settings = self.settings
        self._status = topics.up(settings.hall, NODE, "status")
        hall = f"{topics.PREFIX}/{settings.hall}"
        subscriptions = (
            *topics.inbox(settings.hall, NODE, replica=True),
            f"{hall}/+/up/status",
            f"{hall}/+/up/beat",
        )
        self.client = Client(settings.broker, NODE, delivering(self.inbox.put), subscriptions, self._will)

    @property
    def store(self) -> Store:
        """Where the warnings are kept."""
        return self._store

    @property
    def archive(self) -> WebStore:
        """Where the past evenings are."""
        return self._store

    @property
    def phones(self) -> Mapping[int, PhoneThread]:
        """The phone tables that work, by their numbers."""
        return self._phones.running

    async def phone_there(self, number: int) -> bool:
        """Whether the table is a phone, which may just be starting."""
        return await self._phones.there(number)

    def dead(self) -> list[str]:
        """The threads that have ended although the service works."""
        lives = {"the link to the broker": self.client.alive, "the store": self._store.writer.alive}
        lives["the replica of the log"] = self._replica is None or self._replica.writer.alive
        lives |= {f"phone table {number}": phone.alive for number, phone in self.phones.items()}
        return [name for name, alive in lives.items() if not alive]

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox."""
        asyncio.run(self._serve(ready, ticked))

    async def ask(self, command: messages.Command) -> CommandDone:
        """The head's answer to a host's command, or why there is none."""
        answer: asyncio.Future[CommandDone] = asyncio.get_running_loop().create_future()
        self._answers[command.id] = answer
        self._take(Ask(command))
        return await answer

    async def _serve(self, ready: Callable[[], None], ticked: Callable[[], None]) -> None:
        self._ended = asyncio.Event()
        self._ticked = ticked
        loop = asyncio.get_running_loop()
        self._take(TimeOfDay(time.time()))
        servers = Servers(
            self.app, list(zip(self.settings.places, self._sockets, strict=True)), self.browsers
        )
        serving = loop.create_task(_within(servers.serve()))
        self.client.start()
        self._want_phones()
        self._phones.send_rest()
        self.inbox.into(loop, self._take)
        self._there = lambda: ready() if servers.started and self.controller.presences.linked else None
        ticking = loop.create_task(self._tick())
        ended = loop.create_task(_within(self._ended.wait()))
        await asyncio.wait((serving, ticking, ended), return_when=asyncio.FIRST_COMPLETED)
        await self._phones.stop()
        self.streams.close()
        servers.stop()
        ticking.cancel()
        await serving

    async def _tick(self) -> None:
        while True:
            self._take(Tick())
            self._ticks += 1
            if self._ticks % DAY_TICKS == 0:
                self._take(TimeOfDay(time.time()))
            self._ticked()
            await asyncio.sleep(TICK_EVERY_MS / 1000)

    def _take(self, message: object) -> None:
        if isinstance(message, Stop):
            self._ended.set()
        elif isinstance(message, PhoneChanged):
            self._phones.look()
            self.changes.changed(*map(of_phone, self.phones))
        else:
            turn(message, self.clock.now(), self.controller.step, self.perform)
            self._there()

    def perform(self, effect: WebEffect) -> None:
        """Carries out one effect."""
        match effect:
            case Publish():
                send(self.client, effect)
            case CommandDone():
                answer = self._answers.pop(effect.id, None)
                if answer is not None and not answer.done():
                    answer.set_result(effect)
            case Changed():
                self.changes.changed(*effect.topics)
            case BellBegan():
                self.streams.push(BELLS[effect.signal])
            case Remember():
                self._store.keep(effect.key, effect.value)
            case LogChanged():
                self._want_phones()
                self._archivist.look(self.controller.folded, self.controller.began)
            case Warn():
                log.warning("%s", effect.text)

    def _want_phones(self) -> None:
        needed = self.controller.folded.evening.tables
        every = max((one.number for one in self.settings.phones), default=0)
        self._phones.want(needed if self.settings.phones_as_needed else every)

    def _phone_changed(self) -> None:
        self.inbox.put(PhoneChanged())

    def _will(self, session: str) -> Will:
        return Will(self._status, encode(messages.Status("lost", session)))

    def close(self) -> None:
        """Says farewell and has everything on disk."""
        self._phones.close()
        if session := self.client.session:
            send(self.client, Publish(self._status, messages.Status("stopped", session), 1, True))
        self.client.close()
        for listening in self._sockets:
            listening.close()
        self._store.close()
        if self._replica is not None:
            self._replica.close()


async def _within(work: Coroutine[Any, Any, object]) -> None:
    await work
