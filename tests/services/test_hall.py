"""Tables and head together, on a clock that is moved by hand."""

from pathlib import Path
from random import Random

import msgspec
import pytest

from pi_bunco.devices.protocols import Throw, ThrowMark
from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.game.table import Table
from pi_bunco.log.entry import Origin
from pi_bunco.log.journal import asides
from pi_bunco.play.players import Habits
from pi_bunco.wire import topics
from pi_bunco.wire.client import Publish, Received
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import BellSignal, Command, Envelope, Status
from services.evidence import check
from services.hall import BUNCO, LATENCY, ONE, Hall
from thorough import times


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """Two tables of people who do nothing by themselves, a round of ones just opened."""
    hall = Hall(tmp_path, 2)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(100)
    return hall


def at_head(hall: Hall, number: int) -> Table:
    round_ = hall.evening.round
    assert round_ is not None
    return round_.tables[number - 1]


def test_a_roll_goes_to_the_head_and_all_lights_know_it(hall: Hall) -> None:
    hall.tables[2].throw(ONE)
    lights = hall.tables[2].lights
    assert (lights.turn, lights.next, lights.round, lights.saved) == ("A", "roll again", "running", False)
    hall.wait(100)
    assert at_head(hall, 2).points == [1, 0]
    assert hall.tables[2].lights.saved


def test_a_table_that_comes_is_told_again_all_that_is_kept(hall: Hall) -> None:
    """It can come between a message for all and the moment from which nats keeps that."""
    hall.kill(hall.tables[2])
    hall.wait(1000)
    before = len(hall.network.sent)
    hall.start_table(2)
    hall.wait(2000)
    told = {topic.removeprefix("bunco/v1/home/") for _, topic, _ in hall.network.sent[before:]}
    assert told >= {"all/head", "all/round", "table2/down/view"}
    assert "table1/down/view" not in told  # nothing is new to the others


def test_a_throw_of_a_round_of_whose_opening_the_broker_says_nothing_counts_in_it(hall: Hall) -> None:
    """The table was off when the round was opened, and its dice box kept the throw."""
    hall.do("round_cancel")
    hall.kill(hall.tables[2])
    hall.wait(4000)
    hall.do("round_start", bypass=[2])
    hall.wait(1000)
    thrown = hall.clock.now()
    hall.wait(1000)
    del hall.network.retained[topics.everyone("home", "round")]
    table = hall.start_table(2)
    hall.wait(500)
    table.receive(Throw(ONE, thrown - 300, thrown, ThrowMark("a7c1", 6)))
    hall.wait(5000)
    assert at_head(hall, 2).points == [1, 0]


def test_the_page_that_comes_is_told_again_who_is_head(hall: Hall) -> None:
    before = len(hall.network.sent)
    birth = encode(Status("online", "5e1f", "0.1", "b00t"))
    hall.head.receive(Received("bunco/v1/home/web/up/status", birth, False))
    hall.wait(200)
    told = [topic.removeprefix("bunco/v1/home/") for _, topic, _ in hall.network.sent[before:]]
    assert told.count("all/head") == 1
    assert not any(topic.endswith("/down/view") for topic in told)


def test_the_bell_stops_the_other_tables_at_once(hall: Hall) -> None:
    hall.tables[1].throw(BUNCO)
    hall.wait(2 * LATENCY)
    lights = hall.tables[2].lights
    assert (lights.round, lights.ok_blinks) == ("stop", True)
    hall.tables[2].throw(ONE)
    assert "Does not count" in hall.tables[2].lights.message
    hall.wait(100)
    assert (at_head(hall, 2).points, at_head(hall, 2).ignored) == ([0, 0], 1)


def test_a_view_that_the_bell_has_overtaken_does_not_take_it_back(hall: Hall) -> None:
    """The bell goes at quality 0, which with nats is faster than the views before it."""
    table, place = hall.tables[2], topics.down("home", "table2", "view")
    table.throw(ONE)
    hall.wait(100)
    older = Received(place, hall.network.retained[place], False)
    evening = hall.evening
    bell = BellSignal(evening.id, evening.epoch, "end", 200, 5200, "bunco")
    table.receive(Received(topics.everyone("home", "bell"), encode(bell), False))
    table.throw(ONE)
    table.press("ok")
    table.receive(older)
    lights = table.lights
    assert (lights.round, lights.turn, lights.ok_blinks) == ("stop", None, False)
    assert "US 1, THEM 0" in lights.message
    hall.cut(table)
    hall.heal(table)  # what the broker keeps is newer than any bell: this one was void
    hall.wait(100)
    assert table.lights.round == "running"


def test_rolls_of_a_table_that_was_cut_off_are_judged_by_their_time(hall: Hall) -> None:
    hall.wait(5000)
    hall.cut(hall.tables[2])
    hall.tables[2].throw(ONE)
    hall.wait(2000)
    hall.tables[1].throw(BUNCO)
    hall.wait(2000)
    hall.tables[2].throw(BUNCO)
    assert at_head(hall, 2).points == [0, 0]
    hall.heal(hall.tables[2])
    hall.wait(5000)
    assert (at_head(hall, 2).points, at_head(hall, 2).ignored) == ([1, 0], 1)


def test_a_light_never_jumps_back_when_a_view_crosses_newer_rolls(hall: Hall) -> None:
    table = hall.tables[2]
    shown = []
    for _ in range(20):
        table.throw(ONE)
        hall.wait(LATENCY * 0.7)
        shown.append(int(table.lights.message.split("US ")[1].split(",")[0]))
    assert shown == list(range(1, 21))
    hall.wait(500)
    assert at_head(hall, 2).points == [20, 0]


def test_an_undo_that_races_a_roll_is_refused(hall: Hall) -> None:
    hall.tables[2].throw(ONE)
    hall.wait(500)
    seen = hall.host.board.tables[1].n
    hall.tables[2].throw(ONE)
    hall.wait(20)
    answer = hall.ask("undo", table=2, n=seen)
    assert not answer.done
    assert answer.why[0].startswith("Table 2 has rolled again since; its latest roll is now no. ")
    hall.wait(500)
    hall.do("undo", table=2, n=hall.host.board.tables[1].n)
    assert at_head(hall, 2).points == [1, 0]


def test_a_command_that_is_refused_has_no_place_in_the_log(hall: Hall) -> None:
    """Trace: the host took back a roll where there was none; what was numbered behind that was one too far,
    and a roll could be taken back in place of another, or the head ended with an error.
    """
    assert not hall.ask("undo", table=2).done
    with pytest.raises(FactError):
        hall.head.referee.log.take(facts.Roll(1, 99, ONE), Origin(99, "s", 1))
    hall.tables[2].throw(ONE)
    hall.wait(500)
    place = hall.host.board.tables[1].n
    assert place is not None
    entry = hall.head.referee.log.entries[place - 1]
    assert isinstance(entry.decoded(), facts.Roll)
    hall.do("undo", table=2)
    assert at_head(hall, 2).points == [0, 0]


def test_the_same_command_again_gets_the_same_answer_and_does_nothing_twice(hall: Hall) -> None:
    hall.tables[2].throw(ONE)
    hall.tables[2].throw(ONE)
    hall.wait(100)
    topic = topics.up("home", "host-ann", "command")
    for _ in range(3):
        hall.network.publish(Publish(topic, Command("same", "undo", {"table": 2}, "ann")))
        hall.wait(100)
    assert at_head(hall, 2).points == [1, 0]
    hall.kill(hall.head)
    hall.start_head()
    hall.network.publish(Publish(topic, Command("same", "undo", {"table": 2}, "ann")))
    hall.wait(100)
    assert at_head(hall, 2).points == [1, 0]
    assert hall.host.answers["same"].done


def test_stale_and_retained_commands_ring_nothing(hall: Hall) -> None:
    topic = topics.up("home", "host-ann", "command")
    end = Command("late", "round_end", {}, "ann", not_after=1)
    hall.network.publish(Publish(topic, end))
    hall.network.publish(Publish(topic, Command("kept", "round_end", {}, "ann"), retain=True))
    hall.wait(50)
    ends = [id for id in hall.rings if "end" in id]
    assert len(ends) == 1  # the one that came while the head listened, not retained for it
    hall.kill(hall.head)
    hall.start_head()
    hall.wait(500)
    assert [id for id in hall.rings if "end" in id] == ends
    assert "late" not in hall.host.answers


WITHOUT = "Start without what is missing, or press the bell button twice within 10 s."


def test_every_reason_that_a_round_cannot_start_is_given_at_once(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    assert hall.ask("round_start").why == ("No evening is open.",)
    hall.open(12, "bonko")
    hall.kill(hall.tables[2])
    hall.wait(3500)
    why = hall.ask("round_start").why
    assert why == ("Table 2: not heard for 4 s.", "Table 3: not heard yet; is it switched on?", WITHOUT)
    hall.do("round_start", bypass=[2, 3])
    assert hall.evening.bypassed == {2, 3}


def test_hand_entry_is_refused_while_the_dice_work_and_rings_only_when_pressed_twice(hall: Hall) -> None:
    table = hall.tables[1]
    table.press("one")
    assert "The dice work" in table.lights.message
    hall.do("hand", table=1, allowed=True)
    hall.wait(100)
    table.press("one")
    table.press("bunco")
    hall.wait(100)
    assert at_head(hall, 1).points == [1, 0]
    table.press("bunco")
    hall.wait(100)
    assert at_head(hall, 1).points == [22, 0]
    assert hall.evening.state == "after_bell"


def test_the_head_confirms_for_a_table_that_is_done_and_has_told_all(hall: Hall) -> None:
    hall.tables[1].throw(BUNCO)
    hall.tables[2].throw(ONE)
    hall.cut(hall.tables[2])
    hall.wait(61_000)
    assert at_head(hall, 1).final
    assert not at_head(hall, 2).final
    hall.heal(hall.tables[2])
    hall.wait(62_000)
    assert hall.evening.state == "between_rounds"


def test_a_false_bunco_is_taken_back_with_the_bell_that_it_rang(hall: Hall) -> None:
    hall.tables[1].throw(ONE)
    hall.wait(100)
    before = tuple(at_head(hall, 1).points)
    hall.tables[1].throw(BUNCO)
    hall.wait(100)
    assert tuple(at_head(hall, 1).points) != before
    hall.do("bell_void", roll=True)
    hall.wait(100)
    assert tuple(at_head(hall, 1).points) == before
    assert hall.evening.state == "round_open"
    hall.do("round_end")
    assert not hall.ask("bell_void", roll=True).done


def test_a_false_bell_is_voided_and_the_next_one_rings(hall: Hall) -> None:
    hall.do("round_end")
    hall.wait(100)
    hall.do("bell_void")
    hall.wait(100)
    assert hall.tables[2].lights.round == "running"
    hall.tables[1].throw(BUNCO)
    hall.wait(100)
    assert [id.split(":")[2] for id in hall.rings] == ["start", "end", "end-1"]
    seen = [e for e in hall.head.referee.log.entries if isinstance(e.decoded(), facts.BellSeen)]
    assert len(seen) == 4


def test_an_outbox_of_last_week_changes_nothing_tonight(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    before = Hall(tmp_path / "a", 2)
    before.open(8, "bonko")
    before.do("round_start")
    before.wait(100)
    before.cut(before.tables[2])
    for _ in range(5):
        before.tables[2].throw(ONE)
        before.wait(1000)
    before.close()
    for path in (tmp_path / "a").glob("**/*.db*"):
        if not path.name.startswith("outbox"):
            path.unlink()
    hall = Hall(tmp_path / "a", 2, seed=1000)
    hall.open(8, "bonko")
    hall.do("round_start")
    hall.wait(100)
    hall.tables[2].throw(ONE)
    hall.wait(5000)
    assert at_head(hall, 2).points == [1, 0]
    assert len(hall.tables[2].outbox) == 0
    assert [
        aside.fact["dice"] for aside in asides(hall.head.journal.path) if aside.fact["kind"] == "roll"
    ] == [[1, 3, 4]] * 5


def test_a_head_that_has_lost_its_card_is_told_everything_again(hall: Hall) -> None:
    hall.tables[2].throw(ONE)
    hall.tables[1].throw(ONE)
    hall.wait(3000)
    stream = hall.tables[2].outbox.stream
    referee = hall.head.referee
    referee._intake._committed.clear()
    ack = {"evening": referee.log.evening.id, "stream": stream, "received": 0, "committed": 0}
    hall.network.raw(topics.down("home", "table2", "ack"), msgspec.json.encode(ack))
    hall.wait(100)
    again = [m for _, topic, m in hall.network.sent if topic.endswith("table2/up/fact")]
    assert len(again) == 2
    assert at_head(hall, 2).points == [1, 0]


def test_a_flood_of_rubbish_and_forgeries_during_a_round_changes_nothing(hall: Hall) -> None:
    random = Random(7)
    evening = hall.evening
    genuine = Envelope(
        1, evening.id, hall.tables[2].outbox.stream, 1, 1, 1, 50, 1.0, 50, "b", facts.OkPressed()
    )
    hall.tables[2].throw(ONE)
    hall.wait(100)
    places = ("table2/up/fact", "table2/up/beat", "table9/up/status", "host-x/up/command", "all/round", "x/y")
    for _ in range(times(10_000)):
        payload = random.randbytes(random.randint(0, 60))
        hall.network.raw(f"bunco/v1/home/{random.choice(places)}", payload)
    forged = [
        msgspec.structs.replace(genuine, fact=facts.Rolled((1, 1, 1))),  # a place that is taken
        msgspec.structs.replace(genuine, evening="0000", stream="f1"),
        msgspec.structs.replace(genuine, stream="f2", epoch=7, fact=facts.Rolled((1, 1, 1))),
        msgspec.structs.replace(genuine, stream="f3", fact={"kind": "decide", "winner": "US"}),
        msgspec.structs.replace(genuine, stream="f4", seq=99, fact=facts.UndoPressed()),
    ]
    for n in range(times(10_000)):
        topic = f"bunco/v1/home/table{random.choice([1, 2, 3])}/up/fact"
        hall.network.raw(
            topic if n % 5 else topic.replace("table1", "table2"), msgspec.json.encode(forged[n % 5])
        )
    hall.wait(1000)
    assert at_head(hall, 2).points == [1, 0]
    assert at_head(hall, 1).points == [0, 0]
    assert evening.state == "round_open"
    assert len(hall.warnings) < 20
    hall.tables[1].throw(BUNCO)
    hall.wait(100)
    assert evening.state == "after_bell"


@pytest.mark.parametrize("seed", range(3))
def test_all_plugs_pulled_at_once_in_mid_round(tmp_path: Path, seed: int) -> None:
    hall = Hall(tmp_path, 2, Habits(think=500, tumble=200, ok=500), auto_confirm=3000)
    hall.open(8, "classic")
    hall.do("round_start")
    random = Random(seed)
    for _ in range(6):
        hall.wait(random.uniform(500, 5000))
        for node in (hall.head, *hall.tables.values()):
            hall.kill(node)
        hall.network.retained.clear()
        hall.wait(1000)
        hall.start_head()
        for number in (1, 2):
            hall.start_table(number)
    hall.until(lambda: len(hall.evening.rounds) == 1)
    hall.wait(2000)
    check(hall)


def test_the_scoreboard_of_a_large_hall_fits_a_message_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 0)
    hall.open(400, "bonko")
    hall.do("round_start", bypass=list(range(1, 101)))
    hall.wait(500)
    assert hall.host.board.left_out == ("standings", "next_seating", "tables")
    assert hall.host.board.state == "round_open"


def test_time_does_not_fall_in_a_stream_when_the_head_restarts(hall: Hall) -> None:
    hall.wait(5000)
    table, evening = hall.tables[2], hall.evening
    table.throw(ONE)
    hall.wait(100)
    told = hall.head.referee.log.entries[-1]
    assert told.origin
    hall.kill(hall.head)
    hall.start_head()
    fact = facts.Rolled((1, 3, 4))
    early = Envelope(1, evening.id, told.origin.stream, told.origin.seq + 1, 1, 1, 5, 1.0, 5, "b", fact)
    hall.says(2, "fact", early)
    hall.wait(50)
    assert [entry.decoded().t for entry in hall.head.referee.log.entries[-2:]] == [told.decoded().t] * 2


def test_a_round_ends_although_the_bell_cannot_sound(hall: Hall) -> None:
    hall.mute = "the relay does not move"
    hall.tables[1].throw(BUNCO)
    hall.wait(50)
    hall.tables[1].throw(ONE)
    hall.wait(500)
    assert hall.evening.state == "after_bell"
    assert at_head(hall, 1).ignored == 1
    assert hall.tables[2].lights.round == "stop"


def test_a_stream_that_was_set_aside_cannot_come_back_lower_in_this_evening(hall: Hall) -> None:
    evening = hall.evening
    fact = facts.Rolled((1, 3, 4))
    old = Envelope(1, "lastweek", "x1", 100, 1, 1, 50, 1.0, 50, "b", fact)
    for envelope in (old, msgspec.structs.replace(old, evening=evening.id, seq=1), old):
        hall.says(2, "fact", envelope)
        hall.wait(50)
    assert at_head(hall, 2).points == [0, 0]
    hall.tables[2].throw(ONE)
    hall.wait(50)
    assert at_head(hall, 2).points == [1, 0]
