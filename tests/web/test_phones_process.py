"""The phones' process with page, head and broker: within its unit's limits, and killed amid taps."""

import asyncio
import contextlib
import json
import queue
import re
import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlencode

import pytest

from cli.processes import COMMAND, Service, done, head, started
from pi_bunco.log import journal
from pi_bunco.runtime.writer import load_kept
from pi_bunco.table.phones.socket import reached
from pi_bunco.table.phones.socket_messages import AllTold, PhoneState, Tap, TapAnswer, from_phones, line
from pi_bunco.web.site.login import TableCodes
from pi_bunco.web.site.page_state import SECRET
from pi_bunco.web.site.page_store import SCHEMA
from pi_bunco.web.site.server import Endpoint, bound
from pi_bunco.wire.broker import Broker

pytestmark = pytest.mark.process
UNITS = Path(__file__).parents[2] / "systemd"
TABLES, TAPS_EACH = 300, 5
PATIENT_S = 300


def unit(name: str, key: str) -> str:
    found = re.search(rf"(?m)^{key}=(.*)$", (UNITS / f"pi-bunco-{name}.service").read_text())
    assert found
    return found[1]


def limited(name: str) -> list[str]:
    """A `pi-bunco` with the memory, and stacks as large, as the unit of that name leaves it."""
    data = int(unit(name, "LimitDATA").removesuffix("M")) << 20
    return ["prlimit", f"--data={data}", "--stack=8388608", "--", *COMMAND]


def of(service: Service, what: str) -> int:
    """A value that the kernel has of the process: `Threads`, or memory in kB."""
    found = re.search(rf"{what}:\s+(\d+)", Path(f"/proc/{service.process.pid}/status").read_text())
    assert found
    return int(found[1])


def open_round(broker: Broker, folder: Path, tables: int) -> str:
    """Opens a round at `tables` tables; returns the evening."""
    done(broker, "open", "--rules", "bonko", "--players", ",".join(f"P{n}" for n in range(4 * tables)))
    done(broker, "draw")
    started(broker)
    return journal.evenings(folder / "journal.db")[-1].id


def journaled(folder: Path, evening: str) -> Counter[tuple[int, str, int]]:
    """Per throw's mark how often it is in the journal."""
    entries = journal.read(folder / "journal.db", evening)
    marks = [(one.origin.table, *one.origin.mark) for one in entries if one.origin and one.origin.mark]
    return Counter(marks)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_300_phone_tables_play_within_the_limits_of_the_unit(broker: Broker, tmp_path: Path) -> None:
    meet = str(tmp_path / "meet")
    options = ("--broker", broker.address, "--data", tmp_path / "phones", "--phones-at", meet)
    with (
        head(broker, tmp_path / "head") as referee,
        Service("phones", *options, "--phones", f"1..{TABLES}", program=limited("phones")) as phones,
    ):
        assert referee.ready()
        assert phones.ready()
        evening = open_round(broker, tmp_path / "head", TABLES)
        answered = asyncio.run(asyncio.wait_for(tapped(meet), PATIENT_S))
        assert answered == TABLES * TAPS_EACH
        assert of(phones, "Threads") * 4 <= int(unit("phones", "TasksMax"))
        assert of(phones, "VmData") * 1024 * 2 < int(unit("phones", "LimitDATA").removesuffix("M")) << 20
        while sum((found := journaled(tmp_path / "head", evening)).values()) < answered:
            assert phones.process.poll() is None
        assert set(found.values()) == {1}


async def tapped(meet: str) -> int:
    """Taps at all tables at once, some times; how many were answered as saved."""
    reader, writer = await reached(meet)
    plays: set[int] = set()
    while len(plays) < TABLES:
        state = from_phones.decode(await reader.readline())
        if isinstance(state, PhoneState) and state.view and state.view.state.table:
            plays.add(state.table)
    for count in range(TAPS_EACH):
        for table in range(1, TABLES + 1):
            writer.write(line(Tap(table, f"phone{table}", count + 1, "miss", id=count * TABLES + table)))
        await writer.drain()
    saved: set[int] = set()
    while len(saved) < TABLES * TAPS_EACH:
        answer = from_phones.decode(await reader.readline())
        if isinstance(answer, TapAnswer):
            assert answer.why is None, answer
            saved.add(answer.id)
        assert not isinstance(answer, AllTold) or len(plays) == TABLES
    writer.close()
    return len(saved)


class Night:
    """The processes of a small hall, each of which can be killed and started again."""

    def __init__(self, broker: Broker, folder: Path, tables: int) -> None:
        with contextlib.closing(bound(Endpoint("127.0.0.1", 0))) as free:
            self.port = free.getsockname()[1]
        meet = ("--phones-at", folder / "meet")
        self._commands: dict[str, tuple[str | Path, ...]] = {
            "head": ("--no-bell-limits",),
            "phones": (*meet, "--phones", f"1..{tables}"),
            "web": (*meet, "--listen", f"127.0.0.1:{self.port}"),
        }
        self._common = ("--broker", broker.address, "--data")
        self._folder = folder
        self._running: dict[str, Service] = {}
        self._opened = contextlib.ExitStack()

    def start(self, name: str) -> None:
        options = (*self._common, self._folder / name, *self._commands[name])
        service = Service(name, *options, program=limited(name) if sys.platform == "linux" else COMMAND)
        self._running[name] = self._opened.enter_context(service)
        assert service.ready()

    def kill(self, name: str) -> None:
        """As a power cut would end it; it starts again at once."""
        self._running[name].process.kill()
        self._running[name].process.wait()
        self.start(name)

    def __enter__(self) -> "Night":
        for name in self._commands:
            self.start(name)
        return self

    def __exit__(self, *_error: object) -> None:
        self._opened.close()


class TappingPhone:
    """A phone that taps again and again as its script does: one tap at a time, until that is taken."""

    def __init__(self, port: int, table: int, cookie: str, say: Callable[[int], None]) -> None:
        """`say` is told the table of each tap that is taken."""
        self.taken = 0
        self.wrong: list[str] = []
        self._say = say
        self._port = port
        self._table = table
        self._cookie = cookie
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tap_all, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(PATIENT_S)

    def _tap_all(self) -> None:
        while not self._ended.is_set():
            form = {"mark_boot": "b007", "mark_seq": self.taken + 1, "tap": "miss"}
            while not self._sent(urlencode(form)):
                pass
            self.taken += 1
            self._say(self._table)

    def _sent(self, form: str) -> bool:
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Accept": "application/json",
            "Cookie": self._cookie,
            "Origin": f"http://127.0.0.1:{self._port}",
        }
        link = HTTPConnection("127.0.0.1", self._port, timeout=60)
        with contextlib.closing(link), contextlib.suppress(OSError, HTTPException):
            link.request("POST", f"/table/{self._table}/tap", form, headers)
            answer = link.getresponse()
            words = answer.read().decode()
            if answer.status not in (204, 503):
                self.wrong.append(f"{answer.status} {words}")
            return answer.status == 204
        return False


@pytest.fixture
def night(broker: Broker, tmp_path: Path) -> Iterator[Night]:
    with Night(broker, tmp_path, 3) as running:
        yield running


def test_taps_outlast_every_process_that_is_killed_in_their_midst(
    broker: Broker, tmp_path: Path, night: Night
) -> None:
    evening = open_round(broker, tmp_path / "head", 3)
    secret = load_kept(tmp_path / "web" / "web.db", SCHEMA)[SECRET]
    codes = TableCodes(bytes.fromhex(secret))
    taken: queue.SimpleQueue[int] = queue.SimpleQueue()
    phones = [
        TappingPhone(night.port, table, f"bunco_table{table}={codes.cookie(evening, table)}", taken.put)
        for table in (1, 2, 3)
    ]

    def until_each_tapped(more: int) -> None:
        counts: Counter[int] = Counter()
        while any(counts[table] < more for table in (1, 2, 3)):
            counts[taken.get(timeout=PATIENT_S)] += 1

    until_each_tapped(5)
    for name in ("phones", "web", "head", "phones", "web"):
        night.kill(name)
        until_each_tapped(5)
    for phone in phones:
        phone.stop()
    assert not any(phone.wrong for phone in phones), [phone.wrong for phone in phones]
    count = sum(phone.taken for phone in phones)
    while sum((found := journaled(tmp_path / "head", evening)).values()) < count:
        pass
    assert set(found.values()) == {1}
    assert len(found) == count
    outbox = sqlite3.connect(tmp_path / "phones" / "phones.db")
    with contextlib.closing(outbox):
        rows = outbox.execute("SELECT envelope FROM envelopes").fetchall()
    assert len({tuple(json.loads(text)["mark"]) for (text,) in rows if "mark" in json.loads(text)}) <= count
