"""Whatever the network and the tables do meanwhile, a rebuild ends, and with a copy that a table holds."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_bunco.game import facts
from pi_bunco.head.effects import Committed
from pi_bunco.head.playable import playable, signals
from pi_bunco.head.rebuild import WAIT, Over, Rebuild, Rebuilt
from pi_bunco.journal.copies import checksum
from pi_bunco.journal.journal import Entry, Origin
from pi_bunco.logcopy import copy_of
from pi_bunco.runtime.loop import Tick
from pi_bunco.wire import topics
from pi_bunco.wire.client import Connected, Disconnected, Received
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import BATCH, Beat, Held, HeldEvening, Need, Payload, Status
from pi_bunco.wire.publish import Publish

NAMES = ("Ann", "Bob", "Cat", "Dee")
STEP = 250.0


def evening(length: int, face: int = 3) -> list[Entry]:
    """A log of so many facts; logs of another `face` differ from the fifth fact on."""
    told: list[facts.Fact] = [
        facts.EveningOpen(0, "bonko", NAMES, "e1"), facts.Seating(0, (NAMES,)), facts.RoundOpen(10),
    ]  # fmt: skip
    told += [facts.Roll(20 + n, 1, (1, 4, 3 if n == 0 else face), epoch=1) for n in range(length)]
    return [
        Entry(n, "e1", fact, Origin(1, "s", n - 3) if n > 3 else None)
        for n, fact in enumerate(told[:length], 1)
    ]


class Tables:
    """Tables that are there or not, at a network that loses what it likes."""

    def __init__(self, logs: dict[int, list[Entry]]) -> None:
        self.logs = logs
        self.there = dict.fromkeys(logs, True)
        self.rebuild = Rebuild("home")
        self.now = 0.0
        self.result: Rebuilt | None = None
        self.lossy = 0
        self.mute = 0
        self._lost = 0

    def tell(self, message: object) -> None:
        for effect in self.rebuild.step(message, self.now):
            self._perform(effect)

    def say(self, table: int, leaf: str, message: Payload) -> None:
        topic = topics.up("home", f"table{table}", leaf)
        self.tell(Received(topic, encode(message), False))

    def _perform(self, effect: Any) -> None:
        match effect:
            case Publish(message=Need() as need):
                table = topics.parse(effect.topic).table or 0
                if self.there.get(table) and not self._loses():
                    self._answer(table, need)
            case Rebuilt():
                assert self.result is None
                self.result = effect
                self.tell(Committed(effect.entries))
            case Over():
                assert self.rebuild.over

    def _answer(self, table: int, need: Need) -> None:
        log = self.logs[table]
        if need.evening is None:
            total = 0
            for entry in log:
                total = checksum(entry, total)
            return self.say(table, "held", Held((HeldEvening("e1", len(log), total),)))
        if table == self.mute:
            return None
        for entry in log[need.start - 1 :][:BATCH]:
            if not self._loses():
                self.say(table, "log", copy_of(entry))
        return None

    def _loses(self) -> bool:
        self._lost += 1
        return bool(self.lossy) and self._lost % self.lossy == 0

    def pass_time(self, steps: int) -> None:
        for _ in range(steps):
            self.now += STEP
            for table, there in self.there.items():
                if there and self.now % 1000 == 0:
                    self.say(table, "beat", Beat(0))
            self.tell(Tick())


LOGS = st.dictionaries(
    st.integers(1, 4),
    st.builds(evening, st.sampled_from([0, 1, 3, 5, 70, 130]), st.sampled_from([3, 3, 3, 5])),
    max_size=4,
)
ACTIONS = st.lists(
    st.tuples(st.sampled_from(["leave", "come", "cut", "heal", "lossy", "wait"]), st.integers(1, 9))
)


def act(tables: Tables, action: str, number: int) -> None:
    match action:
        case "leave" if tables.there.get(number):
            tables.there[number] = False
            if number % 2:
                tables.say(number, "status", Status("lost", "s"))
        case "come" if number in tables.there:
            tables.there[number] = True
            tables.say(number, "status", Status("online", "s", "1", "b", "st"))
        case "cut":
            tables.tell(Disconnected("The broker is gone."))
        case "heal":
            tables.tell(Connected("s"))
        case "lossy":
            tables.lossy = number
        case "wait":
            tables.pass_time(number)


@settings(max_examples=200)
@given(LOGS, ACTIONS)
def test_it_ends_with_a_copy_of_a_table(logs: dict[int, list[Entry]], actions: list[tuple[str, int]]) -> None:
    tables = Tables(logs)
    tables.tell(Connected("s"))
    for action, number in actions:
        act(tables, action, number)
    tables.lossy = 0
    tables.tell(Connected("t"))
    for table in tables.there:
        act(tables, "come", table)
    tables.pass_time(int(2 * WAIT / STEP))
    assert tables.rebuild.over
    taken = list(tables.result.entries) if tables.result else []
    assert any(taken == log[: len(taken)] for log in logs.values()) or not taken
    assert bool(taken) == any(logs.values()) or actions


@given(LOGS)
def test_with_all_tables_there_it_takes_a_few_seconds(logs: dict[int, list[Entry]]) -> None:
    tables = Tables(logs)
    tables.tell(Connected("s"))
    tables.pass_time(20)
    assert tables.rebuild.over == any(logs.values())
    if tables.result:
        assert list(tables.result.entries) in list(logs.values())


def test_a_table_that_says_what_it_holds_and_then_nothing_is_given_up() -> None:
    tables = Tables({1: evening(130), 2: evening(70)})
    tables.mute = 1
    tables.tell(Connected("s"))
    tables.pass_time(160)
    assert tables.result
    assert len(tables.result.entries) == 70


@pytest.mark.parametrize(
    ("dice", "rung"), [((1, 4, 4), ["e1:1:start"]), ((1, 1, 1), ["e1:1:start", "e1:1:end"])]
)
def test_what_has_a_reason_in_the_copies_has_rung(dice: tuple[int, int, int], rung: list[str]) -> None:
    assert signals(playable(evening(2))[1]) == []
    log = evening(3)
    assert signals(playable([*log, Entry(4, "e1", facts.Roll(20, 1, dice, epoch=1))])[1]) == rung


def test_what_follows_a_fact_that_cannot_be_is_left_out() -> None:
    log = evening(8)
    assert len(playable(log)[0]) == 8
    assert playable(log[1:])[0] == []
    for wrong in (
        Entry(6, "e1", log[5].fact, Origin(1, "s", 1)),
        Entry(6, "e2", log[5].fact),
        Entry(7, "e1", log[5].fact),
        Entry(6, "e1", facts.Roll(20, 99, (1, 2, 3), epoch=1)),
    ):
        assert playable([*log[:5], wrong, *log[6:]])[0] == log[:5]
