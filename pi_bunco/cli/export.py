"""`pi-bunco export`: an evening of the journal as an evening log, or a copy of the whole journal."""

import argparse
import sys
from pathlib import Path

from pi_bunco.cli.parser import write_output
from pi_bunco.cli.replay import evening_lines, journal_of
from pi_bunco.cli.serve import add_settings
from pi_bunco.config import ConfigError
from pi_bunco.log import journal
from pi_bunco.runtime.store import copy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco export`."""
    parser.add_argument(
        "journal", nargs="?", type=Path, metavar="JOURNAL", help="the file journal.db of a head"
    )
    add_settings(parser, "data")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--evening", metavar="ID", help="which evening (default the latest)")
    what.add_argument("--list", action="store_true", help="list the evenings")
    what.add_argument("--backup", type=Path, metavar="FILE", help="copy the journal, which may be in use")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where to (default standard output)"
    )
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


def run(options: argparse.Namespace) -> int:
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
