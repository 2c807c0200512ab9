"""The rules in a minute are those of the evening, by the engine, and stand where nobody looks for a seat."""

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.board.minute import EXAMPLE_STEPS, Minute, minute
from pi_bunco.web.pages.board.model import BeforeFirst, BreakTime
from pi_bunco.web.pages.board.page import Wish, shown_scoreboard
from pi_bunco.web.pages.shared.model import Scene
from pi_bunco.web.site.page import Context
from web.nights import Night

STEP_MS = 10_000


def scenes(night: Night, seconds: int, show: str = "") -> list[Scene]:
    """The scene of every step in so much time."""
    times = range(1000, 1000 * seconds, STEP_MS)
    return [shown_scoreboard(night.evening_now(later), Wish(show=show)).scene for later in times]


@pytest.mark.parametrize("bunco", [21, 25])
@pytest.mark.parametrize("rules", ["classic", "gong", "bonko"])
def test_the_throws_count_as_in_the_game(rules: str, bunco: int) -> None:
    now = Night(12, rules=rules, scoring__bunco=bunco).evening_now()
    throws = [minute(now, at).table.throw for at in range(1, EXAMPLE_STEPS + 1)]
    assert throws[:2] == [None, None]
    hit, miss, three = throws[2:5]
    assert hit
    assert miss
    assert three
    assert (hit.points, hit.goes_on, hit.by) == (2, True, "Ann")
    assert (miss.result, miss.goes_on, miss.by) == ("miss", False, "Ann")
    assert (three.result, three.points, three.by) == ("bunco", bunco, "Bob")


def test_before_the_draw_the_rules_take_turns_with_who_is_there() -> None:
    night = Night(12)
    shown = scenes(night, 240)
    assert {type(scene) for scene in shown} == {BeforeFirst, Minute}
    assert {scene.at for scene in shown if isinstance(scene, Minute)} == set(range(1, EXAMPLE_STEPS + 1))
    assert {type(scene) for scene in scenes(night.draw(), 240)} == {BeforeFirst}


def test_in_the_break_the_rules_take_turns_with_the_standings() -> None:
    night = Night(12, rules="mybunco").draw().rounds(12)
    assert {type(scene) for scene in scenes(night, 240)} >= {BreakTime, Minute}


def test_a_screen_shows_the_rules_whenever_the_host_says_so() -> None:
    night = Night(12).draw().begin()
    assert {type(scene) for scene in scenes(night, 60, "rules")} == {Minute}


def told(night: Night, at: int) -> str:
    """The sentences of a step."""
    shown = shown_scoreboard(night.evening_now(STEP_MS * (at - 1) + 1 - night.t), Wish(show="rules"))
    return TEMPLATES.render(shown, Context()).partition("<section>")[2].partition("</section>")[0]


def test_a_bunco_that_must_be_called_out_is_worth_what_it_is_then() -> None:
    night = Night(12, rules="classic", rolls=[{"when": "fff", "called": True}])
    assert "at once are a Bunco, 21 points: shout it!" in told(night, 5)


def test_three_of_another_number_are_told_where_all_are_the_same() -> None:
    assert "Three of any other number are 5 points." in told(Night(12), 5)
    assert "are 5 points, and the dice go on." in told(Night(12, rules="gong"), 5)
    assert "any other number" not in told(Night(12, scoring__wipe=3), 5)
    assert "any other number" not in told(Night(12, scoring__mini=0), 5)


def test_who_moves_in_a_group_is_not_told_of_tables_of_other_groups() -> None:
    groups = [[1, 2, 3], [4, 5, 6]]
    for rules in ("tournament", "gong"):
        night = Night(24, rules=rules, groups=groups)
        assert "able of your group" in told(night, 6)
        assert "table 6" not in told(night, 6).lower()
    assert "At table 6 you stay." in told(Night(24), 6)


def test_at_a_single_table_nobody_is_told_to_go_to_another() -> None:
    for moves in ("down_one", "losers_to_last", "losers_round", "winners_round", "chain"):
        words = told(Night(4, move__tables=moves), 6)
        assert "table" not in words
        assert "D to C, C to A." in words if moves == "chain" else "Chairs A and B." in words
