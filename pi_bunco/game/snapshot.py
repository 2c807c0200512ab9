"""A table's state as plain values, small enough for a message, and the table made from them again."""

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.game.contest import Awaited
from pi_bunco.game.table import Table, Undone
from pi_bunco.game.table_score import NOTHING, TableSum
from pi_bunco.reason import Coded, Reason

_AS_THEY_ARE = ("bell_t", "latest", "ignored", "rang", "paper_stands")
MIN_ENTRIES = 60
"""The newest entries, at least, travel one by one, so that they can be taken back; older ones as a sum."""


class TableSnapshot(Struct, frozen=True):
    """All values from which a `Table` is made again.

    `undone` are the time and place of rolls that were taken back, and `entries` the code, time and detail of
    each, one after the other.
    """

    bell_t: int | None
    before_bell: int
    latest: int
    undone: tuple[tuple[int, int], ...]
    ignored: int
    base: TableSum | None
    entries: tuple[int, ...]
    rang: int = 0
    paper_stands: bool = False


class TableView(Struct, frozen=True, omit_defaults=True):
    """State of a table that it receives beside seats and phase.

    `by_hand`: rolls may be entered by hand; `closed`: the evening is; `refused`: why the bell button did
    nothing a moment ago, a sentence a line, `reasons` the same with code and fields; `table`: its round,
    absent while none is running; `awaited`: the throw that the game waits for here between rounds.
    """

    by_hand: bool = False
    closed: bool = False
    refused: str = ""
    table: TableSnapshot | None = None
    awaited: Awaited | None = None
    reasons: tuple[Coded, ...] = ()


def snapshot(table: Table) -> TableSnapshot:
    """The values that make the same table again, but for undoing what is long past."""
    cut = max(len(table.entries) // MIN_ENTRIES - 1, 0) * MIN_ENTRIES
    base = None
    if cut or table.base is not NOTHING:
        early = table.blank_copy()
        early.fold(table.entries[:cut])
        base = early.summed
    rolls_cut = sum(entry[0] >= 0 for entry in table.entries[:cut])
    return TableSnapshot(
        **{name: getattr(table, name) for name in _AS_THEY_ARE},
        before_bell=max(table.before_bell - rolls_cut, 0),
        undone=tuple(table.undone),
        base=base,
        entries=tuple(number for entry in table.entries[cut:] for number in entry),
    )


def restored(kept: TableSnapshot, table: Table) -> Table:
    """The table that `snapshot` was taken of, from the same `table` where nothing has happened yet."""
    table.begin_with(kept.base or NOTHING)
    numbers = iter(kept.entries)
    for entry in zip(numbers, numbers, numbers, strict=True):
        table.add(entry)
    undone = [Undone(t, place) for t, place in kept.undone]
    table.resume(undone, {name: getattr(kept, name) for name in (*_AS_THEY_ARE, "before_bell")})
    return table


def predicted_step(table: Table, fact: facts.Fact) -> Reason | None:
    """Applies a fact of `table` there before the head has it: why it does not count, or None."""
    match fact:
        case facts.Roll():
            return table.roll(fact, 0)
        case facts.Undo():
            return table.undo()
        case facts.Confirm():
            if table.uncalled is None:
                return table.confirm(fact.t)
            table.call_out()
            return None
        case facts.Faceoff():
            return table.faceoff(fact.dice, fact.t)
        case _:
            return None
