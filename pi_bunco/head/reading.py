"""What comes of one replica of the log, and what it has that the head's has not. Pure.

A replica hands back what the head wrote. Only entries that continue the chain under the hall's key are taken,
so nobody has to be believed (PROTOCOL.md section 2, The chain).
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct, field

from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.log.chain import LogKey, Rank, continues, rank
from pi_bunco.log.entry import Entry
from pi_bunco.wire import topics
from pi_bunco.wire.messages import LogRequest

MOST_FOREIGN = 20_000
"""Entries of a chain that nobody can verify, at most."""


class Request(Struct, frozen=True):
    """Ask the node for its log."""

    node: str
    request: LogRequest


class Ending(Struct, frozen=True):
    """What a replica has and the log has not: `entries` that stand from its entry `start` on, in order.

    Of the hall's own making, behind the log or another evening: a "better" end, or a "shorter" one of tables'
    facts alone, some of which may lack here. Only the host can choose one that differs in facts of a head
    (a "fork"), or that is of another "key".
    """

    node: str
    start: int
    entries: tuple[Entry, ...]
    kind: Literal["better", "shorter", "fork", "key"]

    @property
    def offered(self) -> bool:
        """Whether the host is asked."""
        return self.kind in ("fork", "key")

    def sentence(self) -> str:
        """What the host is asked."""
        who = place(self.node)
        if self.kind == "key":
            return (
                f"{who} has an evening of {len(self.entries)} entries that another head's key made: choose it"
                f" with branch {number(self.node)}, or start the next round to go on without it."
            )
        return (
            f"{who} has another end of this evening from entry {self.start} on, with {len(self.entries)}"
            f" entries: choose it with branch {number(self.node)}, or start the next round to keep this one."
        )


Result = Request | Ending


class Reading(Struct):
    """The entries of `evening` from `start` on that the replica of `node` has sent so far and that verify."""

    node: str
    evening: str
    start: int
    asked_at: float
    entries: list[Entry] = field(default_factory=list)
    foreign: bool = False
    """Whether its entries are of another key, so that nobody can verify them."""
    done: bool = False
    silent: bool = False
    """Whether nobody waits for it any more; what it sends is taken all the same."""

    def request(self) -> Request:
        """What is to be asked next."""
        return Request(self.node, LogRequest(self.evening, self.start + len(self.entries)))

    def add(self, key: LogKey, log: Sequence[Entry], entry: Entry) -> bool:
        """Whether the entry is the next one, and this hall's head wrote it behind the one before."""
        n = self.start + len(self.entries)
        if entry.n != n or entry.evening != self.evening:
            return False
        before = self.entries[-1] if self.entries else log[n - 2] if n > 1 else None
        try:
            fact = entry.decoded()
        except FactError:
            return False
        verified = continues(key, before.mac if before else "", entry)
        if not verified and n == 1:
            self.foreign = isinstance(fact, facts.EveningOpen) and _of_another_key(fact, entry, key)
        if not verified and not (self.foreign and n <= MOST_FOREIGN):
            return False
        self.entries.append(entry)
        return True

    def outcome(self, log: Sequence[Entry]) -> Ending | None:
        """What the replica has that `log` has not."""
        entries = self.entries
        if not entries:
            return None
        if not log or self.foreign or entries[0].evening != log[0].evening:
            better = not log or ranked(entries) > ranked(log)
            return (
                Ending(self.node, 1, tuple(entries), "key" if self.foreign else "better") if better else None
            )
        start = next((one.n for one in entries if not has(log, one.evening, one.n, one.mac)), None)
        return None if start is None else self._fork(log, start)

    def _fork(self, log: Sequence[Entry], start: int) -> Ending:
        """The log and this one differ from entry `start` on, or the log ends there."""
        theirs = tuple(one for one in self.entries if one.n >= start)
        ours = log[start - 1 :]
        better = not ours or ranked([*log[: start - 1], *theirs]) > ranked(log)
        kind: Literal["better", "shorter"] = "better" if better else "shorter"
        return Ending(self.node, start, theirs, "fork" if _of_the_head(ours if better else theirs) else kind)


def place(node: str) -> str:
    """A replica's node in a sentence."""
    table = topics.table_number(node)
    return "The page" if table is None else f"Table {table}"


def number(node: str) -> int:
    """What `branch` calls a replica: the number of its table, 0 for the page."""
    return topics.table_number(node) or 0


def has(log: Sequence[Entry], evening: str, n: int, mac: str) -> bool:
    """Whether entry `n` of the log is the one with this mac."""
    return 0 < n <= len(log) and log[n - 1].evening == evening and log[n - 1].mac == mac


def ranked(entries: Iterable[Entry]) -> Rank:
    """The rank of a chain."""
    return rank(entry.decoded() for entry in entries)


def _of_the_head(entries: Iterable[Entry]) -> bool:
    """Whether facts of a head are among the entries; its bells follow from tables' facts."""
    return any(one.origin is None and not isinstance(one.decoded(), facts.BellRang) for one in entries)


def _of_another_key(opening: facts.EveningOpen, entry: Entry, key: LogKey) -> bool:
    return opening.id == entry.evening and opening.key != key.id
