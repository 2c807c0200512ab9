"""Backup of all services of this machine in one file, and restore; the journal as evening logs."""

import argparse
import sys
from pathlib import Path

from pi_bunco.cli.parser import argument, write_output
from pi_bunco.cli.replay import evening_lines, journal_of
from pi_bunco.cli.serve import add_settings, settled
from pi_bunco.config import DEFAULT, ConfigError
from pi_bunco.doctor.bundle import redacted_settings
from pi_bunco.doctor.stores import home
from pi_bunco.log import backup, journal
from pi_bunco.log.backup import Home
from pi_bunco.provision.places import Places
from pi_bunco.runtime.store import copy


def add_backup(parser: argparse.ArgumentParser) -> None:
    """Of what, and where to."""
    argument(parser, "file FILE", "the new file, such as night.tar.gz", type=Path)
    add_settings(parser, "data")


def run_backup(options: argparse.Namespace) -> int:
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


def add_restore(parser: argparse.ArgumentParser) -> None:
    """From what, and where to."""
    argument(parser, "file FILE", "a file that pi-bunco backup has made", type=Path)
    add_settings(parser, "data")


def run_restore(options: argparse.Namespace) -> int:
    """Restores where no service runs; `BackupError` or `ConfigError` says why nothing has been touched."""
    backup.restore(options.file, stores(options), print)
    return 0


def add_export(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco export`."""
    argument(parser, "journal JOURNAL", "the file journal.db of a head", nargs="?", type=Path)
    add_settings(parser, "data")
    what = parser.add_mutually_exclusive_group()
    argument(what, "--evening ID", "which evening (default the latest)")
    argument(what, "--list", "list the evenings")
    argument(what, "--backup FILE", "copy the journal, which may be in use", type=Path)
    argument(parser, "-o, --output FILE", "where to (default standard output)", type=Path)
    argument(parser, "--force", "write over a file that is there")


def run_export(options: argparse.Namespace) -> int:
    """Writes what is asked for; `StoreError` if the journal is missing or damaged, `ConfigError`."""
    if options.journal is None:
        path = journal_of(options)
    elif hasattr(options, "data"):
        raise ConfigError(["name the journal once: either its file or the folder of the head (--data)"])
    else:
        path = journal.journal_at(options.journal)
    if options.backup:
        copy(path, journal.SCHEMA, options.backup)
    else:
        listed = (f"{line}\n".encode() for line in evening_lines(path))
        text = b"".join(listed if options.list else journal.export(path, options.evening))
        _write(text, options.output, path, options.force)
    return 0


def _write(text: bytes, output: Path | None, path: Path, force: bool) -> None:
    if output is None:
        sys.stdout.buffer.write(text)
        sys.stdout.flush()
        return
    try:
        if output.exists():
            if output.samefile(path):
                raise ConfigError([f"-o {output} is the journal itself; name another file"])
            if not force:
                raise ConfigError([f"-o {output} exists already and is kept; --force writes over it"])
    except OSError as error:
        raise ConfigError([f"-o {output} cannot be written: {error.strerror}"]) from error
    write_output(output, text)
