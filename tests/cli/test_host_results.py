"""`pi-bunco host results`: what it prints of an evening, with what a host still has to do."""

from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.cli.host import ResultLines
from pi_bunco.game.prizes import results
from pi_bunco.words.catalogue import texts


def printed(play: Play, pot: str | None = None) -> list[str]:
    found = results(play.evening, pot)
    assert found is not None
    return list(ResultLines(texts("en")).lines(found))


def evening(**overrides: Any) -> Play:
    play = Play("gong", end__bunco=False, end__points=None, **overrides).open()
    play.roll(1, "B...B.")
    play.decide("US", "US")
    return play


def test_results_are_sentences_that_say_how_to_go_on() -> None:
    play = evening()
    assert play.say("leave", player="h") is None
    play.say("evening_close")
    told = printed(play, "60.00")
    assert told[0] == "Champion of the night: a."
    assert "Most Buncos: a and d are equal: the host decides, 24.00." in told
    assert "  Say: pi-bunco host prize buncos 'a' (or several names to share it)." in told
    assert "Most minis: nobody; it is the host's to give, 9.00." in told
    assert "  To give it: pi-bunco host prize minis NAME." in told
    assert told[-1] == "Left early, without a prize unless you say so: h."
    assert told[-2] == "9.00 of the pot of 60.00 is the host's to give."
    play.word("prize", "buncos", to="d")
    assert not [line for line in printed(play) if "host prize buncos" in line]


@pytest.mark.parametrize("how", ["one_die", "three_dice"])
def test_a_tie_that_dice_settle_says_where(how: str) -> None:
    play = evening(prize_tie=how)
    play.say("evening_close")
    assert any(line.startswith("  They roll at table 1") for line in printed(play))


@pytest.mark.parametrize(("pot", "short"), [("5", "7.50"), ("12.5", None), (None, None)])
def test_a_pot_that_does_not_pay_for_the_prizes_is_told(pot: str | None, short: str | None) -> None:
    play = evening(prizes=[{"for": "wins", "amount": "12.50"}, {"for": "buncos", "percent": 100}])
    play.say("evening_close")
    missing = [line for line in printed(play, pot) if " short of " in line]
    assert missing == (
        [f"The pot of 5.00 is {short} short of the prizes, which are cut: add that."] if short else []
    )
