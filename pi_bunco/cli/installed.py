"""A Pi and its own installation, by commands that systemd runs.

`adopt` takes over what a host dropped on the boot partition, `authority` gives a Pi that joins its account,
for one question of the page, and `update` has a table's Pi take the version that its head hands out.
"""

import argparse
import contextlib
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec

from pi_bunco.cli.parser import ENDS, add_root, argument, need_root, on_signals, say
from pi_bunco.errors import BuncoError, ProvisionError
from pi_bunco.provision import adopt
from pi_bunco.provision.authority import answered
from pi_bunco.provision.system import TABLE, Step, System, carry_out
from pi_bunco.provision.update import MAX_BYTES, offered, update
from pi_bunco.wire.address import BrokerAddress

REQUEST_MAX_BYTES = 1024
TIMEOUT_S = 20.0


def add_adopt(parser: argparse.ArgumentParser) -> None:
    """The file to take over, and the system."""
    text = "made by pi-bunco provision for this Pi (default: pi-bunco.toml on the boot partition)"
    argument(parser, "file FILE", text, nargs="?", type=Path)
    argument(parser, "--dry-run", "only say what would be done")
    add_root(parser)


def run_adopt(options: argparse.Namespace) -> int:
    """Takes the file over; `HandoverError` or `ConfigError` leaves it and says what is wrong, 1 a failure."""
    need_root("adopt ...")
    system = System(options.root.absolute())
    path = options.file or system.places.handover
    if not (system.places.units / TABLE).exists():
        raise ProvisionError(
            "the package pi-bunco is not installed here; sudo apt install ./pi-bunco_*_all.deb"
        )
    given = adopt.read(path)
    if given is None:
        steps, last = adopt.renewed(system), adopt.finished(system, path)
        end = f"{path} was taken over."
    else:
        steps, last = adopt.adoption(system, path, given)
        end = f"This is {given.device}."
    return _done([*offered(system), *steps], last, end, options.dry_run)


def _done(steps: Sequence[Step], last: Sequence[Step], end: str, dry: bool) -> int:
    """Carries the steps out, or shows them, in sentences; returns 1 if one failed and all is as before."""
    sentences = [step.says for step in (*steps, *last)]
    if dry:
        print("\n".join(f"Would: {sentence}" for sentence in sentences) or f"Nothing to do. {end}")
        return 0
    try:
        with on_signals(_end_once, *ENDS):
            carry_out(steps, _say)
        for step in last:  # nothing is undone any more
            _say(step.says)
            step.apply()
    except (BuncoError, OSError) as error:
        print(f"pi-bunco adopt: {error}", file=sys.stderr)
        return 1
    _say(end if sentences else f"Nothing to do. {end}")
    return 0


def _say(text: str) -> None:
    with contextlib.suppress(OSError):  # a terminal that has gone is no reason to stop half-way
        print(text, flush=True)


def _end_once(*_: object) -> None:
    """Has the first signal put everything back, which no other signal interrupts."""
    for number in ENDS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def add_authority(parser: argparse.ArgumentParser) -> None:
    """The system."""
    add_root(parser)


def run_authority(options: argparse.Namespace) -> int:
    """Reads one line of JSON and writes one (`enrol/protocol.py`)."""
    line = sys.stdin.buffer.readline(REQUEST_MAX_BYTES)
    sys.stdout.buffer.write(msgspec.json.encode(answered(System(options.root.absolute()), line)) + b"\n")
    return 0


def add_update(parser: argparse.ArgumentParser) -> None:
    """Options: the address of the head's page, and the system."""
    argument(parser, "--page HOST[:PORT]", "the head's page (default: where its broker is)")
    add_root(parser)


def run_update(options: argparse.Namespace) -> int:
    """Takes it, if there is one and no evening is open; `BuncoError` if it cannot be used."""
    need_root("update", options.root)
    system = System(options.root.absolute())
    try:
        version = update(system, partial(fetched, pages(system, options.page)), time.sleep)
    except OSError as error:
        say(f"The head hands nothing out now ({error}).")
        return 0
    say(f"This Pi has version {version} now." if version else "The head has nothing newer.")
    return 0


def pages(system: System, given: str | None) -> list[str]:
    """The places where the head's page may be."""
    broker = adopt.read_settings(system.places.settings).get("broker", {})
    places = BrokerAddress.parse(str(broker.get("address", "localhost"))).places()
    return [given] if given else [place.host for place in places if not place.unix]


def fetched(places: list[str], name: str) -> bytes:
    """The file `name` from the first page that answers; `OSError` if none does."""
    import urllib.error  # slow to load, and `adopt` runs at each start
    import urllib.request

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    why: OSError = FileNotFoundError("no head is known")
    for place in places:
        try:
            with opener.open(f"http://{place}/package/{name}", timeout=TIMEOUT_S) as answer:
                return bytes(answer.read(MAX_BYTES))
        except urllib.error.HTTPError:
            raise
        except OSError as error:
            why = error
    raise why
