"""RULES.md, The first seating: who leaves, arrives or is substituted between rounds."""

from game.evenings import Play


def test_leave_puts_the_lowest_free_ghost_on_the_seat_and_keeps_the_card() -> None:
    play = Play("bonko", ["abcd", "ef2h"]).round()
    place = next(i for i, seat in enumerate(play.seating()[0]) if seat == "b")
    assert play.say("leave", player="b") is None
    assert play.seating()[0][place] == "1"
    assert play.report()["standings"]["b"] == {"wins": 0, "losses": 1, "buncos": 0, "minis": 0, "points": 0}


def test_arrive_takes_the_seat_of_the_lowest_ghost() -> None:
    play = Play("bonko", ["abcd", "ef1h"])
    play.say("leave", player="c")
    assert play.say("arrive", player="y") is None
    play.say("leave", player="y")
    assert play.say("arrive", player="z") is None
    assert play.seating() == ["ab2d", "efzh"]
    assert play.report()["standings"]["z"]["wins"] == 0


def test_arrive_without_a_ghost_is_refused() -> None:
    assert Play("bonko").say("arrive", player="z") is not None


def test_who_comes_back_gets_the_old_card() -> None:
    play = Play("bonko").round()
    play.say("leave", player="a")
    play.round().say("arrive", player="a")
    assert play.report()["standings"]["a"]["wins"] == 1
    play.round()
    card = play.report()["standings"]["a"]
    assert card["wins"] + card["losses"] == 2


def test_a_substitute_takes_seat_card_place_and_bag() -> None:
    play = Play("bonko").open()
    play.roll(1, "B")
    play.decide("US", "US")
    assert play.substitute("a", "z") is None
    report = play.report()
    assert next(iter(report["standings"])) == "z"
    assert (report["standings"]["z"]["buncos"], report["traveler"]) == (1, "z")
    assert "a" not in report["standings"]
    play.open()
    play.roll(1, "B")
    play.decide("US", "US")
    assert play.report()["standings"]["z"]["buncos"] == 2


def test_who_was_substituted_comes_back_with_a_new_card() -> None:
    play = Play("bonko", ["abcd", "efg1"]).round()
    play.substitute("a", "z")
    assert play.say("arrive", player="a") is None
    standings = play.report()["standings"]
    assert (standings["z"]["wins"], standings["a"]["wins"]) == (1, 0)


def test_a_substitute_has_no_card_yet() -> None:
    play = Play("bonko").round()
    play.say("leave", player="a")
    assert play.substitute("b", "a") == "a has a card already and can only arrive"


def test_a_player_may_be_called_like_a_ghost() -> None:
    play = Play("bonko", ["abcd", "efgh"])
    play.substitute("a", "Ghost 1")
    play.say("leave", player="b")
    assert play.seating() == ["12cd", "efgh"]
    assert "Ghost 1" in play.report()["standings"]
    assert "Ghost 2" not in play.report()["standings"]


def test_ghosts_are_kept_apart_when_somebody_leaves() -> None:
    play = Play("bonko", ["1bcd", "efgh"])
    play.say("leave", player="c")
    assert play.seating() == ["1bd2", "efgh"]


def test_ghosts_are_never_in_the_standings_or_ranking() -> None:
    play = Play("bonko", ["1bcd", "efgh"]).round()
    report = play.report()
    assert "Ghost 1" not in report["standings"]
    assert all("Ghost 1" not in level for level in report["ranking"])
