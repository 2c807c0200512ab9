from collections import Counter
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_bunco.game import codec, facts
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.opening import chairs
from pi_bunco.game.replay import evening_report, replay, report
from pi_bunco.play.whole_evenings import ROLL_EVERY_MS, opening, play, throws
from pi_bunco.reason import Reason
from pi_bunco.rules import PRESETS, override, preset
from pi_bunco.rules.patterns import FALLS
from thorough import times


class Recorded(Evening):
    """An evening that keeps what it was told."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[facts.Fact] = []

    def take(self, _evening: Evening, fact: facts.Fact) -> Reason | None:
        self.log.append(fact)
        return apply(self, fact)


def played(name: str, players: int, seed: int, overrides: dict[str, Any] | None = None) -> Recorded:
    evening = Recorded()
    rules = override(preset(name), overrides or {})
    rolls = play(evening, opening(rules, players), Random(seed), evening.take)
    assert rolls == sum(type(fact) is facts.Roll for fact in evening.log)
    return evening


def rolls_after_bell(evening: Recorded) -> int:
    rounds = [(round_, table) for round_ in evening.rounds for table in round_.tables]
    return sum(
        entry[0] >= 0 and entry[1] > (table.bell_t or 0) for _, table in rounds for entry in table.entries
    )


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("players", [4, 13])
def test_every_evening_is_played_to_its_end(name: str, players: int) -> None:
    evening = played(name, players, seed=1)
    assert evening.state == "finished"
    semi_final = 1 if evening.tournament else 0
    assert len(evening.rounds) == 6 * (preset(name).evening.sets + semi_final)
    assert [round_.target for round_ in evening.rounds[:6]] == [1, 2, 3, 4, 5, 6]
    marks = sum(tally.wins + tally.losses for tally in evening.standings.values())
    groups = chairs(preset(name), players)[0] or ()
    # Two of each group play the semi-final.
    assert marks == players * 6 * preset(name).evening.sets + semi_final * 6 * 2 * len(groups)


rules = st.fixed_dictionaries(
    {},
    optional={
        "scoring.match": st.sampled_from(["face", "one"]),
        "turn.mini_ends": st.booleans(),
        "end.points": st.sampled_from([1, 21, 40]),
        "end.points_by": st.sampled_from(["team", "player"]),
        "end.tables": st.sampled_from(["head", "any"]),
        "end.minutes": st.sampled_from(["none", 1, 3]),
        "after_bell": st.sampled_from(["stop", "finish_turn", "finish_lap"]),
        "winner.auto": st.booleans(),
        "tie.method": st.sampled_from(["session", "one_die", "lap", "one_roll", "no_chance"]),
        "move.tables": st.sampled_from(["losers_to_last", "down_one", "stay"]),
        "evening.sets": st.just(1),
    },
)


@settings(max_examples=times(40))
@given(st.sampled_from(PRESETS), rules, st.integers(4, 17), st.integers(0, 999))
def test_whatever_the_rules_nothing_is_refused_and_the_log_makes_the_same_evening(
    name: str, overrides: dict[str, Any], players: int, seed: int
) -> None:
    evening = played(name, players, seed, overrides)
    assert evening.state == "finished"
    log = replay(map(codec.encode, evening.log), "log")
    assert log.ignored == []
    assert report(log) == evening_report(evening) | {"ignored": []}


def test_the_time_ends_a_round_that_no_dice_end() -> None:
    never = {"end.points": "none", "end.bunco": False, "end.minutes": 2}
    evening = played("bonko", 8, 1, never)
    for round_ in evening.rounds:
        assert round_.bell is not None
        assert round_.bell.by == "time"
        assert [table.before_bell for table in round_.tables] == [2 * 60_000 // ROLL_EVERY_MS] * 2


def test_all_tables_have_rolled_equally_often_when_the_bell_rings() -> None:
    evening = played("classic", 12, 3, {"end.tables": "any"})
    ringers = set()
    for round_ in evening.rounds:
        assert round_.bell is not None
        ringers |= {table.number for table in round_.tables if round_.bell.player in table.seats}
        in_time = [
            sum(code >= 0 and t <= round_.bell.t for code, t, _ in table.entries) for table in round_.tables
        ]
        assert len(set(in_time)) == 1
        assert in_time[0] == round_.tables[0].before_bell
    assert ringers == {1, 2, 3}


@pytest.mark.parametrize(
    ("after_bell", "more"), [("stop", False), ("finish_turn", True), ("finish_lap", True)]
)
def test_turn_that_may_go_on_after_the_bell_goes_on(after_bell: str, more: bool) -> None:
    evening = played("mybunco", 12, 1, {"after_bell": after_bell, "tie.method": "one_die"})
    assert (rolls_after_bell(evening) > 0) is more


class EveryByte(Random):
    """Draws each of the 256 bytes equally often."""

    def randbytes(self, n: int) -> bytes:
        return bytes(range(256)) * (n // 256)


def test_every_throw_comes_from_as_many_bytes() -> None:
    assert Counter(islice(throws(EveryByte()), 4 * 216)) == dict.fromkeys(FALLS, 4)


def test_a_throw_is_three_faces() -> None:
    assert len(set(FALLS)) == 6**3
    assert {face for throw in FALLS for face in throw} == {1, 2, 3, 4, 5, 6}


def test_the_same_seed_gives_the_same_throws() -> None:
    first, again, other = (list(islice(throws(Random(seed)), 5000)) for seed in ("1/0", "1/0", "1/1"))
    assert first == again != other
