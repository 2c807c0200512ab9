"""RULES.md, House dimensions: fixed amounts, first and last Bunco, 1-2-3, lotteries, one prize per person."""

from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.game.stage_places import drawn
from pi_bunco.words.results import ENGLISH_RESULTS

QUIET = {"end__bunco": False, "end__points": None, "evening__sets": 1}


def evening(prizes: list[dict[str, Any]], **overrides: Any) -> Play:
    tables = ["abcd", "efgh"]
    return Play.of([list(names) for names in tables], "gong", seed="s", prizes=prizes, **QUIET, **overrides)


def closed(play: Play) -> Play:
    play.say("evening_close")
    return play


def test_fixed_amounts_come_first_and_percentages_share_the_rest() -> None:
    play = evening(
        [
            {"for": "buncos", "percent": 100},
            {"for": "first_bunco", "amount": "5"},
            {"for": "minis", "amount": "2.5"},
        ]
    ).open()
    play.roll(1, "B")
    play.decide("US", "US")
    found = closed(play).end("20")
    assert [award.amount for award in found.prizes] == ["12.5", "5.0", "2.5"]
    assert play.prize("buncos", "20").each == "12.5"
    assert found.rest == "2.5"  # nobody rolled a mini


def test_a_pot_that_is_too_small_is_paid_out_in_the_order_of_the_list_and_told() -> None:
    prizes = [{"for": kind, "amount": "8.00"} for kind in ("wins", "losses", "score")]
    play = evening(prizes, prize_tie="split").open()
    play.roll(1, "1.")
    play.decide("US", "THEM")
    found = closed(play).end("10")
    assert [award.amount for award in found.prizes] == ["8.00", "2.00", "0.00"]
    assert (found.short, found.rest) == ("14.00", "0.00")
    assert closed(play).end("24").short is None
    (remark,) = ENGLISH_RESULTS.remarks(found)
    assert remark == "The pot of 10.00 is 14.00 short of the prizes, which are cut: add that."


def test_amounts_need_no_pot_and_what_they_leave_is_told() -> None:
    play = evening([{"for": "wins", "amount": "8.00"}], prize_tie="split").open()
    play.decide("US", "THEM")
    found = closed(play).end()
    assert (found.pot, found.rest, play.prize("wins").each) == (None, None, "2.00")
    assert closed(evening([{"for": "wins", "amount": "8.00"}]).round()).end("10").rest == "2.00"


def test_the_first_and_the_last_bunco_in_the_order_of_the_log() -> None:
    prizes = [{"for": "first_bunco", "amount": "1"}, {"for": "last_bunco", "amount": "1"}]
    play = evening(prizes).open()
    play.roll(2, "B")
    play.roll(1, ".B")
    play.decide("US", "US")
    play.open()
    play.roll(1, "B")
    play.say("undo", table=1)
    play.decide("US", "US")
    assert closed(play).winners() == {"first_bunco": ("e",), "last_bunco": ("b",)}


def test_most_rolls_of_one_two_three_in_any_order_without_what_was_undone() -> None:
    play = evening([{"for": "one_two_three", "amount": "3"}]).open()
    for dice in ([3, 2, 1], [1, 3, 2], [1, 2, 3], [1, 1, 2], [2, 4, 6]):  # a, three times; then a misses
        play.say("roll", table=1, dice=dice)
    for dice in ([2, 1, 3], [3, 1, 2]):
        play.say("roll", table=2, dice=dice)
    play.say("undo", table=1)
    play.say("undo", table=1)
    play.say("undo", table=1)  # the third 1-2-3 never happened
    play.decide("US", "US")
    award = closed(play).prize("one_two_three")
    assert (award.winners, award.tied) == ((), ("a", "e"))


def test_lotteries_are_drawn_by_the_seed() -> None:
    prizes = [{"for": "loser_lottery", "amount": "1"}, {"for": "fifty_fifty", "amount": "1"}]
    play = evening(prizes).open()
    play.decide("US", "US")
    got = closed(play).winners()
    assert got["loser_lottery"] == (drawn("s", "loser_lottery", "bdfh")[0],)
    assert got["fifty_fifty"] == (drawn("s", "fifty_fifty", "abcdefgh")[0],)


def test_a_draw_does_not_depend_on_the_order_of_the_names() -> None:
    assert drawn("1", "x", ["a", "b", "c"]) == drawn("1", "x", ["c", "a", "b"])
    assert {drawn(str(seed), "x", "abcd")[0] for seed in range(50)} == set("abcd")


@pytest.mark.parametrize(("marks", "winner"), [("nobody", ()), ("partner", ("c",))])
def test_a_1_2_3_on_the_turn_of_a_ghost_goes_where_its_marks_go(marks: str, winner: tuple[str, ...]) -> None:
    tables = [["Ghost 1", "b", "c", "d"], ["e", "f", "g", "h"]]
    prizes = [{"for": "one_two_three", "amount": "4"}]
    play = Play.of(tables, "gong", prizes=prizes, ghost_marks=marks, **QUIET).open()
    play.say("roll", table=1, dice=[3, 1, 2])
    play.decide("US", "US")
    assert closed(play).winners() == {"one_two_three": winner}


def test_whoever_has_won_a_prize_passes_the_next_one_on() -> None:
    prizes = [{"for": mark, "amount": "1"} for mark in ("buncos", "score", "first_bunco", "last_bunco")]
    play = evening(prizes, prize_once=True, prize_tie="split").open()
    play.roll(1, "BB.B.")  # a has two Buncos, b one
    play.roll(2, "mB.")  # e has 5 points, f a Bunco
    play.decide("US", "US")
    assert closed(play).winners() == {
        "buncos": ("a",), "score": ("b", "f"), "first_bunco": (), "last_bunco": (),
    }  # fmt: skip


def test_a_prize_waits_for_one_that_waits_itself_and_could_go_to_its_best() -> None:
    prizes = [{"for": "wins"}, {"for": "buncos"}, {"for": "minis"}]
    play = evening(prizes, prize_once=True, prize_tie="one_die", turn__mini_ends=False).open()
    play.roll(1, "BB.Bm.")  # a wins most Buncos unless a wins the tie; then b does, who has the most minis
    play.decide("US", "US")
    assert [award.waits_for for award in closed(play).end().prizes] == [None, "wins", "buncos"]


def test_a_prize_waits_for_the_tie_that_comes_before_it() -> None:
    prizes = [{"for": "buncos", "amount": "1"}, {"for": "score", "amount": "1"}]
    play = evening(prizes, prize_once=True).open()
    play.roll(1, "B.B.")
    play.decide("US", "US")
    award = closed(play).prize("score")
    assert award.waits_for == "buncos"
    assert ENGLISH_RESULTS.who(award) == "open until most buncos is settled"
    assert play.word("prize", "buncos", to="b") is None
    assert play.winners() == {"buncos": ("b",), "score": ("a",)}


@pytest.mark.parametrize("category", ["first_bunco", "last_bunco", "one_two_three", "buncos", "minis"])
def test_a_prize_that_nobody_earned_is_the_hosts_to_give(category: str) -> None:
    play = closed(evening([{"for": category, "amount": "4"}]).round())
    assert (play.prize(category, "4").winners, play.end("4").rest) == ((), "4")


def test_last_seat_on_paper_has_the_last_bunco_and_the_bag() -> None:
    prizes = [{"for": "first_bunco"}, {"for": "last_bunco"}, {"for": "traveling"}]
    play = Play("bonko", ["abdz"], prizes=prizes, evening__sets=1, evening__faces=[1])
    play.say("seating", tables=[list("zbad")])  # not in the order of the cards
    play.open().say("round_close")
    bunco = {"points": 21, "buncos": 1, "minis": 0}
    none = {"points": 0, "buncos": 0, "minis": 0}
    assert play.say("tally", table=1, cards=[bunco, bunco, none, none]) is None
    play.decide("US")
    assert play.winners() == {"first_bunco": ("z",), "last_bunco": ("b",), "traveling": ("b",)}
