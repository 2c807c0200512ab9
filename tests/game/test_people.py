"""RULES.md, The first seating: who leaves, arrives or is substituted between rounds."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.evenings import Play, names
from game.independent.comparing import compared
from pi_bunco.game.reasons import ChairsEmpty, FewAtHeadTable, OnlyGhosts
from pi_bunco.game.score_cards import Card
from pi_bunco.game.seating import draw, ghosts_needed
from thorough import times


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
    assert play.substitute("b", "c") == "c is playing already"


def test_no_guest_comes_with_ghosts_where_they_are_not_allowed() -> None:
    play = Play("bonko", ghosts=False).round()
    chairs = [list("abcd"), list("efgh"), ["z", "Ghost 1", "Ghost 2", "Ghost 3"]]
    assert play.say("seating", tables=chairs) == "ghosts are not allowed"


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


def seats(*letters: str) -> list[list[str]]:
    return [names(table) for table in letters]


def test_a_thirteenth_guest_opens_a_table_and_cards_stay() -> None:
    play = Play(seats=["abcd", "efgh", "ijkl"]).open()
    play.roll(2, "B")
    play.decide("US", "US", "US")
    tables = seats("abcd", "efg1", "ijk2", "lm3h")
    assert play.say("seating", tables=tables) is None
    assert (play.seating(), play.evening.tables) == (["abcd", "efg1", "ijk2", "lm3h"], 4)
    assert play.evening.standings["e"].buncos == 1
    assert play.evening.standings["m"] == Card()
    play.round()
    assert play.evening.standings["m"].wins + play.evening.standings["m"].losses == 1
    assert play.evening.rounds[-1].target == 2


def test_four_who_leave_close_a_table() -> None:
    play = Play(seats=["abcd", "efgh", "ijkl"]).round()
    for name in "aeik":
        play.say("leave", player=name)
    assert play.evening.why_draw_anew == ChairsEmpty(4)
    assert play.say("seating", tables=seats("bcdf", "ghjl")) is None
    assert (play.evening.tables, play.evening.people.ghosts) == (2, [])
    assert not play.evening.why_draw_anew
    assert str(play.say("arrive", player="a")).startswith("every seat is taken; draw the seats anew")
    assert play.round().evening.standings["a"].wins == 1


@pytest.mark.parametrize(
    ("tables", "why"),
    [
        (["abcd", "efga"], "everybody needs one seat; look at a, h"),
        (["abcd", "efgg"], "everybody needs one seat; look at g, h"),
        (["abcd", "efgh", "1234"], "8 players sit at 2 tables, not 3"),
        (["abcd", "efgh", "ij12", "3456"], "10 players sit at 3 tables, not 4"),
    ],
)
def test_a_seating_between_rounds_names_everybody_once(tables: list[str], why: str) -> None:
    assert Play().round().say("seating", tables=seats(*tables)) == why


def test_tables_may_stay_but_none_of_ghosts_alone() -> None:
    play = Play(seats=["abcd", "efgh"]).round()
    for name in "aceg":
        play.say("leave", player=name)
    assert play.say("seating", tables=seats("1234", "bdfh")) is None
    assert play.evening.why_not_open() == OnlyGhosts(1)
    assert play.evening.why_draw_anew is not None
    assert play.say("round_open") is not None
    assert play.say("seating", tables=seats("bdfh")) is None
    assert play.say("round_open") is None


def test_nobody_sits_down_where_everybody_has_left() -> None:
    play = Play("bonko", ["abcd"]).round()
    for name in "abcd":
        play.say("leave", player=name)
    assert play.say("seating", tables=[]) == "nobody is left to play"
    assert (play.evening.why_not_open(), play.evening.why_draw_anew) == (OnlyGhosts(1), ChairsEmpty(4))
    assert compared(play.lines) == []
    assert play.say("arrive", player="b") is None
    assert play.say("round_open") is None


def test_a_guest_comes_only_after_the_first_round() -> None:
    tables = seats("abcd", "efg1", "hi23")
    assert Play().say("seating", tables=tables) is not None
    assert Play().round().say("seating", tables=tables) is None


def test_chairs_that_the_host_set_stay_when_a_reopened_round_is_final_again() -> None:
    play = Play().round()
    play.say("seating", tables=seats("abcd", "efg1", "hi23"))
    play.substitute("i", "z")
    assert play.say("reopen", table=2) is None
    assert (play.seating(), play.evening.tables) == (["abcd", "efgh"], 2)
    play.say("decide", table=2, winner="THEM")
    assert play.seating() == ["abcd", "efg1", "hz23"]


def test_chairs_that_the_host_set_stay_when_a_reopened_round_is_cancelled() -> None:
    play = Play().round().round()
    play.say("seating", tables=seats("abcd", "efg1", "hi23"))
    play.say("reopen", table=2)
    play.say("round_cancel")
    assert play.seating() == ["abcd", "efg1", "hi23"]
    assert play.round().evening.rounds[-1].target == 2


def test_a_table_that_is_gone_can_be_reopened() -> None:
    play = Play().round()
    for name in "efgh":
        play.say("leave", player=name)
    play.say("seating", tables=seats("abcd"))
    assert play.say("reopen", table=2) is None
    play.say("decide", table=2, winner="THEM")
    assert play.seating() == ["abcd"]


def test_a_table_that_was_not_there_yet_has_no_result_to_reopen() -> None:
    play = Play().round()
    play.say("seating", tables=seats("abcd", "efg1", "hi23"))
    assert play.say("reopen", table=3) == "table 3 was not in that round"
    assert play.seating() == ["abcd", "efg1", "hi23"]


def test_groups_end_when_the_tables_change_in_number() -> None:
    play = Play(seats=["abcd", "efgh"]).round()
    play.evening.seats.groups = ((1,), (2,))
    play.say("seating", tables=seats("hgfe", "dcba"))
    assert play.evening.seats.groups == ((1,), (2,))
    play.say("seating", tables=seats("hgfe", "dcb1", "a23i"))
    assert play.evening.seats.groups is None


def test_who_left_comes_back_to_the_old_card_by_a_seating() -> None:
    play = Play().round()
    play.say("leave", player="a")
    play.say("seating", tables=seats("bcda", "efgh"))
    assert play.evening.people.present.count("a") == 1
    assert len(play.evening.standings) == 8


@settings(max_examples=times(60), deadline=None)
@given(st.integers(4, 30), st.integers(0, 12), st.integers(0, 5), st.integers(0, 10**6))
def test_a_draw_between_rounds_seats_everybody_once(
    players: int, leaving: int, guests: int, seed: int
) -> None:
    everybody = [f"p{number}" for number in range(players)]
    ghosts = [f"Ghost {k}" for k in range(1, ghosts_needed(players) + 1)]
    play = Play.of(draw(everybody, ghosts, Random(seed))).round()
    for name in everybody[: min(leaving, players - 4)]:
        assert play.say("leave", player=name) is None
    people = [*play.evening.people.present, *(f"g{number}" for number in range(guests))]
    new = draw(people, play.evening.people.ghosts_for(people), Random(seed))
    assert play.say("seating", tables=[list(table) for table in new]) is None
    assert play.evening.tables == len(new) == -(-len(people) // 4)
    sitting = [name for table in play.evening.seating or () for name in table]
    assert len(sitting) == len(set(sitting))
    assert set(sitting) >= set(people)
    for table in play.evening.seating or ():
        assert sum(play.evening.people.is_ghost(name) for name in table) <= 2
    assert play.say("round_open") is None


def test_lone_person_at_the_head_table_is_a_reason_to_draw_anew() -> None:
    play = Play("bonko", ("a123", "bcde")).round()
    for seats, why in ((("a123", "bcde"), FewAtHeadTable()), (("ab12", "3cde"), None)):
        play.say("seating", tables=[names(letters) for letters in seats])
        assert play.evening.why_draw_anew == why
