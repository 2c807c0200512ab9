"""`pi-bunco adopt`: takes over what a host dropped on the boot partition; runs at each start of a Pi."""

import argparse
from pathlib import Path

from pi_bunco.cli.install import add_machine, done
from pi_bunco.ops.install import adopt
from pi_bunco.ops.install.machine import Machine, permitted
from pi_bunco.ops.install.plan import Plan
from pi_bunco.ops.install.steps import InstallError
from pi_bunco.ops.install.units import TABLE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which file."""
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="made by pi-bunco provision for this Pi (default: pi-bunco.toml on the boot partition)",
    )
    add_machine(parser)


def run(options: argparse.Namespace) -> int:
    """Takes the file over; `HandoverError` or `ConfigError` leaves it and says what is wrong, 1 a failure."""
    permitted("adopt")
    machine = Machine(options.root.absolute())
    path = options.file or machine.places.handover
    if not (machine.places.units / TABLE).exists():
        raise InstallError("pi-bunco is not installed here yet: sudo pi-bunco install")
    given = adopt.read(path)
    if given is None:
        return done("adopt", Plan([], adopt.finished(path)), f"{path} was taken over.", options.dry_run)
    found = adopt.adoption(machine, path, given)
    todo = Plan([*found.stored, *found.enabled, *found.running], found.blanked)
    return done("adopt", todo, f"This is {adopt.named(given)}.", options.dry_run)
