"""The opening of an evening, and its first seats; one function for host, demo and simulator."""

import pytest

from game.evenings import Play
from pi_bunco.errors import FactError
from pi_bunco.game.opening import chairs, opening, same
from pi_bunco.hall.demo import Setting
from pi_bunco.play.simulation import Simulation
from pi_bunco.rules import preset


@pytest.mark.parametrize("players", [4, 12, 16, 20, 48])
@pytest.mark.parametrize("rules", ["tournament", "gong"])
def test_demo_and_simulator_have_the_tables_of_the_opening(rules: str, players: int) -> None:
    fact = opening(preset(rules), [f"p{n}" for n in range(players)])
    assert fact.ghosts is not None
    tables = (players + len(fact.ghosts)) // 4
    assert Setting(preset(rules), players, 1, 1, None).tables == tables
    assert Simulation(preset(rules), players, 1).tables == tables
    assert fact.groups == chairs(preset(rules), players)[0]
    assert (fact.groups is None) == (rules == "gong")


SPELLINGS = [("Ann", "ann"), ("Ann", " An n"), ("Zo\u00eb", "Zoe\u0308"), ("STRASSE", "stra\u00dfe")]


@pytest.mark.parametrize(("one", "other"), SPELLINGS)
def test_names_that_nobody_can_tell_apart_are_refused_with_both_named(one: str, other: str) -> None:
    assert same(one) == same(other)
    with pytest.raises(FactError, match=f"{one} and {other} look like one name"):
        opening(preset("gong"), [one, "Bob", "Cat", other])


def test_the_draw_before_the_first_round_is_for_who_is_there() -> None:
    play = Play("gong", ("abcd", "efgh"))
    for player in "aceg":
        assert play.say("leave", player=player) is None
    four = [["b", "d", "f", "h"]]
    why = "4 players sit at 1 tables, not 3"
    ghosts = [[name, *(f"Ghost {3 * at + k}" for k in (1, 2, 3))] for at, name in enumerate("bdf")]
    assert play.say("seating", tables=[*ghosts[:2], ["f", "h", "Ghost 10", "Ghost 11"]]) == why
    assert play.say("seating", tables=[["b", "d", "f", "x"]]) == "everybody needs one seat; look at h, x"
    assert play.say("seating", tables=four) is None
    assert (play.evening.tables, play.evening.people.ghosts) == (1, [])
    assert play.say("round_open") is None
