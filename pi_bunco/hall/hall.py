"""The shell of a hall on one machine: starts the processes, watches them, and ends them in their turn."""

import contextlib
import os
import queue
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.hall.plan import (
    BROKER,
    HEAD,
    WEB,
    Announce,
    GiveUp,
    HallEffect,
    HallPlan,
    ProcessEnded,
    ProcessReady,
    StartProcess,
    TellLaptop,
)
from pi_bunco.runtime.children import Child, last_line
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.loop import Stop, run
from pi_bunco.web.site.login import KEY, PIN_DIGITS
from pi_bunco.web.site.server import Endpoint, address_of, reachable
from pi_bunco.wire import broker
from pi_bunco.wire.broker import Access, Broker, BrokerError, Kind, NoBroker


class HallError(BuncoError, RuntimeError):
    """The hall cannot work; the text says why."""


class PiAccess(Struct, frozen=True):
    """How Pis come in: what the broker asks of everybody, and with what this machine's services go there.

    `ca` signs the broker's certificate, in which its name is `name`; `secrets` is the folder with the
    passwords of this machine's services.
    """

    access: Access
    ca: Path
    name: str
    secrets: Path
    hall: str = "home"

    @property
    def options(self) -> list[str]:
        """The command line of a service that goes there."""
        tls = ["--ca", str(self.ca), "--server-name", self.name]
        return [*tls, "--secrets", str(self.secrets), "--hall", self.hall]


class HallSettings(Struct, frozen=True):
    """What is to run: the tables in `phones`, as far as they play; the bell as `--bell` takes it.

    Without `pis` only this machine reaches the broker.
    """

    data: Path
    place: Endpoint
    phones: tuple[int, ...] = tuple(range(1, 13))
    broker: Kind | None = None
    bell: str = "virtual"
    pis: PiAccess | None = None


class Welcome(Struct, frozen=True):
    """What the host is told when all is ready.

    `host_opened` is the host's page without the PIN, once; `follow` the address for other devices, None where
    none can reach this machine.
    """

    host_page: str
    host_opened: str
    follow: str | None
    pin: str


class Hall:
    """All processes of a hall, with their files in one folder; `inbox` also takes the wish to end."""

    def __init__(
        self,
        settings: HallSettings,
        clock: Clock,
        say: Callable[[str], None],
        welcome: Callable[[Welcome], None],
    ) -> None:
        """Makes the folders and the PIN."""
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.pids: dict[str, int] = {}
        """The process ids of what runs."""
        self._settings = settings
        self._clock = clock
        self._say = say
        self._welcome = welcome
        self._plan = HallPlan()
        self._children: dict[str, Child] = {}
        self._broker: Broker | None = None
        self._key = secrets.token_urlsafe(16)
        self._why = ""
        for name in ("logs", HEAD, WEB):
            (settings.data / name).mkdir(parents=True, exist_ok=True)
        self._pin = _kept_pin(settings.data / "pin")

    def run(self) -> None:
        """Works until a `Stop` is in the inbox; `HallError` if it cannot. Belongs in the main thread."""
        try:
            for effect in self._plan.begin():
                self.inbox.put(self.perform(effect))
            run(self.inbox, self._clock, self._plan.step, self.perform)
        finally:
            self.close()
        if self._why:
            raise HallError(self._why)

    def perform(self, effect: HallEffect) -> object | None:
        """Carries out one effect; a broker that does not start is reported at once."""
        match effect:
            case StartProcess(name) if name == BROKER:
                return self._start_broker()
            case StartProcess(name):
                self._start(name)
            case Announce():
                self._welcome(self._greeting())
            case TellLaptop():
                self._say(effect.text)
            case GiveUp():
                self._why = effect.why
                self.inbox.put(Stop())
        return None

    def close(self) -> None:
        """Ends all: first the page, then the head, then the broker."""
        for name in (WEB, HEAD):
            if child := self._children.pop(name, None):
                child.stop()
        if self._broker is not None:
            self._broker.stop()
            self._broker = None

    def kill(self, name: str) -> None:
        """Ends a process as a power cut would; it starts again like one that ended by itself."""
        if name == BROKER and self._broker is not None:
            self._broker.kill()
        else:
            self._children[name].kill()
        self.inbox.put(ProcessEnded(name, "killed"))

    def _greeting(self) -> Welcome:
        place = self._settings.place
        here = Endpoint("127.0.0.1", place.port) if place.host in ("0.0.0.0", "::") else place
        return Welcome(
            host_page=f"{address_of(here)}/host",
            host_opened=f"{address_of(here)}/host/login?key={self._key}",
            follow=address_of(place) if reachable(place) else None,
            pin=self._pin,
        )

    @property
    def _address(self) -> str:
        assert self._broker is not None
        return self._broker.address

    # Processes.

    def _start_broker(self) -> ProcessReady | ProcessEnded:
        try:
            if self._broker is None:
                self._broker = self._new_broker()
            else:
                self._broker.restart()
        except NoBroker as error:
            raise HallError(str(error)) from error
        except BrokerError as error:
            return ProcessEnded(BROKER, str(error))
        self.pids[BROKER] = self._broker.pid
        threading.Thread(target=self._watch, args=(self._broker,), name="watch-broker", daemon=True).start()
        return ProcessReady(BROKER)

    def _new_broker(self) -> Broker:
        folder = self._settings.data / BROKER
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)  # it keeps nothing that is needed: head and tables know all
        pis = self._settings.pis
        return broker.start(folder, self._settings.broker, access=pis.access if pis else None)

    def _watch(self, started: Broker) -> None:
        if started.wait() is not None:
            self.inbox.put(ProcessEnded(BROKER, last_line(started.log)))

    def _start(self, name: str) -> None:
        log = self._settings.data / "logs" / f"{name}.log"

        def line(text: str) -> None:
            if text.startswith("ready:"):
                self.inbox.put(ProcessReady(name))

        def ended(why: str) -> None:
            self.inbox.put(ProcessEnded(name, why))

        environment = {KEY: self._key} if name == WEB else None
        child = Child(self._command(name), log, line, ended, environment)
        self._children[name] = child
        self.pids[name] = child.pid

    def _command(self, name: str) -> list[str]:
        settings = self._settings
        # The settings of another hall on this machine are not this one's.
        common = ["--config", os.devnull, "--broker", self._address, "--data", str(settings.data / name)]
        common += settings.pis.options if settings.pis else []
        if name == HEAD:
            return ["head", *common, "--bell", settings.bell]
        place = f"[{settings.place.host}]" if ":" in settings.place.host else settings.place.host
        page = ["--listen", f"{place}:{settings.place.port}", "--pin-file", str(settings.data / "pin")]
        phones = ["--phones", as_needed(settings.phones)] if settings.phones else []
        return ["web", *common, *page, *phones]


def _kept_pin(file: Path) -> str:
    """The host's PIN, drawn once."""
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}\n", "ascii")
    return file.read_text("ascii", "replace").strip()


def as_needed(tables: Iterable[int]) -> str:
    """The tables as the setting `phones` has them, of which only those are phones that play: `1..3,5..5`."""
    runs: list[list[int]] = []
    for number in sorted(tables):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{first}..{last}" for first, last in runs)
