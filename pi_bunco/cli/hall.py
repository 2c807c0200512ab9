"""`pi-bunco hall`: a Bunco night on this machine, with phones as tables, and Pis as they come."""

import argparse
import contextlib
import errno
import os
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

from pi_bunco.cli.parser import argument, say
from pi_bunco.config import ConfigError
from pi_bunco.devices.bell.sound import has_player, tried
from pi_bunco.devices.protocols import DeviceError
from pi_bunco.errors import BuncoError
from pi_bunco.hall.hall import HallSettings, PageAddresses
from pi_bunco.hall.host_laptop import HallService
from pi_bunco.provision.addresses import TLS_PORT
from pi_bunco.provision.plan import numbers
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.runtime.files import InUse, locked
from pi_bunco.runtime.loop import Stop
from pi_bunco.runtime.supervisor import STOP_S
from pi_bunco.web.site.server import Endpoint, ListenError, bound, endpoint, free_place, local_addresses

if TYPE_CHECKING:
    from pi_bunco.provision.laptop import LaptopHall

EVERYWHERE = "0.0.0.0"
HALL_MAX_TABLES = 300
_BELL = "The bell sounds from this machine too; --silent leaves that to the pages."
_BELL_SILENT = (
    "The bell sounds from the pages alone: switch their sound on, or mend this machine's and start again"
)
_UNREACHABLE = "cannot reach this machine: let it join their Wi-Fi, or make one, and start again"
_LOOPBACK = "cannot come here: --listen names an address of this machine alone"
PIS_FOLDER = "pis"
"""The folder with the cards of the Pis."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco hall`."""
    argument(parser, "--tables N", "at most N tables play (default 12)", type=_count, default=12)
    text = "these tables are phones, such as 1,3-4 (default: all without a Pi)"
    argument(parser, "--phones N,..", text, type=_numbers)
    text = f"these tables have a Pi: makes their cards, and lets them in at port {TLS_PORT}"
    argument(parser, "--pis N,..", text, type=_numbers, default=())
    text = "this machine's name or number, as Pis reach it (default: its name with .local, and its number)"
    argument(parser, "--head ADDR", text)
    argument(parser, "--listen HOST:PORT", "where the page is served (default: every address, port 8080)")
    argument(
        parser, "--data DIR", "where evenings are kept (default: your own data)", type=Path, default=None
    )
    text = "which broker carries the messages (default: what is there)"
    argument(parser, "--broker {mosquitto,nats}", text, choices=("mosquitto", "nats"))
    argument(parser, "--silent", "the bell sounds from the pages alone")
    argument(parser, "--no-browser", "do not open the host's page")


def run(options: argparse.Namespace) -> int:
    """Works until Ctrl-C or SIGTERM; `BuncoError` says why it cannot."""
    data = (options.data or _default_data()).absolute()
    with _alone(data), ThreadPoolExecutor(1) as trying:
        place = _place(options.listen)
        found = _pis(options, data / PIS_FOLDER)
        trial = trying.submit(tried)
        bell = "virtual" if options.silent or not has_player() else "sound"
        settings = HallSettings(data, place, _phones(options), options.broker, bell, found)

        def welcome(pages: PageAddresses) -> None:
            _greet(pages, _LOOPBACK if options.listen else _UNREACHABLE)
            _tell_pis(options, found, data / PIS_FOLDER)
            if not options.silent:
                try:
                    trial.result()
                    say(_BELL)
                except (DeviceError, OSError) as error:
                    say(f"{_BELL_SILENT} ({error}).")
            say(f"Ctrl-C ends it. The evening stays, in {data}.")
            if not options.no_browser and not browse(pages.host_opened):
                say(f"This opens the host's page here, once without the PIN: {pages.host_opened}")

        hall = HallService(settings, SystemClock(), say, welcome)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: hall.inbox.put(Stop()))
        hall.run()
    return 0


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= HALL_MAX_TABLES:
        raise argparse.ArgumentTypeError(f"a number of tables is a whole number from 1 to {HALL_MAX_TABLES}")
    return int(text)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        found = numbers(text)
    except ValueError:
        found = ()
    if not found or not all(1 <= number <= HALL_MAX_TABLES for number in found):
        raise argparse.ArgumentTypeError(f"{text!r} names no tables from 1 to {HALL_MAX_TABLES}: 1,3-4 does")
    return found


def _default_data() -> Path:
    """The folder for a user's data."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "pi-bunco" / "hall"


@contextlib.contextmanager
def _alone(data: Path) -> Iterator[None]:
    """Makes the folder and locks it against other halls; `BuncoError` if it cannot be used."""
    with contextlib.ExitStack() as opened:
        try:
            data.mkdir(parents=True, exist_ok=True)
            opened.enter_context(locked(data / "hall.lock", os.O_RDWR | os.O_CREAT))
        except InUse as error:
            raise BuncoError(
                f"a hall runs already with the evenings in {data} (process {error.process}): use that one,"
                " or end it, or start another with its own --data DIR"
            ) from error
        except OSError as error:
            raise BuncoError(
                f"the evenings cannot be kept in {data} ({error.strerror}): name another folder, --data DIR"
            ) from error
        yield


def _place(listen: str | None) -> Endpoint:
    """Endpoint of the page; `BuncoError` says why there is none."""
    if listen:
        place = endpoint(listen)
        _check_free(place, "name another with --listen HOST:PORT")
        return place
    try:
        return free_place(EVERYWHERE)
    except ListenError as error:
        raise BuncoError(f"{error}; or say where with --listen HOST:PORT") from error


def _check_free(place: Endpoint, mend: str) -> None:
    """Raises `BuncoError` if the port stays taken; a killed hall's port is free within a moment."""
    end = time.monotonic() + STOP_S
    while True:
        try:
            bound(place).close()
            return
        except ListenError as error:
            cause = error.__cause__
            if time.monotonic() > end or getattr(cause, "errno", None) != errno.EADDRINUSE:
                why = os.strerror(cause.errno) if isinstance(cause, OSError) and cause.errno else cause
                where = f"port {place.port} of {place.host}"
                raise BuncoError(f"{where} cannot be used ({why}): {mend}") from error
            time.sleep(0.1)


# Tables.


def _phones(options: argparse.Namespace) -> tuple[int, ...]:
    """Tables that are phones; `ConfigError` for one that is named twice."""
    if both := sorted(set(options.phones or ()) & set(options.pis)):
        raise ConfigError(
            [f"table {number} is named with --phones and --pis; leave one of them out" for number in both]
        )
    tables = range(1, max(options.tables, *(options.phones or (1,))) + 1)
    return tuple(number for number in options.phones or tables if number not in options.pis)


def _pis(options: argparse.Namespace, folder: Path) -> "LaptopHall | None":
    """Cards of the Pis that are to come in; `BuncoError` says why there are none."""
    if not options.pis:
        return None
    try:
        from pi_bunco.provision.laptop import known_pis, laptop_hall
    except ModuleNotFoundError as error:
        raise BuncoError(
            f"--pis needs the Python package {error.name}, which makes the cards' certificates;"
            f" pip install {error.name} brings it"
        ) from error
    _check_free(
        Endpoint(EVERYWHERE, TLS_PORT), "that is where Pis come in; end what uses it, or leave --pis out"
    )
    head = options.head
    if not head and not known_pis(folder):
        number = local_addresses(Endpoint(EVERYWHERE, TLS_PORT))[0]
        head = f"{socket.gethostname().partition('.')[0]}.local,{number}"  # most find one of the two
    return laptop_hall(folder, options.pis, options.tables, head, SystemRandom())


# What is printed.


def _greet(pages: PageAddresses, unreachable: str) -> None:
    import segno

    say(f"ready: {pages.follow or pages.scoreboard.removesuffix('/')}")
    say("")
    say(f"  The host's page   {pages.host}")
    say(f"  The host's PIN    {pages.pin}")
    say(f"  Phones and TV     {pages.follow or unreachable}")
    say("")
    if pages.follow:
        with contextlib.suppress(UnicodeEncodeError):
            segno.make(pages.follow, error="m").terminal(compact=True)
    if pages.follow and find_spec("cryptography") is None:
        say("The host's page opens on this machine alone; pip install cryptography changes that.")
    elif pages.follow:
        say("Opened elsewhere, the host's page meets a warning once: this machine vouches for itself.")
        say("Go on by Advanced or Details there; what you type goes to this machine alone.")
    say("On the host's page, say who plays and draw the seats. Phones join with the codes under Health.")


def _tell_pis(options: argparse.Namespace, found: "LaptopHall | None", folder: Path) -> None:
    if found is not None:
        say(f"{_tables(options.pis)} with a Pi, which looks for this machine at {found.plan.address}.")
        if found.new:
            readme = folder / "README.txt"
            say(f"{_tables(found.new)}: the cards are made; {readme} says how they get into the Pis.")
        return
    with contextlib.suppress(ModuleNotFoundError):  # an installation that can make no cards knows of none
        from pi_bunco.provision.laptop import known_pis

        if waiting := ",".join(map(str, known_pis(folder))):
            say(f"There are cards for Pis, which stay outside: --pis {waiting} lets them in.")


def _tables(tables: tuple[int, ...]) -> str:
    *most, last = map(str, tables)
    return f"Tables {', '.join(most)} and {last}" if most else f"Table {last}"


def has_screen(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> bool:
    """True where a browser can open a window: not over SSH, nor on a Linux without a desktop.

    There a browser of the terminal would take the program's place.
    """
    if "SSH_CONNECTION" in environment:
        return False
    if platform in ("win32", "darwin"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def browse(address: str) -> bool:
    """Opens the page in the usual browser, without waiting for it; False without a screen for one."""
    if not has_screen():
        return False
    threading.Thread(target=webbrowser.open, args=(address,), name="browser", daemon=True).start()
    return True
