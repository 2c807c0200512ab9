"""`pi-bunco authority`: gives a Pi that joins its account; systemd runs it for one question of the page."""

import argparse
import sys
from pathlib import Path

import msgspec

from pi_bunco.provision.authority import answered
from pi_bunco.provision.system import System

MOST_BYTES = 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The system."""
    parser.add_argument(
        "--root",
        type=Path,
        default=Path("/"),
        metavar="DIR",
        help="of another system than this, as for an image",
    )


def run(options: argparse.Namespace) -> int:
    """Reads one line of JSON and writes one (`enrol/signing.py`)."""
    line = sys.stdin.buffer.readline(MOST_BYTES)
    sys.stdout.buffer.write(msgspec.json.encode(answered(System(options.root.absolute()), line)) + b"\n")
    return 0
