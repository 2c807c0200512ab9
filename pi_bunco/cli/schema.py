"""`pi-bunco schema`: the formats in machine-readable form, made from the types that read them."""

import argparse

from pi_bunco.cli.parser import print_json
from pi_bunco.game import codec
from pi_bunco.wire import asyncapi

FORMATS = {
    "log": codec.schema,
    "wire": asyncapi.schema,
    "commands": asyncapi.command_schema,
    "asyncapi": asyncapi.asyncapi,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The format to print."""
    parser.add_argument(
        "what",
        choices=FORMATS,
        help="a line of the evening log, MQTT payloads by topic, host commands, or all of it as AsyncAPI 3.0",
    )


def run(options: argparse.Namespace) -> int:
    """Prints one JSON Schema, or the AsyncAPI document."""
    print_json(FORMATS[options.what]())
    return 0
