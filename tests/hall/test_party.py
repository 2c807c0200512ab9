from random import Random
from typing import Any

from boards import board
from logs import logged
from pi_bunco.game import facts
from pi_bunco.hall import party
from pi_bunco.hall.hall import Finish, Say, TellPages
from pi_bunco.hall.party import KeyTyped, Look, Looked, Party
from pi_bunco.play.autohost import Autohost, HostPlan, Waits
from pi_bunco.play.chaos import Chaos
from pi_bunco.runtime.loop import Stop, Tick
from pi_bunco.runtime.supervisor import (
    MAX_ENDS,
    RESTART_AFTER_MS,
    KillProcess,
    ProcessEnded,
    ProcessReady,
    StartProcess,
)
from pi_bunco.wire import topics
from pi_bunco.wire.client import Received
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Answer, BoardMessage, Command
from pi_bunco.wire.topics import WEB

GROUPS = [["broker"], ["head"], ["table1", WEB]]
NAMES = "broker", "head", "table1"


def new(trouble: Chaos | None = None, alone: bool = True) -> Party:
    host = Autohost(HostPlan("classic", ("Ann", "Bob", "Cat", "Dee")), Waits(between=0), "k", alone=alone)
    return Party(host, GROUPS, trouble, alone=alone)


def playing(**changes: Any) -> Party:
    one = new(**changes)
    for name in NAMES:
        one.step(ProcessReady(name), 0)
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


def test_host_asks_nothing_before_all_is_ready() -> None:
    one = new()
    one.step(score("setup"), 0)
    assert only(Command, one.step(ProcessReady("head"), 1)) == []
    assert only(Command, one.step(ProcessReady("table1"), 2)) == []
    (command,) = only(Command, one.step(ProcessReady("broker"), 3))
    assert command.command == "round_start"
    assert one.began == 3


def test_crashed_process_is_restarted_and_reported() -> None:
    one = playing()
    assert said(one.step(ProcessEnded("table1", 1, "a bug"), 1000)) == [
        "Table 1 ended by itself (status 1): a bug"
    ]
    assert only(StartProcess, one.step(Tick(), 1000 + RESTART_AFTER_MS - 1)) == []
    assert only(StartProcess, one.step(Tick(), 1000 + RESTART_AFTER_MS)) == [StartProcess("table1")]
    assert only(StartProcess, one.step(Tick(), 1001 + RESTART_AFTER_MS)) == []
    assert said(one.step(ProcessReady("table1"), 3000)) == ["Table 1 is back."]


def test_unstable_process_ends_the_night() -> None:
    one = playing()
    for n in range(party.MAX_DEATHS):
        assert only(Finish, one.step(ProcessEnded("head", -9, "why"), n)) == []
    (finish,) = only(Finish, one.step(ProcessEnded("head", -9, "why"), 99))
    assert finish == Finish("The head ended by itself (SIGKILL): why")
    assert len(one.deaths) == party.MAX_DEATHS + 1


def test_q_stops_at_once_before_all_is_ready_and_only_once() -> None:
    one = new()
    assert one.step(KeyTyped("q"), 5) == [Stop()]
    assert one.step(KeyTyped("q"), 6) == []


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


def test_lost_fact_is_not_waited_for_for_ever() -> None:
    one = playing()
    one.step(score("finished"), 0)
    assert one.step(Looked(3), party.SETTLE_WITHIN_MS) == []
    assert only(Command, one.step(Looked(3), party.SETTLE_WITHIN_MS + 1))


def test_a_head_that_does_not_close_the_evening_is_told() -> None:
    one = playing()
    one.step(score("finished"), 0)
    one.step(Looked(0), 100)
    assert only(Finish, one.step(Tick(), 100 + party.CLOSE_WITHIN_MS)) == []
    assert only(Finish, one.step(Tick(), 101 + party.CLOSE_WITHIN_MS)) == [
        Finish("the head does not close the evening")
    ]


def test_a_plug_is_pulled_only_while_the_night_is_played() -> None:
    one = playing(trouble=Chaos(Random(1), 1, 1, 1000))
    entry = encode(logged(1, "e1", facts.RoundOpen(1)))
    for now in range(5):
        one.step(Received(topics.everyone("home", "log"), entry, False), now)
    effects = one.step(Tick(), 5000)
    killed = {kill.name for kill in only(KillProcess, effects)}
    assert killed
    assert sum(one.kills.values()) == len(killed)
    assert "Somebody pulled the plug" in said(effects)[0]
    lit = {start.name for start in only(StartProcess, one.step(score("finished"), 5001))}
    assert lit == killed
    assert one.step(Looked(0), 5100) == [], "they are not back yet"
    for name in killed:
        one.step(ProcessReady(name), 5200)
    assert only(Command, one.step(Looked(0), 5300))


def test_the_bell_is_told() -> None:
    one = playing()
    bell = {"t": 7, "by": "bunco", "player": "Ann"}
    assert said(one.step(score("round_open"), 0)) == ["Set 1, round 1 has begun."]
    assert said(one.step(score("after_bell", bell=bell), 1)) == ["The bell: Ann rolled a Bunco."]


def test_a_refusal_is_said() -> None:
    one = playing(alone=False)
    one.step(score("setup"), 0)
    (start,) = only(Command, one.step(KeyTyped("\n"), 1))
    why = "Table 1: switched off."
    assert said(one.step(answer(start.id, False, why), 2)) == [f"The head refuses: {why}"]


def test_q_ends_the_evening_with_what_was_played() -> None:
    one = playing(alone=False)
    one.step(score("between_rounds", rounds_played=2), 0)
    one.step(KeyTyped("q"), 1)
    (close,) = only(Command, one.step(Looked(0), 2))
    assert close.command == "evening_close"
    assert only(Finish, one.step(answer(close.id), 3)) == [], "the scoreboard does not show it yet"
    assert only(Finish, one.step(score("finished", rounds_played=2), 4)) == [Finish()]


def test_q_before_an_evening_is_open_stops_at_once() -> None:
    one = playing(alone=False)
    one.step(score("setup", rules=None), 0)
    assert one.step(KeyTyped("q"), 1) == [Stop()]


def test_evening_closed_by_a_person_is_not_waited_for() -> None:
    one = playing(alone=False)
    one.step(score("finished", rounds_played=2), 0)
    one.step(KeyTyped("q"), 1)
    (close,) = only(Command, one.step(Looked(0), 2))
    assert only(Finish, one.step(answer(close.id, False, "the evening is closed"), 3)) == [Finish()]


def test_where_a_person_hosts_the_last_round_ends_nothing_and_tables_come_as_they_are_wanted() -> None:
    one = playing(alone=False)
    three = [["Ann", "Bob", "Cat", "Dee"]] * 3
    assert only(StartProcess, one.step(score("setup", next_seating=three), 0)) == [
        StartProcess("table2"),
        StartProcess("table3"),
    ]
    assert said(one.step(ProcessReady("table2"), 1)) == ["Table 2 is there."]
    assert only(StartProcess, one.step(score("finished", next_seating=three), 2)) == []
    assert only(Command, one.step(Looked(0), 60_000)) == []


def test_the_pages_are_told_once_and_no_night_ends_with_them() -> None:
    one = playing()
    for n in range(MAX_ENDS + 1):
        (text,) = said(one.step(ProcessEnded(WEB, 1, "no port"), n))
        assert text == "The page ended by itself (status 1): no port"
    assert one.stage == "playing"
    assert not only(Finish, one.step(Tick(), 60_000))
    assert one.step(ProcessReady(WEB), 60_001) == [TellPages()]
    assert said(one.step(ProcessReady(WEB), 60_002)) == ["The page is back."]


def test_rubbish_is_no_reason_to_end() -> None:
    one = playing()
    assert len(said(one.step(Received(topics.everyone("home", "score"), b"{", False), 1))) == 1
