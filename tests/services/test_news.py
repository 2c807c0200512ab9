"""News go to those whom they concern, in order: the bell and the lights first, and nothing twice."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_bunco.devices.protocols import Throw
from pi_bunco.game.facts import Rolled, kind_of
from pi_bunco.head import publisher
from pi_bunco.table.effects import ShowLights
from pi_bunco.wire.client import Publish, Received
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Ack, Envelope
from services.hall import BUNCO, DISK, LATENCY, MISS, Hall


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """Three tables of people who do nothing by themselves, a round of ones just opened."""
    hall = Hall(tmp_path, 3)
    hall.open(12, "bonko")
    hall.do("round_start")
    hall.wait(1000)
    return hall


def throw(hall: Hall, table: int, faces: tuple[int, int, int]) -> int:
    """Three dice settle; how many messages had been sent before."""
    before, now = len(hall.network.sent), hall.clock.now()
    hall.tables[table].receive(Throw(faces, now - 300, now))
    return before


def sent(hall: Hall, since: int, *leaves: str) -> list[str]:
    """The topics of these leaves to which anything was sent since then."""
    return [topic for _, topic, _ in hall.network.sent[since:] if topic.rpartition("/")[2] in leaves]


def test_a_roll_is_news_for_its_table_and_no_other(hall: Hall) -> None:
    before = throw(hall, 2, MISS)
    hall.wait(100)
    assert sent(hall, before, "view", "round") == ["bunco/v1/home/table2/down/view"]


def test_a_fact_between_rounds_is_news_for_its_table_and_no_other(hall: Hall) -> None:
    evening, epoch = hall.evening.id, hall.evening.epoch
    hall.do("round_cancel")
    hall.wait(100)
    late = Envelope(1, evening, "late", 1, 1, epoch, None, None, 1, "boot", Rolled(MISS))
    before = len(hall.network.sent)
    hall.head.receive(Received("bunco/v1/home/table3/up/fact", encode(late), False))
    assert sent(hall, before, "view", "round") == ["bunco/v1/home/table3/down/view"]


def test_all_tables_hear_of_the_bell_before_its_roll_is_entered(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No table goes on rolling while the head hashes, encodes and journals."""
    before, entered = len(hall.log), list[int]()

    def perform(effect: Any, perform: Any = hall.head.perform) -> Any:
        if isinstance(effect, Publish) and effect.topic.endswith("all/bell"):
            entered.append(len(hall.log) - before)
        return perform(effect)

    monkeypatch.setattr(hall.head, "perform", perform)
    throw(hall, 1, BUNCO)
    hall.wait(100)
    assert entered == [0]
    assert [kind_of(one.decoded()) for one in hall.log[before:]][:2] == ["roll", "bell"]


def test_no_table_waits_for_the_bell_behind_views(hall: Hall) -> None:
    """They follow with the next message: what tables make of the bell does not wait for what views say."""
    before = throw(hall, 1, BUNCO)
    hall.until(lambda: bool(sent(hall, before, "bell")))
    assert not sent(hall, before, "view", "round")
    hall.wait(LATENCY + DISK)
    assert len(sent(hall, before, "view")) == 3
    assert len(sent(hall, before, "round")) == 1


def test_who_comes_late_hears_of_the_round_though_nothing_has_changed(hall: Hall) -> None:
    before = len(hall.network.sent)
    hall.cut(hall.head)
    hall.heal(hall.head)
    assert "bunco/v1/home/all/round" in sent(hall, before, "round")


def acks(hall: Hall, before: int) -> list[tuple[int, int]]:
    """The places received and committed of table 2, as it was told since then."""
    said = [payload for _, topic, payload in hall.network.sent[before:] if topic.endswith("table2/down/ack")]
    found = [msgspec.json.decode(payload, type=Ack) for payload in said]
    return [(one.received, one.committed) for one in found]


def test_a_fact_is_acknowledged_once_it_is_committed(hall: Hall) -> None:
    before = throw(hall, 2, MISS)
    hall.wait(500)
    assert acks(hall, before) == [(1, 1)]


def test_a_fact_that_a_slow_disk_has_not_committed_is_acknowledged_as_received(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.hall.DISK", 200.0)
    before = throw(hall, 2, MISS)
    hall.wait(120)
    assert acks(hall, before) == [(1, 0)]
    hall.wait(500)
    assert acks(hall, before) == [(1, 0), (1, 1)]


def test_a_fact_that_rings_is_acknowledged_before_it_is_committed(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 3)
    hall.do("evening_open", rules="gong", players=list("abcdefghijkl"), overrides={"end.tables": "any"})
    hall.do("seats_draw")
    hall.do("round_start")
    hall.wait(1000)
    before = throw(hall, 2, BUNCO)
    hall.wait(500)
    assert acks(hall, before)[0] == (1, 0)


def test_a_large_hall_is_told_the_scores_less_often(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    def boards() -> int:
        before = len(hall.network.sent)
        for _ in range(12):
            throw(hall, 2, MISS)
            hall.wait(100)
        return len(sent(hall, before, "score"))

    small = boards()
    monkeypatch.setattr(publisher, "LARGE_HALL", 1)
    large = boards()
    assert large < small / 2


def test_the_bell_is_told_of_before_all_other_news(hall: Hall) -> None:
    before = throw(hall, 1, BUNCO)
    hall.wait(100)
    assert sent(hall, before, "bell", "ack", "view", "round", "score", "log")[0] == "bunco/v1/home/all/bell"


def test_the_lights_stop_before_the_head_is_told_that_the_bell_was_heard(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    table, perform = hall.tables[2], hall.tables[2].perform

    def noted(effect: Any) -> None:
        if isinstance(effect, ShowLights):
            done.append(str(effect.state.round))
        elif isinstance(effect, Publish) and isinstance(effect.message, Envelope):
            done.append(kind_of(effect.message.fact))
        perform(effect)

    monkeypatch.setattr(table, "perform", noted)
    throw(hall, 1, BUNCO)
    hall.wait(100)
    assert done[:2] == ["stop", "bell_seen"]
