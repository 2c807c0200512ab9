"""The scoreboard between two rounds, in its order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.game.pace import phase, steered
from pi_bunco.reason import joined
from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.pages.board.model import Between, BreakTime, HandedOn, RoundWon, StandingsNow
from pi_bunco.web.pages.board.page import BOARD, HURRY_MS, Wish, shown_scoreboard
from pi_bunco.web.pages.player.page import shown_player
from pi_bunco.web.pages.shared.standings import holdings
from pi_bunco.web.site.page import Context
from web.gallery import scoreboards
from web.nights import Night, opened

NAMES = Wish(names="A-Z")


def _bag(**fields: str) -> Night:
    night = opened(12, seed=12, traveling="bunco", **fields).throws(22)
    return night.ring().finish()


def _scenes(night: Night, wish: Wish = BOARD, seconds: int = 120, **fields: bool) -> list[type]:
    """The kinds of the scenes, each as it comes."""
    shown = [
        type(shown_scoreboard(night.evening_now(1000 * s, **fields), wish).scene) for s in range(seconds)
    ]
    return [one for one, before in zip(shown, [None, *shown], strict=False) if one is not before]


def test_who_won_then_who_has_the_bag_then_the_seats_and_the_standings_in_turns() -> None:
    assert _scenes(_bag()) == [RoundWon, HandedOn, Between, StandingsNow, Between, StandingsNow, Between]


def test_without_a_thing_that_travels_there_is_no_such_scene() -> None:
    night = opened(12, seed=12).throws(22).ring().finish()
    assert holdings(night.evening_now()) == ()
    assert HandedOn not in _scenes(night)


def test_a_key_of_the_host_leaves_the_seats_alone() -> None:
    assert _scenes(_bag(), skipped=True) == [Between]


def test_a_screen_that_shows_some_names_shows_nothing_else() -> None:
    assert _scenes(_bag(), NAMES) == [Between]


def test_who_goes_to_which_table_is_said() -> None:
    night = opened(12, seed=12).throws(22).ring().finish()
    shown = shown_scoreboard(night.evening_now(60_000), NAMES)
    assert isinstance(shown.scene, Between)
    said = TEMPLATES.render(shown, Context()).split('id="alarm"')[1].split("</p>")[0]
    for number, names in enumerate(night.evening.seating or (), 1):
        before = night.evening.rounds[-1].tables[number - 1].seats
        come = sorted(set(names) - set(before))
        assert f"{joined(come)} to table {number}." in said


def test_who_went_home_is_not_promised_a_chair() -> None:
    night = opened(12, seed=12).rounds(1)
    night.say("leave", player=(name := night.evening.people.present[0]))
    shown = TEMPLATES.render(shown_player(night.evening_now(), name), Context())
    assert "You have gone home" in shown
    assert "no chair" not in shown


@given(st.integers(60, 600), st.integers(0, 600))
def test_before_the_clock_starts_a_round_everybody_reads_where_they_sit(move_s: int, second: int) -> None:
    night = _bag().by_clock(move_s=move_s)
    now = night.evening_now(1000 * second)
    until = shown_scoreboard(now).heading.next_step
    assert until is not None
    assert until.until is not None
    left = until.until - round(1000 * now.began) - now.t
    if 0 < left < HURRY_MS - 16_000:
        assert isinstance(shown_scoreboard(now).scene, Between)


@pytest.mark.parametrize("name", [name for name in scoreboards() if name.startswith("tv-clock-")])
def test_every_scene_counts_the_seconds_of_the_clock(name: str) -> None:
    page = TEMPLATES.render(scoreboards()[name](), Context())
    assert page.count("data-until=") + page.count('stopped"') == 1


def test_a_break_counts_to_the_step_of_the_clock_wherever_the_host_has_moved_it() -> None:
    night = Night(12).draw().by_clock().rounds(2)
    night.say("pause", minutes=10)
    for to in ("minute", "hold", "minute", "go"):
        night.t += 20_000
        moved = steered(night.evening, to, night.t, "ann")
        assert moved is not None
        night.evening.keep_pace(moved)
        now, timed = night.evening_now(5000, skipped=True), phase(night.evening)
        scene = shown_scoreboard(now).scene
        assert isinstance(scene, BreakTime)
        assert scene.ends is not None
        assert timed is not None
        if timed.ends is None:
            assert (scene.ends.left, scene.left) == ("10:20", 11) if to == "hold" else ("11:20", 12)
        else:
            assert scene.ends.until == round(1000 * now.began) + timed.ends


def test_a_break_without_a_clock_counts_to_the_end_that_was_said() -> None:
    night = Night(12).draw().rounds(2)
    night.say("pause", minutes=10)
    now = night.evening_now(121_000, skipped=True)
    scene = shown_scoreboard(now).scene
    assert isinstance(scene, BreakTime)
    assert scene.ends is not None
    assert (scene.ends.until, scene.left) == (round(1000 * now.began) + night.t + 600_000, 8)
    night.say("pause")
    scene = shown_scoreboard(night.evening_now(skipped=True)).scene
    assert isinstance(scene, BreakTime)
    assert scene.ends is None


def test_no_screen_counts_to_a_start_that_cannot_come() -> None:
    night = Night(12).by_clock()
    assert shown_scoreboard(night.evening_now()).heading.next_step is None
    assert shown_scoreboard(night.draw().evening_now()).heading.next_step is not None


@pytest.mark.parametrize(("team", "said"), [("pairs", " win."), ("none", " wins."), ("table", " win.")])
def test_who_won_is_said_with_where(team: str, said: str) -> None:
    how = {"move__tables": "chain"} if team == "none" else {}
    for seed in range(8):
        night = opened(12, seed=seed, rules="classic", team=team, **how).throws(60).ring("host").finish()
        shown = shown_scoreboard(night.evening_now(2000))
        assert isinstance(shown.scene, RoundWon)
        words = TEMPLATES.render(shown, Context()).split('id="alarm"')[1].split("</p>")[0]
        head = shown.scene.head
        where = "Head table" if head.number == 1 else f"Table {head.number}"
        assert f"{where}: {joined(head.calls)}{said}" in " ".join(words.split())


def test_the_holder_before_is_told_and_who_brought_it() -> None:
    first = _bag()
    (one,) = holdings(first.evening_now())
    assert (one.name, one.before) == (first.evening.traveler, "")
    first.evening.brought["bag"] = "Ann"
    assert holdings(first.evening_now(2000))[0].before == "Ann"


def test_a_player_reads_who_has_it_but_not_before_the_host_has_told_who_won() -> None:
    ended = Night(12, traveling="bunco").draw().rounds(12)
    assert shown_player(ended.evening_now(), "Ann").holdings
    assert shown_player(ended.evening_now(revealed=0), "Ann").holdings == ()
    assert shown_scoreboard(ended.evening_now(revealed=0)).scene.holdings == ()  # type: ignore[attr-defined]
