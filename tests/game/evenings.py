"""Tiny evenings for the tests of the rules.

Rolls are letters: `1` and `2` matches, `m` a mini, `B` a Bunco, `w` a wipe, `s` 1-2-3, `.` a miss. Seats are
letters too, and a digit is a ghost: `"a1cd"` seats a, Ghost 1, c and d.
"""

from collections.abc import Sequence
from typing import Any

from pi_bunco.game import codec, facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import Award, Results, results
from pi_bunco.game.replay import evening_report
from pi_bunco.game.round import EndBell, Round
from pi_bunco.game.table import FINAL, PLAYING, ROLLOFF, Table
from pi_bunco.game.table_score import TableScore

CALLS = {"s": "1-2-3", "w": "wipe", "1": "one", "2": "two", "m": "mini", "B": "bunco", ".": "miss"}
PHASES = {PLAYING: "playing", ROLLOFF: "roll-off", FINAL: "final"}
COUNTERS = ("ignored", "latest")
"""All that an ignored roll may change at its table: how many there were, and that time never falls."""


def names(letters: str) -> list[str]:
    return [f"Ghost {letter}" if letter.isdecimal() else letter for letter in letters]


def fact(kind: str, t: int = 0, **fields: Any) -> facts.Fact:
    return codec.convert({"kind": kind, "t": t, **fields})


class Play:
    """An evening that writes its own log; every fact comes a second after the one before unless told."""

    def __init__(self, rules: str = "bonko", seats: Sequence[str] = ("abcd", "efgh"), **overrides: Any):
        self._begin(rules, [names(letters) for letters in seats], **overrides)

    @classmethod
    def of(cls, tables: Sequence[Sequence[str]], rules: str = "bonko", **overrides: Any) -> "Play":
        """An evening of these seats by name; `groups` and `seed` are those of the evening."""
        play = cls.__new__(cls)
        play._begin(rules, tables, **overrides)
        return play

    def _begin(self, rules: str, tables: Sequence[Sequence[str]], **overrides: Any) -> None:
        self.evening = Evening()
        self.log: list[facts.Fact] = []
        self.t = 0
        everybody = [name for table in tables for name in table]
        ghosts = sorted(name for name in everybody if name.startswith("Ghost"))
        players = [name for name in everybody if name not in ghosts]
        about = {key: overrides.pop(key) for key in ("groups", "seed") if key in overrides}
        changed = {key.replace("__", "."): value for key, value in overrides.items()}
        self.say("evening", rules=rules, overrides=changed, players=players, ghosts=ghosts, **about)
        self.say("seating", tables=[list(table) for table in tables])

    def say(self, kind: str, t: int | None = None, **fields: Any) -> str | None:
        """The next fact; returns why it was ignored."""
        self.t = self.t + 1000 if t is None else max(t, self.t)
        self.log.append(fact(kind, self.t if t is None else t, **fields))
        why = apply(self.evening, self.log[-1])
        return why.english() if why else None

    def say_all(self, *facts: str | tuple[str, int]) -> "Play":
        """Facts that count, each a kind or a kind with its table."""
        for one in facts:
            kind, table = (one, {}) if isinstance(one, str) else (one[0], {"table": one[1]})
            assert self.say(kind, **table) is None
        return self

    @property
    def lines(self) -> list[str]:
        """The log of what was said."""
        return [codec.encode(one).decode() for one in self.log]

    def open(self) -> "Play":
        assert self.say("round_open") is None
        return self

    def roll(self, table: int, letters: str, t: int | None = None) -> str | None:
        """Rolls at `table`; returns why the last one was ignored."""
        why = None
        for letter in letters:
            why = self.say("roll", t, table=table, call=CALLS[letter])
        return why

    def substitute(self, out: str, new: str) -> str | None:
        fields: dict[str, Any] = {"out": out, "in": new}
        return self.say("substitute", **fields)

    def close(self) -> "Play":
        """The host ends the round."""
        assert self.say("round_close") is None
        return self

    def decide(self, *winners: str) -> "Play":
        """The host's word at every table."""
        for table, winner in enumerate(winners, 1):
            assert self.say("decide", table=table, winner=winner) is None
        return self

    def round(self, *winners: str) -> "Play":
        """A whole round by the host's word."""
        return self.open().decide(*(winners or ["US"] * self.evening.tables))

    @property
    def running(self) -> Round:
        assert self.evening.round is not None
        return self.evening.round

    @property
    def bell(self) -> EndBell:
        """The bell of the running round, which has rung."""
        assert self.running.bell is not None
        return self.running.bell

    def table(self, number: int) -> Table:
        """A table of the running round, else of the last one."""
        return (self.evening.round or self.evening.rounds[-1]).tables[number - 1]

    def phase(self, number: int) -> str:
        return PHASES[self.table(number).phase]

    def seat(self, number: int) -> str:
        return "ABCD"[self.table(number).seat]

    def seating(self) -> list[str]:
        """The letters of those at each table, seat by seat."""
        assert self.evening.seating is not None
        return ["".join(name.removeprefix("Ghost ") for name in table) for table in self.evening.seating]

    def end(self, pot: str | None = None) -> Results:
        """The results of the evening, which is over."""
        found = results(self.evening, pot)
        assert found is not None
        return found

    def prize(self, category: str, pot: str | None = None) -> Award:
        return next(award for award in self.end(pot).prizes if award.category == category)

    def winners(self) -> dict[str, tuple[str, ...]]:
        """The winners of each prize."""
        return {award.category: award.winners for award in self.end().prizes}

    def word(self, kind: str, purpose: str, **fields: Any) -> str | None:
        """Takes the host's word on a prize; returns why it was ignored."""
        about: dict[str, Any] = {"for": purpose, **fields}
        return self.say(kind, **about)

    def report(self) -> dict[str, Any]:
        return evening_report(self.evening)


def state(evening: Evening) -> dict[str, Any]:
    """All that an evening knows, but for what an ignored fact or a question may change."""
    left_out = ("facts", "people", "_totals")
    plain = {name: value for name, value in vars(evening).items() if name not in left_out}
    rounds = [*evening.rounds, *([evening.round] if evening.round else [])]
    return plain | {
        "people": {name: repr(value) for name, value in vars(evening.people).items()},
        "tournament": repr(evening.tournament),
        "ties": repr({key: value for key, value in vars(evening.ties).items() if key != "_people"}),
        "seats": repr(vars(evening.seats)),
        "rounds": [_round(round_) for round_ in rounds],
        "round": evening.round is not None,
        "bypassed": set(evening.bypassed),
        "by_hand": set(evening.by_hand),
    }


def _round(round_: Round) -> dict[str, Any]:
    kept = {name: value for name, value in vars(round_).items() if name not in ("rules", "tables")}
    return kept | {
        "tables": [table_state(table) for table in round_.tables],
    }


def table_state(table: Table) -> dict[str, Any]:
    """All that a table knows, but for what an ignored roll may change."""
    slots = (*TableScore.__slots__, *Table.__slots__)
    known = [name for name in slots if not name.startswith("_") and name not in COUNTERS]
    return {name: repr(getattr(table, name)) for name in known}
