"""Entries of a log for tests: unchained ones, and whole chains."""

from collections.abc import Iterable

from msgspec import Raw

from pi_bunco.game import codec, facts
from pi_bunco.log.chain import LogKey, chained
from pi_bunco.log.entry import Entry, Origin

KEY = LogKey(b"k" * 32)


def entry(evening: str, n: int, fact: facts.Fact, origin: Origin | None = None, mac: str = "0" * 32) -> Entry:
    """The entry of a fact, in no chain."""
    return Entry(evening, n, Raw(codec.encode(fact)), origin, mac)


def logged(n: int, evening: str, fact: facts.Fact, origin: Origin | None = None) -> Entry:
    """The entry of a fact, with a mac that tells the entries of an evening apart."""
    return entry(evening, n, fact, origin, f"{n:032x}")


def chain(evening: str, told: Iterable[tuple[facts.Fact, Origin | None]], key: LogKey = KEY) -> list[Entry]:
    """The entries of an evening as a head with the key writes them."""
    entries: list[Entry] = []
    for fact, origin in told:
        before = entries[-1].mac if entries else ""
        entries.append(chained(key, before, evening, len(entries) + 1, fact, origin))
    return entries
