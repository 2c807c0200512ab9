"""The host's clumsiness: somebody trips over a plug, again and again. Pure; the seed says when and whose."""

from collections import Counter
from collections.abc import Iterator
from random import Random

from pi_bunco.runtime.supervisor import KillProcess, StartProcess
from pi_bunco.wire.topics import HEAD, table_node

BROKER_PROCESS = "broker"
"""The broker's process; those of head, page, phones and tables are called as their nodes."""
TRIP_AGAIN_CHANCE = 0.25
"""The chance that somebody trips again before all is well."""


class Chaos:
    """Kills a table, the head, the broker, or all three that are on the head's Pi, at moments by lot.

    The next kill comes after about `facts` more facts in the journal, so that the night gets on however
    often somebody trips; now and then another follows at once. A killed one is dark for up to `dark` ms.
    """

    def __init__(self, random: Random, tables: int, facts: float, dark: float) -> None:
        self.kills: Counter[str] = Counter()
        """The kills of each kind of process."""
        self._random = random
        self._tables = tables
        self._facts = facts
        self._dark = dark
        self._left = self._share(facts)
        self._kill_at: float | None = None
        self._start_at: dict[str, float] = {}
        self._bag: list[str] = []

    def journaled(self, now: float) -> None:
        """Another fact is in the journal."""
        self._left -= 1
        if self._left <= 0 and self._kill_at is None:
            self._kill_at = now + self._dark * self._random.random()

    def due(self, now: float) -> Iterator[KillProcess | StartProcess]:
        """The kills and starts that are due at `now` (ms)."""
        for name in [name for name, at in self._start_at.items() if at <= now]:
            del self._start_at[name]
            yield StartProcess(name)
        if self._kill_at is None or now < self._kill_at:
            return
        again = self._random.random() < TRIP_AGAIN_CHANCE
        self._kill_at = now + self._dark * self._random.random() if again else None
        self._left = self._share(self._facts)
        for name in [name for name in self._victims() if name not in self._start_at]:
            self.kills[name.rstrip("0123456789")] += 1
            self._start_at[name] = now + self._dark * self._random.random()
            yield KillProcess(name)

    def end(self) -> list[StartProcess]:
        """Nobody trips any more, and all that is dark gets its power back."""
        dark, self._start_at = self._start_at, {}
        return list(map(StartProcess, dark))

    def _share(self, whole: float) -> float:
        return whole * (0.5 + self._random.random())

    def _victims(self) -> list[str]:
        """Victims, each kind once in an order by lot, before any comes again."""
        if not self._bag:
            self._bag = ["table", "head", "broker", "plug"]
            self._random.shuffle(self._bag)
        match self._bag.pop():
            case "table":
                return [table_node(self._random.randint(1, self._tables))]
            case "plug":
                return [BROKER_PROCESS, HEAD, table_node(1)]
            case name:
                return [name]
