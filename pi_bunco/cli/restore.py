"""`pi-bunco restore`: what a backup holds, back in its place."""

import argparse
from pathlib import Path

from pi_bunco.cli.backup import stores
from pi_bunco.cli.serve import add_settings
from pi_bunco.log import backup


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """From what, and where to."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a file that pi-bunco backup has made")
    add_settings(parser, "data")


def run(options: argparse.Namespace) -> int:
    """Restores where no service runs; `BackupError` or `ConfigError` says why nothing has been touched."""
    backup.restore(options.file, stores(options), print)
    return 0
