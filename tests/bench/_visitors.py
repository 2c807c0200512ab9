"""The devices that look at the pages of a hall, each with an address of its own, and who serves the pages."""

import http.client
import socket
import sqlite3
import ssl
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, json

from pi_bunco.web.site.login import TableCodes
from pi_bunco.web.site.viewer import ME, text_cookie

from ._browsers import Device
from ._hall import WAIT, Hall, Program, service

TELLERS = 4  # tables that have dice
MANY = 1000  # devices of a crowd whose bars are others
HOST = "127.0.0.1"


class Crowd(Struct, frozen=True):
    """The number of those who look at the pages; `limited`: both processes have the limits of their units."""

    tables: int
    phones: int
    tvs: int
    tls: bool = False
    limited: bool = False

    @property
    def devices(self) -> int:
        """All that look."""
        return self.tables + self.phones + self.tvs

    @property
    def bell_ms(self) -> float:
        """The time that a bell may take to the page of the slowest of a hundred."""
        return 150.0 if self.devices < MANY else 400.0

    @property
    def memory_mb(self) -> float:
        """The memory that page service and phones' process may have together (PSS)."""
        return 55.0 if self.devices < MANY else 120.0

    def __str__(self) -> str:
        more = (", TLS" if self.tls else "") + (", the unit's limits" if self.limited else "")
        return f"{self.tables} phone tables, {self.phones} phones, {self.tvs} TVs{more}"


def visitors(one: Hall, port: int, crowd: Crowd) -> list[Device]:
    """Everybody's device; a phone table's has been let in by the picture of its table."""
    numbers = range(TELLERS + 1, TELLERS + crowd.tables + 1)
    end = time.monotonic() + WAIT
    cookies = {
        number: let_in(one, port, crowd.tls, number) if time.monotonic() < end else "" for number in numbers
    }
    paths = [(f"/table/{number}/play/stream", cookies[number], number) for number in numbers]
    players = [f"P{k % (4 * (TELLERS + crowd.tables)) + 1}" for k in range(crowd.phones)]
    paths += [("/me/stream", f"{ME}={text_cookie(name)}", 0) for name in players]
    paths += [("/stream", "", 0)] * crowd.tvs
    return [Device(path, cookie, source(k), table) for k, (path, cookie, table) in enumerate(paths)]


def let_in(one: Hall, port: int, tls: bool, number: int) -> str:
    """The cookie of a phone that the picture of its table let in; "" for one that was not."""
    assert one.cast.round
    with closing(sqlite3.connect(one.folder / "web" / "web.db")) as store:
        kept = store.execute("SELECT value FROM kept WHERE key = 'secret'").fetchone()[0]
    key = TableCodes(bytes.fromhex(json.decode(kept))).code(one.cast.round.evening, number).key
    try:
        with asked(port, tls, "GET", f"/table/{number}/play?key={key}", source(number)) as answer:
            return (answer.headers["set-cookie"] or "").partition(";")[0]
    except OSError:
        return ""


def source(k: int) -> str:
    """The address of device `k`."""
    return f"127.{1 + k // 250}.{k % 250}.1"


@contextmanager
def asked(
    port: int, tls: bool, method: str, path: str, source: str = HOST
) -> Iterator[http.client.HTTPResponse]:
    """The answer to a request."""
    here = (source, 0)
    if tls:
        link: http.client.HTTPConnection = http.client.HTTPSConnection(
            HOST, port, timeout=WAIT, source_address=here, context=ssl._create_unverified_context()
        )
    else:
        link = http.client.HTTPConnection(HOST, port, timeout=WAIT, source_address=here)
    with closing(link):
        link.request(method, path)
        yield link.getresponse()


class Devices(Program):
    """The process of all devices, which are other machines: they take nothing from the head either."""

    def __init__(self, log: Path, port: int, tls: bool, limits: tuple[str, ...] = ()) -> None:
        more = ["tls"] if tls else []
        super().__init__(log, "-m", "tests.bench._browsers", HOST, str(port), *more, limits=limits)

    def call(self, method: str, *arguments: Any) -> Any:
        """The result of that method of `Browsers`."""
        self.input.write(json.encode((method, arguments)) + b"\n")
        self.input.flush()
        return json.decode(self.output.readline())


class Pages(Struct, frozen=True):
    """The processes that serve the pages, the page service first, and the port."""

    programs: tuple[Program, ...]
    port: int

    @property
    def cpu(self) -> float:
        """Seconds of CPU time that all have taken."""
        return sum(program.cpu for program in self.programs)

    @property
    def memory(self) -> float:
        """The memory of all, what they share counted at each (RSS, MB)."""
        return sum(program.memory for program in self.programs)

    @property
    def share(self) -> float:
        """The memory of all, what several processes share counted once (PSS, MB)."""
        return sum(program.share for program in self.programs)

    @property
    def threads(self) -> int:
        """The threads of the one that has most."""
        return max(program.threads for program in self.programs)


@contextmanager
def page(one: Hall, crowd: Crowd | None = None, cert: tuple[str, str] | None = None) -> Iterator[Pages]:
    """The pages of a hall."""
    port = free_port()
    options = ["--listen", f"{HOST}:{port}"]
    meeting = ["--phones-at", str(one.folder / "meet")] if crowd else []
    if cert:
        options += ["--tls-cert", cert[0], "--tls-key", cert[1]]
    with ExitStack() as opened:
        limits = crowd is not None and crowd.limited
        page = service("web", one.folder / "web", one.address, *options, *meeting, limits=limits)
        programs = [opened.enter_context(page)]
        if crowd:
            tables = f"{TELLERS + 1}..{TELLERS + crowd.tables}"
            meeting += ["--phones", tables]
            phones = service("phones", one.folder / "phones", one.address, *meeting, limits=limits)
            programs.append(opened.enter_context(phones))
        yield Pages(tuple(programs), port + 1 if cert else port)


def free_port() -> int:
    """A port that nobody listens at, nor at the one after it."""
    while True:
        with socket.create_server((HOST, 0)) as free, suppress(OSError):
            port: int = free.getsockname()[1]
            with socket.create_server((HOST, port + 1)):
                return port
