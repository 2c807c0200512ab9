"""The engine against a second one, written from the rules alone, on random logs under random rules."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game.drawn import METHODS, MODES, MOVES, logs
from game.evenings import fact
from game.independent.comparing import compared, plain
from game.independent.drawn_logs import drawn
from game.independent.evening import Evening as Independent
from game.independent.taking import take
from pi_bunco.game import codec, facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from thorough import times

KINDS = [
    *["roll"] * 30, *["undo"] * 8, *["turn"] * 6, *["confirm"] * 4, "round_close", "bell_void", "bell",
    "round_open", "faceoff", "decide", "reopen", "leave", "arrive", "substitute", "round_cancel", "seating",
]  # fmt: skip


def check(log: list[facts.Fact]) -> None:
    """Both engines say after each fact whether it counted and what of the bell, and at the end everything."""
    evening = Evening()
    apply(evening, log[0])
    lines = [codec.encode(one).decode() for one in log]
    independent = Independent(json.loads(lines[0]))
    for number, one in enumerate(log[1:], 2):
        counted = apply(evening, one) is None
        assert (take(independent, json.loads(lines[number - 1]), number) is None) == counted, (number, one)
        bell = evening.round.bell if evening.round else None
        other = independent.running.bell if independent.running else None
        assert (bell and (bell.t, bell.by, bell.player)) == (other and plain(other)), (number, one)
    assert compared(lines) == []


DRAWN = {
    "": 400,
    "stages": 150,
    "patterns": 100,
    "house": 150,
    "house stages patterns": 100,
    "teams": 200,
    "teams house stages patterns": 150,
}
"""The number of evenings of each kind; `drawn_logs.py` tells the kinds."""


@pytest.mark.parametrize(
    ("kinds", "seed"), [(kinds, seed) for kinds, logs in DRAWN.items() for seed in range(times(logs))]
)
def test_both_engines_say_the_same_of_drawn_evenings(kinds: str, seed: int) -> None:
    assert compared(drawn(seed, *kinds.split())) == []


@settings(max_examples=times(100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(logs(dice=True))
def test_both_engines_say_the_same_of_facts_in_any_order(log: list[facts.Fact]) -> None:
    check(log)


def rules(random: Random) -> dict[str, Any]:
    """Overrides under which bells, wipes and bags come often."""
    chosen = {
        "scoring.wipe": random.choice([None, 2, 6]),
        "scoring.wipe_ends": random.random() < 0.5,
        "scoring.match": random.choice(["one", "face"]),
        "turn.mini_ends": random.random() < 0.5,
        "end.points": random.choice([None, 3, 6, 21]),
        "end.points_by": random.choice(["team", "player"]),
        "end.bunco": random.random() < 0.7,
        "end.tables": random.choice(["head", "any"]),
        "after_bell": random.choice(MODES),
        "after_bell_head": random.choice([None, None, *MODES]),
        "winner.auto": random.random() < 0.5,
        "tie.method": random.choice([*METHODS]),
        "move.tables": random.choice([*MOVES]),
        "ghost_marks": random.choice(["nobody", "partner"]),
        "traveling": random.choice([None, "bunco", "mini", 1, 2, 6]),
        "evening.faces": random.choice([[1, 2, 6], [2, 3], [1, 2, 3, 4, 5, 6]]),
    }
    return {key: value for key, value in chosen.items() if random.random() < 0.8}


def duel(random: Random) -> list[facts.Fact]:
    """An evening at one, two or three tables where much is undone, counted again and late."""
    tables = random.choice([1, 1, 2, 3])
    empty = random.choice([0, 1, 2, 3]) if tables > 1 else 0
    ghosts = [f"Ghost {number}" for number in range(1, 1 + empty)]
    chairs = [*ghosts, *(f"p{number}" for number in range(4 * tables - len(ghosts)))]
    if random.random() < 0.7:
        random.shuffle(chairs)
    players = [name for name in chairs if name not in ghosts]
    log = [
        fact("evening", rules="bonko", overrides=rules(random), players=players, ghosts=ghosts),
        fact("seating", tables=[chairs[i : i + 4] for i in range(0, len(chairs), 4)]),
        fact("round_open"),
    ]
    t = 10
    for _ in range(random.choice([15, 40, 80])):
        t += random.choice([0, 1, 2, 10])
        log += one_step(random, random.choice(KINDS), max(0, t - random.choice([0, 0, 0, 1, 3, 20])), tables)
    return log


def one_step(random: Random, kind: str, t: int, tables: int) -> list[facts.Fact]:
    table = random.choice([1, *range(1, tables + 1)])
    names = [f"p{random.randrange(4 * tables)}", random.choice(["x", "y", "q0", "p1"])]
    match kind:
        case "roll":
            return [fact("roll", t, table=table, **throw(random))]
        case "turn":
            return [
                fact("turn", t, table=table, seat=random.choice("ABCD"), rolls=random.choice([0, 1, 1, 2, 3]))
            ]
        case "confirm":
            return [fact("confirm", t, table=number) for number in range(1, tables + 1)]
        case "faceoff":
            dice = [random.randint(1, 2), random.randint(1, 2)]
            return [fact("faceoff", t, table=number, dice=dice) for number in range(1, tables + 1)]
        case "decide":
            many = range(1, tables + 1) if random.random() < 0.3 else [table]
            return [fact("decide", t, table=number, winner=random.choice(["US", "THEM"])) for number in many]
        case "leave" | "arrive":
            return [fact(kind, t, player=random.choice(names))]
        case "substitute":
            fields: dict[str, Any] = {"out": names[0], "in": names[1]}
            return [fact(kind, t, **fields)]
        case "undo" | "reopen":
            return [fact(kind, t, table=table)]
        case "seating":
            return []
        case _:
            return [fact(kind, t)]


def throw(random: Random) -> dict[str, Any]:
    if random.random() < 0.5:
        return {"call": random.choice(["miss", "one", "one", "two", "mini", "bunco", "wipe"])}
    if random.random() < 0.15:
        return {"call": "mini", "face": random.choice([1, 2, 6])}
    face = random.choice([1, 2, 6])
    return {"dice": random.choice([[face] * 3, [1, 2, 3], [face, face, 4], [face, 3, 4], [3, 4, 5]])}


@settings(max_examples=times(400), deadline=None)
@given(st.integers(0, 2**64))
def test_both_engines_say_the_same_of_much_that_is_taken_back(seed: int) -> None:
    check(duel(Random(seed)))
