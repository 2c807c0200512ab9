"""What can be made of entries of a journal that come from elsewhere."""

from collections.abc import Iterable

from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.head.ledger import Ledger
from pi_bunco.journal.journal import Entry, JournalError, follow


def playable(entries: Iterable[Entry]) -> tuple[list[Entry], Ledger]:
    """The entries up to the first that no journal can have, and the state of the evening after them."""
    ledger, taken = Ledger(0.0), list[Entry]()
    lengths: dict[str, int] = {}
    upto: dict[tuple[int, str], int] = {}
    for entry in entries:
        if not taken and not (isinstance(entry.fact, facts.EveningOpen) and entry.fact.id == entry.evening):
            break
        try:
            follow(entry, lengths, upto)
            ledger.remember((entry,))
        except (FactError, JournalError):
            break
        taken.append(entry)
    return taken, ledger


def signals(ledger: Ledger) -> list[str]:
    """The ids of the running round's signals that have sounded, or must not do so any more."""
    round_ = ledger.evening.round
    if round_ is None:
        return []
    return [ledger.signal("start").id, *([ledger.signal("end").id] if round_.bell else [])]
