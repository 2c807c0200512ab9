"""`pi-bunco host evenings`: the evenings in the journal of this machine."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pi_bunco.cli.serve import add_settings, settled
from pi_bunco.log import journal
from pi_bunco.log.journal import OPENED, SCHEMA
from pi_bunco.runtime.clock import date
from pi_bunco.runtime.writer import load_kept


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the journal is."""
    add_settings(parser, "data")


def run(options: argparse.Namespace, _wait: float) -> int:
    """Prints a line for each; `StoreError` if there is no journal or a damaged one."""
    for line in lines(path_of(options)):
        print(line)
    return 0


def path_of(options: argparse.Namespace) -> Path:
    """The journal of the head's data; `StoreError` if there is none, `ConfigError` if `--data` is missing."""
    return journal.journal_at(Path(settled(options, "data").data or "") / "journal.db")


def lines(path: Path) -> Iterator[str]:
    """Each evening, the oldest first: id, when it was opened, rule set, facts, players."""
    opened = load_kept(path, SCHEMA)
    for evening in journal.evenings(path):
        first: dict[str, Any] = msgspec.json.decode(next(journal.export(path, evening.id)))
        at = opened.get(f"{OPENED} {evening.id}")
        when = date(at) if isinstance(at, int | float) else "date unknown"
        players = first.get("players", ())
        yield (
            f"{evening.id}  {when}  {first.get('name') or first.get('rules', '?')}  {evening.length} facts"
            f"  {len(players)} players: {', '.join(players)}"
        )
