"""The options by which several commands choose and change a rule set."""

import argparse

from pi_bunco.rules.load import PRESETS

NAMES = f"{', '.join(PRESETS)}, or a file such as house.toml"
"""What may stand for a rule set."""


def add_changes(parser: argparse.ArgumentParser, dest: str) -> None:
    """`--set KEY=VALUE`, as often as wanted, for `rules.load.parse_settings`."""
    parser.add_argument(
        "--set",
        dest=dest,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change a dimension, for example end.points=21; may be repeated",
    )
