"""The published house rules that ship as examples: their odds, and a round of each worked out by hand."""

from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.play.simulation import Simulation, Sum, Sums
from pi_bunco.rules import PRESETS, load, preset, title
from pi_bunco.rules.load import EXAMPLES, changes
from pi_bunco.rules.odds import odds

ROLLS = 40_000

# Of each: rolls at the tables in order, then what they come to in the first round (target 1).
# Points are [US, THEM] of tables 1 and 2; `done` are the tables that have nothing more to play.
ROUNDS: dict[str, tuple[list[tuple[int, str]], dict[str, Any]]] = {
    # Bob's Bunco rings and stops everybody: 1 - 21.
    "world_bunco": (
        [(2, "2"), (1, "1.B"), (2, "1")],
        {"points": [[1, 21], [2, 0]], "by": "bunco", "player": "b", "done": [1, 2], "bag": "b"},
    ),
    # In the round of ones three ones are a Bunco; nothing is wiped out, and the bag goes with them.
    "snake_eyes": (
        [(2, "12"), (1, "2.B")],
        {"points": [[2, 21], [3, 0]], "by": "bunco", "player": "b", "done": [1, 2], "bag": "b"},
    ),
    # A Bunco of ones is no three threes: the bag stays away.
    "traveling_threes": (
        [(1, "B")],
        {"points": [[21, 0], [0, 0]], "by": "bunco", "player": "a", "done": [1, 2], "bag": None},
    ),
    # The ringer goes on, and so does e, who has scored; one point a match.
    "over_or_bunco": (
        [(2, "1"), (1, "B"), (1, "2."), (2, "m.")],
        {"points": [[23, 0], [6, 0]], "by": "bunco", "player": "a", "done": [1, 2], "bag": "a"},
    ),
    # Minis end turns: a 5, b 5, c 5, d 5, then a has 5 + 16 = 21 points.
    "bunco_babz": (
        [(1, "mmmm22222222")],
        {"points": [[26, 10], [0, 0]], "by": "points", "player": "a", "done": [1, 2], "bag": None},
    ),
    # 21 points of a team by twos; a finishes the turn, table 2 has not scored on its latest roll.
    "wipeout": (
        [(2, "1."), (1, "2" * 11), (1, ".")],
        {"points": [[22, 0], [1, 0]], "by": "points", "player": "a", "done": [1, 2], "bag": None},
    ),
    # After the bell e goes on until the miss, f does not begin.
    "fuzzy_die": (
        [(2, "B"), (1, ".B"), (2, "1."), (1, ".")],
        {"points": [[0, 21], [22, 0]], "by": "bunco", "player": "b", "done": [1, 2], "bag": "b"},
    ),
    "loser_lottery": (
        [(2, "B"), (1, "2" * 11)],
        {"points": [[22, 0], [21, 0]], "by": "points", "player": "a", "done": [1, 2], "bag": "e"},
    ),
    # e's 21 points ring, not the 20 that a and c have between them.
    "any_table": (
        [(1, "22222."), (1, ".22222"), (2, "2" * 10), (2, "1")],
        {
            "points": [[10, 0, 10, 0], [21, 0, 0, 0]],
            "by": "points",
            "player": "e",
            "done": [1, 2],
            "bag": None,
        },
    ),
    # What all four have counts: 20 and f's 1 ring at table 2.
    "teams_of_four": (
        [(1, "2."), (2, "22222."), (1, "1"), (2, "22222."), (2, "1")],
        {"points": [[3], [21]], "by": "points", "player": "g", "done": [1, 2], "bag": None},
    ),
    # The second Bunco of the round is b's, which rings; both finish their turns.
    "second_bunco": (
        [(2, "B"), (1, ".B"), (2, "."), (1, ".")],
        {"points": [[0, 21], [21, 0]], "by": "bunco", "player": "b", "done": [1, 2], "bag": "b"},
    ),
    # Ones do not wipe in their own round; the mini counts, b's Bunco rings, and b and e finish their turns.
    "white_elephants": (
        [(2, "2"), (1, "m.B"), (2, "."), (1, ".")],
        {"points": [[5, 21], [2, 0]], "by": "bunco", "player": "b", "done": [1, 2], "bag": None},
    ),
    # Snake eyes take a's 3 points in the round of twos; after b's Bunco c and d have their turn.
    "one_more_roll": (
        [
            (2, "...."),
            (1, "12w.B"),
            (1, "..."),
        ],
        {"points": [[0, 21], [0, 0]], "by": "bunco", "player": "b", "done": [1, 2], "bag": "b"},
    ),
    # A roll of 1-2-3 scores its one and hands on the fuzzy die, which is no traveling bag.
    "fuzzy_combination": (
        [(2, "s"), (1, "1s.B")],
        {"points": [[2, 21], [1, 0]], "by": "bunco", "player": "b", "done": [1, 2], "bag": None},
    ),
    # Nobody calls out a's Bunco, so that the dice pass to b, whose 22 points ring; c and d have their turn.
    "called_out": (
        [(2, "...."), (1, "B" + "2" * 11), (1, "...")],
        {"points": [[0, 22], [0, 0]], "by": "points", "player": "b", "done": [1, 2], "bag": None},
    ),
    "supplies_box": (
        [(2, "2"), (1, ".B")],
        {"points": [[0, 21], [2, 0]], "by": "bunco", "player": "b", "done": [1, 2], "bag": "b"},
    ),
    # A Bunco alone does not ring, but its points do.
    "twenty_a_spot": (
        [(1, "2" * 10), (1, "B")],
        {"points": [[41, 0], [0, 0]], "by": "points", "player": "a", "done": [1, 2], "bag": None},
    ),
    "doormat": (
        [(1, "mmmm22222222")],
        {"points": [[26, 10], [0, 0]], "by": "points", "player": "a", "done": [1, 2], "bag": None},
    ),
    # Three ones in the round of twos take e's 2 points and end the turn.
    "ghosts_partner": (
        [(2, "11w"), (1, "1.B")],
        {"points": [[1, 21], [0, 0]], "by": "bunco", "player": "b", "done": [1, 2], "bag": "b"},
    ),
    "split_or_roll": (
        [(2, "2"), (1, ".B"), (2, "1")],
        {"points": [[0, 21], [2, 0]], "by": "bunco", "player": "b", "done": [1, 2], "bag": "b"},
    ),
    # A Bunco alone does not end it but its 21 points do; a goes on, then b, c and d have their turn. At
    # table 2 h is at it and has just scored, so that only that turn is finished.
    "everybody_rolls": (
        [(2, "1...2"), (1, "B"), (1, ".1..."), (2, ".")],
        {"points": [[21, 1], [1, 2]], "by": "points", "player": "a", "done": [1, 2], "bag": None},
    ),
}


def play(name: str) -> Play:
    rules = load(name)
    overrides = changes(rules, preset(rules.preset))
    return Play(rules.preset, **{key.replace(".", "__"): value for key, value in overrides.items()}).open()


def test_there_are_twenty_one_of_them_each_with_a_round() -> None:
    assert set(EXAMPLES) == set(ROUNDS)
    assert len(EXAMPLES) == 21
    assert not set(EXAMPLES) & set(PRESETS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_has_a_name_a_description_and_a_source_of_its_own(name: str) -> None:
    rules = load(name)
    assert title(rules) == rules.name
    assert rules.description is not None
    assert EXAMPLES[name].read_text("utf-8").startswith("# Source: ")


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_round_that_was_worked_out_by_hand(name: str) -> None:
    rolls, want = ROUNDS[name]
    evening = play(name)
    for table, letters in rolls:
        evening.roll(table, letters)
    bell = evening.running.bell
    assert bell is not None
    tables = evening.running.tables
    assert {
        "points": [table.points for table in tables],
        "by": bell.by,
        "player": bell.player,
        "done": [table.number for table in tables if table.done],
        "bag": evening.evening.traveler,
    } == want


def near(found: Sum, exact: float) -> bool:
    assert found.mean is not None
    assert found.error is not None
    return abs(found.mean - exact) <= 4.5 * found.error + 1e-9


@pytest.mark.parametrize("name", EXAMPLES)
def test_its_odds_are_what_is_played(name: str) -> None:
    rules = load(name)
    bells = [odds(rules, face).bell for face in rules.evening.faces]
    expected = sum(bell.mean for bell in bells if bell) * rules.evening.sets
    sums = sum(Simulation(rules, 12, seed=2).parts(int(ROLLS / expected / 3) + 1, 1), Sums())
    for face, bell in zip(rules.evening.faces, bells, strict=True):
        assert bell is not None
        assert near(sums.faces[face - 1].rolls_to_bell, bell.mean)
        assert near(sums.faces[face - 1].us_rings, bell.us_rings)
