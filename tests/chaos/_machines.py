"""Broker, head and tables as processes, and what befalls them. They die with the thread that starts them."""

import os
import resource
import shutil
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
from pi_bunco.runtime.children import apart, last_line
from pi_bunco.runtime.clock import Clock
from pi_bunco.wire import broker

from ._links import Links
from ._seats import Seats
from ._table import TOLD

BROKER, HEAD = "broker", "head"
AGAIN = 500.0  # ms after which systemd starts a service that ended
LITTLE = 8192  # bytes that a file may have on a card that is full


class Machines:
    """All of a hall in `folder`; times are ms of the clock."""

    def __init__(self, folder: Path, tables: int, kind: broker.Kind | None, clock: Clock, seed: int) -> None:
        self.folder = folder
        self.bells = folder / "bells.jsonl"
        self.kills: Counter[str] = Counter()
        self.deaths: list[str] = []
        self.back: defaultdict[str, list[float]] = defaultdict(list)
        """Per process when it was ready, or woke up."""
        self.names = [BROKER, HEAD, *(f"table{number}" for number in range(1, tables + 1))]
        self._clock = clock
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._due: dict[str, float] = {}
        self._asleep: dict[str, float] = {}
        self._cards: dict[str, tuple[float, Callable[[], object]]] = {}
        """Per process until when its card is bad, and what mends it."""
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
        """Whether every process has its power and is awake."""
        return not (self._due or self._asleep or self._cards)

    def kill(self, name: str, dark: float) -> None:
        """Ends a process as a power cut would, for `dark` ms; one that is dark already stays so."""
        if name in self._due:
            return
        self._asleep.pop(name, None)
        self._mend(name)
        self._due[name] = self._clock.now() + dark
        self.kills[name.rstrip("0123456789")] += 1
        if name == BROKER:
            self.broker.kill()
        else:
            self._processes[name].kill()
            self._processes[name].wait()
            self._dim(name)

    def lose(self, name: str, pattern: str) -> None:
        """Loses files of a killed process."""
        for path in (self.folder / name).glob(pattern):
            path.unlink()

    def slow(self, name: str, ms: float) -> None:
        """The card of a process has no commit done for a while: somebody else has its store locked."""
        if name in self._due or name in self._cards:
            return
        store = self.folder / name / ("journal.db" if name == HEAD else "outbox.db")
        with suppress(sqlite3.Error):  # it may not be made yet, or be lost
            other = sqlite3.connect(f"{store.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            self._cards[name] = self._clock.now() + ms, other.close

    def full(self, name: str, ms: float) -> None:
        """No file of a process can grow for a while."""
        if name in self._due or name in self._cards:
            return
        room = resource.RLIM_INFINITY
        resource.prlimit(self._pid(name), resource.RLIMIT_FSIZE, (LITTLE, room))
        mend = partial(resource.prlimit, self._pid(name), resource.RLIMIT_FSIZE, (room, room))
        self._cards[name] = self._clock.now() + ms, mend

    def hang(self, name: str, ms: float) -> None:
        """A process does nothing for a while."""
        if name not in self._due and name not in self._asleep:
            os.kill(self._pid(name), signal.SIGSTOP)
            self._asleep[name] = self._clock.now() + ms

    def tick(self, now: float) -> None:
        """Starts and wakes what is due; what ended by itself is told in `deaths` and starts again."""
        for name, at in list(self._asleep.items()):
            if now >= at:
                os.kill(self._pid(name), signal.SIGCONT)
                self._woke(name)
        for name in [name for name, (at, _) in self._cards.items() if now >= at]:
            self._mend(name)
        for name, process in self._processes.items():
            if name not in self._due and process.poll() is not None:
                self.deaths.append(f"{name} ({process.returncode}): {last_line(self._log(name))}")
                self._mend(name)
                self._dim(name)
                self._due[name] = now + AGAIN
        for name in [name for name in self.names if self._due.get(name, now + 1) <= now]:
            del self._due[name]
            self._start(name)

    def clear_runtime(self) -> None:
        """What lies in memory is gone after a power cut."""
        shutil.rmtree(self.folder / "run", ignore_errors=True)

    def close(self) -> None:
        for seats in self.seats:
            seats.close()
        for name, process in self._processes.items():
            self._mend(name)
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self._processes.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        os.kill(self.broker.pid, signal.SIGCONT)
        self.broker.stop()
        self.links.close()

    def _mend(self, name: str) -> None:
        if name in self._cards:
            _, mend = self._cards.pop(name)
            with suppress(ProcessLookupError):
                mend()
            self.back[name].append(self._clock.now())

    def _woke(self, name: str) -> None:
        del self._asleep[name]
        self.back[name].append(self._clock.now())

    def _pid(self, name: str) -> int:
        return self.broker.pid if name == BROKER else self._processes[name].pid

    def _dim(self, name: str) -> None:
        if name != HEAD:
            self.seats[int(name.removeprefix("table")) - 1].see(None)

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _start(self, name: str) -> None:
        if name == BROKER:
            self.broker.restart()
            self.back[name].append(self._clock.now())
            return
        (self.folder / "run").mkdir(exist_ok=True)
        with self._log(name).open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *self._command(name)],
                cwd=Path(__file__).parents[2],
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
        number = int(name.removeprefix("table"))
        link = f"127.0.0.1:{self.links.of[number - 1].port}"
        devices = ["--dice", f"serial:{self.folder / f'box{number}'}", "--lights", "told"]
        return ["tests.chaos._table", "table", "--number", str(number), *common, "--broker", link, *devices]

    def _listen(self, name: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                if line.startswith(b"ready:"):
                    self.back[name].append(self._clock.now())
                elif line.startswith(TOLD) and process.returncode is None:
                    state = msgspec.json.decode(line.removeprefix(TOLD), type=LightState)
                    self.seats[int(name.removeprefix("table")) - 1].see(state)
