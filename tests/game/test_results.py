"""RULES.md, The bell: the OK, `winner.auto` and the roll-offs."""

from typing import Any

import pytest

from game.evenings import Play


def test_ok_counts_once_the_table_is_done() -> None:
    play = Play("classic").open()
    assert play.say("confirm", table=2) == "table 2 is still playing"
    play.roll(2, "1")
    play.close()
    assert play.say("confirm", table=2) == "table 2 is still playing"
    play.roll(2, ".")
    assert play.say("confirm", table=2) is None
    assert play.say("confirm", table=2) == "table 2's result is final already"


def test_ok_opens_the_roll_off_of_a_tie() -> None:
    play = Play("bonko").open().close()
    play.say("confirm", table=1)
    assert (play.phase(1), play.table(1).rolloffs) == ("roll-off", 1)
    assert play.say("confirm", table=1) == "table 1 is in a roll-off"


def test_session_has_one_turn_for_each_seat_from_a_in_which_only_the_target_scores() -> None:
    play = Play("bonko").open()
    play.roll(1, ".")
    play.close()
    play.say("confirm", table=1)
    play.roll(1, "1m")
    assert (play.seat(1), play.table(1).points) == ("B", [1, 0])
    play.roll(1, "..B")
    assert play.phase(1) == "roll-off"
    play.roll(1, ".")
    assert (play.phase(1), play.table(1).points) == ("final", [1, 21])


@pytest.mark.parametrize(
    ("rules", "rolls", "points", "buncos", "minis"),
    [
        ("bonko", "Bm...", [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]),  # a session: nothing on cards
        ("gong", "B1.m..", [22, 5, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]),  # a lap: one ordinary turn each
    ],
)
def test_points_and_marks_of_a_roll_off_on_cards(
    rules: str, rolls: str, points: list[int], buncos: list[int], minis: list[int]
) -> None:
    play = Play(rules).open().close()
    play.say("confirm", table=1)
    play.roll(1, rolls)
    table = play.table(1)
    assert table.winner == 0
    assert (table.seat_points, table.buncos, table.minis) == (points, buncos, minis)


@pytest.mark.parametrize("method", ["session", "lap"])
def test_a_tied_roll_off_starts_again_at_once(method: str) -> None:
    play = Play("bonko", tie__method=method).open().close()
    play.say("confirm", table=1)
    play.roll(1, "1.1...")
    assert (play.phase(1), play.table(1).rolloffs, play.seat(1)) == ("roll-off", 2, "A")
    play.roll(1, "1....")
    assert (play.phase(1), play.table(1).points) == ("final", [2, 1])


def test_one_die_higher_wins_equal_again_and_points_stay() -> None:
    play = Play("classic").open().close()
    play.say("confirm", table=1)
    play.say("faceoff", table=1, dice=[3, 3])
    assert (play.phase(1), play.table(1).rolloffs) == ("roll-off", 2)
    play.say("faceoff", table=1, dice=[3, 4])
    assert (play.phase(1), play.table(1).winner, play.table(1).points) == ("final", 1, [0, 0])


def test_one_die_takes_no_three_dice() -> None:
    play = Play("classic").open().close()
    play.say("confirm", table=1)
    assert play.roll(1, "1") == "table 1 rolls off with one die each"


@pytest.mark.parametrize("method", ["session", "lap"])
def test_only_one_die_takes_a_faceoff(method: str) -> None:
    play = Play("bonko", tie__method=method).open().close()
    play.say("confirm", table=1)
    assert play.say("faceoff", table=1, dice=[3, 4]) is not None


@pytest.mark.parametrize(
    ("rolls", "changed", "points", "winner"),
    [
        pytest.param("B." + "1" * 12 + ".." + "1" * 12 + ".", {}, [21, 24], 0, id="only US has a Bunco"),
        pytest.param("1" * 15 + "." + "1" * 21 + "." + "1" * 15 + ".", {}, [30, 21], 1, id="only B has 21"),
        pytest.param("B." + "1" * 22 + ".", {}, [21, 22], 1, id="both teams have"),
        pytest.param("1.2.", {}, [1, 2], 1, id="neither has"),
        pytest.param(
            "B." + "1" * 20 + ".." + "2.", {"seats": ["abcd", "1fgh"]}, [21, 22], 0, id="a ghost's Bunco"
        ),
        pytest.param(  # a has 4 alone, b and d have 5 together
            "22.21..2.",
            {"end__points": 4, "end__points_by": "team", "end__bunco": False},
            [4, 5],
            0,
            id="a player's own points though the team rings",
        ),
        pytest.param("1" * 30 + ".B.", {"end__points": None}, [30, 21], 1, id="no points to reach"),
    ],
)
def test_auto_winner(rolls: str, changed: dict[str, Any], points: list[int], winner: int) -> None:
    play = Play("gong", **changed).open()
    play.roll(2, rolls)
    play.close()
    assert play.table(2).points == points
    play.say("confirm", table=2)
    assert play.table(2).winner == winner


def test_auto_winner_is_not_asked_after_a_roll_off() -> None:
    play = Play("gong").open().close()
    play.say("confirm", table=2)
    play.roll(2, "B." + "1" * 25 + "...")
    assert play.table(2).winner == 1
