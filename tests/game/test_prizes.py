"""RULES.md, the prizes: who wins what, shares to the smallest coin, and how ties are settled."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.evenings import Play
from pi_bunco.game.pot import amount, decimals_of, shares
from pi_bunco.game.prizes import Award, Results, open_ties, results
from pi_bunco.game.score_cards import ranking
from pi_bunco.reason import joined
from pi_bunco.words.results import ENGLISH_RESULTS
from thorough import times

ONE = [{"for": "buncos", "percent": 100}]


def finished(rolls: Mapping[int, str] | None = None, rules: str = "gong", **overrides: Any) -> Play:
    """An evening of one round, `rolls` per table, US wins everywhere, the other rounds decided."""
    quiet = {"end__bunco": False, "end__points": None}  # no bell that ends what is rolled here
    overrides = {"evening__sets": 1, "move__tables": "stay", **quiet, **overrides}
    play = Play(rules, **overrides).open()
    for table, letters in (rolls or {}).items():
        play.roll(table, letters)
    play.decide("US", "US")
    for _ in range(5):
        play.round()
    assert play.evening.state == "finished"
    return play


def test_there_are_no_results_before_the_last_round_is_finished() -> None:
    play = Play("gong").round()
    assert results(play.evening) is None
    assert play.report()["results"] is None


def test_an_evening_that_is_closed_early_has_results() -> None:
    play = Play("gong").open()
    play.roll(1, "B")
    play.decide("US", "US")
    play.say("evening_close")
    assert play.prize("buncos").winners == ("a",)


def test_an_evening_without_a_round_has_no_winners() -> None:
    play = Play("gong")
    play.say("evening_close")
    assert play.end("60.00") == Results((), play.end("60.00").prizes, "60.00", "60.00", None, ())
    assert all(not award.winners for award in play.end().prizes)


def test_gong_shares_the_pot_by_its_percentages() -> None:
    play = finished({1: "B1.m."}, prize_tie="split")
    got = {award.category: award.amount for award in play.end("60.00").prizes}
    assert got == {
        "buncos": "24.00", "score": "12.00", "wins": "9.00", "minis": "9.00", "losses": "6.00",
        "lowest_score": None,
    }  # fmt: skip
    assert play.prize("lowest_score").award == "the doormat"


@pytest.mark.parametrize(
    ("category", "winners"),
    [("buncos", ("a",)), ("score", ("a",)), ("minis", ("b",)), ("lowest_score", tuple("cdefgh"))],
)
def test_winners_of_every_prize(category: str, winners: tuple[str, ...]) -> None:
    assert finished({1: "B1.m."}, prize_tie="split").prize(category).winners == winners


def test_nobody_without_a_bunco_wins_most_buncos() -> None:
    award = finished(prize_tie="split").prize("buncos", "60.00")
    assert (award.winners, award.each, ENGLISH_RESULTS.who(award)) == (
        (),
        None,
        "nobody; it is the host's to give",
    )
    assert finished(prize_tie="split").end("60.00").rest == "45.00"  # Buncos 40 %, score 20 %, minis 15 %


def test_a_split_prize_is_shared_to_the_cent_and_equal_is_shown_as_equal() -> None:
    play = finished({1: "B...B."}, prizes=ONE, prize_tie="split")
    assert play.prize("buncos", "10.00").each == "5.00"
    odd = play.prize("buncos", "10.01")
    assert (odd.winners, odd.shares, ENGLISH_RESULTS.worth(odd)) == (
        ("a", "d"),
        ("5.01", "5.00"),
        "5.01 and 5.00",
    )
    assert ENGLISH_RESULTS.worth(play.prize("buncos", "10.00")) == "5.00 each"


@pytest.mark.parametrize(
    ("pot", "each"), [("10", "5"), ("10.00", "5.00"), ("10.000", "5.000"), ("0", "0"), ("7.001", "3.500")]
)
def test_a_pot_of_any_currency(pot: str, each: str) -> None:
    assert finished({1: "B...B."}, prizes=ONE, prize_tie="split").prize("buncos", pot).each == each


def test_the_pot_of_the_log_counts() -> None:
    play = finished({1: "B."}, prizes=ONE)
    play.evening.pot = "59.50"
    assert play.report()["results"]["prizes"][0]["each"] == "59.50"
    assert play.report()["results"]["pot"] == "59.50"


def test_ask_leaves_a_tie_to_the_host() -> None:
    play = finished({1: "B...B."}, prizes=ONE)
    tied = play.prize("buncos", "9.00")
    assert (tied.winners, tied.tied, tied.by, tied.each) == ((), ("a", "d"), "ask", None)
    assert ENGLISH_RESULTS.who(tied) == "a and d are equal: the host decides"
    assert play.word("prize", "buncos", to="d") is None
    assert play.prize("buncos", "9.00") == Award(
        "buncos", ("d",), each="9.00", amount="9.00", by="host"
    )  # fmt: skip


def test_the_host_may_split_and_change_the_word_also_after_the_close() -> None:
    play = finished({1: "B...B."}, prizes=ONE)
    play.say("evening_close")
    assert play.word("prize", "buncos", to=["a", "d"]) is None
    assert play.prize("buncos", "9.00").each == "4.50"
    assert play.word("prize", "buncos", to="a") is None
    assert play.prize("buncos").winners == ("a",)


@pytest.mark.parametrize(
    ("category", "to", "why"),
    [
        ("beauty", "a", "there is no prize for beauty; there are champion, buncos"),
        ("buncos", "nobody", "nobody has no card this evening"),
        ("buncos", [], "the prize needs a winner"),
        ("buncos", ["a", "a"], "a winner is named twice"),
    ],
)
def test_the_hosts_word_must_make_sense(category: str, to: Any, why: str) -> None:
    assert finished({1: "B"}, prizes=ONE).word("prize", category, to=to) == why


def test_a_tie_is_rolled_at_the_head_table_with_one_die_each() -> None:
    play = finished({1: "B...B."}, prizes=ONE, prize_tie="one_die")
    assert play.prize("buncos").tied == ("a", "d")
    assert play.say("roll", table=2, dice=[6, 5, 1]) == "no round is open"
    assert play.say("roll", table=1, call="one") == "this roll-off needs the faces of the dice"
    assert play.say("roll", table=1, dice=[4, 4, 1]) is None  # equal: again
    assert play.prize("buncos").tied == ("a", "d")
    assert play.say("roll", table=1, dice=[4, 5, 6]) is None
    assert (play.prize("buncos").winners, play.prize("buncos").by) == (("d",), "one_die")
    assert play.say("roll", table=1, dice=[4, 5, 6]) == "no round is open"


def test_a_tie_is_rolled_with_three_dice_each_and_the_lowest_takes_the_lowest_score() -> None:
    play = finished(
        {1: "1.1.1.1."}, prizes=[{"for": "lowest_score", "award": "the doormat"}], prize_tie="three_dice"
    )
    for dice in ([1, 1, 2], [6, 6, 6], [1, 2, 1], [3, 3, 3]):  # e, f, g, h
        assert play.say("roll", table=1, dice=dice) is None
    assert play.prize("lowest_score").tied == ("e", "g")
    play.say("roll", table=1, dice=[6, 6, 6])
    play.say("roll", table=1, dice=[1, 6, 6])
    assert (play.prize("lowest_score").winners, ENGLISH_RESULTS.worth(play.prize("lowest_score"))) == (
        ("g",),
        "the doormat",
    )


def test_the_host_can_say_what_was_rolled() -> None:
    play = finished({1: "B...B."}, prizes=ONE, prize_tie="one_die")
    assert play.word("rolloff", "wins", dice={"a": [3]}) == "nobody rolls for wins now"
    assert play.word("rolloff", "buncos", dice={"b": [3]}) == "b is not in this roll-off"
    assert play.word("rolloff", "buncos", dice={"a": [3, 1, 1]}) == "a rolls one die"
    assert play.word("rolloff", "buncos", dice={"a": [3]}) is None
    assert play.word("rolloff", "buncos", dice={"a": [3]}) == "a has rolled already"
    assert play.word("rolloff", "buncos", dice={"d": [1]}) is None
    assert play.prize("buncos").winners == ("a",)


def test_a_throw_that_was_made_before_the_round_was_finished_is_not_for_the_prize() -> None:
    play = finished({1: "B...B."}, prizes=ONE, prize_tie="one_die")
    assert play.say("roll", 10, table=1, dice=[4, 5, 6]) == "no round is open"


def test_who_has_left_wins_nothing_unless_the_host_says_so() -> None:
    play = Play("gong", prizes=ONE, prize_tie="split", end__bunco=False, end__points=None).open()
    play.roll(1, "B")
    play.roll(2, "B")
    play.decide("US", "US")
    assert play.say("leave", player="a") is None
    play.say("evening_close")
    assert (play.prize("buncos").winners, play.end().left, play.end().champions) == (("e",), ("a",), ("e",))
    play.word("prize", "buncos", to="a")
    assert play.prize("buncos").winners == ("a",)


def test_returned_player_wins() -> None:
    play = Play("gong", prizes=ONE, prize_tie="split", end__bunco=False, end__points=None).open()
    play.roll(1, "B")
    play.decide("US", "US")
    play.say("leave", player="a")
    play.say("arrive", player="a")
    play.say("evening_close")
    assert (play.prize("buncos").winners, play.end().left) == (("a",), ())


def test_the_traveling_bag() -> None:
    play = finished({1: "B.", 2: "B."}, rules="bonko")
    assert play.prize("traveling").winners == ("e",)


def test_champions_follow_the_champion_order_and_equal_stays_equal() -> None:
    assert finished({1: "B."}).end().champions == ("a",)
    play = Play("bonko", champion=["wins"], evening__sets=1).round()
    play.say("evening_close")
    assert play.end().champions == ("a", "c", "e", "g")
    assert play.word("prize", "champion", to="g") is None
    assert play.end().champions == ("g",)


@settings(max_examples=times(1000), deadline=None)
@given(
    units=st.integers(0, 10**9),
    decimals=st.sampled_from([0, 2, 3]),
    buncos=st.lists(st.integers(0, 2), min_size=8, max_size=8),
)
def test_a_thousand_random_pots_add_up(units: int, decimals: int, buncos: list[int]) -> None:
    pot = f"{units // 10**decimals}.{units % 10**decimals:0{decimals}}" if decimals else str(units)
    play = CACHED.setdefault(tuple(buncos), None) or _evening_with(buncos)
    CACHED[tuple(buncos)] = play
    ended = play.end(pot)
    paid = [text for award in ended.prizes for text in _shares(award)]
    left = [award.amount for award in ended.prizes if award.amount and not award.winners]
    assert ended.rest is not None
    assert sum(amount(text, decimals).units for text in paid) + amount(ended.rest, decimals).units == units
    assert sum(amount(text, decimals).units for text in left) == amount(ended.rest, decimals).units


CACHED: dict[tuple[int, ...], Play | None] = {}


def _evening_with(buncos: list[int]) -> Play:
    play = Play("gong", prize_tie="split", end__bunco=False, end__points=None).open()
    for table in (1, 2):
        letters = "".join("B" * count + "." for count in buncos[4 * table - 4 : 4 * table])
        play.roll(table, letters)
    play.decide("US", "THEM")
    play.say("evening_close")
    return play


def _shares(award: Award) -> list[str]:
    if award.shares:
        return list(award.shares)
    return [award.each or "0"] * len(award.winners)


@given(st.integers(0, 10**6), st.lists(st.integers(0, 100), min_size=1, max_size=9))
def test_shares_lose_nothing_and_are_fair(units: int, weights: list[int]) -> None:
    parts = shares(units, weights)
    assert sum(parts) == (units if sum(weights) else 0)
    for part, weight in zip(parts, weights, strict=True):
        if sum(weights):
            assert abs(part - units * weight / sum(weights)) < 1


@given(st.integers(0, 10**12), st.sampled_from([0, 2, 3]))
def test_an_amount_is_the_same_as_text(units: int, decimals: int) -> None:
    text = amount("0", decimals).__class__(units, decimals).text
    assert amount(text).units == units
    assert decimals_of(text, None) == decimals


def test_names_in_a_sentence() -> None:
    assert [joined(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]


def test_the_ranking_follows_the_champion_order() -> None:
    cards = Play("bonko").open()
    cards.roll(1, "B")
    cards.decide("THEM", "US")
    standings = cards.evening.standings
    assert ranking(standings, ("buncos", "wins")) == [["a"], ["b", "d", "e", "g"], ["c", "f", "h"]]
    assert ranking(standings, ("wins",)) == [["b", "d", "e", "g"], ["a", "c", "f", "h"]]


def test_a_prize_that_the_host_gave_goes_over_to_the_substitute() -> None:
    play = Play("gong", ("abcd",), evening__faces=[1, 2], evening__sets=1).round()
    assert play.word("prize", "buncos", to="a") is None
    play.substitute("a", "z")
    play.say("evening_close")
    assert play.prize("buncos").winners == ("z",)


def test_rolloff_dice_of_one_step_do_not_count_in_the_next() -> None:
    play = finished(prize_tie="one_die", prizes=[{"for": "lowest_score", "percent": 100}])
    first, *others = play.prize("lowest_score").tied
    assert play.word("rolloff", "lowest_score", dice={first: [5]}) is None
    for name in others:
        assert play.word("rolloff", "lowest_score", dice={name: [2]}) is None
    assert open_ties(play.evening)[0].to_throw == tuple(others[:3])
    for at, name in enumerate(others):
        assert play.word("rolloff", "lowest_score", dice={name: [3 if at else 1]}) is None
    assert play.prize("lowest_score").winners == (others[0],)
