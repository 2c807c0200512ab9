"""Whole evenings with fair dice, told fact by fact to the real engine."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, repeat
from random import Random

from pi_bunco.game import facts, seating, stages
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Roll
from pi_bunco.game.opening import opening as open_evening
from pi_bunco.game.rolloffs import awaited
from pi_bunco.game.round import Round
from pi_bunco.game.table import ROLLOFF, SEATS, Table
from pi_bunco.reason import Reason
from pi_bunco.rules import RuleSet
from pi_bunco.rules.odds import ROLL_S
from pi_bunco.rules.patterns import FALLS

ROLL_EVERY_MS = int(ROLL_S * 1000)
"""From one roll of a table to its next (ms); all tables roll at the same pace."""
_REJECTED = bytes(range(len(FALLS), 256))
_DRAWN_BYTES = 1024  # bytes drawn at once


def throws(random: Random) -> Iterator[tuple[int, int, int]]:
    """Throws of three fair dice without end: a random byte each, drawn again where it is above 215."""
    blocks = map(random.randbytes, repeat(_DRAWN_BYTES))
    kept = (block.translate(None, delete=_REJECTED) for block in blocks)
    return map(FALLS.__getitem__, chain.from_iterable(kept))


def opening(rules: RuleSet, players: int) -> facts.EveningOpen:
    """The first fact of an evening of this many players under `rules`; `FactError` where they cannot play."""
    return open_evening(rules, [f"Player {number}" for number in range(1, players + 1)])


Take = Callable[[Evening, facts.Fact], Reason | None]


def play(evening: Evening, first: facts.EveningOpen, random: Random, take: Take = apply) -> int:
    """Plays a new `evening` from its `first` fact to its end; returns the number of throws of three dice.

    `take` does what `apply` does. Never ends under rules where neither dice nor the time ring the bell.
    """
    night = _Night(evening, random, take)
    night.begin(first)
    while not evening.over:
        if evening.why_not_open() is None:
            night.round()
        else:
            night.between_stages()
    return night.rolls


class _Night:
    """The host and the players of an evening, who do what the rules ask for and nothing else."""

    def __init__(self, evening: Evening, random: Random, take: Take) -> None:
        self.rolls = 0
        self._evening = evening
        self._take = take
        self._random = random
        self._throws = throws(random)
        self._t = 0
        self._called = False
        """True if the rules have rolls that must be called out: whoever rolls them does so."""

    def begin(self, first: facts.EveningOpen) -> None:
        """Seats everybody by a draw."""
        self._tell(first)
        rules = self._evening.rules
        self._called = rules is not None and any(pattern.called for pattern in rules.rolls)
        people = self._evening.people
        drawn = seating.draw(people.present, people.ghosts, self._random)
        self._tell(facts.Seating(self._t, tuple(drawn)))

    def round(self) -> None:
        self._tell(facts.RoundOpen(self._t))
        round_ = self._evening.round
        assert round_ is not None
        for table in round_.tables if round_.rules.begins != "A" else ():
            people = [seat for seat, ghost in zip(SEATS, table.ghosts, strict=True) if not ghost]
            self._tell(facts.Begins(self._t, table.number, self._random.choice(people)))
        self._until_bell(round_)
        while playing := [table for table in round_.tables if not table.done]:
            self._roll(round_, playing)
        for table in round_.tables:
            self._tell(facts.Confirm(self._t, table.number))
        while tied := [table for table in round_.tables if table.phase == ROLLOFF]:
            self._roll_off(tied)

    def between_stages(self) -> None:
        """Throws at tables and the host's word that a tournament waits for between its rounds."""
        evening = self._evening
        assert evening.tournament is not None
        self._t += ROLL_EVERY_MS
        waiting = [table for table in range(1, evening.tables + 1) if awaited(evening, table)]
        for table, dice in zip(waiting, self._throws, strict=False):
            self._tell(Roll(self._t, table, dice))
        self.rolls += len(waiting)
        if evening.tournament.next:
            self._tell(stages.confirmation(evening, self._t))

    def _until_bell(self, round_: Round) -> None:
        limit_s = round_.rules.end.limit_s
        time_over = None if limit_s is None else self._t + 1000 * limit_s
        while round_.bell is None:
            if time_over is None or self._t + ROLL_EVERY_MS <= time_over:
                self._roll(round_, round_.tables)
            else:
                self._tell(facts.RoundClose(time_over, by="time"))
                self._tell(facts.BellRang(time_over))

    def _roll(self, round_: Round, tables: Sequence[Table]) -> None:
        """Rolls at all of `tables` at the same time, so that the bell comes too late for the others' roll."""
        evening = self._evening
        take = self._take  # this is where nearly all the time goes
        self._t = t = self._t + ROLL_EVERY_MS
        called = self._called
        for table, dice in zip(tables, self._throws, strict=False):
            roll = Roll(t, table.number, dice, called=True) if called else Roll(t, table.number, dice)
            why = take(evening, roll)
            assert why is None, why
            if evening.facts == round_.rang_at:
                self._tell(facts.BellRang(t))
        self.rolls += len(tables)

    def _roll_off(self, tables: Sequence[Table]) -> None:
        self._t += ROLL_EVERY_MS
        for table, dice in zip(tables, self._throws, strict=False):
            if table.one_die:
                more = next(self._throws) if table.facing_off > 3 else ()
                each = (*dice, *more)[: table.facing_off]
                self._tell(facts.Faceoff(self._t, table.number, each))
            else:
                self._tell(Roll(self._t, table.number, dice, called=self._called or None))
                self.rolls += 1

    def _tell(self, fact: facts.Fact) -> None:
        why = self._take(self._evening, fact)
        assert why is None, why
