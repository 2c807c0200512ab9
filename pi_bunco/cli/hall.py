"""`pi-bunco hall`: a Bunco night on this machine, with phones as tables."""

import argparse
import contextlib
import os
import signal
import sys
from pathlib import Path

from pi_bunco.hall.hall import Hall, HallError, HallSettings, Welcome
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.runtime.files import InUse, locked
from pi_bunco.runtime.loop import Stop
from pi_bunco.web.server import Endpoint, ListenError, endpoint, free_place

EVERYWHERE = "0.0.0.0"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco hall`."""
    parser.add_argument(
        "--tables",
        type=_tables,
        default=12,
        metavar="N",
        help="at most so many tables are phones (default 12)",
    )
    parser.add_argument(
        "--listen", metavar="HOST:PORT", help="where the page is served (default: every address, port 8080)"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=None,
        metavar="DIR",
        help="where evenings are kept (default: your own data)",
    )
    parser.add_argument(
        "--broker",
        choices=("mosquitto", "nats"),
        help="which broker carries the messages (default: what is there)",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the host's page")


def run(options: argparse.Namespace) -> int:
    """Works until Ctrl-C or SIGTERM; `HallError` says why it cannot."""
    place = _place(options.listen)
    data = (options.data or _default_data()).absolute()
    data.mkdir(parents=True, exist_ok=True)
    settings = HallSettings(data, place, options.tables, options.broker)
    with contextlib.ExitStack() as opened:
        try:
            opened.enter_context(locked(data / "hall.lock", os.O_RDWR | os.O_CREAT))
        except InUse as error:
            raise HallError(
                f"A hall runs already with the evenings in {data}: process {error.process}"
            ) from error

        def welcome(greeting: Welcome) -> None:
            _greet(greeting)
            if not options.no_browser:
                _browse(greeting.host_page)

        hall = Hall(settings, SystemClock(), _say, welcome)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: hall.inbox.put(Stop()))
        hall.run()
    return 0


def _place(listen: str | None) -> Endpoint:
    """Where the page is to be served; `HallError` or `ListenError` says why it cannot."""
    if listen:
        return endpoint(listen)
    try:
        return free_place(EVERYWHERE)
    except ListenError as error:
        raise HallError(f"{error}; or say where with --listen HOST:PORT") from error


def _tables(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 300:
        raise argparse.ArgumentTypeError("a number of tables is a whole number from 1 to 300")
    return int(text)


def _default_data() -> Path:
    """Where programs keep what is a user's own."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "pi-bunco" / "hall"


def _greet(greeting: Welcome) -> None:
    import segno

    _say(f"ready: {greeting.follow}")
    _say("")
    _say(f"  The host's page   {greeting.host_page.partition('?')[0].removesuffix('/login')}")
    _say(f"  The host's PIN    {greeting.pin}")
    _say(f"  Phones and TV     {greeting.follow}")
    _say(f"  Tables with a Pi  pi-bunco table --number N --broker {greeting.broker} ...")
    _say("")
    with contextlib.suppress(UnicodeEncodeError):
        segno.make(greeting.follow, error="m").terminal(compact=True)
    _say("Ctrl-C ends it. The evening stays.")


def _browse(address: str) -> None:
    import webbrowser

    if not webbrowser.open(address):
        _say(f"Open {address} in a browser on this machine.")


def _say(text: str) -> None:
    print(text, flush=True)
