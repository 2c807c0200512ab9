"""`pi-bunco schema`: the formats in machine-readable form, made from the types that read them."""

import argparse

from pi_bunco.cli.output import print_json
from pi_bunco.game import facts
from pi_bunco.wire import gate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which format."""
    parser.add_argument(
        "what", choices=("log", "wire"), help="a line of the evening log, or MQTT payloads by topic"
    )


def run(options: argparse.Namespace) -> int:
    """Prints one JSON Schema."""
    print_json(facts.schema() if options.what == "log" else gate.schema())
    return 0
