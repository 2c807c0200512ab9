"""`pi-bunco adopt`: takes over what a host dropped on the boot partition; runs at each start of a Pi."""

import argparse
import contextlib
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from pi_bunco.cli.parser import ENDS, add_root, flag, need_root, on_signals, value
from pi_bunco.errors import BuncoError, ProvisionError
from pi_bunco.provision import adopt, update
from pi_bunco.provision.roles import TABLE
from pi_bunco.provision.steps import Step, carry_out
from pi_bunco.provision.system import System


def add_arguments(parser: argparse.ArgumentParser) -> None:
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


def run(options: argparse.Namespace) -> int:
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
    return _done([*update.offered(system), *steps], last, end, options.dry_run)


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
