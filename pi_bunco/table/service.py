"""The shell of the table service: the only part that touches devices, the outbox' file and the network."""

import logging
import queue
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from pi_bunco import __version__
from pi_bunco.clock import Clock
from pi_bunco.devices.protocols import Dice, Lights, Mark, Panel, Put
from pi_bunco.journal.copies import Copies
from pi_bunco.loop import run
from pi_bunco.store import DamagedError, StoreError, set_aside
from pi_bunco.table.desk import Desk
from pi_bunco.table.effects import Committed, Effect, Failed, Recovered, Release, Renew, Show, Warn
from pi_bunco.table.uplink import Options
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Will
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Status
from pi_bunco.wire.outbox import Outbox
from pi_bunco.wire.publish import Publish, send
from pi_bunco.writer import Record, Reports

log = logging.getLogger(__name__)

KEEPERS = 5
"""So many tables keep a copy of the head's journal."""


class Settings(Struct, frozen=True):
    """What the service of table `number` needs to run."""

    broker: BrokerAddress
    data: Path
    number: int
    hall: str = "home"


class Devices(Struct, frozen=True):
    """What the table has."""

    dice: Dice
    panel: Panel
    lights: Lights


class Shell:
    """Carries out the desk's effects.

    `devices` makes the devices, given where they put events and the mark of the last throw that was stored.
    """

    def __init__(
        self, settings: Settings, clock: Clock, devices: Callable[[Put, Mark | None], Devices]
    ) -> None:
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.clock = clock
        settings.data.mkdir(parents=True, exist_ok=True)
        reports = Reports(
            self._committed, lambda why: self.inbox.put(Failed(why)), lambda: self.inbox.put(Recovered())
        )
        self._outbox = _sound(settings.data / "outbox.db", lambda path: Outbox(path, reports, clock.now()))
        quiet = Reports(lambda _: None, lambda why: log.warning("the copy of the journal: %s", why))
        self._copies = _copies(settings.data / "copies.db", quiet) if settings.number <= KEEPERS else None
        mark = self._outbox.kept.get("mark")
        self._devices = devices(self.inbox.put, Mark(*mark) if mark else None)
        options = Options(settings.hall, settings.number, clock.boot, __version__)
        self.desk = Desk(options, self._outbox, self._copies, clock.now())
        node = topics.table_node(settings.number)
        self._status = topics.up(settings.hall, node, "status")
        self.client = Client(
            settings.broker, node, self.inbox.put, topics.inbox(settings.hall, node), self._will
        )

    def _will(self, session: str) -> Will:
        return Will(self._status, encode(Status("lost", session)))

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox."""
        self._devices.dice.start()
        self._devices.panel.start()
        self.client.start()
        ready()
        run(self.inbox, self.clock, self.desk.step, self.perform, ticked)

    def perform(self, effect: Effect) -> None:
        """Carries out one effect."""
        match effect:
            case Publish():
                send(self.client, effect)
            case Show():
                self._devices.lights.show(effect.state)
            case Release():
                self._devices.dice.committed(*effect.mark)
            case Renew():
                self.client.rebuild()
            case Warn():
                log.warning("%s", effect.text)

    def _committed(self, records: list[Record]) -> None:
        self.inbox.put(Committed(tuple(records)))

    def close(self) -> None:
        """Stops the devices, says farewell, and has everything on disk."""
        self._devices.dice.close()
        self._devices.panel.close()
        self._devices.lights.close()
        if session := self.client.session:
            send(self.client, Publish(self._status, Status("stopped", session), 1, True))
        self.client.close()
        self._outbox.close()
        if self._copies is not None:
            self._copies.close()


def _copies(path: Path, reports: Reports) -> Copies | None:
    """Where the head's journal is copied to; a table that cannot keep a copy plays all the same."""
    try:
        copies: Copies = _sound(path, lambda path: Copies(path, reports))
    except StoreError as error:
        log.warning("%s; this table keeps no copy", error)
        return None
    return copies


def _sound(path: Path, open_: Callable[[Path], Any]) -> Any:
    """The store at `path`; a damaged one is set aside, kept, and a new one begun, so that the table plays."""
    try:
        return open_(path)
    except DamagedError as error:
        log.error("%s; set aside as %s", error, set_aside(path))
        return open_(path)
