"""RULES.md, "Ruled 3": a tie and a prize have an identity; throws and words belong to that tie alone."""

from typing import Any

import pytest

from game.evenings import Play
from game.test_prizes import ONE, finished
from pi_bunco.errors import FactError, RulesError
from pi_bunco.game.rolloffs import awaited, unnumbered
from pi_bunco.rules import override, preset
from pi_bunco.words.results import ENGLISH_RESULTS

TWO_PLACES = [{"for": "buncos", "amount": "5"}, {"for": "buncos", "place": 2, "amount": "3"}]


def tied(**overrides: Any) -> Play:
    """a and d have a Bunco each, the last round is final, and the evening is closed."""
    play = finished({1: "B...B."}, prizes=ONE, **{"prize_tie": "one_die", **overrides})
    play.say("evening_close")
    return play


def goes_on(play: Play, letters: str = "") -> Play:
    """The evening is reopened, and its last round, in which table 1 rolls once more, is final again."""
    play.say("evening_reopen")
    play.say("reopen", table=1)
    play.roll(1, letters)
    play.decide("US")
    play.say("evening_close")
    return play


def number(play: Play) -> int:
    """The number that the first tie without one is given."""
    fact = unnumbered(play.evening, play.t)
    assert fact is not None
    fields = {"players": list(fact.players), "rounds": fact.rounds, "dice": fact.dice, "place": fact.place}
    assert play.word("tie", fact.purpose, id=fact.id, **fields) is None
    return fact.id


def test_old_dice_do_not_decide_a_tie_of_others() -> None:
    play = tied()
    play.word("rolloff", "buncos", dice={"a": [6], "d": [2]})
    goes_on(play, ".B")  # c ties too
    award = play.prize("buncos")
    assert award.winners == ()
    assert len(award.tied) == 3
    assert play.word("rolloff", "buncos", dice={"a": [1]}) is None


def test_the_same_tie_keeps_its_throws() -> None:
    play = tied()
    play.word("rolloff", "buncos", dice={"a": [6], "d": [2]})
    assert goes_on(play).prize("buncos").winners == ("a",)


def test_a_word_ends_with_the_standings_it_was_given_on_and_stands_again_with_them() -> None:
    play = tied(prize_tie="ask")
    play.word("prize", "buncos", to="d")
    goes_on(play, ".B")
    assert (play.prize("buncos").by, play.prize("buncos").lapsed) == ("ask", True)
    assert "you gave it on other standings" in ENGLISH_RESULTS.who(play.prize("buncos"))
    play.say("evening_reopen")
    play.say("reopen", table=1)
    play.say("undo", table=1)
    play.decide("US")
    assert (play.prize("buncos").winners, play.prize("buncos").by) == (("d",), "host")


def test_a_word_before_any_round_is_final_ends_when_the_bag_is_handed_on() -> None:
    play = Play("bonko", traveling=True, prizes=[{"for": "traveling"}]).open()
    play.word("prize", "traveling", to="a")
    play.roll(2, "B")
    play.say("evening_close")
    assert (play.prize("traveling").winners, play.prize("traveling").lapsed) == ((), True)


def test_nobody_takes_the_word_back() -> None:
    play = tied(prize_tie="ask")
    assert play.word("prize", "buncos", to=[]) == "the prize needs a winner"
    play.word("prize", "buncos", to="d")
    assert play.word("prize", "buncos", to=[]) is None
    assert play.prize("buncos").tied == ("a", "d")


def test_a_throw_names_its_tie_and_decides_no_other() -> None:
    play = finished({1: "B...B."}, prizes=ONE, prize_tie="one_die")
    tie = number(play)
    wanted = awaited(play.evening, 1)
    assert wanted is not None
    assert (wanted.tie, wanted.players) == (tie, ("a", "d"))
    assert play.say("roll", table=1, dice=[6, 2, 1], tie=tie + 1) == "tie 2 does not stand now"
    assert play.say("roll", table=2, dice=[6, 2, 1], tie=tie) is None
    assert play.prize("buncos").winners == ("a",)
    assert play.say("undo", table=1, tie=tie) is None
    assert play.prize("buncos").tied == ("a", "d")


def test_a_tie_has_one_number_and_a_number_one_tie() -> None:
    play = finished({1: "B...B."}, prizes=ONE, prize_tie="one_die", champion=["buncos"])
    key: dict[str, Any] = {"players": ["a", "d"], "rounds": 6, "dice": 1}
    assert play.word("tie", "buncos", id=4, **key | {"rounds": 5}) == "tie 4 does not stand now"
    assert play.word("tie", "buncos", id=4, **key) is None
    why = "number {} is taken, or this tie has one already"
    assert play.word("tie", "buncos", id=5, **key) == why.format(5)
    assert play.word("tie", "champion", id=4, **key) == why.format(4)
    assert play.word("tie", "champion", id=5, **key) is None


def test_a_tie_about_which_the_host_is_asked_is_rolled_off_where_the_host_says_so() -> None:
    play = finished({1: "B...B."}, prizes=ONE, prize_tie="ask")
    assert play.say("roll", table=1, dice=[6, 6, 6]) == "no round is open"
    assert play.word("rolloff", "buncos", dice={}) is None
    assert (play.prize("buncos").by, play.prize("buncos").tied) == ("three_dice", ("a", "d"))
    assert play.say("roll", table=1, dice=[6, 6, 6]) is None
    assert play.say("roll", table=1, dice=[1, 6, 6]) is None
    assert play.prize("buncos").winners == ("a",)


def test_the_second_place_is_for_the_next_in_rank_behind_all_who_share_the_first() -> None:
    play = finished({1: "BBB.BB.B."}, prizes=TWO_PLACES, prize_tie="split")
    assert [award.winners for award in play.end().prizes] == [("a",), ("b",)]
    shared = finished({1: "BB.BB.B."}, prizes=TWO_PLACES, prize_tie="split")
    assert [award.winners for award in shared.end().prizes] == [("a", "b"), ("c",)]


def test_the_second_place_waits_for_the_first_and_has_a_tie_of_its_own() -> None:
    play = finished({1: "B.B.B."}, prizes=TWO_PLACES, prize_tie="one_die")
    assert [award.waits_for for award in play.end().prizes] == [None, "buncos"]
    play.word("rolloff", "buncos", dice={"a": [6], "b": [2], "c": [2]})
    assert [award.tied for award in play.end().prizes] == [(), ("b", "c")]
    assert play.word("rolloff", "buncos", dice={"b": [1], "c": [2]}) == "nobody rolls for buncos now"
    assert play.word("rolloff", "buncos", place=2, dice={"b": [1], "c": [2]}) is None
    assert [award.winners for award in play.end().prizes] == [("a",), ("c",)]


def test_a_word_on_one_place_is_none_on_the_other() -> None:
    play = finished({1: "BB.B."}, prizes=TWO_PLACES, prize_tie="split")
    assert play.word("prize", "buncos", to="c", place=2) is None
    assert [award.winners for award in play.end().prizes] == [("a",), ("c",)]


@pytest.mark.parametrize(
    ("prizes", "why"),
    [
        ([{"for": "buncos"}, {"for": "buncos"}], "there are two for buncos, place 1"),
        ([{"for": "buncos", "place": 2}], "before buncos, place 2, there must be one for place 1"),
        ([{"for": "traveling"}, {"for": "traveling", "place": 2}], "traveling has one place only"),
    ],
)
def test_a_prize_and_its_place_stand_once(prizes: list[dict[str, Any]], why: str) -> None:
    with pytest.raises(RulesError, match=why):
        override(preset("gong"), {"prizes": prizes})
    with pytest.raises(FactError, match=why):
        Play("gong", prizes=prizes)


def test_dice_that_the_host_told_open_no_table_to_a_tie_about_which_the_host_is_asked() -> None:
    play = finished({1: "B...B."}, prizes=ONE, prize_tie="ask")
    assert play.word("rolloff", "buncos", dice={"a": [1, 2, 3]}) is None
    assert awaited(play.evening, 1) is None
    assert play.word("rolloff", "buncos", dice={}) is None
    waiting = awaited(play.evening, 1)
    assert waiting is not None
    assert waiting.players == ("d",)
