"""Effects of the page service for each message."""

import json
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from disks import StepWriter
from game.evenings import fact
from logs import chain, entry
from pi_bunco.log.entry import ReplicaClaim
from pi_bunco.log.log_store import Replica
from pi_bunco.reason import InEnglish
from pi_bunco.runtime.loop import Tick
from pi_bunco.runtime.writer import Reports
from pi_bunco.web.site.changes import HEAD
from pi_bunco.web.site.effects import Ask, BellBegan, Changed, CommandDone, Remember, TimeOfDay, WebOptions
from pi_bunco.web.site.folded_log import FACTS_AT_A_TIME, StoredFacts
from pi_bunco.web.site.page_controller import HEAD_ANSWERS_WITHIN_MS, WebController
from pi_bunco.web.site.reasons import HeadLate
from pi_bunco.wire import messages
from pi_bunco.wire.client import Connected, Publish
from pi_bunco.wire.gate import Delivered, Received, Undelivered, delivery, encode
from pi_bunco.wire.messages import Answer, BellSignal, Command, HeadStatus, LogRequest, Payload

HALL = "bunco/v1/home"
OPEN = fact("evening", id="e1", rules="gong", players=["Ann", "Bob", "Cat", "Dee"])
COMMAND = Command("k7", "round_start", {}, "ann")


def controller() -> WebController:
    """One that is connected to a head."""
    made = WebController(WebOptions(), {}, 0)
    list(made.step(Connected("s1"), 0))
    list(made.step(received("all/head", HeadStatus("online", "h1", evening="e1", length=1)), 0))
    return made


def received(topic: str, payload: Payload, retained: bool = False) -> Delivered | Undelivered:
    return delivery(Received(f"{HALL}/{topic}", encode(payload), retained))


def published(effects: list[object], kind: type) -> list[object]:
    return [one.message for one in effects if isinstance(one, Publish) and isinstance(one.message, kind)]


def test_missing_entries_are_requested_and_folded() -> None:
    page = controller()
    assert published(list(page.step(Tick(), 2000)), LogRequest) == [LogRequest("e1", 1)]
    line = entry("e1", 1, OPEN)
    answer = messages.LogEntries("e1", (messages.LogLine(1, line.fact, None, line.mac),))
    list(page.step(received("web/down/log", answer), 2100))
    assert page.folded.evening.people.holders
    assert published(list(page.step(Tick(), 9000)), LogRequest) == []


def test_the_page_goes_on_from_its_own_disk_and_back_to_an_evening_that_is_there(tmp_path: Path) -> None:
    quiet = Reports(lambda _: None, lambda why: pytest.fail(why))
    first = chain("e1", [(OPEN, None), (fact("pause", 500, minutes=5), None)])
    second = chain("e2", [(replace(OPEN, id="e2"), None)])
    with closing(Replica(tmp_path / "replica.db", quiet, StepWriter)) as store:
        page = WebController(WebOptions(), {}, 0, store)
        for one in (*first, *second, replace(first[1], before=first[0].mac)):
            list(page.step(received("all/log", one), 0))
        assert (page.folded.id, page.folded.evening.state, page.lag) == ("e1", "break", 0)
    with closing(Replica(tmp_path / "replica.db", quiet, StepWriter)) as store:
        folded = WebController(WebOptions(), {}, 0, store).folded
        assert (folded.id, folded.evening.state) == ("e1", "break")


def test_the_page_of_another_day_knows_which_tables_may_have_a_deleted_name() -> None:
    page = controller()
    claim = ReplicaClaim("e1", 1, 0, 9, "0" * 32)
    born = messages.Status("online", "s", "1", "b", replica=claim)
    (kept,) = page.step(received("table2/up/status", born), 0)
    assert isinstance(kept, Remember)
    next_day = WebController(WebOptions(), {kept.key: json.loads(json.dumps(kept.value))}, 0)
    list(next_day.step(received("all/head", HeadStatus("online", "h2", rewritten={"e1": 1})), 0))
    assert next_day.presences.with_old_logs() == (2,)


def test_the_page_reads_the_facts_again_where_they_are_stored(tmp_path: Path) -> None:
    quiet = Reports(lambda _: None, lambda why: pytest.fail(why))
    rolls = [fact("roll", t, table=1, dice=[1, 2, 4]) for t in range(2000, 2000 + 2 * FACTS_AT_A_TIME)]
    told = [OPEN, fact("seating", tables=[["Ann", "Bob", "Cat", "Dee"]]), fact("round_open", 1000), *rolls]
    with closing(Replica(tmp_path / "replica.db", quiet, StepWriter)) as store:
        page = WebController(WebOptions(), {}, 0, store)
        for one in chain("e1", [(one, None) for one in told]):
            list(page.step(received("all/log", one), 0))
        log = page.folded.log
        assert isinstance(log, StoredFacts)
        assert (len(log), list(log)) == (len(told), told)
        assert (log[2:4], log[-1:], log[5]) == (told[2:4], told[-1:], told[5])
    with closing(Replica(tmp_path / "replica.db", quiet, StepWriter)) as store:
        assert list(WebController(WebOptions(), {}, 0, store).folded.log) == told


def test_a_command_is_repeated_until_it_is_answered_and_given_up_in_words() -> None:
    page = controller()
    assert published(list(page.step(Ask(COMMAND), 0)), Command) == [COMMAND]
    assert published(list(page.step(Tick(), 1000)), Command) == [COMMAND]
    answer = received("web/down/answer", Answer("k7", False, ("Table 2: die 3 is silent.",)))
    assert list(page.step(answer, 1500)) == [
        CommandDone("k7", False, (InEnglish("Table 2: die 3 is silent."),))
    ]
    assert list(page.step(answer, 1600)) == []
    list(page.step(Ask(COMMAND), 2000))
    (given_up,) = [
        one for one in page.step(Tick(), 2000 + HEAD_ANSWERS_WITHIN_MS) if isinstance(one, CommandDone)
    ]
    assert not given_up.done
    assert given_up.why == (HeadLate(),)


def test_a_head_that_answers_no_more_is_not_online_whatever_the_broker_keeps() -> None:
    page, answer = controller(), received("web/down/clock", messages.ClockReply(0, "h1", 0, 0))
    for second in (1000, 2000, 3000):
        assert published(list(page.step(Tick(), second)), messages.ClockRequest)
        list(page.step(answer, second + 5))
    silent_at = 3100
    while page.presences.head_online:
        silent_at += 100
        list(page.step(Tick(), silent_at))
    assert silent_at == 7000
    told = [now for now in range(7100, 30_000, 100) if Changed((HEAD,)) in list(page.step(Tick(), now))]
    assert told == [12_000]  # pages are drawn when they say it, and not for each second that it lasts
    assert Changed((HEAD,)) in list(page.step(answer, 30_100))
    assert page.presences.head_online


def test_the_page_says_its_birth_until_it_knows_who_the_head_is_that_answers() -> None:
    page = WebController(WebOptions(), {}, 0)
    answer = received("web/down/clock", messages.ClockReply(0, "h1", 0, 0))
    list(page.step(Connected("s"), 0))
    assert published(list(page.step(answer, 1000)), messages.Status)
    list(page.step(received("all/head", HeadStatus("online", "h1")), 1100))
    assert not published(list(page.step(answer, 2000)), messages.Status)


def test_a_head_that_never_answered_or_a_page_that_stood_still_says_nothing() -> None:
    page = controller()
    for second in range(1, 9):
        list(page.step(Tick(), 1000 * second))
    assert page.presences.head_online
    list(page.step(received("web/down/clock", messages.ClockReply(0, "h1", 0, 0)), 8100))
    list(page.step(Tick(), 9000))
    list(page.step(Tick(), 60_000))
    assert page.presences.head_online


def test_the_bell_of_another_evening_or_a_repeated_one_is_not_rung() -> None:
    page = controller()
    bell = BellSignal("e1", 1, "end", 5000, 9000, "points")
    assert BellBegan("end") in list(page.step(received("all/bell", bell), 10))
    assert list(page.step(received("all/bell", bell), 20)) == []
    other = BellSignal("e2", 1, "end", 5000, 9000, "points")
    assert list(page.step(received("all/bell", other), 30)) == []


def test_the_evening_clock_goes_by_the_facts_and_never_back_behind_them() -> None:
    page = controller()
    list(page.step(TimeOfDay(1_000_000.0), 0))
    list(page.step(received("all/log", entry("e1", 1, OPEN)), 0))
    list(page.step(received("all/log", entry("e1", 2, fact("seating", 700, tables=[]))), 500))
    assert page.evening_clock(1500) == 1700
    list(page.step(TimeOfDay(5.0), 1600))
    assert page.evening_clock(1600) == 700


def test_a_time_of_day_that_is_set_anew_moves_the_evening_clock_until_the_head_tells_its_own() -> None:
    """A Pi without a clock learns the time of day in the evening; no fact comes for long in a break."""
    page = controller()
    list(page.step(TimeOfDay(1_000_000.0), 0))
    list(page.step(received("all/log", entry("e1", 1, OPEN)), 0))
    list(page.step(received("all/log", entry("e1", 2, fact("seating", 700, tables=[]))), 500))
    for later, unix in ((10_000, 1_002_400.0), (20_000, 1_000_020.0), (30_000, 1_090_000.0)):
        list(page.step(TimeOfDay(unix), later))
        reply = messages.ClockReply(later, "h1", later + 77_000, later + 77_000, "e1", 76_800)
        assert Changed() in list(page.step(received("web/down/clock", reply), later))
        assert page.evening_clock(later) == later + 200
        assert page.began == pytest.approx(unix - (later + 200) / 1000)
        late = messages.ClockReply(later, "h1", later + 77_000, later + 77_000, "e1", 76_800)
        assert not list(page.step(received("web/down/clock", late), later + 900))
        assert page.evening_clock(later + 900) == later + 1100


@given(st.text(max_size=40), st.binary(max_size=200), st.booleans())
def test_no_message_stops_the_page(topic: str, payload: bytes, retained: bool) -> None:
    page = controller()
    for place in (topic, f"{HALL}/{topic}", f"{HALL}/all/log", f"{HALL}/web/down/log", f"{HALL}/all/head"):
        list(page.step(delivery(Received(place, payload, retained)), 10))
