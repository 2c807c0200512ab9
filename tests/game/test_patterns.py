"""Patterns of a house's own: what a roll does, in a round, by hand, in a roll-off and on the cards."""

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from game.evenings import Play
from pi_bunco.errors import RulesError
from pi_bunco.game import facts
from pi_bunco.game.replay import evening_report
from pi_bunco.game.snapshot import restored, snapshot
from pi_bunco.game.table import Table
from pi_bunco.rules import RuleSet, override, preset
from pi_bunco.rules.patterns import score
from rules.arbitrary import patterns
from rules.reading import Does, does

DICE = [(a, b, c) for a, b, c in product(range(1, 7), repeat=3)]


def play(*rolls: dict[str, Any], seats: tuple[str, ...] = ("abcd", "efgh"), **changed: Any) -> Play:
    return Play("bonko", seats, rolls=list(rolls), **changed).open()


def throw(game: Play, *dice: str, table: int = 1, **fields: Any) -> str | None:
    """Throws of dice like `"123"`; returns why the last one was ignored."""
    why = None
    for faces in dice:
        why = game.say("roll", table=table, dice=[int(face) for face in faces], **fields)
    return why


def drawn(changed: dict[str, Any], rolls: list[dict[str, Any]]) -> RuleSet:
    try:
        return override(preset("bonko"), {**changed, "rolls": rolls})
    except RulesError:
        assume(False)
        raise


@given(
    st.fixed_dictionaries(
        {
            "scoring.match": st.sampled_from(["one", "face"]),
            "scoring.mini": st.sampled_from([0, 5]),
            "scoring.wipe": st.none() | st.integers(1, 6),
            "scoring.wipe_ends": st.booleans(),
            "turn.mini_ends": st.booleans(),
            "traveling": st.none() | st.integers(1, 6) | st.sampled_from(["bunco", "mini"]),
            "end.bunco": st.booleans(),
        }
    ),
    st.lists(patterns, max_size=4),
    st.integers(1, 6),
)
def test_every_throw_does_what_is_read_of_it(
    changed: dict[str, Any], rolls: list[dict[str, Any]], target: int
) -> None:
    rules = drawn(changed, rolls)
    scoring = score(rules, target)
    for dice in DICE:
        found = scoring.in_full(scoring.outcomes[dice])
        mark = found.marks[0] if found.marks else None
        bunco = dice.count(target) == 3
        assert does(rules, target, dice) == Does(
            found.points, found.goes_on, found.wipe, mark, found.hands, found.bell, bunco
        )


def test_a_bunco_of_sixes_that_counts_25_is_one_line() -> None:
    changed = {"rolls": [{"when": "fff", "target": 6, "points": 25}]}
    rules = override(preset("bonko"), changed)
    bunco = [score(rules, face).by_hand("bunco").points for face in range(1, 7)]
    assert bunco == [21, 21, 21, 21, 21, 25]


def test_without_patterns_the_outcomes_are_the_usual_ones() -> None:
    assert len(score(preset("gong"), 3).effects) == 7


def test_the_first_pattern_that_matches_counts() -> None:
    game = play({"when": "1-2-3", "points": 10}, {"when": "f..", "points": 2}, end__points="none")
    throw(game, "231", "145", "222")
    assert game.table(1).points == [10 + 2 + 5, 0]


@pytest.mark.parametrize(
    ("wipe", "points", "own"),
    [("team", [4, 0], [4, 0]), ("seat", [4 + 2, 0], [4, 2]), ("none", [10, 0], [8, 2])],
)
def test_a_wipe_comes_before_the_points(wipe: str, points: list[int], own: list[int]) -> None:
    rolls = [{"when": "2-3-4", "wipe": wipe, "points": 4}]
    game = play(*rolls, seats=("abcd",), end__points="none")
    throw(game, "115", "115", "366", "366", "115", "366", "366")
    game.say("turn", table=1, seat="A")
    throw(game, "234")
    table = game.table(1)
    assert (table.points, [table.seat_points[0], table.seat_points[2]]) == (points, own)


def test_a_bell_of_a_pattern_needs_no_points() -> None:
    game = play({"when": "6-6-6", "points": 0, "mark": "snake", "bell": True})
    throw(game, "666", table=2)
    assert game.running.bell is None
    throw(game, "666")
    assert (game.bell.by, game.bell.player) == ("roll", "a")


def test_a_bunco_that_does_not_ring_still_rings_by_its_points() -> None:
    game = play({"when": "fff", "bell": False, "points": 20})
    throw(game, "111")
    assert game.running.bell is None
    throw(game, "145")
    assert game.bell.by == "points"


def test_a_roll_must_be_called_out_to_count() -> None:
    game = play({"when": "fff", "called": True})
    throw(game, "111")
    assert game.table(1).points == [0, 0]
    assert game.table(1).seat == 1
    assert game.say("confirm", table=1) is None
    assert (game.table(1).points, game.table(1).buncos) == ([21, 0], [1, 0, 0, 0])
    assert (game.bell.by, game.bell.player, game.bell.t) == ("bunco", "a", game.t)


def test_a_roll_that_says_that_it_was_called_counts_at_once() -> None:
    game = play({"when": "fff", "called": True})
    throw(game, "111", called=True)
    assert (game.table(1).points, game.bell.by) == ([21, 0], "bunco")


def test_a_call_is_too_late_after_the_next_roll_or_once_the_table_is_done() -> None:
    game = play({"when": "fff", "called": True})
    throw(game, "111", "222")
    assert game.say("confirm", table=1) is not None
    throw(game, "111", table=2)
    game.close()
    assert game.say("confirm", table=2) is None
    assert game.table(2).points == [0, 0]
    assert game.table(2).doing == "roll_off"


def test_a_thing_goes_to_whoever_rolled_for_it_last() -> None:
    game = play({"when": "1-2-3", "hands": "die"}, seats=("a1cd", "efgh"))
    throw(game, "123", table=2)
    assert game.evening.holder("die") == "e"
    throw(game, "666", "344", "312", table=1)  # a, who goes on after the mini, then misses; the ghost's turn
    assert game.evening.holder("die") == "e"
    throw(game, "356", "213")
    assert game.evening.holder("die") == "c"
    assert game.say("undo", table=1) is None
    assert game.evening.holder("die") == "e"


def test_a_mark_of_ones_own_stands_on_the_card_and_wins_a_prize() -> None:
    rolls = [{"when": "5-5-5", "mark": "fives"}, {"when": "4-4-4", "mark": "bunco"}]
    prizes = [{"for": "fives"}, {"for": "wipes"}]
    game = play(*rolls, seats=("abcd",), prizes=prizes, card=["fives"], scoring__wipe=6, evening__faces=[1])
    throw(game, "555", "345", "666", "345", "444")
    assert game.running.bell is None
    game.decide("US").round("US")
    report = evening_report(game.evening)
    assert {name: card["fives"] for name, card in report["standings"].items()} == {
        "a": 1,
        "b": 0,
        "c": 0,
        "d": 0,
    }
    assert {name: card["wipes"] for name, card in report["standings"].items()} == {
        "a": 0,
        "b": 1,
        "c": 0,
        "d": 0,
    }
    assert (report["standings"]["a"]["minis"], report["standings"]["c"]["buncos"]) == (0, 1)
    assert [award["winners"] for award in report["results"]["prizes"]] == [("a",), ("b",)]


def test_only_patterns_of_the_target_count_in_a_session() -> None:
    game = play({"when": "1-2-3", "points": 50}, {"when": "f..", "points": 3, "mark": "one"}, seats=("abcd",))
    game.close()
    assert game.say("confirm", table=1) is None
    throw(game, "123", "234", "234", "234", "234")
    assert (game.table(1).points, game.table(1).winner) == ([3, 0], 0)


def test_a_roll_by_hand_may_be_called_by_its_pattern() -> None:
    game = play({"when": "1-2-3", "points": 10}, {"when": "sum=5", "points": 7}, {"when": "fff", "target": 2})
    for call in ("1-2-3", "sum=5", "mini"):
        assert game.say("roll", table=1, call=call) is None
    assert game.table(1).points == [22, 0]
    assert game.say("roll", table=1, call="xx.") == "the rules of this round have no roll xx."
    assert game.say("roll", table=1, call="fff") == "the rules of this round have no roll fff"


def test_a_wipe_by_hand_is_the_first_pattern_that_wipes() -> None:
    game = play({"when": "2-2-2", "wipe": "seat", "points": 0})
    throw(game, "115")
    assert game.say("roll", table=1, call="wipe") is None
    assert game.table(1).points == [0, 0]


def test_most_1_2_3_are_counted_besides_what_a_pattern_marks() -> None:
    game = play({"when": "1-2-3", "mark": "bunco"}, seats=("abcd",), prizes=[{"for": "one_two_three"}])
    throw(game, "321")
    assert game.table(1).buncos == [1, 0, 0, 0]
    game.decide("US").say("evening_close")
    assert evening_report(game.evening)["results"]["prizes"][0]["winners"] == ("a",)


@settings(deadline=None)
@given(
    st.lists(patterns, min_size=1, max_size=3),
    st.sampled_from(["session", "one_die", "lap", "one_roll", "no_chance"]),
    st.integers(1, 6),
)
def test_a_tie_for_ever_is_one_that_no_dice_break(
    rolls: list[dict[str, Any]], method: str, target: int
) -> None:
    random = Random(target)
    rules = drawn({"tie.method": method, "after_bell": "stop"}, rolls)
    table = Table(1, ("a", "b", "c", "d"), (False,) * 4, rules, target)
    table.ring(0)
    assert table.confirm(0) is None
    for n in range(4000):
        if table.one_die:
            table.faceoff(random.choice(DICE)[:2], 1)
        elif not table.final:
            table.roll(facts.Roll(1, 1, random.choice(DICE), called=True), n)
    assert table.final != score(rules, target).undecided(method)


@pytest.mark.parametrize("when", ["...", "f.."])
def test_a_lap_in_which_every_turn_scores_the_same_breaks_no_tie(when: str) -> None:
    rules = override(preset("bonko"), {"rolls": [{"when": when, "points": 5, "turn": "pass"}]})
    assert score(rules, 2).undecided("lap") == (when == "...")
    assert not score(rules, 2).undecided("session")


def test_a_table_is_made_again_with_its_patterns() -> None:
    game = play({"when": "1-2-3", "points": 10, "called": True}, end__points="none", end__bunco=False)
    throw(game, "111", "123")
    ours = game.table(1)
    twin = restored(snapshot(ours), Table(1, ours.seats, ours.ghosts, ours.rules, 1))
    assert (twin.points, twin.uncalled) == (ours.points, ours.uncalled)
    assert twin.uncalled is not None


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"rolls": [{"when": "...", "turn": "on"}]}, "rolls: in the round of 1s no roll ends a turn"),
        ({"rolls": [{"when": "fff", "mark": "wins"}]}, 'rolls: mark = "wins" means something else'),
        ({"rolls": [{"when": "fff", "hands": "mini"}]}, 'rolls: hands = "mini" means something else'),
        ({"holds": ["wins"]}, 'holds: "wins" means something else'),
        ({"rolls": [{"when": "fff", "mark": "die", "hands": "die"}]}, 'rolls: "die" is a mark and a thing'),
        ({"card": ["buncoes"]}, 'card: nothing counts "buncoes"; did you mean buncos?'),
        ({"prizes": [{"for": "fives"}]}, 'prizes: nothing counts "fives"'),
        ({"rolls": [{"when": "f"}]}, "rolls = "),
    ],
)
def test_invalid_patterns_are_reported(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RulesError) as caught:
        override(preset("bonko"), changed)
    assert caught.value.problems[0].startswith(sentence)
