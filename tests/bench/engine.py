"""The speed of the engine: facts applied from memory, lines of a log, and whole simulated evenings."""

import json
from collections.abc import Iterator, Sequence
from random import Random

from pi_bunco.game import codec, facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Fact
from pi_bunco.game.replay import replay
from pi_bunco.play.simulation import Simulation, Sums, cores
from pi_bunco.play.whole_evenings import opening, play, throws
from pi_bunco.reason import Reason
from pi_bunco.rules import PRESETS, RuleSet, override, preset

from . import Row, Took, in_turn

PLAYERS = 12
ROLLS = 60_000  # of each rule set, roughly
EVENINGS = 100
PATTERNED = override(
    preset("gong"),
    {
        "rolls": [
            {"when": "fff", "target": 6, "points": 25},
            {"when": "1-2-3", "mark": "gold", "hands": "die"},
            {"when": "1-1-1", "wipe": "team"},
            {"when": "ff.", "points": 3},
        ],
        "champion": ["gold", "buncos"],
    },
)
"""Rules with patterns that nearly every turn meets."""


class Recorded(Evening):
    """An evening that keeps what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[Fact] = []

    def take(self, _evening: Evening, fact: Fact) -> Reason | None:
        self.log.append(fact)
        return apply(self, fact)


def rows(repeats: int) -> Iterator[Row]:
    """The engine's benchmarks."""
    logs = [log for name in PRESETS for log in recorded(preset(name))]
    yield applied("facts applied", logs, repeats)
    yield applied("facts applied, patterns in play", list(recorded(PATTERNED)), repeats)
    yield from (simulated(name, preset(name), repeats) for name in PRESETS)
    yield simulated("patterns in play", PATTERNED, repeats)
    yield replayed(logs, repeats)
    yield shared(repeats)


def recorded(rules: RuleSet) -> Iterator[list[Fact]]:
    """The facts of evenings with about `ROLLS` rolls."""
    left, number = ROLLS, 0
    while left > 0:
        evening = Recorded()
        left -= play(evening, opening(rules, PLAYERS), Random(number), evening.take)
        number += 1
        yield evening.log


def applied(what: str, logs: Sequence[Sequence[Fact]], repeats: int) -> Row:
    """Facts from memory through the engine."""

    def engine() -> None:
        for log in logs:
            evening = Evening()
            for fact in log:
                apply(evening, fact)

    def bare() -> None:
        for log in logs:
            bare_fold(log)

    ours, baseline = in_turn(repeats, engine, bare)
    count = sum(map(len, logs))
    return row(what, "facts", count, ours, "a bare loop that adds points", baseline, 1_000_000)


def bare_fold(log: Sequence[Fact]) -> list[int]:
    """The points of all teams, and nothing else: the least that a loop over the same facts can do."""
    points = [0] * 1000
    seats = [0] * 1000
    for fact in log:
        if type(fact) is facts.Roll and fact.dice is not None:
            table = fact.table
            matches = fact.dice.count(1)
            if matches:
                points[2 * table + (seats[table] & 1)] += 21 if matches == 3 else matches
            else:
                seats[table] += 1
    return points


def simulated(name: str, rules: RuleSet, repeats: int) -> Row:
    """Whole evenings, from the dice to the last result."""
    simulation = Simulation(rules, PLAYERS, seed=1)
    evenings = range(max(1, ROLLS // simulation.chunk(range(1)).rolls))
    rolls = simulation.chunk(evenings).rolls
    ours, baseline = in_turn(repeats, lambda: simulation.chunk(evenings), lambda: bare_rounds(rolls))
    return row(f"{name}, whole evenings", "rolls", rolls, ours, "a bare loop with dice", baseline, 500_000)


def bare_rounds(rolls: int) -> int:
    """The number of rounds to a Bunco or 21 points in `rolls` rolls of the same dice."""
    rounds, seat, points = 0, 0, [0, 0]
    for dice, _ in zip(throws(Random(1)), range(rolls), strict=False):
        matches = dice.count(1)
        if matches:
            points[seat & 1] += matches
        elif dice[0] == dice[1] == dice[2]:
            points[seat & 1] += 5
        else:
            seat += 1
        if matches == 3 or points[seat & 1] >= 21:
            rounds, seat, points = rounds + 1, 0, [0, 0]
    return rounds


def replayed(logs: Sequence[Sequence[Fact]], repeats: int) -> Row:
    """Lines of JSON through the decoder and the engine."""
    lines = [[codec.encode(fact) for fact in log] for log in logs]

    def engine() -> None:
        for log in lines:
            replay(log, "log")

    def bare() -> None:
        for log in lines:
            for line in log:
                json.loads(line)

    ours, baseline = in_turn(repeats, engine, bare)
    return row("log lines replayed", "lines", sum(map(len, lines)), ours, "json.loads alone", baseline)


def shared(repeats: int) -> Row:
    """Whole evenings on all cores, the start of the processes included."""
    simulation = Simulation(preset("mybunco"), PLAYERS, seed=1)
    evenings = EVENINGS
    rolls = simulation.chunk(range(evenings)).rolls
    several, alone = in_turn(
        min(repeats, 3),
        lambda: sum(simulation.parts(evenings, cores()), Sums()),
        lambda: sum(simulation.parts(evenings, 1), Sums()),
    )
    return Row(
        f"mybunco on {cores()} cores",
        "rolls",
        None,
        rolls / several.wall,
        "one core",
        several.wall / alone.wall,
    )


def row(
    what: str, unit: str, count: int, ours: Took, baseline: str, bare: Took, target: float | None = None
) -> Row:
    """`count` things that took `ours`, beside the same number in `bare`."""
    return Row(what, unit, count / ours.cpu, count / ours.wall, baseline, ours.cpu / bare.cpu, target)
