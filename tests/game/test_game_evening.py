"""The evening around its rounds: what is an error, what is ignored and why, states."""

from typing import Any

import pytest

from game.evenings import Play, fact, names
from pi_bunco.errors import FactError
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.reasons import NobodySeated, NoEveningOpen

EIGHT = list("abcdefgh")


def opened(**fields: Any) -> Evening:
    evening = Evening()
    apply(evening, fact("evening", **({"rules": "bonko", "players": EIGHT} | fields)))
    return evening


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"players": list("abc")}, "at least 4 players are needed, not 3"),
        ({"players": [*EIGHT[:7], "a"]}, "the name a is there twice"),
        ({"players": [*EIGHT[:7], ""]}, "a player has no name"),
        ({"players": [*EIGHT[:7], " "]}, "a player has no name"),
        ({"ghosts": ["Ghost 1"]}, "8 players need 0 ghosts, not 1"),
        ({"players": EIGHT[:7], "ghosts": []}, "7 players need 1 ghosts, not 0"),
        ({"players": EIGHT[:7], "ghosts": ["a"]}, "the name a is there twice"),
        ({"players": EIGHT[:7], "overrides": {"ghosts": False}}, "ghosts are not allowed"),
        ({"rules": "gnog"}, "did you mean gong?"),
        ({"overrides": {"end.point": 3}}, "did you mean end.points?"),
        ({"overrides": {"end.points": 0}}, "a whole number from 1 to 999"),
        ({"overrides": {"prizes": [{"for": "wins", "percent": 90}]}}, "they must add up to 100"),
    ],
)
def test_an_evening_that_cannot_be_played_is_an_error(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(FactError) as error:
        opened(**fields)
    assert told in str(error.value)


def test_every_mistake_is_named_at_once() -> None:
    with pytest.raises(FactError) as error:
        opened(players=["a", "a", ""], ghosts=["g", "g"])
    assert str(error.value).count(";") >= 3


@pytest.mark.parametrize("kind", ["roll", "undo", "confirm", "bell_seen", "bypass", "reopen"])
def test_a_table_that_does_not_exist_is_an_error(kind: str) -> None:
    fields: dict[str, Any] = {"call": "one"} if kind == "roll" else {}
    with pytest.raises(FactError, match="no table 3, tables are 1 to 2"):
        Play("bonko").open().say(kind, table=3, **fields)


@pytest.mark.parametrize("groups", [[[1, 2, 9]], [[]], [[0, 1]], [[1, 1, 2]], [[1]]])
def test_groups_that_are_no_partition_of_the_tables_are_an_error(groups: list[list[int]]) -> None:
    with pytest.raises(FactError, match="each of the tables 1 to 2 once"):
        apply(Evening(), fact("evening", rules="tournament", players=EIGHT, groups=groups))


@pytest.mark.parametrize("kind", ["arrive", "substitute"])
def test_a_blank_name_is_an_error_later_too(kind: str) -> None:
    play = Play("bonko", ["abcd", "1fgh"])
    fields: dict[str, Any] = {"player": " "} if kind == "arrive" else {"out": "a", "in": " "}
    with pytest.raises(FactError):
        play.say(kind, **fields)


def test_facts_before_an_evening() -> None:
    assert apply(Evening(), fact("round_open")) == NoEveningOpen()
    assert apply(Evening(), fact("roll", table=1, call="one")) == NoEveningOpen()


def test_facts_between_rounds() -> None:
    play = Play("bonko")
    assert play.roll(1, "1") == "no round is open"
    for kind in ("bell", "round_close", "bell_void", "round_cancel"):
        assert play.say(kind) == "no round is open"
    assert play.say("reopen", table=1) == "no round has been played"
    assert play.say("resume") == "there is no break"
    assert play.say("evening", rules="bonko", players=EIGHT) == "an evening is open already"


def test_facts_during_a_round() -> None:
    play = Play("bonko", ["abcd", "efg1"]).open()
    changed = "players change only between rounds"
    assert play.say("round_open") == "a round is running"
    assert play.say("seating", tables=[names("abcd"), names("efg1")]) == "a round is running"
    assert play.say("leave", player="a") == changed
    assert play.say("arrive", player="z") == changed
    assert play.substitute("a", "z") == changed
    assert (play.say("pause"), play.evening.resting) == (None, False)
    assert play.say("bell_void") == "the bell has not rung"
    assert play.say("bell") == "nothing has rung the bell"
    assert play.say("reopen", table=1) == "table 1 has no result to reopen"
    play.close()
    assert play.say("round_close") == "the bell has rung already"


def test_no_round_without_seats() -> None:
    evening = opened()
    assert apply(evening, fact("round_open")) == NobodySeated()
    assert evening.state == "setup"


def test_no_round_after_the_last_set() -> None:
    play = Play("bonko", evening__sets=1)
    for _ in range(6):
        play.round()
    assert play.evening.state == "finished"
    assert play.say("round_open") == "the last round has been played"
    assert play.say("leave", player="a") == "the last round has been played"


def test_closed_evening_takes_no_fact_but_saw_bell() -> None:
    play = Play("bonko").open()
    assert play.say("evening_close") is None
    assert play.evening.state == "finished"
    assert play.roll(1, "1") == "the evening is closed"
    assert play.say("round_open") == "the evening is closed"
    assert play.say("bell_seen", table=1) is None


def test_seats_need_everybody_once() -> None:
    play = Play("bonko")
    assert play.say("seating", tables=[names("abcd"), names("efga")]) is not None
    assert play.say("seating", tables=[names("abcd")]) is not None
    assert play.say("seating", tables=[names("hbcd"), names("efga")]) is None
    assert play.seating() == ["hbcd", "efga"]


@pytest.mark.parametrize("kind", ["leave", "arrive", "substitute"])
def test_people_facts_say_why_not(kind: str) -> None:
    play = Play("bonko", ["abcd", "efg1"])
    asked: dict[str, list[dict[str, Any]]] = {
        "leave": [{"player": "z"}, {"player": "Ghost 1"}],
        "arrive": [{"player": "a"}, {"player": "Ghost 1"}],
        "substitute": [{"out": "z", "in": "y"}, {"out": "a", "in": "b"}, {"out": "Ghost 1", "in": "y"}],
    }
    for fields in asked[kind]:
        assert play.say(kind, **fields) is not None
    assert play.seating() == ["abcd", "efg1"]


def test_the_states_of_an_evening() -> None:
    play = Play("bonko", evening__sets=1)
    seen = [play.evening.state]
    seen.append(play.open().evening.state)
    seen.append(play.close().evening.state)
    seen.append(play.decide("US", "US").evening.state)
    play.say("pause", minutes=5)
    seen.append(play.evening.state)
    play.say("resume")
    seen.append(play.evening.state)
    for _ in range(5):
        play.round()
    seen.append(play.evening.state)
    assert seen == [
        "setup", "round_open", "after_bell", "between_rounds", "break", "between_rounds", "finished",
    ]  # fmt: skip


def test_the_break_comes_after_its_set_and_ends_with_the_next_round() -> None:
    play = Play("mybunco", evening__break_after=1)
    for _ in range(6):
        assert play.evening.state in ("setup", "between_rounds")
        play.round()
    assert (play.evening.state, play.evening.break_minutes) == ("break", 15)
    assert play.open().evening.state == "round_open"
    assert play.decide("US", "US").evening.state == "between_rounds"


def test_no_break_after_the_last_set() -> None:
    play = Play("bonko", evening__sets=1, evening__break_after=1)
    for _ in range(6):
        play.round()
    assert play.evening.state == "finished"


def test_sets_and_targets() -> None:
    play = Play("bonko")
    for _ in range(7):
        play.round()
    rounds = [(one["set"], one["round"]) for one in play.report()["rounds"]]
    assert rounds == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 1)]
