"""Tables that are dead, stopped, doubled, not ready, or call for the host: the scoreboard names them."""

from pathlib import Path

import pytest

from pi_bunco.devices.protocols import Press
from pi_bunco.head.presence import Presence
from pi_bunco.head.reasons import TableGoesOn, ThereTwice
from pi_bunco.wire import topics
from pi_bunco.wire.messages import Status
from services.hall import Hall


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    hall = Hall(tmp_path, 3)
    hall.open(12)
    return hall


def waiting(hall: Hall) -> list[str]:
    return list(hall.host.board.waiting)


def test_a_table_that_dies_in_a_round_is_named_within_four_seconds(hall: Hall) -> None:
    hall.do("round_start")
    hall.wait(1000)
    assert waiting(hall) == []
    hall.kill(hall.tables[2])
    hall.wait(4000)
    assert [one.partition(" for ")[0] for one in waiting(hall)] == ["Table 2: not heard"]
    hall.start_table(2)
    hall.wait(2000)
    assert waiting(hall) == []


def test_a_closed_evening_waits_for_whoever_opens_it_again(hall: Hall) -> None:
    hall.do("evening_close", unfinished=True)
    hall.wait(1000)
    assert waiting(hall) == ["The evening is closed; open it again if it should go on."]


def test_a_bypassed_table_is_not_named(hall: Hall) -> None:
    hall.kill(hall.tables[2])
    hall.do("round_start", bypass=[2])
    hall.wait(5000)
    assert waiting(hall) == []


def test_a_table_whose_result_is_final_is_not_missed(hall: Hall) -> None:
    hall.do("round_start")
    hall.wait(1000)
    hall.do("decide", table=2, winner="US")
    for number in (2, 3):
        hall.kill(hall.tables[number])
    hall.wait(5000)
    assert [one.partition(" for ")[0] for one in waiting(hall)] == ["Table 3: not heard"]


def test_a_table_that_falls_silent_is_named_until_it_is_heard_again(hall: Hall) -> None:
    assert waiting(hall) == []
    table = hall.tables[2]
    hall.network.drop(table, will=False)
    hall.until(lambda: bool(waiting(hall)), 5000)
    assert waiting(hall)[0].startswith("Table 2: not heard for ")
    hall.network.nodes[table.name] = table  # its messages get through again
    hall.until(lambda: not waiting(hall), 3000)


@pytest.mark.parametrize("open_", [False, True])
def test_a_table_that_calls_the_host_is_named_at_once(hall: Hall, open_: bool) -> None:
    if open_:
        hall.do("round_start")
        hall.wait(1000)
    hall.tables[3].receive(Press("help", hall.clock.now(), 0))
    hall.until(lambda: waiting(hall) == ["Table 3 calls for the host."], 2000)
    hall.tables[3].receive(Press("help", hall.clock.now(), 0))
    hall.until(lambda: not waiting(hall), 2000)


def test_a_scoreboard_with_nothing_new_is_not_sent_again(hall: Hall) -> None:
    hall.wait(2000)
    before = len(hall.network.sent)
    hall.wait(10_000)
    assert not [topic for _, topic, _ in hall.network.sent[before:] if topic.endswith("all/score")]


def birth(service: str, session: str) -> Status:
    return Status("online", session, "1", "boot", streams=((service, 0),))


def test_two_machines_with_one_number_are_named() -> None:
    presence = Presence("1")
    for turn, service in enumerate("abab"):
        presence.tables[2].take_status(birth(service, f"s{turn}"), 1000.0 * turn)
    assert presence.calls(2, 4000.0) == [TableGoesOn(2, ThereTwice())]
    assert presence.calls(2, 40_000.0) == []


def test_a_table_that_is_started_again_or_reconnects_is_there_once() -> None:
    presence = Presence("1")
    for turn, service in enumerate("aabbc"):
        presence.tables[2].take_status(birth(service, f"s{turn}"), 1000.0 * turn)
    assert presence.calls(2, 5000.0) == []


def test_a_hall_that_comes_back_at_once_is_told_once_and_not_once_for_each_table(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 12)
    hall.open(48)
    for table in hall.tables.values():
        hall.cut(table)
    hall.wait(2000)
    before = len(hall.network.sent)
    for table in hall.tables.values():
        hall.heal(table)
    hall.wait(2000)
    for leaf in ("head", "round"):
        told = [topic for _, topic, _ in hall.network.sent[before:] if topic == topics.everyone("home", leaf)]
        assert 1 <= len(told) <= 3


def test_lone_table_is_told_at_once(hall: Hall) -> None:
    hall.cut(hall.tables[2])
    hall.wait(2000)
    before = len(hall.network.sent)
    hall.heal(hall.tables[2])
    hall.wait(20)
    told = {topic.rpartition("/")[2] for _, topic, _ in hall.network.sent[before:]}
    assert {"head", "round", "view"} <= told
