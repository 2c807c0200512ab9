from random import Random
from typing import Any

import pytest

from boards import board
from logs import logged
from pi_bunco.game import facts
from pi_bunco.hall import party
from pi_bunco.hall.happenings import Chime, Draw, Finish, Interrupt, Key, Look, Looked, Say, TellPages
from pi_bunco.hall.night import Ended, Ready
from pi_bunco.hall.pages import WEB
from pi_bunco.hall.party import Party
from pi_bunco.hall.screen import Picture
from pi_bunco.play.autohost import Autohost, HostPlan, Patience
from pi_bunco.play.chaos import Chaos, Kill, Start
from pi_bunco.runtime.loop import Tick
from pi_bunco.wire import topics
from pi_bunco.wire.client import Received
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Answer, BellSignal, BoardMessage, Command

NAMES = "broker", "head", "table1"


def new(trouble: Chaos | None = None, alone: bool = True) -> Party:
    host = Autohost(HostPlan("classic", ("Ann", "Bob", "Cat", "Dee")), Patience(between=0), "k", alone=alone)
    return Party(host, trouble, Picture("classic", ("wins",)), NAMES, alone=alone)


def playing(**changes: Any) -> Party:
    one = new(**changes)
    for name in NAMES:
        one.step(Ready(name), 0)
    return one


def score(state: str, **changes: Any) -> Received:
    return Received(
        topics.everyone("home", "score"),
        encode(BoardMessage("e1", board(state, **{"epoch": 1, **changes}))),
        False,
    )


def answer(id: str, done: bool = True, *why: str) -> Received:
    return Received(topics.down("home", "host-demo", "answer"), encode(Answer(id, done, why)), False)


def said(effects: list[Any]) -> list[str]:
    return [effect.text for effect in effects if isinstance(effect, Say)]


def only(kind: type, effects: list[Any]) -> list[Any]:
    return [effect for effect in effects if isinstance(effect, kind)]


def test_nothing_is_asked_before_all_is_ready() -> None:
    one = new()
    one.step(score("setup"), 0)
    assert only(Command, one.step(Ready("head"), 1)) == []
    assert only(Command, one.step(Ready("table1"), 2)) == []
    (command,) = only(Command, one.step(Ready("broker"), 3))
    assert command.command == "round_start"
    assert one.began == 3


def test_what_ended_by_itself_is_started_again_and_told() -> None:
    one = playing()
    assert said(one.step(Ended("table1", 1, "a bug"), 1000)) == ["Table 1 ended by itself (status 1): a bug"]
    assert "table1" in one.picture.down
    assert only(Start, one.step(Tick(), 1000 + party.AGAIN - 1)) == []
    assert only(Start, one.step(Tick(), 1000 + party.AGAIN)) == [Start("table1")]
    assert only(Start, one.step(Tick(), 1001 + party.AGAIN)) == []
    assert said(one.step(Ready("table1"), 3000)) == ["Table 1 is back."]
    assert not one.picture.down


def test_what_does_not_stay_up_ends_the_night() -> None:
    one = playing()
    for n in range(party.DEATHS):
        assert only(Finish, one.step(Ended("head", -9, "why"), n)) == []
    (finish,) = only(Finish, one.step(Ended("head", -9, "why"), 99))
    assert finish == Finish("The head ended by itself (SIGKILL): why")
    assert len(one.deaths) == party.DEATHS + 1


@pytest.mark.parametrize("stage", ["starting", "playing"])
def test_ctrl_c_ends_the_night_at_once_and_once(stage: str) -> None:
    one = new() if stage == "starting" else playing()
    assert one.step(Interrupt(), 5) == [Draw(), Finish(early=True)]
    assert only(Finish, one.step(Interrupt(), 6)) == []


def test_after_the_last_round_all_that_is_on_its_way_is_waited_for() -> None:
    one = playing()
    one.step(score("finished", rounds_played=6), 10_000)
    assert one.stage == "settling"
    assert only(Look, one.step(Tick(), 10_300)) == [Look()]
    assert one.step(Looked(3), 10_301) == []
    (close,) = only(Command, one.step(Looked(0), 10_600))
    assert close.command == "evening_close"
    assert only(Finish, one.step(answer(close.id), 10_700)) == [Finish()]
    assert one.ended == 10_000


def test_what_never_arrives_is_not_waited_for_for_ever() -> None:
    one = playing()
    one.step(score("finished"), 0)
    assert one.step(Looked(3), party.SETTLE) == []
    assert only(Command, one.step(Looked(3), party.SETTLE + 1))


def test_a_head_that_does_not_close_the_evening_is_told() -> None:
    one = playing()
    one.step(score("finished"), 0)
    one.step(Looked(0), 100)
    assert only(Finish, one.step(Tick(), 100 + party.FAREWELL)) == []
    assert only(Finish, one.step(Tick(), 101 + party.FAREWELL)) == [
        Finish("the head does not close the evening")
    ]


def test_a_plug_is_pulled_only_while_the_night_is_played() -> None:
    one = playing(trouble=Chaos(Random(1), 1, 1, 1000))
    entry = encode(logged(1, "e1", facts.RoundOpen(1)))
    for now in range(5):
        one.step(Received(topics.everyone("home", "log"), entry, False), now)
    effects = one.step(Tick(), 5000)
    killed = {kill.name for kill in only(Kill, effects)}
    assert killed
    assert killed == one.picture.down
    assert sum(one.kills.values()) == len(killed)
    assert "Somebody pulled the plug" in said(effects)[0]
    lit = {start.name for start in only(Start, one.step(score("finished"), 5001))}
    assert lit == killed
    assert one.step(Looked(0), 5100) == [], "they are not back yet"
    for name in killed:
        one.step(Ready(name), 5200)
    assert only(Command, one.step(Looked(0), 5300))


def test_the_bell_is_heard_and_said() -> None:
    one = playing()
    bell = {"t": 7, "by": "bunco", "player": "Ann"}
    assert said(one.step(score("round_open"), 0)) == ["Set 1, round 1 has begun."]
    assert said(one.step(score("after_bell", bell=bell), 1)) == ["The bell: Ann rolled a Bunco."]
    news = encode(BellSignal("e1", 1, "end", 7, 5007, "bunco"))
    effects = one.step(Received(topics.everyone("home", "bell"), news, False), 2)
    assert effects == [Chime()]
    assert (one.picture.bell, one.picture.bell_at) == ("Ann rolled a Bunco", 2)


def test_a_refusal_is_said() -> None:
    one = playing(alone=False)
    one.step(score("setup"), 0)
    (start,) = only(Command, one.step(Key("\n"), 1))
    why = "Table 1: switched off."
    assert said(one.step(answer(start.id, False, why), 2)) == [f"The head refuses: {why}"]


def test_q_ends_the_evening_with_what_was_played() -> None:
    one = playing(alone=False)
    one.step(score("between_rounds", rounds_played=2), 0)
    one.step(Key("q"), 1)
    (close,) = only(Command, one.step(Looked(0), 2))
    assert close.command == "evening_close"
    assert only(Finish, one.step(answer(close.id), 3)) == [], "the scoreboard does not show it yet"
    assert only(Finish, one.step(score("finished", rounds_played=2), 4)) == [Finish()]


def test_q_before_an_evening_is_open_stops_at_once() -> None:
    one = playing(alone=False)
    one.step(score("setup", rules=None), 0)
    assert only(Finish, one.step(Key("q"), 1)) == [Finish(early=True)]


def test_what_a_person_closed_already_is_not_waited_for() -> None:
    one = playing(alone=False)
    one.step(score("finished", rounds_played=2), 0)
    one.step(Key("q"), 1)
    (close,) = only(Command, one.step(Looked(0), 2))
    assert only(Finish, one.step(answer(close.id, False, "the evening is closed"), 3)) == [Finish()]


def test_where_a_person_hosts_the_last_round_ends_nothing_and_tables_come_as_they_are_wanted() -> None:
    one = playing(alone=False)
    three = [["Ann", "Bob", "Cat", "Dee"]] * 3
    assert only(Start, one.step(score("setup", next_seating=three), 0)) == [Start("table2"), Start("table3")]
    assert said(one.step(Ready("table2"), 1)) == ["Table 2 is there."]
    assert only(Start, one.step(score("finished", next_seating=three), 2)) == []
    assert only(Command, one.step(Looked(0), 60_000)) == []


def test_the_pages_are_told_once_and_no_night_ends_with_them() -> None:
    one = playing()
    assert one.step(Ready(WEB), 0) == [TellPages()]
    now = 0.0
    for _ in range(2 * party.DEATHS):
        (text,) = said(one.step(Ended(WEB, 1, "no port"), now))
        assert text == "The page ended by itself (status 1): no port"
        now += party.AGAIN
        again = only(Start, one.step(Tick(), now))
    assert again == [], "what never stays up is not tried for ever"
    assert one.stage == "playing"
    assert said(one.step(Ready(WEB), now)) == ["The page is back."]


def test_rubbish_is_no_reason_to_end() -> None:
    one = playing()
    assert len(said(one.step(Received(topics.everyone("home", "score"), b"{", False), 1))) == 1
