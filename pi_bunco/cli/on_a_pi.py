"""What root runs on a Pi: takes over a boot partition at each start, takes newer versions, signs accounts.

`authority` is for one question of the page by systemd; `update` for a timer.
"""

import argparse
import contextlib
import os
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec

from pi_bunco.cli.parser import ENDS, add_root, flag, on_signals, say, value
from pi_bunco.errors import BuncoError, ProvisionError
from pi_bunco.provision import adopt, settings, update
from pi_bunco.provision.authority import answered
from pi_bunco.provision.roles import TABLE
from pi_bunco.provision.steps import Step, carry_out
from pi_bunco.provision.system import System
from pi_bunco.provision.update import MAX_BYTES, Source
from pi_bunco.wire.address import BrokerAddress


def add_adopt(parser: argparse.ArgumentParser) -> None:
    """The file to take over, and the system."""
    value(
        parser,
        "file",
        "FILE",
        "made by pi-bunco provision for this Pi (default: pi-bunco.toml on the boot partition)",
        nargs="?",
        type=Path,
    )
    flag(parser, "--dry-run", "only say what would be done")
    add_root(parser)


def run_adopt(options: argparse.Namespace) -> int:
    """Takes the file over; `HandoverError` or `ConfigError` leaves it and says what is wrong, 1 a failure."""
    if os.geteuid() != 0:
        raise ProvisionError("only root may do that: sudo pi-bunco adopt ...")
    system = System(options.root.absolute())
    path = options.file or system.places.handover
    if not (system.places.units / TABLE).exists():
        raise ProvisionError(
            "the package pi-bunco is not installed here; sudo apt install ./pi-bunco_*_all.deb"
        )
    given = adopt.read(path)
    if given is None:
        end = f"{path} was taken over."
        steps = [*adopt.renewed(system), *update.offered(system)]
        return _done(steps, adopt.finished(system, path), end, options.dry_run)
    found = adopt.adoption(system, path, given)
    steps = [*found.stored, *update.offered(system), *found.running]
    return _done(steps, found.blanked, f"This is {given.device}.", options.dry_run)


def _done(steps: Sequence[Step], last: Sequence[Step], end: str, dry: bool) -> int:
    """Carries the steps out, or shows them, in sentences; 1 if one failed and all is as before."""
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
    """The first signal has everything put back, and no other one interrupts that."""
    for number in ENDS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


TIMEOUT_S = 20.0


def add_update(parser: argparse.ArgumentParser) -> None:
    """Where the head's page is, and the system."""
    value(parser, "--page", "HOST[:PORT]", "the head's page (default: where its broker is)")
    add_root(parser)


def run_update(options: argparse.Namespace) -> int:
    """Takes it, if there is one and no evening is open; `UpdateError` if it cannot be used."""
    if os.geteuid() != 0 and options.root == Path("/"):
        raise ProvisionError("only root may do that: sudo pi-bunco update")
    system = System(options.root.absolute())
    try:
        version = update.update(system, Source(partial(fetched, pages(system, options.page)), time.sleep))
    except OSError as error:
        say(f"The head hands nothing out now ({error}).")
        return 0
    say(f"This Pi has version {version} now." if version else "The head has nothing newer.")
    return 0


def pages(system: System, given: str | None) -> list[str]:
    """The places where the head's page may be."""
    broker = settings.read(system.places.settings).get("broker", {})
    places = BrokerAddress.parse(str(broker.get("address", "localhost"))).places()
    return [given] if given else [place.host for place in places if not place.unix]


def fetched(places: list[str], name: str) -> bytes:
    """What the first page that answers hands out under that name; `OSError` if none does."""
    import urllib.error
    import urllib.request  # takes its time, which a start and the authority do not have

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


REQUEST_MAX_BYTES = 1024


def add_authority(parser: argparse.ArgumentParser) -> None:
    """The system."""
    add_root(parser)


def run_authority(options: argparse.Namespace) -> int:
    """Reads one line of JSON and writes one (`enrol.protocol`)."""
    line = sys.stdin.buffer.readline(REQUEST_MAX_BYTES)
    sys.stdout.buffer.write(msgspec.json.encode(answered(System(options.root.absolute()), line)) + b"\n")
    return 0
