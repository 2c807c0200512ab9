"""`pi-bunco uninstall`: takes off this machine what `pi-bunco install` put there."""

import argparse

from pi_bunco.cli.install import add_machine, done
from pi_bunco.ops.install.machine import Machine, permitted
from pi_bunco.ops.install.removal import removal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How much goes."""
    parser.add_argument(
        "--purge", action="store_true", help="remove the evenings, the settings and the secrets as well"
    )
    add_machine(parser)


def run(options: argparse.Namespace) -> int:
    """Removes, or says what it would remove; 1 if it failed and all is as before."""
    permitted("uninstall")
    todo = removal(Machine(options.root.absolute()), options.purge)
    return done("uninstall", todo, "pi-bunco is not installed here.", options.dry_run)
