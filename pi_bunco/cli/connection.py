"""Where the host's commands find the head, and as whom they ask."""

import argparse
import os

from pi_bunco.cli.ask import HeadPlace
from pi_bunco.cli.serve import BROKER, add_settings, settled
from pi_bunco.config import ConfigError
from pi_bunco.wire.topics import HOST_CLI

WAIT = 5.0
"""Seconds that the head has for its answer."""


def add_connection(parser: argparse.ArgumentParser) -> None:
    """Where the broker is, as whom to go there, and how long to wait."""
    group = parser.add_argument_group("connection")
    add_settings(group, *BROKER)
    group.add_argument(
        "--wait",
        type=float,
        default=argparse.SUPPRESS,
        metavar="SECONDS",
        help=f"for an answer (default {WAIT:g})",
    )


def place(options: argparse.Namespace) -> HeadPlace:
    """Where the head is, and as whom it is asked; `ConfigError`."""
    about = {key: value for key, value in vars(options).items() if key in (*BROKER, "config")}
    config = settled(argparse.Namespace(**about), "broker.address")  # `dice` is what a host's players rolled
    node = config.broker.user or HOST_CLI
    address = config.address(node)
    if config.broker.secrets and address.password is None and os.geteuid() != 0:
        raise ConfigError([f"the host's password in {config.broker.secrets} is for root alone: use sudo"])
    return HeadPlace(address, config.hall, node)
