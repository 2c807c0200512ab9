"""The tables' copies of a lost journal: which evening is the latest, which copy to read, which to believe."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from pi_bunco.journal.copies import checksum
from pi_bunco.journal.journal import Entry
from pi_bunco.wire.messages import HeardBell, HeldEvening

OWN = 0
"""In the place of a table's number: what the journal has itself."""


class Copy(Struct, eq=False):
    """What a table says to hold of an evening, and what of that has come so far, from the first entry on.

    `sums` has the checksum of so many entries, that of none first; `silences` counts times without an answer.
    """

    table: int
    evening: str
    length: int
    sum: int
    there: bool = True
    entries: list[Entry] = []
    sums: list[int] = field(default_factory=lambda: [0])
    silences: int = 0

    @property
    def whole(self) -> bool:
        """Whether all of it has come."""
        return len(self.entries) >= self.length

    @property
    def reach(self) -> int:
        """How much of it can be had: what has come where the table has gone away."""
        return self.length if self.there else len(self.entries)

    def add(self, entry: Entry) -> None:
        """The next entry has come."""
        self.entries.append(entry)
        self.sums.append(checksum(entry, self.sums[-1]))
        if self.whole:
            self.sum = self.sums[-1]

    def cut(self) -> None:
        """There is no more of it than what has come."""
        self.length, self.sum = len(self.entries), self.sums[-1]

    def begins_with(self, other: "Copy") -> bool:
        """Whether the other copy is the beginning of this one, as far as this one has come."""
        return other.length <= len(self.entries) and self.sums[other.length] == other.sum


class Copies:
    """All that tables have said to hold, and what the journal has."""

    def __init__(self, own: Sequence[Entry] = (), evenings: Sequence[str] = ()) -> None:
        """`own` is what the journal has of the last of its `evenings`; nothing else is taken in its place."""
        self._all: dict[tuple[int, str], Copy] = {}
        self._orders: dict[int, list[str]] = {}
        self._own: Copy | None = None
        if own:
            self._own = self._all[OWN, own[0].evening] = Copy(OWN, own[0].evening, len(own), 0)
            self._orders[OWN] = list(evenings)
            for entry in own:
                self._own.add(entry)
        self._tries = Counter[int]()

    def hear(self, table: int, evenings: Sequence[HeldEvening]) -> bool:
        """A table says what it holds, the latest last; whether that is anything, and the first of it."""
        first = not self._orders.get(table)
        self._orders[table] = [held.evening for held in evenings if held.length]
        for held in evenings:
            if held.length:
                self._hear(Copy(table, held.evening, held.length, held.sum))
        return first and bool(self._orders[table])

    def _hear(self, new: Copy) -> None:
        key = (new.table, new.evening)
        known = self._all.get(key)
        if known and (known.length, known.sum) == (new.length, new.sum):
            known.there = True
        else:
            self._all[key] = new

    def __contains__(self, copy: Copy) -> bool:
        return self._all.get((copy.table, copy.evening)) is copy

    def leave(self, table: int) -> None:
        """The table has gone away: only what has come of its copies is there."""
        for copy in self._all.values():
            if copy.table == table:
                copy.there = copy.whole

    def failed(self, table: int) -> None:
        """What the table holds could not be read to its end: the others' turn comes first."""
        self._tries[table] += 1

    def has_failed(self, table: int) -> bool:
        """Whether that has happened before."""
        return self._tries[table] > 0

    def drop(self, copy: Copy) -> None:
        """The copy is of no use."""
        copy.entries.clear()
        copy.sums = [0]
        copy.cut()

    def close(self) -> None:
        """There is no more of any copy than what has come."""
        for copy in self._all.values():
            copy.cut()

    @property
    def latest(self) -> str | None:
        """The believed evening behind which no table has another; of several that which most have last."""
        known = self._believed()
        orders = [[evening for evening in order if evening in known] for order in self._orders.values()]
        before = {evening for order in orders for evening in order[:-1]}
        last = [order[-1] for order in orders if order]
        candidates = sorted(known - before or known)
        return max(candidates, key=lambda one: (last.count(one), self._longest(one)), default=None)

    def _believed(self) -> set[str]:
        """The evenings that more than one table tells of, if three or more tell of any; else all."""
        known = {copy.evening for copy in self._all.values() if copy.length}
        orders = [set(order) for order in self._orders.values() if order]
        told = Counter(evening for order in orders for evening in order)
        own = {self._own.evening} if self._own else set()
        return {one for one in known if told[one] > 1 or len(orders) < 3 or one in own} or known

    def _longest(self, evening: str) -> int:
        return max(copy.length for copy in self._all.values() if copy.evening == evening)

    def unread(self) -> Copy | None:
        """The copy to be read next, the longest that begins none that was read; None: all are known.

        Tables that failed less often come first, so that one that promises more and more keeps none away.
        """
        known: list[Copy] = []
        for copy in sorted(self._ranked(), key=lambda copy: self._tries[copy.table]):
            if any(one.begins_with(copy) for one in known):
                continue
            if not copy.whole:
                return copy
            known.append(copy)
        return None

    def best(self) -> Copy | None:
        """Of the copies that were read, the one with which most tables agree, then the longest."""
        own = self._own if self._own and self._own.evening == self.latest else None
        read = [copy for copy in self._ranked() if copy.whole and (own is None or copy.begins_with(own))]
        return max(read, key=lambda copy: (self._agreeing(copy), copy.length), default=None)

    def told(self, best: Copy, taken: int) -> list[str]:
        """What to say about the best copy, of which so many entries can be, and what is against it."""
        holder = f"table {best.table} holds" if best.table else "the journal has; no table holds more of it"
        told = [f"The evening {best.evening} goes on from the {taken} facts that {holder}."]
        if others := sorted(copy.table for copy in self.against(best)):
            names = ", ".join(f"table {table}" for table in others)
            agree = f"{self._agreeing(best)} of {len(self._ranked())} copies agree with these"
            told.append(f"They are not what {names} holds of it; {agree}.")
        if taken < best.length:
            told.append(
                f"Fact {taken + 1} of table {best.table} cannot be, so those from there on are left out."
            )
        if (alone := taken - self._shared(best)) > 0:
            told.append(f"The last {alone} of them are in no other table's copy.")
        return told + [
            f"Table {table} alone holds evening {evening}; it is left out."
            for table, evening in self._unbelieved()
        ]

    def _unbelieved(self) -> list[tuple[int, str]]:
        known = self._believed()
        last = sorted((table, order[-1]) for table, order in self._orders.items() if order)
        return [(table, evening) for table, evening in last if evening not in known]

    def against(self, best: Copy) -> list[Copy]:
        """The copies that are no beginning of the best one."""
        return [copy for copy in self._ranked() if not best.begins_with(copy)]

    def _shared(self, best: Copy) -> int:
        """So many of the best copy's entries are in another copy, too; all where there is no other one."""
        others = [copy for copy in self._ranked() if copy is not best]
        agreeing = (copy.length for copy in others if best.begins_with(copy))
        return max(agreeing, default=0) if others else best.length

    def _agreeing(self, copy: Copy) -> int:
        return sum(copy.begins_with(other) for other in self._ranked())

    def _ranked(self) -> list[Copy]:
        """The copies of the latest evening, those of which most can be had first."""
        return sorted(self._of(self.latest), key=lambda copy: (-copy.reach, copy.table))

    def _of(self, evening: str | None) -> Iterator[Copy]:
        return (copy for copy in self._all.values() if copy.evening == evening and copy.length)


def heard(told: Iterable[HeardBell | None], evening: str, epoch: int) -> int | None:
    """When the end of a round was heard, as at least half of the tables have told; None: it was not."""
    times = sorted(bell.t if bell and (bell.evening, bell.epoch) == (evening, epoch) else -1 for bell in told)
    t = times[len(times) // 2] if times else -1
    return None if t < 0 else t
