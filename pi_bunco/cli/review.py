"""`pi-bunco host review`: what tables sent that does not count, from the journal of this machine."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pi_bunco.cli import host_evenings
from pi_bunco.game import facts
from pi_bunco.game.replay import read, replay
from pi_bunco.log import journal

MOST = 200
"""So many of each are shown, the newest."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the journal is, and which evening."""
    host_evenings.add_arguments(parser)
    parser.add_argument("--evening", metavar="ID", help="which evening (default the latest)")


def run(options: argparse.Namespace, _wait: float) -> int:
    """Prints it; `StoreError` if there is no journal, no such evening, or damage."""
    path = host_evenings.path_of(options)
    found = [*ignored(path, options.evening), *set_aside(path)]
    print("\n".join(found) or "Nothing was left out: every fact of the evening counts.")
    return 0


def ignored(path: Path, evening: str | None) -> Iterator[str]:
    """The facts of the evening that changed nothing, each with the reason."""
    log = list(journal.export(path, evening))
    reasons = dict(replay(log, str(path)).ignored)
    found = [(n, fact) for n, fact in read(log, str(path)) if n in reasons]
    for n, fact in found[-MOST:]:
        table = getattr(fact, "table", None)
        yield f"No. {n}{f', table {table}' if table else ''}, {named(fact)} does not count: {reasons[n]}."


def set_aside(path: Path) -> Iterator[str]:
    """The facts that were kept apart: of another evening, or out of the format."""
    for aside in journal.asides(path)[-MOST:]:
        table, what = aside.origin.table, _plain(aside.fact)
        yield f"Table {table} sent {what} for evening {aside.evening}; it is kept apart and does not count."


def named(fact: facts.Fact) -> str:
    """ "roll 1-4-6"."""
    return _plain({"kind": type(fact).__struct_config__.tag, **_dice(fact)})


def _dice(fact: facts.Fact) -> dict[str, Any]:
    return {"dice": fact.dice, "call": fact.call} if isinstance(fact, facts.Roll) else {}


def _plain(fact: dict[str, Any]) -> str:
    kind, dice, call = str(fact.get("kind", "?"))[:20], fact.get("dice"), fact.get("call")
    if isinstance(dice, list | tuple):
        return f"{kind} {'-'.join(str(die)[:3] for die in dice[:3])}"
    return f"{kind} {str(call)[:10]}" if call else kind
