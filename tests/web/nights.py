"""Evenings for the pages: people, throws from a seed, stopped at any phase."""

from collections.abc import Sequence
from random import Random
from typing import Any

from pi_bunco.game import codec, facts, seating
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.rolloffs import awaited
from pi_bunco.game.table import ROLLOFF, Table
from pi_bunco.web.site.evening_now import EveningNow, TablePresence
from pi_bunco.web.site.folded_log import Recent

FIRST = [
    "Ann",
    "Bob",
    "Carol",
    "Denise",
    "Eve",
    "Flo",
    "Gus",
    "Harriet",
    "Ida",
    "Jim",
    "Kay",
    "Lou",
    "Margaret",
    "Nell",
    "Oscar",
    "Pat",
    "Quinn",
    "Rosa",
    "Sam",
    "Tess",
    "Uma",
    "Vera",
    "Walter",
    "Xenia",
    "Yolanda",
    "Zoe",
    "Barbara",
    "Christine",
    "Dorothy",
    "Elizabeth",
    "Frances",
    "Geraldine",
]
ODD = (
    "Alexandrina Papadopoulou-Smith",
    "<script>alert(1)</script>",
    "\u05d0\u05b4\u05de\u05b0\u05e8\u05b5\u05d9 \u05db\u05b9\u05d4\u05b5\u05df",
    "Zo\u00eb \U0001f3b2\U0001f389",
    "Wolfeschlegelsteinhausenberger",
    "\u0141ukasz \u017b\u00f3\u0142\u0107",
)
BEGAN = 1_795_285_800.0
"""Saturday, 21 November 2026, 18:30 UTC."""


def people(count: int, odd: bool = False) -> list[str]:
    """The names of `count` people; with `odd` the first are long, foreign and hostile."""
    names = [f"{FIRST[i % 32]} {'BKMRS'[i // 32 % 5]}{chr(97 + i // 160)}" for i in range(count)]
    names[:32] = FIRST[: min(count, 32)]
    if odd:
        names[: len(ODD)] = ODD[:count]
    return names[:count]


class Night:
    """An evening of `count` people played by chance; each step may be the last. `empty`: none is open."""

    def __init__(
        self,
        count: int = 12,
        rules: str = "classic",
        seed: int = 4,
        odd: bool = False,
        empty: bool = False,
        pot: str | None = None,
        groups: Sequence[Sequence[int]] | None = None,
        names: Sequence[str] | None = None,
        **over: Any,
    ):
        self.evening, self.random, self.t = Evening(), Random(seed), 0
        self.log: list[facts.Fact] = []
        names = list(names or people(count, odd))
        ghosts = [f"Ghost {k}" for k in range(1, seating.ghosts_needed(count) + 1)]
        changed = {key.replace("__", "."): value for key, value in over.items()}
        if empty:
            return
        named = {"groups": groups} if groups else {}
        about: dict[str, Any] = {"players": names, "ghosts": ghosts, "id": "5f21c09e", "pot": pot, **named}
        self.say("evening", rules=rules, overrides=changed, **about)

    def say(self, kind: str, after: int = 1000, **fields: Any) -> str | None:
        """Adds the next fact, `after` ms later."""
        self.t += after
        fact = codec.convert({"kind": kind, "t": self.t, **fields})
        self.log.append(fact)
        why = apply(self.evening, fact)
        return why.english() if why else None

    def draw(self) -> "Night":
        """Everybody gets a seat."""
        found = seating.draw(self.evening.people.present, self.evening.people.ghosts, self.random)
        self.say("seating", tables=[list(names) for names in found])
        return self

    def by_clock(self, **fields: Any) -> "Night":
        """The clock starts and ends the rounds from now on."""
        self.say("pace", **({"play_s": 600, "move_s": 300} | fields))
        return self

    def begin(self) -> "Night":
        """The next round is opened."""
        self.say("round_open", 60_000)
        return self

    def throw(self, table: int, dice: Sequence[int] | None = None) -> str | None:
        """Three dice at `table`."""
        faces = dice or [self.random.randint(1, 6) for _ in range(3)]
        return self.say(
            "roll", 4000 // max(self.evening.tables, 1), table=table, dice=list(faces), source="dice"
        )

    def throws(self, count: int) -> "Night":
        """Rolls `count` throws, spread over the tables, none of which rings."""
        for i in range(count):
            round_ = self.evening.round
            assert round_ is not None
            dice = [self.random.randint(1, 6) for _ in range(3)]
            number = i % len(round_.tables) + 1
            if round_.tables[number - 1].may_ring:
                dice = self._quiet(round_.tables[number - 1], round_.target)
            self.throw(number, dice)
        return self

    def _quiet(self, table: Table, target: int) -> list[int]:
        other = target % 6 + 1
        if max(table.points) > 16:
            return [other, other % 6 + 1, other]
        return self.random.choice(
            [[target, target, other], [other, target, other], [other, other % 6 + 1, other]]
        )

    def ring(self, how: str = "bunco") -> "Night":
        """The bell rings: by a Bunco at table 1, or by the host."""
        round_ = self.evening.round
        assert round_ is not None
        if how == "bunco":
            self.throw(1, [round_.target] * 3)
        else:
            self.say("round_close")
        self.say("bell", 40)
        return self

    def finish(self, but: Sequence[int] = ()) -> "Night":
        """All tables but some play to the end, OK is pressed, ties roll off."""
        epoch = self.evening.epoch
        while (round_ := self.evening.round) and round_.epoch == epoch:
            busy = [table for table in round_.tables if not table.final and table.number not in but]
            if not busy:
                return self
            self._step(busy[0])
        return self

    def _step(self, table: Table) -> None:
        if table.one_die:
            self.say("faceoff", table=table.number, dice=[self.random.randint(1, 6) for _ in range(2)])
        elif table.done and table.phase != ROLLOFF:
            self.say("confirm", table=table.number)
        else:
            self.throw(table.number)

    def rounds(self, count: int) -> "Night":
        """Plays `count` whole rounds."""
        for _ in range(count):
            self.say("resume")
            tables = self.evening.tables
            self.begin().throws(8 * tables).ring(self.random.choice(["bunco", "host"])).finish()
        return self

    def rolled_off(self, tied: bool = False) -> "Night":
        """Everybody who is tied between rounds rolls; with `tied` but for the last go."""
        while wanted := [one for k in range(1, self.evening.tables + 1) if (one := awaited(self.evening, k))]:
            if tied and len(wanted) == 1 and len(wanted[0].tied) <= 3:
                return self
            if wanted[0].purpose == "final":
                return self
            self.throw(wanted[0].table)
        return self

    def to(self, stage: str) -> "Night":
        """The tournament goes on until `stage` has begun; the rounds on the way are played."""
        while (tournament := self.evening.tournament) and tournament.stage != stage:
            if tournament.contests:
                self.rolled_off()
            elif tournament.next is None:
                self.rounds(1)
            else:
                self.say("stage", stage=tournament.next)
        return self

    def final(self, count: int, last: Sequence[int] = (2, 3, 5)) -> "Night":
        """Rolls `count` throws of the final; only `last` may be three of a kind."""
        for _ in range(count - 1):
            self.throw(1, [1, self.random.randint(2, 6), self.random.randint(1, 6)])
        self.throw(1, last)
        return self

    def evening_now(self, later: int = 1000, **fields: Any) -> EveningNow:
        """The evening as the pages show it `later` ms after the last fact."""
        signs = {
            number: TablePresence(online=True, silent_s=0.4) for number in range(1, self.evening.tables + 1)
        }
        fields = {"title": "Thursday Bunco", "base": "http://192.168.4.1", "tables": signs} | fields
        return EveningNow(self.evening, self.log, recent(self.log), self.t + later, BEGAN, **fields)


def tournament(count: int = 24, tied: bool = False, **fields: Any) -> Night:
    """A tournament of one set whose groups have played; ties for places are rolled off, or wait."""
    tables = -(-count // 4)
    groups = [list(range(first, first + 3)) for first in range(1, tables, 3)]
    night = Night(count, "tournament", groups=groups, evening__sets=1, **fields)
    night.draw().rounds(6)
    return night if tied else night.rolled_off()


def recent(log: Sequence[facts.Fact]) -> Recent:
    """The recent part of the log that pages need, all of which counts."""
    made = Recent()
    for n, one in enumerate(log, 1):
        made.add(n, one)
    return made


def opened(count: int = 12, **fields: Any) -> Night:
    """An evening whose first round goes on."""
    return Night(count, **fields).draw().begin()
