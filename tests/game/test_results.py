"""RULES.md, The bell: the OK, `winner.auto` and the roll-offs."""

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


def test_session_gives_no_marks_and_no_points_on_cards() -> None:
    play = Play("bonko").open().close()
    play.say("confirm", table=1)
    play.roll(1, "Bm...")
    assert play.table(1).winner == 0
    assert (play.table(1).seat_points, play.table(1).buncos, play.table(1).minis) == (
        [0] * 4,
        [0] * 4,
        [0] * 4,
    )


def test_lap_is_one_ordinary_turn_each_with_marks_and_card_points() -> None:
    play = Play("gong").open().close()
    play.say("confirm", table=1)
    play.roll(1, "B1.m..")
    assert play.table(1).winner == 0
    assert (play.table(1).seat_points, play.table(1).buncos, play.table(1).minis) == (
        [22, 5, 0, 0],
        [1, 0, 0, 0],
        [0, 1, 0, 0],
    )


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
    assert play.roll(1, "1") == "table 1 rolls off with one die for each team"


@pytest.mark.parametrize("method", ["session", "lap"])
def test_only_one_die_takes_a_faceoff(method: str) -> None:
    play = Play("bonko", tie__method=method).open().close()
    play.say("confirm", table=1)
    assert play.say("faceoff", table=1, dice=[3, 4]) is not None


@pytest.mark.parametrize(
    ("rolls", "winner"),
    [
        ("B." + "1" * 12 + ".." + "1" * 12 + ".", 0),  # only US has a Bunco: 21 to 24
        ("1" * 15 + "." + "1" * 21 + "." + "1" * 15 + ".", 1),  # only B reached the points: 30 to 21
        ("B." + "1" * 22 + ".", 1),  # both shone: 21 to 22
        ("1.2.", 1),  # neither: totals
    ],
)
def test_auto_winner(rolls: str, winner: int) -> None:
    play = Play("gong").open()
    play.roll(2, rolls)
    play.close()
    play.say("confirm", table=2)
    assert play.table(2).winner == winner


def test_auto_winner_counts_a_ghosts_bunco() -> None:
    play = Play("gong", ["abcd", "1fgh"]).open()
    play.roll(2, "B." + "1" * 20 + "." + "." + "2" + ".")
    play.close()
    assert play.table(2).points == [21, 22]
    play.say("confirm", table=2)
    assert play.table(2).winner == 0


def test_auto_winner_asks_for_a_players_own_points_even_where_the_team_rings() -> None:
    play = Play("gong", end__points=4, end__points_by="team", end__bunco=False).open()
    play.roll(2, "22.21.." + "2.")  # a has 4 alone, b and d have 5 together
    play.close()
    assert play.table(2).points == [4, 5]
    play.say("confirm", table=2)
    assert play.table(2).winner == 0


def test_auto_winner_without_points_to_reach_asks_for_buncos_only() -> None:
    play = Play("gong", end__points=None).open()
    play.roll(2, "1" * 30 + ".B.")
    play.close()
    play.say("confirm", table=2)
    assert play.table(2).winner == 1


def test_auto_winner_is_not_asked_after_a_roll_off() -> None:
    play = Play("gong").open().close()
    play.say("confirm", table=2)
    play.roll(2, "B." + "1" * 25 + "...")
    assert play.table(2).winner == 1
