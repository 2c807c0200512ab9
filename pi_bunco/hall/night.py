"""The machines of a Bunco night as child processes: the broker, the head, and one for each table."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from pi_bunco.hall.pages import WEB, DemoPages
from pi_bunco.play.chaos import BROKER, HEAD, table
from pi_bunco.runtime.children import apart, last_line
from pi_bunco.web.site.login import KEY
from pi_bunco.wire import broker
from pi_bunco.wire.broker import Broker, die_with_parent

STOP_WITHIN = 3.0
"""Seconds from SIGTERM to SIGKILL; the services promise two."""


class Ready(Struct, frozen=True):
    """The process `name` is ready to work."""

    name: str


class Ended(Struct, frozen=True):
    """The process `name` ended though nobody ended it; `why` is the last line that it wrote."""

    name: str
    status: int
    why: str


Put = Callable[[Ready | Ended], None]


class NightOptions(Struct, frozen=True):
    """How the services run: how many tables, the pace of their people (`max` or a factor), and their lots.

    `ok_after` is after how many seconds the head confirms for a table, `forgets` how likely its people forget
    to press OK. Without `pages` none are served.
    """

    tables: int
    pace: str
    seed: int
    ok_after: float = 60.0
    forgets: float = 0.0
    pages: DemoPages | None = None


class Night:
    """All processes of a night, with files in `folder`; `put` is told from threads what becomes of them.

    They die with the thread that started them, so `start` and `restart` belong in the main one.
    """

    def __init__(self, hall: NightOptions, folder: Path, put: Put, prefer: broker.Kind | None = None) -> None:
        """Starts the broker; `BrokerError` if there is none."""
        self.folder = folder
        self.bells = folder / "bells.jsonl"
        self.journal = folder / HEAD / "journal.db"
        self._hall = hall
        self._put = put
        self._lock = threading.Lock()
        self._expected: set[int] = set()
        self._starts: Counter[str] = Counter()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        (folder / "logs").mkdir(parents=True, exist_ok=True)
        self._broker: Broker = broker.start(folder / BROKER, prefer)
        self._watch_broker()

    @property
    def address(self) -> str:
        """Where the broker listens, `host:port`."""
        return self._broker.address

    @property
    def kind(self) -> str:
        """Which broker it is."""
        return self._broker.kind

    @property
    def outboxes(self) -> list[Path]:
        """The outboxes of the tables, the first table's first."""
        return [self.folder / name / "outbox.db" for name in self._tables]

    @property
    def names(self) -> list[str]:
        """All processes in the order in which they start."""
        return [BROKER, HEAD, *(table(number) for number in range(1, self._hall.tables + 1))]

    @property
    def _tables(self) -> list[str]:
        """The tables that were ever started, in the order of their numbers."""
        return sorted(self._processes.keys() - {HEAD, WEB}, key=lambda name: (len(name), name))

    def start(self, name: str) -> None:
        """Starts a process that is not running."""
        if name == BROKER:
            self._broker.restart()
            self._watch_broker()
        else:
            self._processes[name] = self._started(name)

    def kill(self, name: str) -> None:
        """Ends a process as a power cut would."""
        if name == BROKER:
            self._broker.kill()
        else:
            self._expect(self._processes[name].pid)
            self._processes[name].kill()
            self._processes[name].wait()

    def stop(self) -> None:
        """Ends all: first tables and pages, then the head, then the broker."""
        for process in self._processes.values():
            self._expect(process.pid)
        self._end([process for name, process in self._processes.items() if name != HEAD])
        self._end([process for name, process in self._processes.items() if name == HEAD])
        self._broker.stop()

    def log(self, name: str) -> Path:
        """What the process wrote to its standard error."""
        return self._broker.log if name == BROKER else self.folder / "logs" / f"{name}.log"

    def _end(self, processes: Sequence[subprocess.Popen[bytes]]) -> None:
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + STOP_WITHIN
        for process in processes:
            try:
                process.wait(max(deadline - time.monotonic(), 0.0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _command(self, name: str) -> list[str]:
        hall, data = self._hall, str(self.folder / name)
        # The settings of a real hall on this machine are not the demo's.
        common = ["--config", os.devnull, "--broker", self.address, "--data", data]
        if name == HEAD:
            bell = ["--bell", f"virtual:{self.bells}", "--no-bell-limits"]
            return ["head", *common, *bell, "--auto-confirm", f"{hall.ok_after:g}"]
        if name == WEB and hall.pages is not None:
            place = f"{hall.pages.place.host}:{hall.pages.place.port}"
            return ["web", *common, "--listen", place, "--pin-file", str(self._pin_file(hall.pages.pin))]
        number = name.removeprefix("table")
        self._starts[name] += 1  # so that after a restart they do not throw the same again
        seed = f"{hall.seed}.{self._starts[name]}"
        people = ["--dice", "smart", "--panel", "smart", "--pace", hall.pace, "--seed", seed]
        forgets = ["--forgets", f"{hall.forgets:g}"] if hall.forgets else []
        return ["table", "--number", number, *common, *people, *forgets]

    def _pin_file(self, pin: str) -> Path:
        file = self.folder / "pin"
        file.touch(mode=0o600)
        file.write_text(f"{pin}\n", "ascii")
        return file

    def _started(self, name: str) -> subprocess.Popen[bytes]:
        pages = self._hall.pages
        with self.log(name).open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "pi_bunco", *self._command(name)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | ({KEY: pages.key} if name == WEB and pages else {}),
                preexec_fn=die_with_parent(),
                **apart(),
            )
        threading.Thread(target=self._listen, args=(name, process), name=f"watch-{name}", daemon=True).start()
        return process

    def _listen(self, name: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                if line.startswith(b"ready:"):
                    self._put(Ready(name))
        status = process.wait()
        with self._lock:
            expected = process.pid in self._expected
        if not expected:
            self._put(Ended(name, status, last_line(self.log(name))))

    def _watch_broker(self) -> None:
        self._put(Ready(BROKER))
        threading.Thread(target=self._wait_for_broker, name="watch-broker", daemon=True).start()

    def _wait_for_broker(self) -> None:
        status = self._broker.wait()
        if status is not None:
            self._put(Ended(BROKER, status, last_line(self.log(BROKER))))

    def _expect(self, pid: int) -> None:
        with self._lock:
            self._expected.add(pid)


def signal_name(status: int) -> str:
    """What ended a process with `status`: an exit status, or the name of a signal."""
    return f"status {status}" if status >= 0 else signal.Signals(-status).name
