"""`pi-bunco backup`: all that the services of this machine know, in one file."""

import argparse
from pathlib import Path

from pi_bunco.cli.serve import add_settings, settled
from pi_bunco.config import DEFAULT, ConfigError
from pi_bunco.doctor.bundle import redacted_settings
from pi_bunco.doctor.stores import home
from pi_bunco.log import backup
from pi_bunco.log.backup import Home
from pi_bunco.provision.places import Places


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Of what, and where to."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the new file, such as night.tar.gz")
    add_settings(parser, "data")


def run(options: argparse.Namespace) -> int:
    """Backs up, while services may run; `BackupError`, `StoreError` or `ConfigError` says why it cannot."""
    file = getattr(options, "config", DEFAULT)
    text = redacted_settings(file.read_text("utf-8", "replace")) if file.exists() else None
    made = backup.save(stores(options), text, options.file)
    for item in made.stores:
        print(f"{item.member}: {item.facts} facts")
    print(f"{options.file} is written and was read back: it is whole. It has no passwords in it.")
    if made.log_key is not None:
        print("It has the log key: who has that can write an evening, so keep the file to yourself.")
    return 0


def stores(options: argparse.Namespace) -> Home:
    """The stores: in --data, on an installed Pi, or where the settings say."""
    given = getattr(options, "data", None)
    found = home(given, None if given else settled(options).data, Places().state)
    if found is None:
        raise ConfigError(["--data is missing: the folder where a service keeps what it knows"])
    return found
