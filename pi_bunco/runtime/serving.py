"""Runs one service until it is told to end: signals, systemd, ring of warnings, watchdog, open files."""

import contextlib
import gc
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Protocol

from pi_bunco.runtime.loop import AsyncInbox, LoopInbox, Stop
from pi_bunco.runtime.store import StoreError
from pi_bunco.runtime.systemd import Watchdog, notify, watchdog_ms
from pi_bunco.runtime.writer import Store

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows, where no such limit is met
    resource = None

log = logging.getLogger(__name__)

PARENT = "PI_BUNCO_PARENT"
"""This variable says that standard input ends with the parent, which is a `runtime.supervisor`."""
THREAD_SWITCH_S = 0.0002
"""Seconds after which a thread lets another one run: the loop must not wait for the thread that feeds it."""
REPORT_WAITING_AFTER_MS = 2000.0
"""Milliseconds without a broker after which a service reports that it waits for it."""
REPEAT_AFTER_S = 3600.0
"""Seconds for which a warning that repeats itself is only counted."""
REMEMBERED_WARNINGS = 500
WARNING_MAX_CHARS = 1000
OPEN_FILES = 8192
"""Enough for 800 browsers and 300 phone tables; macOS gives 10240 at most."""


class Shell(Protocol):
    """A service that can be run."""

    @property
    def inbox(self) -> LoopInbox | AsyncInbox:
        """The taker of messages for the service."""

    @property
    def store(self) -> Store:
        """The store of the warnings."""

    def lives(self) -> Mapping[str, bool]:
        """True for each thread that lives: without any of them it is deaf, or forgets all."""

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox."""

    def close(self) -> None:
        """Frees all that it holds."""


Watch = Callable[[Shell], Callable[[], object]]


def serve(start: Callable[[], Shell], name: str, watch: Watch | None = None) -> int:
    """Runs the service until SIGTERM or Ctrl-C; ready, it says `name` on standard output, and to systemd.

    `watch` is given the service, to look after its machine while it runs; it returns what ends that.
    """
    sys.setswitchinterval(THREAD_SWITCH_S)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s: %(message)s")
    with contextlib.ExitStack() as opened:
        logbook = Logbook()
        logging.getLogger().addHandler(logbook)
        opened.callback(logging.getLogger().removeHandler, logbook)
        ending = _Ending()
        gc.disable()
        opened.callback(gc.enable)
        shell = start()
        gc.freeze()  # what is loaded by now stays; to look through it would keep a bell waiting for 15 ms
        gc.enable()
        opened.callback(shell.close)
        opened.callback(notify, "STOPPING=1")
        ending.into(shell.inbox)
        end_with_parent(shell.inbox.put)
        logbook.into(shell.store)
        watchdog = Watchdog(
            lambda: [name for name, alive in shell.lives().items() if not alive],
            lambda why: log.error("%s", why),
            watchdog_ms(),
        )

        def works() -> None:
            if watch is not None:
                opened.callback(watch(shell))

        readiness = Readiness(name, works, _say, _now())

        def ticked() -> None:
            readiness.ticked(_now())
            watchdog.ticked(_now())

        shell.serve(readiness.ready, ticked)
    return 0


class Logbook(logging.Handler):
    """The warnings of a service in the ring of its store: the journal of a Pi is lost with its power.

    Every WARNING and worse is kept; the same text at most once an hour, with the count of those meanwhile.
    Those from before there is a store, `into` puts there.
    """

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        """`seconds` is the time by which an hour is measured."""
        super().__init__(logging.WARNING)
        self._seconds = seconds
        self._store: Store | None = None
        self._early: list[tuple[int, str]] = []
        self._seen: dict[str, tuple[float, int]] = {}

    def into(self, store: Store) -> None:
        """Keeps the warnings in the store from now on."""
        self.acquire()
        try:
            self._store = store
            for at, text in self._early:
                self._keep(at, text)
            self._early.clear()
        finally:
            self.release()

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps the warning with its wall time."""
        text = record.getMessage()
        if record.exc_info and record.exc_info[1]:
            text += f": {type(record.exc_info[1]).__name__}: {record.exc_info[1]}"
        due = self._due(text[:WARNING_MAX_CHARS])
        if due is None:
            return
        at = int(record.created * 1000)
        if self._store is None:
            self._early.append((at, due))
        else:
            self._keep(at, due)

    def _due(self, text: str) -> str | None:
        """The text to keep now, if any."""
        now = self._seconds()
        kept_at, repeats = self._seen.get(text, (now - REPEAT_AFTER_S, 0))
        if now - kept_at < REPEAT_AFTER_S:
            self._seen[text] = (kept_at, repeats + 1)
            return None
        self._seen.pop(text, None)
        self._seen[text] = (now, 0)
        if len(self._seen) > REMEMBERED_WARNINGS:
            del self._seen[next(iter(self._seen))]
        return f"{text} (and {repeats} times more since it was told last)" if repeats else text

    def _keep(self, at: int, text: str) -> None:
        assert self._store is not None
        with contextlib.suppress(StoreError):  # closed, at the end: standard error still has it
            self._store.warn(at, text)


class Readiness:
    """Reports once that a service is ready or, after `REPORT_WAITING_AFTER_MS`, that it waits for the broker.

    `works` is called at the first of the two, when systemd is told as well; `say` gets the line.
    """

    def __init__(
        self, name: str, works: Callable[[], None], say: Callable[[str, str], None], now: float
    ) -> None:
        self._name = name
        self._works = works
        self._say = say
        self._waits_from = now + REPORT_WAITING_AFTER_MS
        self._ready = self._working = False

    def ready(self) -> None:
        """The service hears what is sent to it; only the first time says something."""
        if not self._ready:
            self._ready = True
            self._tell("ready", self._name)

    def ticked(self, now: float) -> None:
        """Time has passed (ms)."""
        if not self._working and now >= self._waits_from:
            self._tell("waiting", f"{self._name} is not there yet")

    def _tell(self, word: str, text: str) -> None:
        self._say(word, text)
        if not self._working:
            self._working = True
            self._works()


def _say(word: str, text: str) -> None:
    print(f"{word}: {text}", flush=True)
    notify("READY=1", f"STATUS={word}: {text}")


def _now() -> float:
    return time.monotonic() * 1000


class _Ending:
    """SIGTERM and SIGINT as a `Stop` in the inbox; one that comes before there is an inbox is kept."""

    def __init__(self) -> None:
        self._inbox: LoopInbox | AsyncInbox | None = None
        self._ending = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def into(self, inbox: LoopInbox | AsyncInbox) -> None:
        """Puts signals into this inbox from now on."""
        self._inbox = inbox
        if self._ending:
            inbox.put(Stop())

    def _ask(self, _number: int, _frame: object) -> None:
        self._ending = True
        if self._inbox is not None:
            self._inbox.put(Stop())  # reentrant, as a handler needs it


def end_with_parent(put: Callable[[Stop], object], descriptor: int = 0) -> None:
    """Puts a `Stop` when the parent that started this process as a `Child` has ended, or wants it to."""
    if os.environ.get(PARENT) != "stdin":
        return

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(descriptor, 4096):  # without a lock that this thread could hold when Python ends
                pass
        put(Stop())

    threading.Thread(target=wait, name="parent", daemon=True).start()


def allow_many(wanted: int = OPEN_FILES) -> None:
    """Raises the limit of open files of this process, as far as the system lets it; never lowers it."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
