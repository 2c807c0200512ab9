"""The bell at the start and the end of each round, exactly once (RULES.md, The bell). Pure.

A signal is due when its reason is entered (the end) or on disk (the start). It has rung when it was noted in
the runtime directory before the relay moved (of a start: or on disk, as it sounded), when its reason is in a
journal that another life of the head wrote (of a start: and a table or a replica has the round), or when the
table says that a head had received it. What has rung is never sounded again.
"""

from collections.abc import Mapping
from typing import Literal

from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.head.effects import HeadEffect, Rang, Ring

SignalName = Literal["start", "end"]


class RoundBell:
    """The signals of the running round; `noted` has those that have sounded."""

    def __init__(self, noted: Mapping[str, float] | None = None) -> None:
        self.noted = dict(noted or {})
        """Per signal when it sounded (ms of the clock), 0 where nobody knows."""
        self._horn_silent_until = 0.0
        self.begin()

    def begin(self) -> None:
        """Another evening: nothing is due."""
        self._voids = 0
        self._due: facts.RoundOpen | None = None
        self._sounding = ""
        self.waiting: str | None = None
        """The end signal whose sounding is not reported yet: no further fact is applied before that."""

    def silence_horn(self, until: float) -> None:
        """The horn sounds as a bell until then; 0: it sounds."""
        self._horn_silent_until = until

    def tick(self, now: float) -> None:
        """Ends the horn's silence in time."""
        if now >= self._horn_silent_until:
            self._horn_silent_until = 0.0

    @property
    def start_is_due(self) -> bool:
        """True for a round that has been opened and is not on disk yet, so nobody is told of it."""
        return self._due is not None

    def entered(self, evening: Evening, fact: facts.Fact, received: bool) -> list[Ring]:
        """The signals that sound now that `fact` was applied; one that a head had `received` has rung."""
        self._count(fact)
        if isinstance(fact, facts.RoundOpen):
            self._due = fact
        if not rings(evening):
            return []
        ring = self._signal(evening, "end", received)
        self.waiting = ring.id
        return [ring]

    def replayed(self, evening: Evening, fact: facts.Fact) -> None:
        """A fact of the journal: nothing sounds during a replay, and its signals have sounded."""
        self._count(fact)
        self.waiting = self.id(evening, "end") if rings(evening) else None

    def restore(self, evening: Evening, unheard: bool) -> list[Ring]:
        """After a replay: the note of an end that has rung, or a start bell that a crash kept from sounding.

        A start that is not noted sounds late only if it is `unheard` and nobody has rolled since: what tables
        and host say of the round before, or of this one, tells nobody that it has begun.
        """
        round_ = evening.round
        if round_ is None or self.id(evening, "start") in self.noted:
            start = []
        elif unheard and round_.bell is None and not any(table.latest for table in round_.tables):
            start = [self._start(evening)]
        else:  # it is only noted, so that no later life of the head sounds it either
            start = [self._signal(evening, "start", True)]
        return [*start, *([self._signal(evening, "end", True)] if self.waiting else [])]

    def opened(self, evening: Evening) -> list[Ring]:
        """The round is on disk, or the disk fails: it begins for everybody."""
        if self._due is None:
            return []
        self._due = None
        return [self._start(evening)] if evening.round else []

    def started(self, evening: Evening, rang: Rang) -> bool:
        """True if the start of the running round rang."""
        round_ = evening.round
        sounding, self._sounding = self._sounding, "" if self._sounding == rang.id else self._sounding
        return round_ is not None and round_.bell is None and rang.id == sounding == self.id(evening, "start")

    def ended(self, evening: Evening, rang: Rang) -> bool:
        """True if the end that is waited for rang; it is waited for no more."""
        waited, self.waiting = self.waiting == rang.id, None if self.waiting == rang.id else self.waiting
        self.noted[rang.id] = rang.at
        return waited and rings(evening) and rang.id == self.id(evening, "end")

    def silent(self, id: str) -> None:
        """The signal cannot sound: the round goes on, or ends, all the same."""
        if self.waiting == id:
            self.waiting = None

    def last_round(self, evening: Evening) -> int:
        """The highest round of the evening of which a signal is noted, by whatever end of the log; else 0."""
        prefix = f"{evening.id}:"
        numbers = [id.removeprefix(prefix).partition(":")[0] for id in self.noted if id.startswith(prefix)]
        return max(map(int, numbers), default=0)

    def id(self, evening: Evening, name: SignalName) -> str:
        """The signal's id: evening, epoch, name, and how many bells of the round were false."""
        again = f"-{self._voids}" if name == "end" and self._voids else ""
        return f"{evening.id}:{evening.epoch}:{name}{again}"

    def _start(self, evening: Evening) -> Ring:
        ring = self._signal(evening, "start")
        self._sounding = ring.id
        return ring

    def _signal(self, evening: Evening, name: SignalName, rung: bool = False) -> Ring:
        assert evening.rules is not None
        id = self.id(evening, name)
        sounds = evening.rules.signal.start if name == "start" else evening.rules.signal.end
        at = self.noted.get(id)
        ring = Ring(
            id, name, "bell" if self._horn_silent_until else sounds, sounded=rung or at is not None, at=at
        )
        self.noted.setdefault(id, 0.0)
        return ring

    def _count(self, fact: facts.Fact) -> None:
        if isinstance(fact, facts.RoundOpen):
            self._voids = 0
        elif isinstance(fact, facts.BellVoid):
            self._voids += 1


def rings(evening: Evening) -> bool:
    """True if the newest fact rings the bell that ends the round."""
    round_ = evening.round
    return round_ is not None and round_.bell is not None and round_.rang_at == evening.facts


class BellFirst:
    """Keeps the effects behind a ring back until what the relay reports has been told."""

    def __init__(self, bell: RoundBell) -> None:
        self._bell = bell
        self._rest: list[HeadEffect] = []

    def of(self, effects: list[HeadEffect]) -> list[HeadEffect]:
        """The effects up to a ring that ends the round; `rest` has those behind it then."""
        if not self._bell.waiting:  # as after nearly every message
            return effects
        ring = next((n for n, one in enumerate(effects, 1) if isinstance(one, Ring)), 0)
        if not ring:
            return effects
        self._rest = effects[ring:]
        return effects[:ring]

    def rest(self) -> list[HeadEffect]:
        """The effects that have waited, once."""
        rest, self._rest = self._rest, []
        return rest
