"""`pi-bunco authority`: gives a Pi that joins its account; systemd runs it for one question of the page."""

import argparse
import sys

import msgspec

from pi_bunco.cli.parser import add_root
from pi_bunco.provision.authority import answered
from pi_bunco.provision.system import System

REQUEST_MAX_BYTES = 1024


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The system."""
    add_root(parser)


def run(options: argparse.Namespace) -> int:
    """Reads one line of JSON and writes one (`enrol/protocol.py`)."""
    line = sys.stdin.buffer.readline(REQUEST_MAX_BYTES)
    sys.stdout.buffer.write(msgspec.json.encode(answered(System(options.root.absolute()), line)) + b"\n")
    return 0
