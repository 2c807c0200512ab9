"""One command of a host while it is carried out: what it may look at, and what it causes."""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any, Literal, TypeVar

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.game.round import Round
from pi_bunco.head.catch_up import CatchUp
from pi_bunco.head.effects import HeadEffect, Ring, WriteAnew
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.presence import Blinking, Presence
from pi_bunco.log.rewriting import Renaming, WrittenAnew, drawn_pseudonym
from pi_bunco.reason import Reason
from pi_bunco.wire import topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.commands import Arguments

TEST_WITHIN_MS = 5000.0
"""A bell test that could not ring within this time does not ring any more."""
TEST_ID = "test:"
"""The id of a test's signal begins so; the command's follows."""


class TaskContext(Struct):
    """The parts that all commands share; `boot` is this run of the machine."""

    name: str
    boot: str
    log: EveningLog
    presence: Presence
    blinking: Blinking
    recovery: CatchUp
    random: Random
    draw: Random
    """Chance for the seats: the evening's seed, where it has one."""

    def seed(self, seed: int | str | None) -> None:
        """The seats of an evening are drawn from its seed, where it has one."""
        self.draw = self.random if seed is None else Random(str(seed))


class Task:
    """The command `id`, asked for by `by` at `now` (ms of the clock); `effects` is what it has caused."""

    def __init__(self, hall: TaskContext, id: str, by: str, now: float) -> None:
        self._hall = hall
        self._log = hall.log
        self.id = id
        self.by = by
        self.now = now
        self.effects: list[HeadEffect] = []
        self.bell = ""
        """The id of the signal that the answer waits for; empty: of none."""

    @property
    def evening(self) -> Evening:
        """The state of the evening."""
        return self._log.evening

    @property
    def epoch(self) -> int | None:
        """The number of the round that runs or was the last; None before the first."""
        return self.evening.epoch or None

    @property
    def round(self) -> Round:
        """The running round, which there is."""
        assert self.evening.round is not None
        return self.evening.round

    @property
    def presence(self) -> Presence:
        """The tables' equipment."""
        return self._hall.presence

    @property
    def draw(self) -> Random:
        """Chance for the seats."""
        return self._hall.draw

    @property
    def t(self) -> int:
        """The evening clock (ms)."""
        return self._log.t(self.now)

    def fact(self, n: int) -> facts.Fact:
        """Fact `n` of the log."""
        return self._log.entries[n - 1].decoded()

    def new_id(self) -> str:
        """A new evening's id."""
        return f"{self._hall.random.getrandbits(32):08x}"

    def record(self, fact: facts.Fact) -> None:
        """Applies a fact and appends it; `Refused`, and nothing happens, if the state does not allow it."""
        self._add(self._log.record(fact))

    def _add(self, effects: list[HeadEffect]) -> None:
        self.effects += effects
        self.bell = next((one.id for one in effects if isinstance(one, Ring)), self.bell)

    def open(self, fact: facts.EveningOpen, seed: int | str | None) -> None:
        """Begins a new evening; takes the views of tables away that do not play in it."""
        hall = self._hall
        hall.seed(seed)
        hall.blinking.clear()
        before = self._log.tables
        self._add(self._log.open_evening(fact, hall.boot, self.now))
        for number in sorted(before - self._log.tables):
            topic = topics.down(hall.name, topics.table_node(number), "view")
            self.effects.append(Publish(topic, None, 1, True))

    def open_round(self) -> None:
        """Opens a round."""
        self._add(self._log.open_round(self.t, self.by))

    def go_on(self) -> bool:
        """Begins with what there is of the log; False if nothing is waited for."""
        effects = self._hall.recovery.go_on(self.now)
        self.effects += effects or []
        return effects is not None

    def branch(self, table: int) -> bool:
        """Goes on from the log as a table has it; False if it offers none."""
        effects = self._hall.recovery.branch(table, self.now)
        self.effects += effects or []
        return effects is not None

    def write_anew(self, names: tuple[str, ...], pseudonym: str | None) -> str:
        """Has a pseudonym, drawn if there is none, stand for these names in all logs; the pseudonym."""
        pseudonym = pseudonym or drawn_pseudonym(self._hall.random)
        record = WrittenAnew(self._log.key, Renaming(names, pseudonym), {}, [])
        self.effects.append(WriteAnew(record))
        return pseudonym

    def test_bell(self) -> None:
        """Rings the bell shortly, or not at all if it takes too long."""
        self.bell = TEST_ID + self.id
        self.effects.append(Ring(self.bell, "test", "bell", self.now + TEST_WITHIN_MS))

    def silence_horn(self, minutes: int) -> None:
        """Has the bell sound in place of the horn for so long; 0: the horn sounds again."""
        self._log.bell.silence_horn(self.now + minutes * 60_000 if minutes else 0.0)

    def blink(self, table: int, reason: Reason, duration: float) -> None:
        """Blinks the lights of a table for `duration` ms, with a sentence on its display."""
        self._hall.blinking.blink(table, (reason,), self.now + duration)


Outcomes = Iterable[Reason]
CommandFunction = Callable[[Task, Any], Outcomes]
Kind = TypeVar("Kind", bound=Arguments)
Needs = Literal["nothing", "an evening", "an open evening"]
EFFECTS: dict[type[Arguments], tuple[CommandFunction, Needs]] = {}
"""The function of each command, and what must be there for it."""


def does(
    kind: type[Kind], needs: Needs = "an open evening"
) -> Callable[[Callable[[Task, Kind], Outcomes]], Callable[[Task, Kind], Outcomes]]:
    """Registers a function as what a command does; a second one for the same command takes its place."""

    def register(effect: Callable[[Task, Kind], Outcomes]) -> Callable[[Task, Kind], Outcomes]:
        EFFECTS[kind] = effect, needs
        return effect

    return register
