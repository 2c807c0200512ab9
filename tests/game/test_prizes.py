"""RULES.md, the prizes: shares to the cent, ties, and the ranking of an evening."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_bunco.game.cards import Card
from pi_bunco.game.prizes import Award, awards, settle
from pi_bunco.game.standings import ranking
from pi_bunco.rules import override, preset

CARDS = {
    "ann": Card(wins=5, losses=1, buncos=2, minis=1, points=90),
    "bob": Card(wins=3, losses=3, buncos=2, minis=0, points=90),
    "cat": Card(wins=1, losses=5, buncos=0, minis=4, points=12),
}


def award(category: str, tie: str = "split", pot: int = 1000) -> Award:
    rules = override(preset("gong"), {"prizes": [{"category": category, "percent": 100}], "prize_tie": tie})
    return awards(rules, CARDS, "cat", pot)[0]


@pytest.mark.parametrize(
    ("category", "players"),
    [
        ("most buncos", ("ann", "bob")),
        ("most wins", ("ann",)),
        ("most losses", ("cat",)),
        ("most minis", ("cat",)),
        ("highest score", ("ann", "bob")),
        ("lowest score", ("cat",)),
        ("traveling", ("cat",)),
        ("grand prize", ()),
    ],
)
def test_who_wins_what(category: str, players: tuple[str, ...]) -> None:
    assert award(category).players == players


def test_a_split_prize_is_shared_to_the_cent() -> None:
    assert award("most buncos", pot=1001).cents == (501, 500)


@pytest.mark.parametrize("tie", ["one_die", "three_dice", "ask"])
def test_a_tie_is_rolled_for_or_asked(tie: str) -> None:
    tied = award("most buncos", tie)
    assert (tied.players, tied.tie, tied.cents, tied.pot) == (("ann", "bob"), tie, None, 1000)


@pytest.mark.parametrize(("category", "winner"), [("highest score", "bob"), ("lowest score", "ann")])
def test_the_highest_throw_takes_it_for_the_lowest_score_the_lowest(category: str, winner: str) -> None:
    tied = Award(category, ("ann", "bob"), None, 700, None, "one_die")
    settled = settle(tied, {"ann": 2, "bob": 5})
    assert (settled.players, settled.cents, settled.tie) == ((winner,), (700,), None)


def test_an_equal_throw_stays_tied_among_the_highest() -> None:
    tied = Award("most wins", ("ann", "bob", "cat"), None, 700, None, "three_dice")
    assert settle(tied, {"ann": 12, "bob": 12, "cat": 3}).players == ("ann", "bob")


def test_gong_shares_the_pot_by_its_percentages() -> None:
    shares = {one.category: one.pot for one in awards(preset("gong"), CARDS, None, 10_000)}
    assert shares == {
        "most buncos": 4000,
        "highest score": 2000,
        "most wins": 1500,
        "most minis": 1500,
        "most losses": 1000,
        "lowest score": None,
    }


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**7), st.integers(1, 13), st.lists(st.integers(0, 3), min_size=13, max_size=13))
def test_no_cent_is_lost(pot: int, players: int, buncos: list[int]) -> None:
    cards = {f"p{number}": Card(buncos=buncos[number]) for number in range(players)}
    rules = override(preset("gong"), {"prize_tie": "split"})
    paid = [cent for one in awards(rules, cards, None, pot) for cent in one.cents or ()]
    assert sum(paid) == pot
    assert all(cent >= 0 for cent in paid)


def test_the_ranking_follows_the_champion_order() -> None:
    assert ranking(CARDS, ("buncos", "wins")) == [["ann"], ["bob"], ["cat"]]
    assert ranking(CARDS, ("buncos",)) == [["ann", "bob"], ["cat"]]
    assert ranking(CARDS, ("score", "minis")) == [["ann"], ["bob"], ["cat"]]


def test_nobody_has_won_anything_before_anybody_came() -> None:
    assert all(one.players == () for one in awards(preset("gong"), {}))
