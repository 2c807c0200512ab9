"""The odds against an independent count over all 216 throws, and against what is published."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import accumulate, product
from math import sqrt
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pi_bunco.errors import RulesError
from pi_bunco.rules import PRESETS, RuleSet, override, preset
from pi_bunco.rules.odds import TABLES, BellOdds, in_words, odds
from rules.arbitrary import patterns
from rules.reading import Does, does
from thorough import times

Rung = list[tuple[float, float, float]]  # after each roll: the chance that US rang, THEM, a Bunco (of both)


def throws(rules: RuleSet, face: int) -> Counter[Does]:
    """The number of throws for each combination of effects."""
    return Counter(
        does(rules, face, dice)._replace(mark=None, hands=None) for dice in product(range(1, 7), repeat=3)
    )


def played(rules: RuleSet, face: int, until: float = 1e-13) -> Iterator[tuple[float, float, float]]:
    """Rolls on from every possible state of one table until hardly a round is left."""
    alone = rules.team == "none" or (rules.team == "pairs" and rules.end.points_by == "player")
    points = rules.end.points
    by_seat = alone or any(one.wipe == "seat" for one in rules.rolls)
    seats = 4 if by_seat else 1 if rules.team == "table" else 2
    outcomes = list(throws(rules, face).items())
    states = {((0,) * seats, 0): 1.0}
    while sum(states.values()) > until:
        following: defaultdict[tuple[tuple[int, ...], int], float] = defaultdict(float)
        rung = [0.0, 0.0, 0.0]
        for (totals, seat), chance in states.items():
            for roll, ways in outcomes:
                share, who = chance * ways / 216, seat % seats
                now = list(totals)
                if roll.wipe != "none":
                    now[who] = 0
                if roll.wipe == "team" and rules.team == "pairs":
                    now[(who + 2) % seats] = 0
                now[who] += roll.points if points else 0
                total = now[who] if alone else sum(now[who % 2 :: 2])
                if roll.rings or (points and roll.points and total >= points):
                    rung[bool(seat & rules.side_bits)] += share
                    rung[2] += share * roll.bunco
                else:
                    following[tuple(now), seat if roll.goes_on else (seat + 1) % 4] += share
        states = dict(following)
        yield rung[0], rung[1], rung[2]


def earliest(rung: Rung) -> Rung:
    """The same for the first of three tables, the lowest of those that ring with the same roll."""
    left = [1.0, *(1 - gone for gone in accumulate(us + them for us, them, _ in rung))]
    first = [0.0] * len(rung)
    for table in range(TABLES):
        for roll in range(len(rung)):
            first[roll] += left[roll + 1] ** table * left[roll] ** (TABLES - 1 - table)
    return [
        (us * share, them * share, bunco * share)
        for (us, them, bunco), share in zip(rung, first, strict=True)
    ]


def summary(rung: Rung) -> BellOdds:
    chances = [us + them for us, them, _ in rung]
    mean = sum(roll * chance for roll, chance in enumerate(chances, 1))
    square = sum(roll**2 * chance for roll, chance in enumerate(chances, 1))
    sofar = list(accumulate(chances))
    p5, p50, p95 = (1 + sum(one < share for one in sofar) for share in (0.05, 0.5, 0.95))
    us, _, bunco = (sum(column) for column in zip(*rung, strict=True))
    return BellOdds(mean, sqrt(square - mean**2), p5, p50, p95, us, bunco)


def brute(rules: RuleSet, face: int) -> BellOdds:
    rung = list(played(rules, face))
    return summary(earliest(rung) if rules.end.tables == "any" else rung)


def assert_alike(found: BellOdds | None, expected: BellOdds) -> None:
    assert found is not None
    assert found.mean == pytest.approx(expected.mean, rel=1e-9)
    assert found.sd == pytest.approx(expected.sd, rel=1e-7, abs=1e-7)
    assert (found.p5, found.p50, found.p95) == (expected.p5, expected.p50, expected.p95)
    assert found.us_rings == pytest.approx(expected.us_rings, abs=1e-10)
    assert found.bunco_rings == pytest.approx(expected.bunco_rings, abs=1e-10)


@st.composite
def small_rules(draw: st.DrawFn) -> RuleSet:
    team = draw(st.sampled_from(["pairs", "pairs", "none", "table"]))
    by = "team" if team == "table" else draw(st.sampled_from(["team", "player"]))
    changed: dict[str, Any] = {
        "team": team,
        "scoring.match": draw(st.sampled_from(["one", "face"])),
        "scoring.bunco": draw(st.integers(1, 8)),
        "scoring.mini": draw(st.integers(0, 6)),
        "scoring.wipe": draw(st.none() | st.integers(1, 6)),
        "scoring.wipe_ends": draw(st.booleans()),
        "turn.mini_ends": draw(st.booleans()),
        "end.points": draw(st.integers(1, 4 if by == "player" or team == "none" else 12)),
        "end.points_by": by,
        "end.bunco": draw(st.booleans()),
        "end.tables": draw(st.sampled_from(["head", "any"])),
    }
    return override(preset("bonko"), changed)


@st.composite
def drawn_rules(draw: st.DrawFn) -> tuple[RuleSet, int]:
    """House rules with patterns, and a round of theirs; where somebody's turn ends."""
    rules, face = draw(small_rules()), draw(st.integers(1, 6))
    by_seat = rules.team != "table" and draw(st.booleans())
    each = by_seat or rules.team == "none" or rules.end.points_by == "player"
    changed = {"end.points": draw(st.integers(1, 4 if each else 10))}
    found = draw(st.lists(patterns, min_size=1, max_size=4))
    if not by_seat:
        found = [{key: one[key] for key in one if one[key] != "seat"} for one in found]
    try:
        return override(rules, {**changed, "rolls": found}), face
    except RulesError:
        assume(False)
        raise


@settings(max_examples=times(60), suppress_health_check=[HealthCheck.too_slow])
@given(drawn_rules())
def test_odds_of_patterns_are_those_of_all_throws_to_the_eleventh_place(drawn: tuple[RuleSet, int]) -> None:
    rules, face = drawn
    found, expected = odds(rules, face).bell, brute(rules, face)
    assert_alike(found, expected)
    assert found is not None
    assert found.mean == pytest.approx(expected.mean, rel=1e-11)
    assert found.us_rings == pytest.approx(expected.us_rings, abs=1e-11)
    assert found.bunco_rings == pytest.approx(expected.bunco_rings, abs=1e-11)


@settings(max_examples=times(80))
@given(small_rules(), st.integers(1, 6))
def test_odds_are_those_of_all_throws(rules: RuleSet, face: int) -> None:
    assert_alike(odds(rules, face).bell, brute(rules, face))


@pytest.mark.parametrize(
    "changed",
    [
        {"end.points": 4, "end.points_by": "player", "end.bunco": False, "scoring.bunco": 2},
        {"end.points": 4, "end.points_by": "player", "turn.mini_ends": True, "scoring.mini": 1},
        {"end.points": 12, "turn.mini_ends": True, "end.bunco": False, "scoring.mini": 2},
        {"end.points": 12, "end.bunco": False, "scoring.bunco": 5, "scoring.mini": 0},
        {"end.points": 12, "scoring.wipe": 6},
        {"end.points": 12, "scoring.wipe": 1},
        *(
            pytest.param(changed, marks=pytest.mark.long)
            for changed in (
                {"end.points": 12, "scoring.wipe": 6, "scoring.wipe_ends": True, "end.bunco": False},
                {"end.points": 4, "end.points_by": "player", "scoring.wipe": 6, "turn.mini_ends": True},
                {"end.points": 4, "end.points_by": "player", "scoring.wipe": 6, "end.bunco": False},
            )
        ),
    ],
)
def test_odds_of_many_points(changed: dict[str, Any]) -> None:
    rules = override(preset("tournament"), changed)
    assert_alike(odds(rules, 1).bell, brute(rules, 1))


@pytest.mark.parametrize("tables", ["head", "any"])
@pytest.mark.parametrize("mini_ends", [False, True])
def test_closed_form_where_only_a_bunco_rings(tables: str, mini_ends: bool) -> None:
    changed = {"end.tables": tables, "turn.mini_ends": mini_ends, "scoring.wipe": 6}
    rules = override(preset("mybunco"), changed)
    assert_alike(odds(rules, 3).bell, brute(rules, 3))


def test_a_round_of_a_whole_preset() -> None:
    assert_alike(odds(preset("classic"), 2).bell, brute(preset("classic"), 2))


@pytest.mark.parametrize("face", range(1, 7))
@pytest.mark.parametrize(
    ("name", "mean"), [("tournament", 49.859753), ("bonko", 49.859753), ("gong", 76.635637), ("mybunco", 216)]
)
def test_published_means(name: str, mean: float, face: int) -> None:
    bell = odds(preset(name), face).bell
    assert bell is not None
    assert round(bell.mean, 6) == mean


@pytest.mark.parametrize("name", PRESETS)
def test_published_turns(name: str) -> None:
    expected = 216 / 125 if name == "gong" else 9 / 5
    assert odds(preset(name), 4).rolls_per_turn == pytest.approx(expected, rel=1e-15)


@given(small_rules(), st.integers(1, 6))
def test_turns_are_those_of_all_throws(rules: RuleSet, face: int) -> None:
    counted = throws(rules, face)
    ends = sum(ways for roll, ways in counted.items() if not roll.goes_on)
    points = sum(roll.points * ways for roll, ways in counted.items())
    assert odds(rules, face).rolls_per_turn == pytest.approx(216 / ends)
    assert odds(rules, face).points_per_turn == pytest.approx(points / ends)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("tables", ["head", "any"])
def test_dice_alone_ring_only_by_points_or_a_bunco(name: str, tables: str) -> None:
    quiet = override(preset(name), {"end.points": "none", "end.bunco": False, "end.tables": tables})
    assert odds(quiet, 1).bell is None
    assert odds(override(quiet, {"end.points": 21}), 1).bell is not None


def test_the_time_limit_is_left_out() -> None:
    assert odds(override(preset("gong"), {"end.minutes": 1}), 1) == odds(preset("gong"), 1)


def test_higher_faces_end_sooner() -> None:
    means = [bell.mean for face in range(1, 7) if (bell := odds(preset("classic"), face).bell)]
    assert len(means) == 6
    assert means == sorted(means, reverse=True)


def test_points_out_of_reach_leave_it_to_the_bunco() -> None:
    rules = override(preset("bonko"), {"end.points": 400})
    far, never = odds(rules, 1).bell, odds(preset("mybunco"), 1).bell
    assert far is not None
    assert never is not None
    assert far.mean == pytest.approx(never.mean, rel=0.01)
    assert far.mean < never.mean
    assert far.us_rings == pytest.approx(never.us_rings, abs=1e-3)
    assert 0.99 < far.bunco_rings < 1


def test_many_points_without_a_bunco_take_their_number_of_turns() -> None:
    rules = override(preset("bonko"), {"end.points": 200, "end.bunco": False, "end.points_by": "player"})
    chances = odds(rules, 1)
    assert chances.bell is not None
    turns = 4 * 200 / chances.points_per_turn
    assert 0.8 < chances.bell.mean / (turns * chances.rolls_per_turn) < 1  # the quickest of four rings
    assert chances.bell.p5 < chances.bell.p50 < chances.bell.p95


@pytest.mark.parametrize(
    ("rolls", "words"),
    [
        (49.86, "about 50 rolls, 4 minutes"),
        (76.64, "about 77 rolls, 6.5 minutes"),
        (216, "about 216 rolls, 18 minutes"),
        (12.4, "about 12 rolls, 1 minute"),
        (11.4, "about 11 rolls, 55 seconds"),
        (1.2, "about 1 roll, 5 seconds"),
        (2740, "about 2740 rolls, 228 minutes"),
    ],
)
def test_rolls_in_words(rolls: float, words: str) -> None:
    assert in_words(rolls) == words
