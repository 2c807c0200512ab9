"""The pot by heads and stakes, what stays in it, prizes for each mark, lotteries, things that are kept."""

from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.errors import FactError, RulesError
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import EveningOpen
from pi_bunco.game.prizes import Results, carried_over, results
from pi_bunco.game.reasons import PrizeByCards
from pi_bunco.rules import override, preset
from pi_bunco.words.results import ENGLISH_RESULTS

FOR_DICE: dict[str, Any] = {"for": "dice_lottery"}
FOR_WINS: dict[str, Any] = {"for": "wins"}
FOR_LOSSES: dict[str, Any] = {"for": "losses"}
ONE_ROUND = {"evening__sets": 1, "evening__faces": [1]}


def play(*prizes: dict[str, Any], seats: tuple[str, ...] = ("abcd",), **changed: Any) -> Play:
    return Play("bonko", seats, prizes=list(prizes), **{**ONE_ROUND, **changed})


def ended(game: Play, pot: str | None = None) -> Results:
    found = results(game.evening, pot)
    assert found is not None
    return found


def test_an_amount_by_head_is_for_each_who_has_a_card() -> None:
    game = play({"for": "wins", "per_head": 2}, {"for": "losses", "percent": 100}).round("US")
    found = ended(game, "20.00")
    assert [(award.amount, award.shares, award.each) for award in found.prizes] == [
        ("8.00", None, "4.00"),
        ("12.00", None, "6.00"),
    ]


def test_the_pot_is_what_was_paid() -> None:
    game = play({"for": "wins", "percent": 100}, stake="5", keep=10)
    for name, paid in (("a", True), ("b", True), ("c", True), ("b", False)):
        assert game.say("paid", player=name, paid=paid) is None
    assert game.say("paid", player="z") is not None
    found = ended(game.round("US"))
    assert (found.pot, found.keep, found.prizes[0].amount) == ("10", "1", "9")
    assert game.say("evening_close") is None
    assert game.say("paid", player="d") is None
    assert ended(game).pot == "15"


def test_a_pot_that_stands_beside_a_stake_is_refused() -> None:
    fact = EveningOpen(0, "bonko", ("a", "b", "c", "d"), overrides={"stake": "5"}, pot="20")
    with pytest.raises(FactError, match="the pot follows from who paid"):
        apply(Evening(), fact)


@pytest.mark.parametrize(
    ("worth", "shares"), [({"gift": "a sweet"}, None), ({"amount": 2}, ("4", "1"))], ids=["thing", "amount"]
)
def test_each_mini_wins_while_the_pot_lasts(worth: dict[str, Any], shares: tuple[str, ...] | None) -> None:
    game = play({"for": "minis", "each": True, **worth}).open()
    game.roll(1, "mm.m.")
    found = ended(game.decide("US"), "5")
    (award,) = found.prizes
    assert (award.winners, award.counts, award.shares) == (("a", "b"), (2, 1), shares)
    assert (award.award, found.short) == (worth.get("gift"), "1" if shares else None)


def test_a_prize_for_each_mark_is_worth_nothing_where_nobody_has_one() -> None:
    game = play({"for": "minis", "each": True, "amount": 2}, {"for": "losses", "percent": 100}).round("US")
    found = ended(game, "5")
    assert [(award.winners, award.amount) for award in found.prizes] == [((), "0"), (("b", "d"), "5")]
    assert ended(play({"for": "minis", "each": True, "amount": 2}).round("US"), "1").short is None


def test_prize_for_each_mark_names_the_smallest_share() -> None:
    game = play({"for": "minis", "each": True, "amount": 2}).open()
    game.roll(1, "m.mm.")
    (award,) = ended(game.decide("US"), "20").prizes
    assert (award.counts, award.shares, award.each) == ((1, 2), ("2", "4"), "2")


def test_a_prize_for_each_mark_passes_none_on_and_is_nobodys_to_give() -> None:
    each: dict[str, Any] = {"for": "wins", "each": True, "gift": "a pencil"}
    game = play(each, {"for": "score", "gift": "the plant"}, prize_once=True).open()
    game.roll(1, "2.")
    assert game.say("prize", to="b", **FOR_WINS) == PrizeByCards("wins").english()
    game.decide("US")
    assert [award.winners for award in ended(game).prizes] == [("a", "c"), ("a",)]


def test_everybody_rolls_in_a_lottery_by_dice_whatever_settles_ties() -> None:
    game = play({"for": "dice_lottery", "gift": "the plant"}).round("US")
    assert ended(game).prizes[0].tied == ("a", "b", "c", "d")
    dice = {"a": [6], "b": [2], "c": [6], "d": [1]}
    assert game.say("rolloff", dice=dice, **FOR_DICE) is None
    assert ended(game).prizes[0].tied == ("a", "c")
    assert game.say("rolloff", dice={"a": [1], "c": [3]}, **FOR_DICE) is None
    assert ended(game).prizes[0].winners == ("c",)


DIE: dict[str, Any] = {"rolls": [{"when": "1-2-3", "hands": "die"}]}


def test_the_holder_of_a_thing_wins_its_prize_and_its_points() -> None:
    game = play({"for": "die"}, bonus=[{"for": "die", "points": 25}], **DIE).open()
    game.say("roll", table=1, dice=[3, 1, 2])
    game.decide("THEM")
    assert ended(game).prizes[0].winners == ("a",)
    assert game.evening.standings["a"].points == 26
    assert game.say("reopen", table=1) is None
    assert game.evening.standings["a"].points == 0


def test_a_thing_goes_over_to_the_next_night() -> None:
    game = play({"for": "losses", "gift": "doormat", "place": 1}, holds=["bag", "die", "doormat"], **DIE)
    game.evening.brought.update(die="d", doormat="b")
    game.open().roll(1, "B")
    game.decide("THEM")
    assert ended(game).holders == {"bag": "a", "die": "d", "doormat": "b"}
    assert game.say("evening_close") is None
    assert ended(game).holders == {"bag": "a", "die": "d", "doormat": "b"}  # a and c share it
    assert game.say("prize", to="c", **FOR_LOSSES) is None
    assert carried_over(game.evening, ["die", "doormat"]) == {"die": "d", "doormat": "c"}


def test_the_evening_says_who_brings_what() -> None:
    game = Evening()
    overrides = {"holds": ["doormat"], "prizes": [{"for": "doormat"}]}
    fact = EveningOpen(0, "bonko", ("a", "b", "c", "d"), overrides=overrides, holders={"doormat": "zoe"})
    assert apply(game, fact) is None
    assert game.holder("doormat") == "zoe"


def test_who_steps_in_takes_over_what_somebody_brought() -> None:
    game = play({"for": "die"}, **DIE)
    game.evening.brought.update(die="b")
    assert game.say("substitute", out="b", **{"in": "zoe"}) is None  # type: ignore[arg-type]
    assert ended(game.round("US")).prizes[0].winners == ("zoe",)


@pytest.mark.parametrize(
    "prize",
    [
        {"for": "wins", "amount": 1, "per_head": 1},
        {"for": "score", "amount": 1, "each": True},
        {"for": "minis", "amount": 1, "each": True, "place": 2},
        {"for": "die", "place": 2},
    ],
)
def test_a_prize_that_cannot_be_is_refused(prize: dict[str, Any]) -> None:
    with pytest.raises(RulesError):
        override(preset("bonko"), {**DIE, "prizes": [prize]})


def test_a_prize_for_each_mark_is_told_with_the_number_of_everybody() -> None:
    game = play({"for": "minis", "gift": "a sweet", "each": True}).open()
    game.roll(1, "mm.m.")
    (award,) = ended(game.decide("US")).prizes
    assert (ENGLISH_RESULTS.heading(award), ENGLISH_RESULTS.who(award)) == (
        "Minis, one for each",
        "a (2) and b (1)",
    )
    assert ENGLISH_RESULTS.worth(award) == "a sweet"
