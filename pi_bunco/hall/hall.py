"""A hall on one machine: its processes, their files and command lines; effects of a hall and of a demo."""

import contextlib
import os
import secrets
import shutil
import socket
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec import Struct

from pi_bunco.play.chaos import BROKER_PROCESS
from pi_bunco.runtime import files
from pi_bunco.runtime.supervisor import Child, Children, ProcessEnded, ProcessReady, Running
from pi_bunco.table.phones import socket as phones_socket
from pi_bunco.web.site.login import PIN_DIGITS, WEB_KEY_VARIABLE
from pi_bunco.web.site.server import Endpoint, address_of, reachable
from pi_bunco.wire import broker
from pi_bunco.wire.broker import Broker, BrokerError, BrokerKind, NoBroker
from pi_bunco.wire.topics import HEAD, PHONES, WEB, table_node

if TYPE_CHECKING:
    from pi_bunco.provision.laptop import LaptopHall


class SimulatedTables(Struct, frozen=True):
    """Tables at which simulated people play, at a pace (`max` or a factor).

    `forgets` is how likely they forget to press OK.
    """

    tables: int
    pace: str
    seed: int
    forgets: float = 0.0


class HallSettings(Struct, frozen=True):
    """The parts of a hall: the page, where it has a place, and the tables in `phones`, as far as they play.

    The bell is as `--bell` takes it. Without `pis` only this machine reaches the broker.
    """

    data: Path
    place: Endpoint | None
    phones: tuple[int, ...] = ()
    broker: BrokerKind | None = None
    bell: str = "virtual"
    pis: "LaptopHall | None" = None
    simulated: SimulatedTables | None = None


class PageAddresses(Struct, frozen=True):
    """Addresses of the pages; the host's is opened by `pin` always, by `key` once."""

    place: Endpoint
    pin: str
    key: str

    @property
    def scoreboard(self) -> str:
        """The address of the scoreboard on this machine."""
        everywhere = self.place.host in ("0.0.0.0", "::")
        return f"{address_of(Endpoint('127.0.0.1', self.place.port) if everywhere else self.place)}/"

    @property
    def host(self) -> str:
        """The address of the host's page."""
        return f"{self.scoreboard}host"

    @property
    def host_opened(self) -> str:
        """The address that opens the host's page once without the PIN."""
        return f"{self.host}/login?key={self.key}"

    @property
    def follow(self) -> str | None:
        """The address for other devices, None where none can reach this machine."""
        return address_of(self.place) if reachable(self.place) else None


class TellPages(Struct, frozen=True):
    """The pages are there: say where."""


class Say(Struct, frozen=True):
    """Something happened that whoever looks on wants to know."""

    text: str


class Finish(Struct, frozen=True):
    """It is over; `why` says what went wrong, if anything."""

    why: str = ""


class Hall:
    """All processes of a hall, with their files in one folder; `put` is told what becomes of them.

    The broker dies with the thread that started it, so `start` belongs in the main one.
    """

    def __init__(self, settings: HallSettings, put: Callable[[ProcessReady | ProcessEnded], None]) -> None:
        """Makes the folders and the PIN."""
        self.settings = settings
        self.pages: PageAddresses | None = None
        self._children = Children(self._opened, put)
        self._broker: Broker | None = None
        self._starts: Counter[str] = Counter()
        for name in ("logs", HEAD, WEB, PHONES):
            (settings.data / name).mkdir(parents=True, exist_ok=True)
        self._meeting = TemporaryDirectory(prefix="pi-bunco-")
        self._phones_at, self._meeting_key = _meeting_place(Path(self._meeting.name))
        if settings.place:
            file = settings.data / "pin"
            pin = file.read_text("ascii", "replace").strip() if file.exists() else ""
            if not pin:
                pin = f"{secrets.randbelow(10**PIN_DIGITS):0{PIN_DIGITS}d}"
                files.write(file, f"{pin}\n".encode())
            self.pages = PageAddresses(settings.place, pin, secrets.token_urlsafe(16))

    @property
    def groups(self) -> list[list[str]]:
        """The processes in the order in which they start: each group when the one before is ready."""
        simulated = self.settings.simulated
        tables = range(1, simulated.tables + 1) if simulated else ()
        pages = [WEB, *([PHONES] if self.settings.phones else [])] if self.pages else []
        return [[BROKER_PROCESS], [HEAD], [*map(table_node, tables), *pages]]

    @property
    def address(self) -> str:
        """The broker's `host:port`, once it was started."""
        assert self._broker is not None
        return self._broker.address

    def start(self, name: str) -> ProcessEnded | None:
        """Starts a process that does not run; a broker that does not come up has ended at once.

        `NoBroker` where there is no broker program.
        """
        try:
            self._children.start(name)
        except NoBroker:
            raise
        except BrokerError as error:
            return ProcessEnded(name, 1, str(error))
        return None

    def kill(self, name: str) -> None:
        """Ends a process as a power cut would."""
        self._children.kill(name)

    def close(self) -> None:
        """Ends all: first tables and page, then the head, then the broker."""
        self._children.stop([HEAD, BROKER_PROCESS])
        self._meeting.cleanup()

    def _opened(self, name: str) -> Running:
        if name == BROKER_PROCESS:
            return self._started_broker()
        self._starts[name] += 1
        environment = self._meeting_key | (
            {WEB_KEY_VARIABLE: self.pages.key} if name == WEB and self.pages else {}
        )
        return Child(self._command(name), self.settings.data / "logs" / f"{name}.log", environment)

    def _started_broker(self) -> Broker:
        if self._broker is not None:
            self._broker.restart()
            return self._broker
        folder, pis = self.settings.data / BROKER_PROCESS, self.settings.pis
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)  # it keeps nothing that is needed: head and tables know all
        self._broker = broker.start(folder, self.settings.broker, access=pis.access if pis else None)
        return self._broker

    def _command(self, name: str) -> list[str]:
        settings = self.settings
        # The settings of another hall on this machine are not this one's.
        common = ["--config", os.devnull, "--broker", self.address, "--data", str(settings.data / name)]
        common += settings.pis.options if settings.pis else []
        if name == HEAD:
            unattended = ["--no-bell-limits", "--auto-confirm", "60"] if settings.simulated else []
            return ["head", *common, "--bell", settings.bell, *unattended]
        if name == WEB and settings.place:
            place = f"[{settings.place.host}]" if ":" in settings.place.host else settings.place.host
            page = ["--listen", f"{place}:{settings.place.port}", "--pin-file", str(settings.data / "pin")]
            meeting = ["--phones-at", self._phones_at] if settings.phones else []
            return ["web", *common, *page, *meeting]
        if name == PHONES:
            phones = ["--phones", as_needed(settings.phones), "--phones-at", self._phones_at]
            return ["phones", *common, *phones]
        people = settings.simulated
        assert people is not None
        seed = f"{people.seed}.{self._starts[name]}"  # after a restart they do not throw the same again
        smart = ["--dice", "smart", "--panel", "smart", "--pace", people.pace, "--seed", seed]
        forgets = ["--forgets", f"{people.forgets:g}"] if people.forgets else []
        return ["table", "--number", name.removeprefix("table"), *common, *smart, *forgets]


def _meeting_place(folder: Path) -> tuple[str, dict[str, str]]:
    """Socket for page and phones, this user's alone, and the variables that let both in."""
    if hasattr(socket, "AF_UNIX"):
        return str(folder / "phones"), {}
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}", {
            phones_socket.PHONES_KEY_VARIABLE: secrets.token_urlsafe(16)
        }


def as_needed(tables: Iterable[int]) -> str:
    """The tables as the setting `phones` has them, of which only those are phones that play: `1..3,5..5`."""
    runs: list[list[int]] = []
    for number in sorted(tables):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(f"{first}..{last}" for first, last in runs)
