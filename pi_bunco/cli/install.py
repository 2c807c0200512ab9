"""`pi-bunco install`: makes this machine a table's Pi or the head's, or brings it to another version."""

import argparse
import contextlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from pi_bunco.config import meaning, option, settings
from pi_bunco.errors import BuncoError
from pi_bunco.ops.install.machine import Machine, permitted
from pi_bunco.ops.install.plan import Plan, plan
from pi_bunco.ops.install.sources import chosen
from pi_bunco.ops.install.wish import Said, wish

ENDS = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
"""A terminal that goes away, systemd, Ctrl-C."""
_HARDWARE = ("dice", "panel", "lights", "bell", "gpio", "encoding", "settle_ms", "display", "auto_confirm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which Pi this is, and from what."""
    parser.add_argument(
        "role", nargs="?", choices=("table", "head"), help="what this Pi is (default: what it is already)"
    )
    parser.add_argument(
        "--head", metavar="HOST[:PORT]", help="the address of the head's Pi, for a table (port 8883)"
    )
    parser.add_argument("--no-table", action="store_true", help="the head's Pi is no table's as well")
    for key in ("number", "hall", *_HARDWARE):
        shown = key.upper().rpartition("_")[2]
        parser.add_argument(
            option(key),
            dest=key,
            default=argparse.SUPPRESS,
            metavar=shown,
            help=f"put into the settings: {meaning(key)}",
        )
    parser.add_argument(
        "--handover",
        type=Path,
        metavar="FILE",
        help="what pi-bunco provision made for this Pi (default: the one on the boot partition, if any)",
    )
    parser.add_argument(
        "--from",
        dest="source",
        metavar="SOURCE",
        help="a bundle, a wheel, the project's folder or pi-bunco==VERSION (default: what runs now)",
    )
    add_machine(parser)


def add_machine(parser: argparse.ArgumentParser) -> None:
    """What all that change a machine can be told."""
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument(
        "--root",
        type=Path,
        default=Path("/"),
        metavar="DIR",
        help="of another system than this, as for an image",
    )


def run(options: argparse.Namespace) -> int:
    """Installs, or says what it would do; 1 if it failed and all is as before."""
    permitted("install")
    machine = Machine(options.root.absolute())
    wanted = wish(machine, _said(options))
    with chosen(machine, options.source) as found:
        todo = plan(machine, wanted, found)
        end = f"pi-bunco {found.version} is installed as {wanted.name}."
        return done("install", todo, end, options.dry_run)


def _said(options: argparse.Namespace) -> Said:
    given = {key: value for key, value in vars(options).items() if key in settings() and key != "number"}
    number = "0" if options.no_table else getattr(options, "number", None)
    return Said(options.role, number, options.head, options.handover, given)


def done(name: str, todo: Plan, end: str, dry: bool) -> int:
    """Carries the plan out, or shows it, in sentences; 1 if it failed."""
    sentences = todo.says()
    if dry:
        print("\n".join(f"Would: {sentence}" for sentence in sentences) or f"Nothing to do. {end}")
        return 0
    try:
        with _ended_once():
            todo.carry_out(_say)
    except (BuncoError, OSError) as error:
        print(f"pi-bunco {name}: {error}", file=sys.stderr)
        return 1
    _say("\n".join((end if sentences else f"Nothing to do. {end}", *todo.notes)))
    return 0


def _say(text: str) -> None:
    with contextlib.suppress(OSError):  # a terminal that has gone is no reason to stop half-way
        print(text, flush=True)


@contextlib.contextmanager
def _ended_once() -> Iterator[None]:
    """The first signal has everything put back, and no other one interrupts that."""

    def once(*_: object) -> None:
        for number in ENDS:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, once) for number in ENDS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
