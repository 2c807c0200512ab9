"""Each for themselves, and tables that are teams: rounds worked out by hand, odds, and what is refused."""

from typing import Any

import pytest

from game.evenings import Play
from pi_bunco.errors import RulesError
from pi_bunco.game.prizes import results
from pi_bunco.game.replay import evening_report
from pi_bunco.play.simulation import Simulation, Sums
from pi_bunco.rules import override, preset
from pi_bunco.rules.odds import odds

ALONE: dict[str, Any] = {"team": "none", "move__tables": "stay"}


def test_each_has_points_alone_and_one_wins() -> None:
    play = Play("bonko", **ALONE, evening__faces=[1], evening__sets=1).open()
    play.roll(1, "1.2.")
    play.roll(2, "2.")
    play.say("round_close")
    tables = play.running.tables
    assert [table.points for table in tables] == [[1, 2, 0, 0], [2, 0, 0, 0]]
    assert play.say("decide", table=2, winner="US") == "US cannot win at a table under these rules"
    play.say("confirm", table=1)
    assert tables[0].winning == "B"
    play.say("confirm", table=2)
    standings = evening_report(play.evening)["standings"]
    assert {name: card["wins"] for name, card in standings.items()} == {
        **dict.fromkeys("acdfgh", 0),
        "b": 1,
        "e": 1,
    }


def test_only_who_is_tied_rolls_off_until_one_is_left() -> None:
    play = Play("bonko", **ALONE, tie__method="one_die").open()
    play.roll(1, "1.1.1.")
    play.say("round_close")
    play.say("confirm", table=1)
    table = play.running.tables[0]
    assert list(table.tied) == [0, 1, 2]
    assert play.say("faceoff", table=1, dice=[6, 6]) == "3 roll one die each, not 2"
    play.say("faceoff", table=1, dice=[6, 2, 6])
    assert list(table.tied) == [0, 2]
    play.say("faceoff", table=1, dice=[3, 4])
    assert (table.winning, table.rolloffs) == ("C", 2)


def test_a_table_that_is_a_team_wins_against_the_others_and_nobody_moves() -> None:
    play = Play("bonko", team="table", evening__faces=[1], evening__sets=1).open()
    before = play.evening.seating
    play.roll(1, "1.2.")
    play.roll(2, "2.1.1.")
    play.say("round_close")
    play.say("confirm", table=2)
    assert play.running.tables[1].winning is None
    play.say("confirm", table=1)
    ended = results(play.evening)
    assert ended is not None
    assert [(team.name, team.place, team.marks["wins"]) for team in ended.teams] == [
        ("Table 2", 1, 4),
        ("Table 1", 2, 0),
    ]
    assert play.evening.seating == before


@pytest.mark.parametrize(
    ("overrides", "sides"),
    [({"team": "none", "move.tables": "chain", "scoring.wipe": 3}, 4), ({"team": "table"}, 1)],
)
def test_the_odds_are_what_is_played(overrides: dict[str, Any], sides: int) -> None:
    rules = override(preset("bonko"), overrides)
    bell = odds(rules, 1).bell
    assert bell is not None
    played = sum(Simulation(rules, 8, seed=5).parts(120, 1), Sums()).faces[0]
    for found, exact in ((played.rolls_to_bell, bell.mean), (played.us_rings, bell.us_rings)):
        assert found.mean is not None
        assert found.error is not None
        assert abs(found.mean - exact) <= 4 * found.error + 1e-9
    assert bell.us_rings >= 1 / sides - 1e-11


@pytest.mark.parametrize(
    ("overrides", "why"),
    [
        ({"team": "none", "move.tables": "down_one"}, "move.tables is one of"),
        ({"team": "table", "end.points_by": "player"}, "set end.points_by to team"),
        ({"team": "table", "rolls": [{"when": "xx.", "wipe": "seat"}]}, "set wipe to team"),
        ({"team": "table", "tournament": True}, "a tournament is of players"),
    ],
)
def test_overrides_that_contradict_the_teams_are_refused(overrides: dict[str, Any], why: str) -> None:
    with pytest.raises(RulesError, match=why):
        override(preset("bonko"), overrides)
