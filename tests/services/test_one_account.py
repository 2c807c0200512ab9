"""Somebody who has one table's account and says only what the schema allows changes nothing elsewhere."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Raw
from msgspec.structs import replace

from pi_bunco.game import facts
from pi_bunco.game.rolloffs import awaited
from pi_bunco.head.intake import FACTS_PER_S, MAX_BACKLOG, MAX_LATE
from pi_bunco.head.presence import MAX_RUNS
from pi_bunco.log.chain import LogKey, chained
from pi_bunco.log.entry import MAX_INT, Entry, ReplicaClaim
from pi_bunco.log.recovery import MAX_FOREIGN_BYTES, ReplicaReading
from pi_bunco.reason import Coded, InEnglish
from pi_bunco.wire.client import Publish
from pi_bunco.wire.gate import encode, fitting
from pi_bunco.wire.log_exchange import answer_of
from pi_bunco.wire.messages import (
    Ack,
    Beat,
    BootOffset,
    ClockRequest,
    Envelope,
    LogEntries,
    LogRequest,
    Status,
)
from services.hall import BUNCO, Hall

ONE_ROUND: dict[str, Any] = {
    "end.bunco": False,
    "end.points": None,
    "evening.sets": 1,
    "evening.faces": [1],
    "evening.break_after": None,
    "evening.break_minutes": None,
    "prizes": [{"for": "buncos", "percent": 100}],
    "prize_tie": "one_die",
}


def test_a_table_throws_for_no_tie_that_is_rolled_off_at_another_one(tmp_path: Path) -> None:
    """Trace: two players are level for a prize, which is rolled off at the head table; table 2 throws a 6 for
    the one and a 1 for the other, naming the tie.
    """
    hall = Hall(tmp_path, 2)
    hall.open(8, "gong", **ONE_ROUND)
    hall.do("round_start")
    for number in (1, 2):
        hall.roll(number, *BUNCO)
    hall.do("round_end")
    for number in (1, 2):
        hall.do("decide", table=number, winner="US")
    hall.wait(1000)
    before = awaited(hall.evening, 1)
    assert before
    throw = facts.Rolled((6, 1, 1), source="dice", tie=before.tie)
    hall.says(2, "fact", Envelope(1, hall.evening.id, "lie", 1, 1, 1, None, None, 1, "b", throw))
    hall.wait(300)
    assert awaited(hall.evening, 1) == before
    assert hall.warnings == ["Table 2: a fact is set aside: its tie is rolled off at another table."]
    hall.tables[1].throw((6, 1, 1))
    hall.wait(300)
    assert awaited(hall.evening, 1) != before


@pytest.mark.parametrize("kind", ["undo", "confirm"])
def test_a_table_names_no_host_as_who_pressed(tmp_path: Path, kind: str) -> None:
    """Trace: table 2 tells of an OK "by ann", and the page's log has it as hers."""
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    one = Envelope(1, hall.evening.id, "lie", 1, 1, 1, None, None, 1, "b", facts.OkPressed())
    pressed = {**msgspec.to_builtins(one), "fact": {"kind": kind, "by": "ann"}}
    hall.network.raw("bunco/v1/home/table2/up/fact", msgspec.json.encode(pressed))
    hall.wait(300)
    entry = next(entry for entry in hall.log if entry.origin and entry.origin.stream == "lie")
    assert entry.plain().get("by") is None


def test_a_table_that_tells_facts_without_end_fills_neither_memory_nor_card(tmp_path: Path) -> None:
    """Trace: a thousand throws a second, each in the journal and in the memory of head, page and replicas."""
    hall = Hall(tmp_path, 1)
    hall.open(4, "bonko")
    hall.do("round_start")
    log, intake, now = hall.head.referee.log, hall.head.referee._intake, hall.clock.now()
    miss = facts.Rolled((2, 3, 4), source="dice")
    made = [Envelope(1, log.evening.id, "mad", n, 1, 1, 5000, 1.0, 5000, "b", miss) for n in range(1, 5201)]
    before = len(log.entries)
    for one in made:
        intake.take(1, one, now)
    assert len(log.entries) - before == MAX_BACKLOG
    for one in made[MAX_BACKLOG:]:
        intake.take(1, one, now + 10_000)
    assert len(log.entries) - before == MAX_BACKLOG + 10 * FACTS_PER_S
    assert intake.take(1, made[0], now + 10_000) == []  # a repeat
    (ack,) = [one.message for one in intake.acknowledge() if isinstance(one, Publish)]
    assert isinstance(ack, Ack)
    assert ack.received == len(log.entries) - before


def test_no_table_alone_says_how_far_the_clocks_of_heads_were_apart(tmp_path: Path) -> None:
    """Trace: table 3 told that two heads' clocks were a minute apart, surely; the head told all, and what
    table 1 had thrown by the first one's clock was timed a minute later, behind the bell.
    """
    hall = Hall(tmp_path, 3)
    hall.open(12, "bonko")
    lies = BootOffset("boot0", "boot1", 60_000, 0, 0), BootOffset("boot1", "boot0", -60_000, 0, 60_000)
    hall.says(3, "clock", ClockRequest(0, lies))
    honest = BootOffset("boot0", "boot1", 1_000, 3, 0)
    hall.says(2, "clock", ClockRequest(0, (honest,)))
    hall.wait(1000)
    assert all(not table.controller._uplink._clocks.links for table in hall.tables.values())
    hall.says(1, "clock", ClockRequest(0, (BootOffset("boot1", "boot0", -1_004, 2, 1_004),)))
    hall.wait(1000)
    agreed = (BootOffset("boot0", "boot1", 1_004, 3, 0),)
    assert all(table.controller._uplink._clocks.links == agreed for table in hall.tables.values())


def test_births_of_one_table_have_the_head_say_little_more_than_they_do(tmp_path: Path) -> None:
    """Trace: a birth of 8 KiB names 560 streams, and each such had the head send 560 acknowledgements."""
    hall = Hall(tmp_path, 1)
    hall.open(4, "bonko")
    hall.wait(2000)
    streams = tuple((f"s{n}", 1) for n in range(500))
    before = len(hall.network.sent)
    for _ in range(100):
        hall.says(1, "status", Status("online", "mad", "1", "b", streams=streams))
        hall.wait(10)
    hall.says(1, "status", Status("online", "mad", "1", "b", streams=(("new", 1),)))
    hall.wait(1000)
    acks = [payload for _, topic, payload in hall.network.sent[before:] if topic.endswith("down/ack")]
    assert len(acks) <= 2 * len(streams)
    assert encode(Ack(hall.evening.id, "new", 0, 0)) in acks


def test_the_words_of_one_table_take_no_score_off_the_board(tmp_path: Path) -> None:
    """Trace: table 3 told of 18 faults of 400 characters, and the scoreboard had no room for more."""
    hall = Hall(tmp_path, 3)
    hall.open(12, "bonko")
    hall.do("round_start")
    hall.kill(hall.tables[3])
    hall.says(3, "beat", Beat(0, faults=tuple(f"{n} " + "x" * 397 for n in range(18))))
    hall.wait(1000)
    board = hall.host.board
    assert not board.left_out
    assert len(board.tables) == 3
    assert board.waiting[-1] == "Table 3: And 14 more."


def test_what_a_table_tells_turns_no_terminal_over(tmp_path: Path) -> None:
    """Trace: the words of a fault cleared the terminal of a host who asked for the status."""
    hall = Hall(tmp_path, 1)
    hall.open(4, "bonko")
    hall.kill(hall.tables[1])
    for beat in (Beat(0, faults=("\x1b[2J",)), Beat(0, dice=("\x1b[2J",)), Beat(0, faults=("\u202e",))):
        hall.says(1, "beat", beat)
    hall.says(1, "status", Status("online", "s", "\x1b[2J", "b"))
    hall.wait(1000)
    assert all(line.isprintable() for line in hall.host.board.waiting)
    assert fitting((InEnglish("a\x1b[2Jb\n"),)) == (("a [2Jb",), (Coded("in_english"),))


def test_what_a_table_tells_of_itself_fills_no_memory(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 1)
    hall.open(4, "bonko")
    hall.do("round_start")
    hall.do("evening_close", unfinished=True)
    intake, present = hall.head.referee._intake, hall.head.referee.presence.tables[1]
    for n in range(1, MAX_LATE + 100):
        throw = facts.Rolled((2, 3, 4), source="dice")
        one = Envelope(1, hall.evening.id, f"s{n}", 1, 1, 1, None, None, 1, "b", throw)
        intake.take(1, one, hall.clock.now())
        present.take_status(Status("online", "s", "1", "b", streams=((f"s{n}", 1),)), hall.clock.now())
    assert len(intake.late[1]) == MAX_LATE
    assert len(present._earlier) == MAX_RUNS


def test_a_log_of_another_key_fills_no_memory() -> None:
    """Trace: a table hands back a log of a key of its own, in each fact of it half a megabyte of nothing."""
    key = LogKey(b"l" * 32)
    reading = ReplicaReading(1, "e9", 1, "", 0.0)
    opening = facts.EveningOpen(0, "bonko", ("A", "B", "C", "D"), id="e9", key=key.id)
    first = chained(key, "", "e9", 1, opening)
    assert reading.add(LogKey(b"k" * 32), first)
    large = Raw(b'{"kind":"resume","t":1,"x":"' + 500_000 * b"x" + b'"}')
    taken = [reading.add(LogKey(b"k" * 32), Entry("e9", n, large, None, "0" * 32)) for n in range(2, 100)]
    assert 500_000 * sum(taken) <= MAX_FOREIGN_BYTES


@pytest.mark.parametrize("wrong", ["no evening", "no", "epoch"])
def test_a_log_of_another_key_that_no_head_made_cannot_be_chosen(tmp_path: Path, wrong: str) -> None:
    """Trace: a table offers a log of a key of its own with a roll of a table that is not there; the host
    chooses it, and the head ended. With the greatest number of an evening, or of a round, none could open
    ever after.
    """
    hall = Hall(tmp_path, 3)
    hall.open(12, "bonko")
    key, people = LogKey(b"l" * 32), ("A", "B", "C", "D")
    opening = facts.EveningOpen(0, "bonko", people, id="e9", no=99, key=key.id)
    log: dict[str, tuple[facts.Fact, ...]] = {
        "no evening": (opening, facts.Roll(1, 9, (1, 2, 3))),
        "no": (replace(opening, no=MAX_INT),),
        "epoch": (opening, facts.Seating(1, (people,)), facts.RoundOpen(2, epoch=MAX_INT)),
    }
    made: list[Entry] = []
    for n, fact in enumerate(log[wrong], 1):
        made.append(chained(key, made[-1].mac if made else "", "e9", n, fact))
    claim = ReplicaClaim("e9", 99, 0, len(made), made[-1].mac)
    hall.kill(hall.tables[3])
    hall.says(3, "status", Status("online", "s", "1", "b", 1, 1, (), claim))
    for entries in (made, ()):
        hall.wait(50)
        hall.says(3, "log", answer_of(LogRequest("e9", 1), entries) if entries else LogEntries("e9", ()))
    hall.wait(50)
    assert hall.head.referee.catch_up.recovery.offers[3].kind == "key"
    evening = hall.evening.id
    assert not hall.ask("branch", table=3).done
    assert hall.evening.id == evening
    assert not hall.head.referee.catch_up.recovery.offers
