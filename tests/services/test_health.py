"""Faults of machines, devices and cards are told to everybody, and nobody stops playing."""

from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from logs import KEY
from pi_bunco.head.catch_up import Memory
from pi_bunco.head.effects import Keep
from pi_bunco.head.presence import Presence
from pi_bunco.head.reasons import JournalBeginsAnew, MadeOutsideRounds, TableGoesOn, of_table
from pi_bunco.head.referee import Referee
from pi_bunco.log.records import Written
from pi_bunco.reason import REASONS, Coded, OfItself
from pi_bunco.runtime.loop import Health
from pi_bunco.runtime.writer import Failed
from pi_bunco.wire.messages import Beat, HeadStatus, RoundInfo, Status
from services.hall import Hall

HOT = "The processor is too hot (85 °C): move the Pi out of the sun."
BELL = "The bell cannot be used: no header."


class TestBellIsBroken(OfItself, frozen=True):
    __test__ = False
    text = "Bell: broken."


del REASONS[TestBellIsBroken.code]


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    return hall


def told(hall: Hall, leaf: str, kind: Any) -> Any:
    """The latest message of that leaf."""
    payloads = [payload for _, topic, payload in hall.network.sent if topic.endswith(leaf)]
    return msgspec.json.decode(payloads[-1], type=kind)


def beat(hall: Hall, table: int) -> tuple[str, ...]:
    hall.wait(1100)
    faults: tuple[str, ...] = told(hall, f"table{table}/up/beat", Beat).faults
    return faults


def fault_lit(hall: Hall, table: int) -> bool:
    return hall.tables[table].lights.fault


def head(hall: Hall) -> tuple[str, ...]:
    faults: tuple[str, ...] = told(hall, "all/head", HeadStatus).faults
    return faults


def test_a_table_tells_what_is_wrong_with_its_machine_until_it_is_well(hall: Hall) -> None:
    table = hall.tables[2]
    table.receive(Health((HOT,)))
    table.receive(Health(("The dice cannot be used: no header.",), "devices"))
    assert hall.warnings[-2:] == [HOT, "The dice cannot be used: no header."]
    assert beat(hall, 2) == (HOT, "The dice cannot be used: no header.")
    assert fault_lit(hall, 2)
    hall.wait(1000)
    assert f"Table 2: {HOT}" in hall.host.board.waiting
    table.receive(Health((HOT,)))
    assert hall.warnings[-1] != HOT
    table.receive(Health((), "devices"))
    assert beat(hall, 2) == (HOT,)
    table.receive(Health(()))
    assert beat(hall, 2) == ()
    assert not fault_lit(hall, 2)
    assert beat(hall, 1) == ()


def calls(presence: Presence, table: int, now: float) -> list[str]:
    return [why.english() for why in presence.calls(table, now)]


def test_a_call_for_the_host_goes_on_from_the_tables_name() -> None:
    presence = Presence()
    presence.tables[3].take_beat(Beat(0, faults=("calls for the host.", HOT)), 0.0)
    assert calls(presence, 3, 0.0) == ["Table 3 calls for the host.", f"Table 3: {HOT}"]


def test_the_form_of_a_tables_word_follows_from_its_reason_not_from_its_english_letters() -> None:
    presence = Presence()
    why = MadeOutsideRounds()
    presence.tables[3].take_beat(Beat(0, faults=(why.english(),), reasons=(Coded.of(why),)), 0.0)
    assert calls(presence, 3, 0.0) == ["Table 3: the table knew of no round when it was made"]
    assert of_table(3, TestBellIsBroken()) == TableGoesOn(3, TestBellIsBroken())


def test_a_table_of_another_version_or_with_a_slow_network_is_named() -> None:
    presence = Presence("1.1")
    presence.tables[3].take_status(Status("online", "s", "1.0", "b"), 0.0)
    presence.tables[3].take_beat(Beat(0, offset_err_ms=251.0), 0.0)
    assert calls(presence, 3, 0.0) == [
        "Table 3 runs pi-bunco 1.0, the head 1.1: upgrade one of them.",
        "Table 3 knows the evening clock only roughly: its network is slow.",
    ]
    presence.tables[3].take_status(Status("online", "s", "1.1", "b"), 0.0)
    presence.tables[3].take_beat(Beat(0, offset_err_ms=250.0), 0.0)
    assert calls(presence, 3, 0.0) == []


def test_before_the_evening_the_head_tells_of_every_table_that_is_there(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    hall.tables[2].receive(Health((HOT,)))
    hall.until(lambda: f"Table 2: {HOT}" in hall.host.board.waiting, 5000)


def test_the_head_tells_what_is_wrong_and_is_no_less_durable_for_it(hall: Hall) -> None:
    hall.head.receive(Health((HOT,)))
    hall.head.receive(Health((BELL,), "devices"))
    assert hall.warnings[-2:] == [HOT, BELL]
    assert head(hall) == (HOT, BELL)
    assert hall.ask("round_start").done
    waiting = hall.head.journal.writer.unwritten()
    assert not any(isinstance(one, Written) for one in waiting)  # it was answered once it was on disk
    hall.head.receive(Health((), "devices"))
    assert head(hall) == (HOT,)
    hall.head.receive(Health(()))
    assert head(hall) == ()


def test_a_round_begins_although_the_card_has_failed_before(hall: Hall) -> None:
    hall.head.receive(Failed("the card is full"))
    hall.disk = lambda writer, node: None  # type: ignore[method-assign]
    hall.do("round_start")
    hall.wait(100)
    assert len(hall.rings) == 1
    assert told(hall, "all/round", RoundInfo).phase == "open"
    assert [table.lights.round for table in hall.tables.values()] == ["running"] * 2


def test_more_than_there_is_room_for_is_cut_and_the_beat_still_comes(hall: Hall) -> None:
    many = tuple(f"{n}: {'é' * 500}" for n in range(50))
    hall.tables[1].receive(Health(many))
    hall.head.receive(Health(many))
    assert beat(hall, 1)[-1].startswith("And ")
    assert head(hall)[-1].startswith("And ")


def test_a_lost_journal_is_told_until_there_is_an_evening_again(tmp_path: Path) -> None:
    lost = "The journal begins anew: it was damaged; set aside as journal.db.damaged-1."
    hall = Hall(tmp_path, 1)
    memory = Memory(KEY, damage=JournalBeginsAnew("it was damaged; set aside as journal.db.damaged-1"))
    hall.head.referee = Referee(hall.head.referee.options, Random(1), memory, 0.0)
    hall.cut(hall.head)
    hall.heal(hall.head)
    hall.wait(1500)
    assert head(hall) == (lost,)
    hall.open(4, "bonko")
    assert head(hall) == ()


def test_a_signal_that_sounds_before_the_first_tick_of_a_start_stays_kept(hall: Hall) -> None:
    """Trace: a head starts with notes of its boot, and a start bell sounds before its first tick. The tick
    kept the signals as they were at its start, and that bell was on no disk.
    """
    memory = Memory(KEY, noted={"e1:1:start": 5.0})
    catch_up = Referee(hall.head.referee.options, Random(1), memory, 0.0).catch_up
    catch_up.start_sounded("e1:2:start", 9.0)
    (kept,) = [one for one in catch_up.tick(50.0) if isinstance(one, Keep)]
    assert set(kept.value) == {"e1:1:start", "e1:2:start"}
