"""Programs of ours as child processes: in which order they start, when again, and how they end.

A child reads its standard input and ends when that is closed, which every system does for a parent that dies.
"""

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct

from pi_bunco.runtime.serving import PARENT

STOP_S = 3.0
"""Seconds from the wish to end until a child is killed; the services promise two."""
RESTART_AFTER_MS = 500.0
"""Milliseconds until a process that ended is started again, doubling up to `RESTART_WITHIN_MS`."""
RESTART_WITHIN_MS = 10_000.0
WORKED_STEADILY_MS = 5_000.0
"""A process that worked for this long may end again as if for the first time."""
MAX_ENDS = 5
"""A process that ends this often before it was ever ready cannot work here."""


class ProcessReady(Struct, frozen=True):
    """The process said that it is ready."""

    name: str


class ProcessEnded(Struct, frozen=True):
    """The process ended though nobody ended it; `why` is the last that it wrote."""

    name: str
    status: int
    why: str


class StartProcess(Struct, frozen=True):
    """Start the process."""

    name: str


class KillProcess(Struct, frozen=True):
    """End the process as a power cut would."""

    name: str


class _Process(Struct):
    group: int | None
    works_since: float | None = None
    was_ready: bool = False
    down: bool = False
    ends: int = 0
    due: float | None = None


class Supervisor:
    """Decides which processes start: group after group, and each again some time after it has ended."""

    def __init__(self, groups: Iterable[Sequence[str]]) -> None:
        self._processes = {name: _Process(group) for group, names in enumerate(groups) for name in names}

    def begin(self) -> list[StartProcess]:
        """Those of the first group; the next group starts when all of one were ready."""
        return self._group(0)

    @property
    def down(self) -> frozenset[str]:
        """The processes that have ended and are not ready again."""
        return frozenset(name for name, process in self._processes.items() if process.down)

    def was_ready(self, name: str) -> bool:
        """True once the process has been ready."""
        return self._processes[name].was_ready

    @property
    def all_were_ready(self) -> bool:
        """True once all have been ready."""
        return all(process.was_ready for process in self._processes.values())

    def add(self, name: str) -> list[StartProcess]:
        """A process that nobody waits for, unless it is known; it starts now."""
        if name in self._processes:
            return []
        self._processes[name] = _Process(None)
        return [StartProcess(name)]

    def ready(self, name: str, now: float) -> list[StartProcess]:
        """The process is ready; those that it was waited for with start now."""
        process = self._processes[name]
        first, process.was_ready = not process.was_ready, True
        process.works_since, process.down = now, False
        if process.group is None or not first:
            return []
        group = [one.was_ready for one in self._processes.values() if one.group == process.group]
        return self._group(process.group + 1) if all(group) else []

    def ended(self, name: str, now: float) -> bool:
        """The process has ended by itself; True if it will be started again, False if it is given up."""
        process = self._processes[name]
        steady = process.works_since is not None and now - process.works_since >= WORKED_STEADILY_MS
        process.ends = 1 if steady else process.ends + 1
        process.works_since, process.down = None, True
        if not process.was_ready and process.ends >= MAX_ENDS:
            return False
        process.due = now + min(RESTART_AFTER_MS * 2 ** (process.ends - 1), RESTART_WITHIN_MS)
        return True

    def killed(self, name: str) -> None:
        """The process was killed, and starts again when somebody says so."""
        process = self._processes[name]
        process.works_since, process.down, process.due = None, True, None

    def due(self, now: float) -> list[StartProcess]:
        """Those that start again now."""
        names = [name for name, one in self._processes.items() if one.due is not None and now >= one.due]
        for name in names:
            self._processes[name].due = None
        return [StartProcess(name) for name in names]

    def _group(self, group: int) -> list[StartProcess]:
        return [StartProcess(name) for name, process in self._processes.items() if process.group == group]


class Running:
    """A process that was started, a `Child` or a broker; its standard error is in the file `log`."""

    _stop_s: ClassVar[float] = STOP_S

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self.log = log
        self._process = process
        self._ended: subprocess.Popen[bytes] | None = None
        """The run that was ended here."""

    @property
    def pid(self) -> int:
        """Its process id, of the run that is the latest."""
        return self._process.pid

    def ready(self) -> bool:
        """Waits until it works; False where it ends before."""
        return True

    def wait(self) -> int | None:
        """Waits until the run that is the latest has ended; its status, None where it was ended here."""
        process = self._process
        status = process.wait()
        return None if process is self._ended else status

    def ask_to_end(self) -> None:
        """Asks it to end, as systemd would, without waiting."""
        self._ended = self._process
        self._process.terminate()

    def stop(self) -> None:
        """Asks it to end, and kills it if it does not."""
        self.ask_to_end()
        try:
            self._process.wait(self._stop_s)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """Ends it as a power cut would."""
        self._ended = self._process
        self._process.kill()
        self._process.wait()


class Children:
    """The processes that were started, by name; `put` is told from threads what becomes of them."""

    def __init__(
        self, start: Callable[[str], Running], put: Callable[[ProcessReady | ProcessEnded], None]
    ) -> None:
        self.running: dict[str, Running] = {}
        self._start = start
        self._put = put

    def start(self, name: str) -> None:
        """Starts a process that does not run."""
        self.running[name] = started = self._start(name)
        threading.Thread(target=self._watch, args=(name, started), name=f"watch-{name}", daemon=True).start()

    def kill(self, name: str) -> None:
        """Ends one as a power cut would."""
        self.running[name].kill()

    def stop(self, last: Sequence[str]) -> None:
        """Ends all: first those that are not among `last` together, then these in their order."""
        for names in (self.running.keys() - set(last), *([name] for name in last)):
            ending = [self.running.pop(name) for name in names if name in self.running]
            for process in ending:
                process.ask_to_end()
            for process in ending:
                process.stop()

    def _watch(self, name: str, started: Running) -> None:
        if started.ready():
            self._put(ProcessReady(name))
        status = started.wait()
        if status is not None:
            self._put(ProcessEnded(name, status, last_line(started.log)))


class Child(Running):
    """`python -m pi_bunco ARGUMENTS` with its standard error in the file `log`."""

    def __init__(
        self, arguments: Sequence[str], log: Path, environment: dict[str, str] | None = None
    ) -> None:
        with log.open("ab") as file:
            process = subprocess.Popen(
                [sys.executable, "-m", "pi_bunco", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=file,
                env={**os.environ, **(environment or {}), PARENT: "stdin"},
                **apart(),
            )
        super().__init__(process, log)

    def ready(self) -> bool:
        """Reads its output until it says that it is ready; False where that ends before."""
        assert self._process.stdout is not None
        return any(line.startswith(b"ready:") for line in self._process.stdout)

    def wait(self) -> int | None:
        """Reads its output to the end; its exit status, None where it was ended here."""
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for _ in output:
                pass
        status = super().wait()
        self._close_input()
        return status

    def ask_to_end(self) -> None:
        """Asks it to end, without waiting."""
        self._ended = self._process
        self._close_input()

    def _close_input(self) -> None:
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()


def apart() -> dict[str, Any]:
    """Options of a child such that Ctrl-C is for its parent, who then ends it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def last_line(log: Path) -> str:
    """The last line of a log."""
    try:
        lines = log.read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1] if lines else "it says nothing"
