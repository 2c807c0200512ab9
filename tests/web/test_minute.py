"""The rules in a minute are those of the evening, by the engine, and stand where nobody looks for a seat."""

import pytest

from pi_bunco.web.pages.board.minute import STEPS, Minute, minute
from pi_bunco.web.pages.board.model import BeforeFirst, BreakTime, Scene
from pi_bunco.web.pages.board.page import Wish, shown_scoreboard
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
    throws = [minute(now, at).table.throw for at in range(1, STEPS + 1)]
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
    assert {scene.at for scene in shown if isinstance(scene, Minute)} == set(range(1, STEPS + 1))
    assert {type(scene) for scene in scenes(night.draw(), 240)} == {BeforeFirst}


def test_in_the_break_the_rules_take_turns_with_the_standings() -> None:
    night = Night(12, rules="mybunco").draw().rounds(12)
    assert {type(scene) for scene in scenes(night, 240)} >= {BreakTime, Minute}


def test_a_screen_shows_the_rules_whenever_the_host_says_so() -> None:
    night = Night(12).draw().begin()
    assert {type(scene) for scene in scenes(night, 60, "rules")} == {Minute}
