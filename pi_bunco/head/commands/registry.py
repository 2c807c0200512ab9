"""One command of a host while it is carried out: what it may look at, and what it causes."""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any, Literal, TypeVar

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.game.round import Round
from pi_bunco.head.catch_up import CatchUp
from pi_bunco.head.effects import HeadEffect, Ring
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.presence import Blinking, Presence
from pi_bunco.reason import Reason
from pi_bunco.wire import topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.commands import Arguments

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
        self.hall = hall
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
    def t(self) -> int:
        """The evening clock (ms)."""
        return self._log.t(self.now)

    def fact(self, n: int) -> facts.Fact:
        """Fact `n` of the log."""
        return self._log.entries[n - 1].decoded()

    def record(self, fact: facts.Fact) -> None:
        """Applies a fact and appends it; `Refused`, and nothing happens, if the state does not allow it."""
        self.add(self._log.record(fact))

    def add(self, effects: list[HeadEffect]) -> None:
        """Adds what the command causes; a bell among that is the one that its answer waits for."""
        self.effects += effects
        self.bell = next((one.id for one in effects if isinstance(one, Ring)), self.bell)

    def open(self, fact: facts.EveningOpen, seed: int | str | None) -> None:
        """Begins a new evening; takes the views of tables away that do not play in it."""
        hall = self.hall
        hall.seed(seed)
        hall.blinking.clear()
        before = self._log.tables
        self.add(self._log.open_evening(fact, hall.boot, self.now))
        for number in sorted(before - self._log.tables):
            topic = topics.down(hall.name, topics.table_node(number), "view")
            self.effects.append(Publish(topic, None, 1, True))

    def open_round(self) -> None:
        """Opens a round."""
        self.add(self._log.open_round(self.t, self.by))


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
