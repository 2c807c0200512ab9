"""A table's state as plain values, small enough for a message, and the table made from them again."""

from typing import Any

from pi_bunco.game.table import Table
from pi_bunco.rules import RuleSet

TAIL = 60
"""So many of the newest entries travel one by one, so that they can be taken back; older ones as a sum."""

_SUMS = (
    "phase",
    "seat",
    "rolls",
    "last_taken",
    "points",
    "own",
    "buncos",
    "minis",
    "last_bunco",
    "rolloffs",
    "winner",
    "tallied",
)
_REST = ("bell_t", "before_bell", "latest", "undone", "ignored")


def snapshot(table: Table) -> dict[str, Any]:
    """What `restored` makes the same table from, but for undoing what is long past."""
    cut = max(len(table.entries) // TAIL - 1, 0) * TAIL
    plain = {name: getattr(table, name) for name in _REST}
    rolls_cut = sum(entry[0] >= 0 for entry in table.entries[:cut])
    return plain | {
        "undone": list(table.undone),
        "before_bell": max(table.before_bell - rolls_cut, 0),
        "sum": _sum(table, cut),
        "entries": [number for entry in table.entries[cut:] for number in entry],
    }


def _sum(table: Table, cut: int) -> dict[str, Any] | None:
    if not cut and not table.base:
        return None
    early = table.twin()
    for entry in table.entries[:cut]:
        early.add(entry)
    return {name: getattr(early, name) for name in _SUMS}


def restored(
    plain: dict[str, Any],
    number: int,
    seats: tuple[str, ...],
    ghosts: tuple[bool, ...],
    rules: RuleSet,
    target: int,
) -> Table:
    """The table that `snapshot` was taken of."""
    table = Table(number, seats, ghosts, rules, target, plain["sum"])
    numbers = iter(plain["entries"])
    for entry in zip(numbers, numbers, numbers, strict=True):
        table.add(entry)
    for name in _REST:
        setattr(table, name, plain[name])
    return table
