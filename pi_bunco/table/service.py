"""The shell of the table service: the only part that touches devices, the outbox' file and the network."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from pi_bunco import __version__
from pi_bunco.devices.protocols import Dice, Lights, Panel, Put, ThrowMark
from pi_bunco.log.log_store import kept_replica
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.files import claimed
from pi_bunco.runtime.loop import IDLE_TICK_EVERY_MS, Health, LoopInbox, Warn, run
from pi_bunco.runtime.store import StoreError, set_aside, sound, take_back
from pi_bunco.runtime.writer import Reports
from pi_bunco.table import effects
from pi_bunco.table.controller import TableController
from pi_bunco.table.uplink import last_reached
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Connected, Publish, Will, delivering, send
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Status
from pi_bunco.wire.outbox import OutboxFile, unsent

log = logging.getLogger(__name__)

LOCK = "table.lock"


class TableSettings(Struct, frozen=True):
    """Settings of the service of table `number`."""

    broker: BrokerAddress
    data: Path
    number: int
    hall: str = "home"
    dice: bool = True
    """False where there are no dice that can be read."""
    language: str = "en"
    """The language of the display."""


class Devices(Struct, frozen=True):
    """The devices of a table; `look` looks after missing ones, and tells of them when that changes."""

    dice: Dice
    panel: Panel
    lights: Lights
    look: Callable[[], Health | None] = lambda: None


class TableService:
    """Carries out the controller's effects.

    `devices` makes the devices, given where they put events and the mark of the last throw that was stored.
    """

    def __init__(
        self, settings: TableSettings, clock: Clock, devices: Callable[[Put, ThrowMark | None], Devices]
    ) -> None:
        """Opens the outbox, which is one process' alone; `BuncoError` if another one has it."""
        self._lock = ExitStack()
        already = (
            f"is a table already with the data in {settings.data}:"
            " end that one, or give this one another folder with --data"
        )
        self._lock.enter_context(claimed(settings.data, LOCK, already))
        self.inbox = LoopInbox()
        self.clock = clock
        reports = Reports.into(self.inbox.put)
        self.store, kept = _outbox(settings, reports, clock)
        if kept:
            self.inbox.put(Health(kept, "number"))
        node = topics.table_node(settings.number)
        keeps = topics.is_replica(node)
        self._replica = kept_replica(settings.data / "replica.db") if keeps else None
        self._devices = devices(self.inbox.put, _mark(self.store.kept.get("mark")))
        options = effects.TableOptions(
            settings.hall, settings.number, clock.boot, __version__, settings.dice, str(settings.broker)
        )
        self.controller = TableController(options, self.store, self._replica, clock.now())
        self._status = topics.up(settings.hall, node, "status")
        self.client = Client(
            settings.broker,
            node,
            delivering(self.inbox.deliver),
            topics.inbox(settings.hall, node, keeps),
            lambda session: Will(self._status, encode(Status("lost", session))),
            elsewhere=lambda: last_reached(settings.broker, self.store.kept),
            hall=settings.hall,
        )
        self._language = settings.language

    def lives(self) -> dict[str, bool]:
        """True for each thread that lives."""
        return {
            "the dice": self._devices.dice.alive(),
            "the panel": self._devices.panel.alive(),
            "the link to the broker": self.client.alive,
            "the outbox": self.store.writer.alive,
            "the replica of the log": self._replica is None or self._replica.writer.alive,
        }

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox; `ready` is called when the table hears what is sent to it."""
        self._devices.dice.start()
        self._devices.panel.start()
        self.client.start()

        def step(message: object, now: float) -> Iterable[effects.TableEffect]:
            if isinstance(message, Connected):
                ready()
            return self.controller.step(message, now)

        def look() -> None:
            for health in (self._devices.look(), self.client.health()):
                if health is not None:
                    self.inbox.put(health)
            ticked()

        run(self.inbox, self.clock, step, self.perform, look, IDLE_TICK_EVERY_MS)

    def perform(self, effect: effects.TableEffect) -> object | None:
        """Carries out one effect; what it reports is to be decided upon at once."""
        match effect:
            case Publish():
                send(self.client, effect)
            case effects.ShowLights():
                self._devices.lights.show(effect.in_language(self._language))
            case effects.ForgetThrow():
                self._devices.dice.committed(*effect.mark)
            case effects.ReportUntil():
                self._devices.dice.report_until(effect.at)
            case effects.RebuildLink():
                return self.client.rebuild()
            case Warn():
                log.warning("%s", effect.text)
        return None

    def close(self) -> None:
        """Stops the devices, says farewell, and has everything on disk."""
        self._devices.dice.close()
        self._devices.panel.close()
        self._devices.lights.close()
        if session := self.client.session:
            send(self.client, Publish(self._status, Status("stopped", session), 1, True))
        self.client.close()
        self.store.close()
        self._lock.close()
        if self._replica is not None:
            self._replica.close()


def _outbox(settings: TableSettings, reports: Reports, clock: Clock) -> tuple[OutboxFile, tuple[str, ...]]:
    """The outbox of this table, and what the host has to know of those of other numbers that this was.

    That of another number is set aside whole, and taken up where the machine has that number again.
    """
    path, number = settings.data / "outbox.db", settings.number

    def opened() -> OutboxFile:
        return sound(path, lambda path: OutboxFile(path, reports, clock.now()), log.error)

    outbox = opened()
    before = outbox.kept.get("number", number)
    if before != number:
        outbox.close()
        log.warning("The outbox in %s is set aside as %s.", path, set_aside(path, f"table{before}"))
        take_back(path, f"table{number}")
        outbox = opened()
    outbox.keep("number", number)
    outbox.keep("started", {"boot": clock.boot})  # a card that cannot be written is told now
    return outbox, tuple(_elsewhere(path, number))


def _elsewhere(path: Path, number: int) -> Iterator[str]:
    """A sentence for each other number whose throws are kept on this card alone."""
    for aside in sorted(path.parent.glob(f"{path.name}.table*-*[0-9]")):
        of = aside.name.removeprefix(f"{path.name}.table").partition("-")[0]
        with suppress(StoreError):
            if of.isdigit() and int(of) != number and (n := unsent(aside)):
                yield (
                    f"has {n} throws or presses on its card that were made as table {of}, and not sent on."
                    f" Give this Pi the number {of} again for a while, and they are."
                )


def _mark(kept: Any) -> ThrowMark | None:
    match kept:
        case [str(boot), int(seq)]:
            return ThrowMark(boot, seq)
    return None
