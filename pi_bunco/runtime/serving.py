"""Runs one service until it is told to end: signals, systemd, the ring of warnings, the watchdog."""

import contextlib
import gc
import logging
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pi_bunco.runtime.logbook import Logbook
from pi_bunco.runtime.loop import Stop
from pi_bunco.runtime.supervisor import end_with_parent
from pi_bunco.runtime.systemd import Watchdog, notify, watchdog_ms
from pi_bunco.runtime.writer import Store

log = logging.getLogger(__name__)

SWITCH = 0.0002
"""Seconds after which a thread lets another one run: the loop must not wait for the thread that feeds it."""


class Inbox(Protocol):
    """Takes messages, from any thread and from signal handlers."""

    def put(self, message: Any) -> None:
        """Hands a message over."""


WAITING = 2000.0
"""Milliseconds without a broker after which a service says that it waits for it."""


class Shell(Protocol):
    """A service that can be run."""

    @property
    def inbox(self) -> Inbox:
        """Where messages for the service go."""

    @property
    def store(self) -> Store:
        """Where the warnings are kept."""

    def dead(self) -> Sequence[str]:
        """The threads that have ended although the service works."""

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox."""

    def close(self) -> None:
        """Frees all that it holds."""


class Watch(Protocol):
    """Looks after the machine that a service runs on, in a thread of its own."""

    def start(self) -> None:
        """Begins to look."""

    def close(self) -> None:
        """Ends, soon."""


def serve(start: Callable[[], Shell], name: str, watch: Callable[[Shell], Watch] | None = None) -> int:
    """Runs the service until SIGTERM or Ctrl-C; ready, it says `name` on standard output, and to systemd.

    `watch` is given the service, to look after its machine while it runs.
    """
    sys.setswitchinterval(SWITCH)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s: %(message)s")
    with contextlib.ExitStack() as opened:
        logbook = Logbook()
        logging.getLogger().addHandler(logbook)
        opened.callback(logging.getLogger().removeHandler, logbook)
        ending = _Ending()
        shell = start()
        gc.freeze()  # what is loaded by now stays; to look through it would keep a bell waiting for 15 ms
        opened.callback(shell.close)
        opened.callback(notify, "STOPPING=1")
        ending.into(shell.inbox)
        end_with_parent(shell.inbox.put)
        logbook.into(shell.store)
        watchdog = Watchdog(shell.dead, lambda why: log.error("%s", why), watchdog_ms())

        def works() -> None:
            if watch is not None:
                watching = watch(shell)
                opened.callback(watching.close)
                watching.start()

        readiness = Readiness(name, works, _say, _now())

        def ticked() -> None:
            readiness.ticked(_now())
            watchdog.ticked(_now())

        shell.serve(readiness.ready, ticked)
    return 0


class Readiness:
    """Says once that a service is ready, or, where that takes `WAITING` ms, that it waits for the broker.

    `works` is called at the first of the two, when systemd is told as well; `say` gets the line.
    """

    def __init__(
        self, name: str, works: Callable[[], None], say: Callable[[str, str], None], now: float
    ) -> None:
        self._name = name
        self._works = works
        self._say = say
        self._waits_from = now + WAITING
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
    """SIGTERM and SIGINT as a `Stop` in the inbox; one that comes before there is an inbox is not lost."""

    def __init__(self) -> None:
        self._inbox: Inbox | None = None
        self._asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def into(self, inbox: Inbox) -> None:
        """From now on there is an inbox."""
        self._inbox = inbox
        if self._asked:
            inbox.put(Stop())

    def _ask(self, _number: int, _frame: object) -> None:
        self._asked = True
        if self._inbox is not None:
            self._inbox.put(Stop())  # reentrant, as a handler needs it
