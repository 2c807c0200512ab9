"""What the commands that run a service have in common: where the broker is, the log, and how they end."""

import argparse
import contextlib
import errno
import logging
import queue
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from pi_bunco.config import Config, ConfigError, load, meaning, option, settings
from pi_bunco.errors import BuncoError
from pi_bunco.loop import Stop
from pi_bunco.ops.logbook import Logbook
from pi_bunco.ops.notify import Watchdog, notify, watchdog_ms
from pi_bunco.writer import Store

log = logging.getLogger(__name__)

BROKER = (
    "hall",
    "broker.address",
    "broker.user",
    "broker.password_file",
    "broker.ca",
    "broker.cert",
    "broker.key",
    "broker.server_name",
    "broker.secrets",
)
"""The settings of every command that goes to the broker."""
_FILES = ("password_file", "ca", "cert", "key")
SWITCH = 0.0002
"""Seconds after which a thread lets another one run: the loop must not wait for the thread that feeds it."""
_NO_FOLDER = {errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL}
"""What is wrong with a path; all else is the card's, and may pass."""
_METAVARS = {
    "broker.address": "HOST:PORT|unix:PATH",
    "number": "N",
    "data": "DIR",
    "auto_confirm": "SECONDS",
    "broker.server_name": "NAME",
    "broker.secrets": "DIR",
} | {f"broker.{name}": "FILE" for name in _FILES}


class Shell(Protocol):
    """A service that can be run."""

    inbox: "queue.SimpleQueue[Any]"

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


def add_settings(parser: argparse.ArgumentParser, *keys: str) -> None:
    """An option for each of these settings, and for the config file; checked by `settled`, not here."""
    for key in keys:
        name = option(key)
        parser.add_argument(
            name,
            dest=key,
            default=argparse.SUPPRESS,
            metavar=_METAVARS.get(key, name.rpartition("-")[2].upper()),
            help=meaning(key),
        )
    parser.add_argument(
        "--config",
        type=Path,
        default=argparse.SUPPRESS,
        metavar="FILE",
        help="settings in TOML (default /etc/pi-bunco/pi-bunco.toml, if there is one); options win",
    )


def settled(options: argparse.Namespace, *needs: str) -> Config:
    """The settings of file and options; `ConfigError` with all that is wrong or missing."""
    given = {key: value for key, value in vars(options).items() if key in settings()}
    return load(given, getattr(options, "config", None), needs)


def folder(config: Config) -> Path:
    """The folder of the setting `data`, made if need be; `ConfigError` if that can be no folder.

    One that cannot be made or written now is no reason not to play: the service's store says so.
    """
    data = Path(config.data or "")
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in _NO_FOLDER:
            why = f"data = {data}: {error.filename} cannot be made: {error.strerror}"
            raise ConfigError([why]) from error
    return data


def doctor(data: Path, who: str = "") -> Callable[[Shell], Watch]:
    """What looks after the machine of the service with the folder `data`; `who` begins its sentences."""

    def watch(shell: Shell) -> Watch:
        from pi_bunco.ops.doctor.watch import Watch as Doctor

        return Doctor(shell.inbox.put, data, who, shell.store.writer.slowest_ms)

    return watch


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
        shell = _started(start)
        opened.callback(shell.close)
        opened.callback(notify, "STOPPING=1")
        ending.into(shell.inbox)
        logbook.into(shell.store)
        watchdog = Watchdog(shell.dead, lambda why: log.error("%s", why), watchdog_ms())

        def ready() -> None:
            print(f"ready: {name}", flush=True)
            notify("READY=1", f"STATUS={name}")
            if watch is not None:
                watching = watch(shell)
                opened.callback(watching.close)
                watching.start()

        shell.serve(ready, lambda: watchdog.ticked(time.monotonic() * 1000))
    return 0


class _Ending:
    """SIGTERM and SIGINT as a `Stop` in the inbox; one that comes before there is an inbox is not lost."""

    def __init__(self) -> None:
        self._inbox: queue.SimpleQueue[Any] | None = None
        self._asked = False
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ask)

    def into(self, inbox: "queue.SimpleQueue[Any]") -> None:
        """From now on there is an inbox."""
        self._inbox = inbox
        if self._asked:
            inbox.put(Stop())

    def _ask(self, _number: int, _frame: object) -> None:
        self._asked = True
        if self._inbox is not None:
            self._inbox.put(Stop())  # reentrant, as a handler needs it


def _started(start: Callable[[], Shell]) -> Shell:
    try:
        return start()
    except BuncoError:
        raise
    except OSError as error:  # a file in the folder that another user owns, for example
        raise ConfigError([f"{error.filename} cannot be used: {error.strerror}"]) from error
