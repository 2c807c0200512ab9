"""Broker, head and tables as processes, and what befalls them. They die with the thread that starts them."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

import msgspec

from pi_bunco.devices.protocols import LightState
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.supervisor import apart, last_line
from pi_bunco.wire import broker

from ._links import Links
from ._seats import Seats
from ._table import TOLD

BROKER, HEAD, PAGE = "broker", "head", "web"
AGAIN = 500.0  # ms after which systemd starts a service that ended
LITTLE = 8192  # bytes that a file may have on a card that is full


class Machines:
    """All of a hall in `folder`; times are ms of the clock."""

    def __init__(
        self,
        folder: Path,
        tables: int,
        kind: broker.BrokerKind | None,
        clock: Clock,
        seed: int,
        page: int = 0,
    ) -> None:
        """`page` is the port of the page service, 0 for none."""
        self.folder = folder
        self.page = page
        self.bells = folder / "bells.jsonl"
        self.kills: Counter[str] = Counter()
        self.deaths: list[str] = []
        self.back: defaultdict[str, list[float]] = defaultdict(list)
        """Per process when it was ready, or woke up."""
        self.names = [BROKER, HEAD, *(f"table{number}" for number in range(1, tables + 1))]
        self.names += [PAGE] if page else []
        self._clock = clock
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._dark: set[str] = set()
        self._ready: set[str] = set()
        self._ends: dict[str, tuple[float, Callable[[], object]]] = {}
        """Per process that something befell when that is over, and how."""
        self.broker = broker.start(folder / BROKER, kind)
        self.links = Links(tables, self.broker.address, clock)
        self.seats = [
            Seats(table, folder / f"box{table}", clock, Random(f"{seed}/{table}"))
            for table in range(1, tables + 1)
        ]
        (folder / "log.key").write_text(Random(seed).randbytes(32).hex(), "ascii")
        for seats in self.seats:
            seats.start()
        for name in self.names[1:]:
            self._start(name)

    @property
    def well(self) -> bool:
        """True if nothing is wrong with any process."""
        return not self._ends

    def kill(self, name: str, dark: float) -> None:
        """Ends a process as a power cut would, for `dark` ms; one that is dark already stays so."""
        if name in self._dark:
            return
        self.kills[name.rstrip("0123456789")] += 1
        if name == BROKER:
            self.broker.kill()
        else:
            self._processes[name].kill()
            self._processes[name].wait()
        self._over(name)
        self._went(name, dark)

    def note(self, what: str) -> None:
        """Remembers in `trouble.log` what befell the hall, and when (ms)."""
        with (self.folder / "trouble.log").open("a", encoding="utf-8") as log:
            print(f"{self._clock.now():.0f} {what}", file=log)

    def lose(self, name: str, pattern: str) -> None:
        """Loses files of a killed process."""
        self.note(f"{name} loses {pattern}")
        for path in (self.folder / name).glob(pattern):
            path.unlink()

    def hang(self, name: str, ms: float) -> None:
        """A process does nothing for a while."""
        if name not in self._ends:
            os.kill(self._pid(name), signal.SIGSTOP)
            self._befalls(name, ms, partial(os.kill, self._pid(name), signal.SIGCONT))

    def slow(self, name: str, ms: float) -> None:
        """The card of a service has no commit done for a while: somebody else has its store locked."""
        store = (self.folder / name / ("journal.db" if name == HEAD else "outbox.db")).absolute()
        if name not in self._ends:
            with suppress(sqlite3.Error):  # it may not be made yet, or be lost
                other = sqlite3.connect(f"{store.as_uri()}?mode=rw", uri=True, isolation_level=None)
                other.execute("BEGIN IMMEDIATE")
                self._befalls(name, ms, other.close)

    def full(self, name: str, ms: float) -> None:
        """No file of a process that is ready can grow for a while.

        The limit of a process holds in memory (/dev/shm) too, where a start on a full card reads a copy.
        """
        if name in self._ready and name not in self._ends:
            limit = partial(resource.prlimit, self._pid(name), resource.RLIMIT_FSIZE)
            limit((LITTLE, resource.RLIM_INFINITY))
            self._befalls(name, ms, partial(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))

    def tick(self, now: float) -> None:
        """Ends what is over; what ended by itself is told in `deaths` and starts again."""
        for name in [name for name, (at, _) in self._ends.items() if now >= at]:
            self._over(name)
        for name, process in self._processes.items():
            if name not in self._dark and process.poll() is not None:
                self.deaths.append(f"{name} ({process.returncode}): {last_line(self._log(name))}")
                self._over(name)
                self._went(name, AGAIN)

    def close(self) -> None:
        for seats in self.seats:
            seats.close()
        for name in [name for name in self._ends if name not in self._dark]:
            self._over(name)
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.broker.stop()
        self.links.close()

    def _befalls(self, name: str, ms: float, end: Callable[[], object]) -> None:
        self.note(f"{name} for {ms:.0f}")
        self._ends[name] = self._clock.now() + ms, end

    def _went(self, name: str, ms: float) -> None:
        """A process has ended, and is back after `ms`."""
        self._dark.add(name)
        self._befalls(name, ms, partial(self._start, name))
        if name.startswith("table"):
            self.seats[int(name.removeprefix("table")) - 1].see(None)

    def _over(self, name: str) -> None:
        _, end = self._ends.pop(name, (0.0, None))
        if end:
            with suppress(ProcessLookupError):
                end()
            self.back[name].append(self._clock.now())

    def _pid(self, name: str) -> int:
        return self.broker.pid if name == BROKER else self._processes[name].pid

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _start(self, name: str) -> None:
        self._dark.discard(name)
        self._ready.discard(name)
        if name == BROKER:
            self.broker.restart()
            return
        (self.folder / "run").mkdir(exist_ok=True)
        with self._log(name).open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *self._command(name)],
                cwd=Path(__file__).parents[1],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | {"RUNTIME_DIRECTORY": str(self.folder / "run")},
                preexec_fn=broker.die_with_parent(),
                **apart(),
            )
        self._processes[name] = process
        threading.Thread(target=self._listen, args=(name, process), name=f"watch-{name}", daemon=True).start()

    def _command(self, name: str) -> list[str]:
        common = ["--config", os.devnull, "--data", str(self.folder / name)]
        if name == HEAD:
            bell = ["--bell", f"virtual:{self.bells}", "--no-bell-limits", "--auto-confirm", "0.3"]
            key = ["--log-key", str(self.folder / "log.key")]
            return ["pi_bunco", "head", *common, "--broker", self.broker.address, *bell, *key]
        if name == PAGE:
            listen = ["--listen", f"127.0.0.1:{self.page}"]
            return ["pi_bunco", "web", *common, "--broker", self.broker.address, *listen]
        number = int(name.removeprefix("table"))
        link = f"127.0.0.1:{self.links.of[number - 1].port}"
        devices = ["--dice", f"serial:{self.folder / f'box{number}'}", "--lights", "told"]
        return ["chaos._table", "table", "--number", str(number), *common, "--broker", link, *devices]

    def _listen(self, name: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                if line.startswith(b"ready:"):
                    self.note(f"{name} is ready")
                    self.back[name].append(self._clock.now())
                    self._ready.add(name)
                elif line.startswith(TOLD) and process.returncode is None:
                    state = msgspec.json.decode(line.removeprefix(TOLD), type=LightState)
                    self.seats[int(name.removeprefix("table")) - 1].see(state)
