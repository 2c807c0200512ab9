"""An entry of the journal on its way between the head and the tables that keep a copy, and back."""

import msgspec

from pi_bunco.game import facts
from pi_bunco.journal.journal import Entry, Origin
from pi_bunco.wire import messages

KEEPERS = 5
"""So many tables, from the first on, keep a copy of the head's journal."""


def copy_of(entry: Entry) -> messages.LogCopy:
    """The entry as it goes over the wire; what is absent is left out."""
    plain = {key: value for key, value in msgspec.to_builtins(entry.fact).items() if value is not None}
    origin = messages.Origin(*msgspec.structs.astuple(entry.origin)) if entry.origin else None
    return messages.LogCopy(entry.evening, entry.n, plain, origin)


def entry_of(copy: messages.LogCopy) -> Entry:
    """The entry that came over the wire; `FactError` if its fact is none."""
    origin = Origin(*msgspec.structs.astuple(copy.origin)) if copy.origin else None
    return Entry(copy.n, copy.evening, facts.convert(copy.fact), origin)
