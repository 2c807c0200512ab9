"""The shell of the page service: one asyncio loop for MQTT, log, phones and browsers.

Requests read the state between two messages, in the same thread, so nothing is locked.
"""

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Coroutine
from typing import Any

from pi_bunco import __version__
from pi_bunco.log.log_store import kept_replica
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.loop import TICK_EVERY_MS, AsyncInbox, Stop, Tick, Warn, turn
from pi_bunco.web.site import effects
from pi_bunco.web.site.archive import EveningArchive
from pi_bunco.web.site.backend import Backend, WebSettings
from pi_bunco.web.site.page_controller import WebController
from pi_bunco.web.site.server import Servers, bound
from pi_bunco.web.site.streams import BELLS
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Client, Publish, Will, delivering, send
from pi_bunco.wire.gate import encode

log = logging.getLogger(__name__)

DAY_TICKS = 20
"""Ticks between two looks at the time of day."""


class WebService(Backend):
    """Carries out the controller's effects, and serves the pages that `app` makes of this service."""

    def __init__(self, settings: WebSettings, clock: Clock, app: Callable[[Backend], Any]) -> None:
        """Binds the endpoints (`ListenError`) and opens the store."""
        self._sockets: list[socket.socket] = []
        for place in settings.places:
            self._sockets.append(bound(place))
        super().__init__(settings, clock)
        self.inbox = AsyncInbox()
        self.store = self.archive
        self._archivist = EveningArchive(self.archive)
        options = effects.WebOptions(settings.hall, clock.boot, __version__)
        self._replica = kept_replica(settings.data / "replica.db")
        self.controller = WebController(options, self.archive.kept, clock.now(), self._replica)
        self._answers: dict[str, asyncio.Future[effects.CommandDone]] = {}
        self._ticks = 0
        self._there: Callable[[], object] = lambda: None
        """Says that the page is served and hears the broker, once it is so."""
        self._subscribe()
        self.app = app(self)

    def _subscribe(self) -> None:
        settings = self.settings
        self._status = topics.up(settings.hall, effects.NODE, "status")
        hall = f"{topics.PREFIX}/{settings.hall}"
        subscriptions = (
            *topics.inbox(settings.hall, effects.NODE, replica=True),
            f"{hall}/+/up/status",
            f"{hall}/+/up/beat",
        )
        put = delivering(self.inbox.put, self.inbox.deliver)
        self.client = Client(
            settings.broker,
            effects.NODE,
            put,
            subscriptions,
            lambda session: Will(self._status, encode(messages.Status("lost", session))),
        )

    def lives(self) -> dict[str, bool]:
        """True for each thread that lives."""
        return {
            "the link to the broker": self.client.alive,
            "the store": self.archive.writer.alive,
            "the replica of the log": self._replica is None or self._replica.writer.alive,
        }

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox."""
        asyncio.run(self._serve(ready, ticked))

    async def ask(self, command: messages.Command) -> effects.CommandDone:
        """The head's answer to a host's command, or why there is none."""
        answer: asyncio.Future[effects.CommandDone] = asyncio.get_running_loop().create_future()
        self._answers[command.id] = answer
        self._take(effects.Ask(command))
        return await answer

    async def _serve(self, ready: Callable[[], None], ticked: Callable[[], None]) -> None:
        self._ended = asyncio.Event()
        self._ticked = ticked
        loop = asyncio.get_running_loop()
        self._take(effects.TimeOfDay(time.time()))
        servers = Servers(
            self.app, list(zip(self.settings.places, self._sockets, strict=True)), self.browsers
        )
        serving = loop.create_task(_within(servers.serve()))
        self.client.start()
        linked = self.phone_link.start()
        self.inbox.into(loop, self._take)
        self._there = lambda: ready() if servers.started and self.controller.presences.linked else None
        ticking = loop.create_task(self._tick())
        ended = loop.create_task(_within(self._ended.wait()))
        await asyncio.wait((serving, ticking, ended, *linked), return_when=asyncio.FIRST_COMPLETED)
        for task in linked:
            task.cancel()
        self.streams.close()
        servers.stop()
        self.inbox.end()
        ticking.cancel()
        await serving

    async def _tick(self) -> None:
        while True:
            self._take(Tick())
            self._ticks += 1
            if self._ticks % DAY_TICKS == 0:
                self._take(effects.TimeOfDay(time.time()))
            self._ticked()
            await asyncio.sleep(TICK_EVERY_MS / 1000)

    def _take(self, message: object) -> None:
        if isinstance(message, Stop):
            self._ended.set()
        else:
            turn(message, self.clock.now(), self.controller.step, self.perform)
            self._there()

    def perform(self, effect: effects.WebEffect) -> None:
        """Carries out one effect."""
        match effect:
            case Publish():
                send(self.client, effect)
            case effects.CommandDone():
                answer = self._answers.pop(effect.id, None)
                if answer is not None and not answer.done():
                    answer.set_result(effect)
            case effects.Changed():
                self.changes.changed(*effect.topics)
            case effects.BellBegan():
                self.streams.push(BELLS[effect.signal])
            case effects.Remember():
                self.archive.keep(effect.key, effect.value)
            case effects.LogChanged():
                self._archivist.look(self.controller.folded, self.controller.began)
            case Warn():
                log.warning("%s", effect.text)

    def close(self) -> None:
        """Says farewell and has everything on disk."""
        if session := self.client.session:
            send(self.client, Publish(self._status, messages.Status("stopped", session), 1, True))
        self.client.close()
        for listening in self._sockets:
            listening.close()
        super().close()
        if self._replica is not None:
            self._replica.close()


async def _within(work: Coroutine[Any, Any, object]) -> None:
    await work
