"""The evening and its log as the head keeps them: what is applied is entered, and what rings goes first."""

from collections.abc import Iterable
from typing import Literal

import msgspec

from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.game.round import Round
from pi_bunco.head.commands import Refused
from pi_bunco.head.effects import Append, Effect, Ring
from pi_bunco.journal.journal import Answered, Entry, Origin
from pi_bunco.wire.messages import Answer, Upto


class Ledger:
    """The state of the evening, its journal entries, and what follows from them beside the game."""

    def __init__(self, now: float) -> None:
        self.horn_silent_until = 0.0
        """The horn sounds as a bell until then (ms of the clock)."""
        self.dirty: set[int] = set()
        """Tables whose view has changed since it was published."""
        self.stale = True
        """Whether the scoreboard has changed since it was published."""
        self.begin(now)

    def begin(self, now: float) -> None:
        """A new evening, whose clock begins `now` (ms of the clock)."""
        self.evening = Evening()
        self.began = now
        self.log: list[Entry] = []
        self.upto: dict[int, Upto] = {}
        """Per table the last fact of it that was applied."""
        self.last: dict[int, facts.Roll] = {}
        """Per table the last roll of the running round."""
        self.last_seq: dict[int, int] = {}
        """Per table the place of its last roll in its stream."""
        self.heard: dict[int, int] = {}
        """Per table the last round of whose bell it knows."""
        self.opened_t: int | None = None
        self.opening: Entry | None = None
        """The entry of a round that is not on disk yet, so nobody is told of it."""
        self.sounded: dict[int, int] = {}
        """Per round the time of an end bell that tables have heard under a head whose journal is lost."""
        self.refused = ""
        """Why the last press of the bell button was refused, for as long as that is shown."""
        self._voids = 0

    def t(self, now: float) -> int:
        """The evening clock (ms)."""
        return max(int(now - self.began), 0)

    @property
    def everywhere(self) -> set[int]:
        """The numbers of all tables."""
        return set(range(1, self.evening.tables + 1))

    def remember(self, entries: Iterable[Entry]) -> None:
        """Goes on from the entries of a journal."""
        for entry in entries:
            self.evening.apply(entry.fact)
            self._enter(entry)
        self.opening = None

    def took(self, fact: facts.Fact, origin: Origin) -> list[Effect]:
        """A table's fact, entered whether it counts or not."""
        before = self.evening.round
        self.evening.apply(fact)
        return self._entered(fact, before, origin)

    def own(self, fact: facts.Fact, answer: Answer | None = None) -> list[Effect]:
        """A fact of the head's own; `Refused`, and nothing is entered, if the state does not allow it."""
        before = self.evening.round
        try:
            why = self.evening.apply(fact)
        except FactError as error:
            raise Refused([str(error)]) from error
        if why:
            raise Refused([why])
        return self._entered(fact, before, answer=answer)

    @property
    def rings(self) -> bool:
        """Whether the newest fact rings the bell that ends the round."""
        round_ = self.evening.round
        return round_ is not None and round_.bell is not None and round_.rang_at == self.evening.facts

    def signal(self, name: Literal["start", "end"]) -> Ring:
        """The bell for the start or the end of the running round; one after a false bell has its own id."""
        assert self.evening.rules is not None
        again = f"-{self._voids}" if name == "end" and self._voids else ""
        sounds = self.evening.rules.signal.start if name == "start" else self.evening.rules.signal.end
        id = f"{self.evening.id}:{self.evening.epoch}:{name}{again}"
        return Ring(
            id, name, "bell" if self.horn_silent_until else sounds, sounded=name == "end" and self._heard_of()
        )

    def _heard_of(self) -> bool:
        """Whether the bell has rung already for its reason, which comes in late."""
        round_ = self.evening.round
        if round_ is None or round_.bell is None:
            return False
        return round_.bell.t <= self.sounded.get(self.evening.epoch, -1)

    def _entered(
        self,
        fact: facts.Fact,
        before: Round | None,
        origin: Origin | None = None,
        answer: Answer | None = None,
    ) -> list[Effect]:
        """`before` is the round that ran before the fact: while it runs on, a table's fact is its own."""
        entry = Entry(len(self.log) + 1, self.evening.id, fact, origin)
        self._enter(entry)
        answered = Answered(answer.id, msgspec.to_builtins(answer)) if answer else None
        append = Append((entry,), answered)
        if self.rings:
            return [self.signal("end"), append]
        number = getattr(fact, "table", None)
        self.dirty |= {number} if number and self.evening.round is before else self.everywhere
        return [append]

    def _enter(self, entry: Entry) -> None:
        self.stale = True
        self.log.append(entry)
        fact, origin = entry.fact, entry.origin
        match fact:
            case facts.RoundOpen():
                self.opened_t, self.opening, self._voids = fact.t, entry, 0
                self.last.clear()
            case facts.BellVoid():
                self._voids += 1
                self.heard.clear()
            case facts.BellSeen():
                self.heard[fact.table] = fact.epoch or 0
            case facts.Roll() if origin:
                self.last[fact.table], self.last_seq[fact.table] = fact, origin.seq
        if origin:
            self.upto[origin.table] = Upto(origin.stream, origin.seq)
