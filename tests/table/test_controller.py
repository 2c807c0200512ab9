"""A table while heads, brokers, cards and dice boxes come and go."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from pi_bunco.devices.protocols import AllReported, ThrowMark, ThrowVoid
from pi_bunco.devices.throws.reasons import Tilted
from pi_bunco.game.facts import Rolled, SawBell, UndoPressed
from pi_bunco.runtime.writer import Failed, Recovered
from pi_bunco.table.lights import ShowLights
from pi_bunco.wire.messages import BootOffset, ClockBefore, ClockReply, ClockRequest, Envelope
from table.bench import BUNCO, MISS, ONE, Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A table with a round of ones open and all measured."""
    bench = Bench(tmp_path)
    bench.connect()
    bench.open()
    bench.run(100)
    bench.save()
    bench.take()
    return bench


def rolls(bench: Bench) -> list[Envelope]:
    return [one for one in bench.take() if isinstance(one.fact, Rolled)]


# Sending.


def test_a_new_head_session_gets_all_that_is_not_committed_at_once(bench: Bench) -> None:
    """The broker confirms it to nobody while the head is away: the bell would be three seconds late."""
    bench.throw(ONE)
    bench.throw(ONE)
    bench.ack(2, 1)
    bench.head("lost")
    bench.throw(ONE)
    bench.take()
    bench.run(200)
    assert bench.facts() == []
    bench.session = "head2"
    bench.head()
    assert [(one.seq, one.received) for one in bench.take()] == [(2, True), (3, False)]


def test_the_will_of_an_earlier_head_says_nothing_of_this_one(bench: Bench) -> None:
    bench.session = "head2"
    bench.head()
    bench.take()
    bench.session = "head1"
    bench.head("lost")
    bench.throw(ONE)
    assert len(rolls(bench)) == 1
    assert bench.lights is not None
    assert bench.lights.online


def test_a_table_that_is_back_before_the_head_sends_when_the_head_comes(bench: Bench) -> None:
    """A broker that was restarted knows of no head, and what is sent goes to nobody."""
    bench.disconnect()
    bench.throw(ONE)
    bench.take()
    bench.clock_answers = False
    bench.step_connected()
    bench.run(7000)
    assert not rolls(bench)
    bench.session, bench.clock_answers = "head2", True
    bench.head()
    bench.run(50)
    assert [one.sent for one in rolls(bench)] == [1]


def test_a_head_that_answers_is_there_though_the_broker_leaves_out_who_it_is(bench: Bench) -> None:
    """Trace: nats kept `all/head` from a table that was started again, and a roll that rings waited 8 s."""
    bench.save()
    bench.kill(500, boot=False)
    bench.step_connected()
    bench.run(300)
    bench.throw(ONE)
    assert [one.t for one in rolls(bench)] == [bench.now + bench.AHEAD]


def test_a_table_says_its_birth_until_it_knows_who_the_head_is_that_answers(bench: Bench) -> None:
    """Trace: nats kept `all/head` from a table and lost its birth: it was offline until the head had news."""
    bench.kill(500, boot=False)
    bench.step_connected()
    bench.births()
    bench.run(500)
    assert len(bench.births()) == 2
    bench.head()
    bench.births()
    bench.run(500)
    assert not bench.births()


@pytest.mark.parametrize(("killed", "silent_ms"), [(False, 0), (True, 0), (False, 4000)])
def test_a_fact_of_an_unsure_time_waits_for_who_compared_the_clocks(
    bench: Bench, killed: bool, silent_ms: int
) -> None:
    """Trace: a roll after the bell counted, for it went to the third head before the word of a table that had
    met the second one too; or before any answer, by a clock that an earlier start had kept; or 1.5 s after
    its table was back, to a head that nobody heard since its first answer.
    """
    bench.run(1000)
    bench.disconnect()
    bench.run(60_000)
    made = bench.now
    bench.throw(ONE)
    bench.run(60_000)
    bench.before, bench.since = (ClockBefore("h1", 0, 0), ClockBefore("h2", 0, 20_000)), 100_000
    bench.head_boot, bench.session, bench.began = "h3", "head3", 5000
    bench.view("after_bell")
    bench.connect()
    bench.run(500)
    if killed:
        bench.save()
        bench.kill(boot=False)
        bench.connect(clock=False)
        bench.view("after_bell")
    bench.clock_answers = not silent_ms
    bench.run(silent_ms)
    bench.clock_answers = True
    assert not rolls(bench)
    bench.links = (BootOffset("h1", "h2", 0, 1, made), BootOffset("h2", "h3", 0, 1, made))
    bench.run(1000)
    assert {one.t for one in rolls(bench)} == {made + bench.AHEAD}


def test_a_fact_waits_for_the_time_and_never_goes_without_it_while_a_head_can_answer(bench: Bench) -> None:
    """Trace: power cut, back, a throw before the first answer, which the link held up for 5 s."""
    bench.kill(500)
    bench.clock_answers = False
    bench.connect()
    bench.view()
    bench.throw(ONE)
    made = bench.now
    bench.run(5000)
    assert not rolls(bench)
    bench.clock_answers = True
    bench.run(300)
    assert [one.t for one in rolls(bench)] == [made + bench.AHEAD]


def test_a_head_that_answers_no_question_for_the_time_gets_facts_all_the_same(bench: Bench) -> None:
    bench.kill(500)
    bench.clock_answers = False
    bench.connect()
    bench.view()
    bench.throw(ONE)
    bench.run(9000)
    assert [one.t for one in rolls(bench)][:1] == [None]


def test_a_head_that_has_read_its_log_is_sent_all_that_is_not_committed(bench: Bench) -> None:
    """It takes nothing before, and says so by telling no boot; of the same boot, no question is needed."""
    bench.throw(ONE)
    bench.throw(ONE)
    bench.ack(2, 1)
    bench.take()
    bench.session, bench.clock_answers = "head2", False
    bench.head(reads=True)
    bench.run(3000)
    assert not rolls(bench)
    bench.head()
    assert [one.seq for one in rolls(bench)] == [2]


def test_facts_of_an_earlier_stream_that_the_head_has_lost_go_again(bench: Bench) -> None:
    bench.throw(ONE)
    bench.throw(ONE)
    bench.ack(2)
    bench.save()
    bench.kill(500)
    bench.connect()
    bench.view()
    births = bench.births()
    assert births[-1].streams == (("s1", 2), (bench.outbox.stream, 0))
    bench.session = "head2"
    bench.head()
    bench.ack(1, stream="s1")
    bench.save()
    assert [(one.stream, one.seq) for one in rolls(bench)] == [("s1", 2)]


# Marks.


def test_a_throw_that_the_box_says_again_has_the_same_mark_in_the_next_life(bench: Bench) -> None:
    """The table died after the head's commit and before its own; the head knows it by the mark."""
    bench.throw(ONE, ThrowMark("a7c1", 6))
    (first,) = rolls(bench)
    bench.kill(400)
    bench.connect()
    bench.view()
    bench.throw(ONE, ThrowMark("a7c1", 6))
    (again,) = rolls(bench)
    assert first.stream != again.stream
    assert first.mark == again.mark == ("a7c1", 6)


def test_a_throw_that_is_in_the_outbox_counts_once(bench: Bench) -> None:
    bench.throw(ONE, ThrowMark("a7c1", 6))
    bench.throw(ONE, ThrowMark("a7c1", 6))
    assert len(rolls(bench)) == 1
    assert bench.released == []
    bench.save()
    assert bench.released == [ThrowMark("a7c1", 6)]
    bench.throw(ONE, ThrowMark("a7c1", 6))
    assert rolls(bench) == []
    assert bench.released == [ThrowMark("a7c1", 6)] * 2


def test_a_tap_with_a_mark_counts_once_and_is_released(bench: Bench) -> None:
    bench.press("undo", ThrowMark("phone-ann", 1))
    bench.press("undo", ThrowMark("phone-ann", 1))
    (undo,) = bench.take()
    assert (undo.fact, undo.mark) == (UndoPressed(), ("phone-ann", 1))
    bench.press("help", ThrowMark("phone-ann", 2))
    assert bench.released == [ThrowMark("phone-ann", 2)]
    bench.save()
    assert bench.released == [ThrowMark("phone-ann", 2), ThrowMark("phone-ann", 1)]


def test_dice_may_forget_what_the_head_has_on_disk_though_the_card_of_the_table_fails(bench: Bench) -> None:
    bench.throw(ONE, ThrowMark("a7c1", 6))
    bench.ack(1, 0)
    assert bench.released == []
    bench.ack(1, 1)
    assert bench.released == [ThrowMark("a7c1", 6)]
    assert bench.lights is not None
    assert bench.lights.saved


def test_a_card_that_fails_is_a_fault_until_it_can_be_written_again(bench: Bench) -> None:
    for message, wrong in ((Failed("the card is full"), True), (Recovered(), False)):
        bench.step(message)
        assert bench.lights is not None
        assert bench.lights.fault == wrong


# Rounds.


def test_a_throw_that_the_box_kept_belongs_to_the_round_in_which_it_was_made(bench: Bench) -> None:
    thrown = bench.now + 100
    bench.kill(60_000)
    bench.clock_answers = False
    bench.connect()
    bench.epoch += 1
    bench.round(round(bench.now + bench.AHEAD - 5000))
    bench.view()
    bench.take()
    bench.throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    assert bench.facts() == []  # without the time nobody can tell
    bench.clock_answers = True
    bench.run(300)
    assert bench.facts() == [("roll", 1, 1)]
    assert "made before this round" in bench.message
    assert "US 0" in bench.message
    bench.throw(ONE, ThrowMark("a7c1", 12))
    assert bench.facts() == [("roll", 2, 2)]
    assert "US 1" in bench.message


def test_a_throw_that_waits_for_its_round_is_not_shown_as_saved(bench: Bench) -> None:
    """Trace: the box hung on the Pi's power, which went while the throw waited for the head's word."""
    bench.save()
    bench.kill(60_000)
    bench.throw(ONE, ThrowMark("a7c1", 6), at=bench.now - 50_000)
    assert bench.lights is not None
    assert not bench.lights.saved
    bench.connect()
    bench.view()
    bench.run(100)
    bench.save()
    assert bench.lights.saved


def without_card(bench: Bench) -> Bench:
    """The table lost its power, and its card all that was on it."""
    bench.folder /= "another"
    bench.folder.mkdir()
    bench.kill(5000)
    return bench


def test_a_throw_that_the_box_kept_waits_for_its_evening_at_a_table_that_lost_its_card(bench: Bench) -> None:
    """Trace: the card is damaged, the box says its throw 30 ms after the start, the head still reads its log.

    The box was told at once to forget it, for no round was open that the table knew of.
    """
    thrown, opened = bench.now - 50, round(bench.now + bench.AHEAD) - 100
    without_card(bench).throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    bench.run(20_000)
    assert bench.released == []
    bench.connect()
    bench.round(opened)
    bench.view()
    bench.run(100)
    assert bench.facts() == [("roll", 1, 1)]


def test_a_throw_that_the_box_kept_waits_for_the_clock_behind_the_news_of_its_evening(bench: Bench) -> None:
    """Trace: it had waited for its evening so long that it was dropped as soon as that was known."""
    thrown, opened = bench.now - 50, round(bench.now + bench.AHEAD) - 100
    without_card(bench).throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    bench.run(4000)
    bench.step_connected()
    bench.head()
    bench.view()
    assert bench.released == []
    bench.round(opened)
    bench.run(100)
    assert bench.facts() == [("roll", 1, 1)]


def test_a_throw_that_the_box_kept_over_two_evenings_ends_and_is_said(bench: Bench) -> None:
    thrown = bench.now - 50
    bench.kill(3_600_000)
    bench.evening, bench.epoch = "e2", 0
    bench.connect()
    bench.open()
    bench.throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    bench.run(4000)
    assert bench.facts() == []
    assert bench.released == [ThrowMark("a7c1", 6)]
    assert "no round is open" in bench.message
    assert told_of_kept_throws(bench)
    bench.open()
    assert not told_of_kept_throws(bench)


def told_of_kept_throws(bench: Bench) -> bool:
    """True if the host hears from the table of throws that are of no round."""
    bench.take()
    bench.run(1000)
    return any("of no round of this evening" in fault for fault in bench.beats()[-1].faults)


def test_a_throw_of_the_evening_before_that_comes_ahead_of_the_new_one_is_said(bench: Bench) -> None:
    """The box tells of it at once, and the table takes it into the evening of which it knows."""
    thrown = bench.now - 50
    bench.save()
    bench.kill(3_600_000)
    bench.throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    bench.save()
    bench.evening, bench.epoch = "e2", 0
    bench.connect()
    bench.open()
    assert told_of_kept_throws(bench)
    assert bench.released == [ThrowMark("a7c1", 6)]


def test_a_throw_of_before_the_tables_boot_counts_for_when_it_was_made(tmp_path: Path) -> None:
    """Trace: its box kept a throw while the table's machine booted, and the bell rang meanwhile.

    It was sent as made at the boot, behind the bell.
    """
    bench = Bench(tmp_path)
    bench.AHEAD = 50_000
    bench.connect()
    bench.open(40_000)
    bench.bell(49_000)
    bench.throw(ONE, ThrowMark("a7c1", 6), at=-3000)
    bench.run(600)
    assert {(one.t, one.up) for one in rolls(bench)} == {(47_000, -3000)}


@pytest.mark.parametrize("made", [500, 2500])
def test_a_throw_of_before_the_boot_is_not_behind_every_bell_that_an_earlier_boot_heard(
    bench: Bench, made: int
) -> None:
    """Trace: a box could not be reached as its table heard the bell and lost its power: what it had kept from
    before the bell was sent as made behind that.
    """
    opened = bench.now
    bench.run(1000)
    bell_t = round(bench.now + bench.AHEAD)
    bench.bell(bell_t)
    bench.run(4000)
    bench.save()
    bench.kill()
    off, bench.now = bench.now - 100, 100  # its clock begins anew
    bench.AHEAD += off
    bench.connect()
    bench.view()
    bench.throw(ONE, ThrowMark("a7c1", 6), at=opened + made - off)
    bench.run(600)
    assert {one.t for one in rolls(bench)} == {bell_t - 1000 + made}


def test_a_throw_between_rounds_is_not_told_to_the_host(bench: Bench) -> None:
    bench.close()
    bench.throw(ONE)
    bench.run(4000)
    assert not told_of_kept_throws(bench)


def test_offline_the_kept_throw_belongs_to_the_round_that_is_stored(bench: Bench) -> None:
    thrown = bench.now + 100
    bench.kill(5000)
    bench.throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    bench.throw(ONE)
    bench.run(3100)
    assert "US 2" in bench.message
    bench.connect()
    assert [(one.epoch, one.guessed) for one in bench.take()] == [(1, True), (1, True)]


def test_a_kept_throw_of_a_round_of_which_the_card_lost_the_news_waits_for_the_head(bench: Bench) -> None:
    """Trace: a round began, dice were thrown, and the power went before the card had the news of it.

    It counted for the round on the card. What must hold: only a head tells which round was the last.
    """
    thrown = bench.now + 4000
    bench.kill(5000)
    bench.throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    bench.epoch += 1
    bench.round(round(thrown + bench.AHEAD - 1000))
    bench.connect()
    bench.view()
    bench.run(300)
    assert bench.facts() == [("roll", 2, 1)]


@pytest.mark.parametrize(("after_ms", "told"), [(None, 1), (300, 1), (2300, 2)])
def test_a_kept_throw_that_may_be_of_two_rounds_by_its_time_waits_for_a_surer_one(
    bench: Bench, after_ms: int | None, told: int
) -> None:
    """Trace: a table lost its power, and its box kept a throw; the next round was opened, and then the head
    lost its power, by whose clock it had gone. The throw was as late as the start of the next clock, which
    began further back.

    What must hold: a throw of an ended round is none of the next one, whoever compares the clocks later.
    """
    thrown, opened = bench.now + (after_ms or 300), bench.now + 1000
    bench.kill(5000)
    bench.before, bench.since = (ClockBefore("h1", 0, 0),), round(opened + bench.AHEAD + 2000)
    bench.head_boot, bench.session, bench.began = "h2", "head2", 2000
    bench.connect()
    bench.open(round(opened + bench.AHEAD))
    bench.throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    bench.run(500)
    assert not rolls(bench)
    if after_ms:
        bench.links = (BootOffset("h1", "h2", 0, 1, thrown),)
    bench.run(4500 if after_ms else 1200)  # no later than 1.5 s behind the link, and the 0.2 s of an answer
    assert {(one.epoch, one.guessed) for one in rolls(bench)} == {(told, True)}


def test_a_kept_throw_of_a_table_whose_card_lost_the_evening_is_of_the_round_that_the_broker_kept(
    tmp_path: Path,
) -> None:
    """Trace: a card that had lost its files was full as people played on; the service was killed, and the
    head was away. Their first throw was put to the round before.
    """
    bench = Bench(tmp_path)
    thrown = bench.now - 500
    bench.epoch, bench.clock_answers = 2, False
    bench.round(40_000)
    bench.view()
    bench.throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    bench.run(3000)
    bench.clock_answers = True
    bench.connect()
    assert bench.facts() == [("roll", 2, 1)]


def test_the_view_that_opens_a_round_is_on_disk_before_the_first_roll(bench: Bench) -> None:
    bench.close()
    bench.open()
    bench.save()
    bench.kill(1000)
    bench.throw(ONE)
    assert "US 1" in bench.message
    assert (bench.controller.prediction.epoch, bench.lights is not None) == (2, True)


def test_what_was_committed_behind_the_stored_view_counts_after_a_restart_offline(bench: Bench) -> None:
    bench.throw(ONE)
    bench.throw(ONE)
    bench.ack(2)
    bench.save()
    bench.kill(1000)
    bench.run(50)
    assert "US 2" in bench.message


def test_a_throw_that_settled_after_the_opening_that_a_hung_table_learns_of_late_counts(bench: Bench) -> None:
    bench.close()
    bench.run(1000)
    opened, thrown = bench.now + 10, bench.now + 400
    bench.now += 1500  # nothing is taken meanwhile
    bench.throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    assert "no round is open" in bench.message
    assert bench.facts() == []
    bench.open(round(opened + bench.AHEAD))
    assert bench.facts() == [("roll", 2, 1)]
    assert "US 1" in bench.message


def test_a_throw_made_before_a_hung_table_read_that_the_round_is_over_is_of_that_round(bench: Bench) -> None:
    """Its lights said until then that the round runs: the head says whether the throw counts."""
    thrown = bench.now + 400
    bench.now += 1500  # nothing is taken meanwhile
    bench.close()
    bench.throw(ONE, ThrowMark("a7c1", 6), at=thrown)
    assert bench.facts() == [("roll", 1, 1)]
    bench.throw(ONE, ThrowMark("a7c1", 7))
    bench.run(4000)
    assert set(bench.facts()) == {("roll", 1, 1)}  # said again
    assert bench.released == [ThrowMark("a7c1", 7)]


def test_a_throw_between_rounds_is_refused_in_a_sentence_and_forgotten(bench: Bench) -> None:
    bench.close()
    bench.run(1000)
    bench.throw(ONE, ThrowMark("a7c1", 6))
    assert "no round is open" in bench.message
    bench.run(4000)
    assert bench.facts() == []
    assert bench.released == [ThrowMark("a7c1", 6)]


def test_a_roll_that_the_head_did_not_count_says_why(bench: Bench) -> None:
    bench.throw(ONE)
    assert "US 1" in bench.message
    assert bench.table is not None
    bench.table.ring(round(bench.now + bench.AHEAD - 50))
    bench.table.ignored += 1
    bench.upto = {bench.outbox.stream: 1}
    bench.view("after_bell")
    assert "US 0" in bench.message
    assert "does not count" in bench.message


# Views.


def test_of_one_session_no_view_of_a_shorter_log_is_taken_and_of_another_any_is(bench: Bench) -> None:
    older = bench.a_view()
    bench.view(round=2)
    bench.step(bench._received("down", "view", older))
    assert "Roll 2s" in bench.message
    bench.session, bench.n, bench.epoch = "head2", 0, 0
    bench.view(round=3)
    assert "Roll 3s" in bench.message


def test_a_score_does_not_jump_back_where_a_new_head_lacks_a_throw_that_the_one_before_had(
    bench: Bench,
) -> None:
    old = bench.a_view()
    bench.throw(ONE)
    bench.seen("s1", 1)
    bench.session = "head2"
    bench.step(bench._received("down", "view", replace(old, session="head2", n=1)))
    assert "US 1" in bench.message
    bench.view()
    assert "US 1" in bench.message


@pytest.mark.parametrize("since", ["round", "evening"])
def test_a_score_does_not_jump_back_where_the_round_is_not_yet_in_the_log_of_a_new_head(
    bench: Bench, since: str
) -> None:
    earlier = bench.a_view()
    bench.open()
    bench.throw(ONE)
    bench.session, bench.n = "head2", 0
    if since == "round":
        bench.step(bench._received("down", "view", replace(earlier, session="head2", n=1)))
    else:
        bench.head(evening="e2")
    assert "US 1" not in bench.message
    bench.head()
    bench.view()
    assert "US 1" in bench.message


def test_no_throw_counts_twice_where_the_card_lost_a_later_stream_that_the_log_has(bench: Bench) -> None:
    bench.throw(ONE)
    bench.save()
    bench.seen("s1", 1)
    bench.seen("lost", 1)
    assert "US 2" in bench.message
    bench.save()
    bench.kill(100)
    bench.throw(ONE)
    assert "US 3" in bench.message


def test_a_head_with_another_evening_ends_the_view_and_the_table_says_that_it_has_no_seat(
    bench: Bench,
) -> None:
    bench.evening = "e2"
    bench.head()
    bench.throw(ONE)
    bench.run(100)
    assert rolls(bench) == []
    assert "no seat in this evening" in bench.message
    bench.kill(100)  # nor does it go on with last week's round when it is switched on again
    bench.connect()
    bench.throw(ONE)
    assert rolls(bench) == []


def test_a_view_that_comes_before_the_word_of_its_evening_is_taken_then(bench: Bench) -> None:
    bench.evening, bench.epoch, bench.n = "e2", 0, 0
    bench.open()
    bench.throw(ONE)
    assert [one.evening for one in rolls(bench)] == ["e1"]
    bench.head()
    bench.run(50)
    bench.throw(ONE)
    assert [one.evening for one in rolls(bench)] == ["e2"]


def test_the_view_of_an_evening_that_a_head_goes_back_to_is_taken_at_once(bench: Bench) -> None:
    for evening in ("e2", "e1"):
        bench.evening, bench.session = evening, f"of-{evening}"
        bench.head()
    assert "Roll 1s" in bench.message


def test_a_view_that_is_taken_away_leaves_the_table_without_a_seat(bench: Bench) -> None:
    bench.no_view()
    assert "no seat in this evening" in bench.message
    bench.view()
    assert "Roll 1s" in bench.message


# The bell.


def test_rolls_that_the_dice_still_have_go_before_the_word_of_the_bell(bench: Bench) -> None:
    bench.dice_answer = False
    bell_t = round(bench.now + bench.AHEAD)
    bench.bell(bell_t)
    assert len(bench.asked) == 1
    assert bench.facts() == []
    bench.run(72)
    bench.throw(ONE, at=bell_t - bench.AHEAD - 20)
    bench.step(AllReported(bench.asked[0]))
    assert bench.facts() == [("roll", 1, 1), ("bell_seen", 1, 2)]
    assert "US 1" in bench.message


def test_of_an_evening_that_the_host_goes_back_to_nothing_is_missing(bench: Bench) -> None:
    """Trace: a head whose key was spoiled began another evening; the host chose a log of the one before,
    which lacked a roll that its head had committed: all that came behind it waited for ever.
    """
    stream = bench.outbox.stream
    bench.throw(ONE)
    bench.ack(1)
    for evening in ("e2", "e1"):
        bench.evening, bench.session = evening, f"of-{evening}"
        bench.head()
        bench.view()
    bench.take()
    bench.ack(0, 0, stream)
    bench.run(500)
    assert {(one.stream, one.seq) for one in rolls(bench)} == {(stream, 1)}


def test_what_a_head_had_goes_to_another_with_the_bell_that_the_table_heard(bench: Bench) -> None:
    """Trace: a roll rang, and head and notes lost the power: its bell had the time of the roll.

    By which clock that is it says of the roll, of what tells of the bell, and in its birth.
    """
    bench.throw(ONE)
    bench.ack(1, 0)
    bell_t = round(bench.now + bench.AHEAD)
    bench.bell(bell_t)
    bench.take()
    bench.session = "head2"
    bench.head()
    clock = bench.controller._uplink._clocks.last(bench.evening)
    roll, saw = bench.take()
    assert (roll.received, roll.bell, roll.bell_clock) == (True, bell_t, clock)
    assert (saw.received, saw.bell, saw.fact, saw.bell_clock) == (False, None, SawBell(bell_t), clock)
    assert clock is not None
    assert bench.controller._record.bell(bench.evening, saw.epoch) == (bell_t, clock)


def test_an_older_answer_of_the_dice_is_not_taken_for_this_bell(bench: Bench) -> None:
    bench.dice_answer = False
    bench.bell(round(bench.now + bench.AHEAD))
    bench.step(AllReported(bench.now - 1))
    assert bench.facts() == []


def test_dice_that_do_not_answer_are_waited_for_three_seconds(bench: Bench) -> None:
    bench.dice_answer = False
    bell_t = round(bench.now + bench.AHEAD)
    bench.bell(bell_t)
    bench.run(2950)
    assert bench.facts() == []
    bench.run(50)
    (one,) = bench.take()
    assert one.fact == SawBell(bell_t)


@pytest.mark.parametrize("restarts", [False, True])
def test_what_is_made_after_the_news_of_the_bell_is_behind_it_by_every_clock(
    bench: Bench, restarts: bool
) -> None:
    """Trace: a table whose clock is 40 ms behind the head's hears the bell; 10 ms later its dice rest."""
    heard = bench.now
    bell_t = round(heard + bench.AHEAD + 40)
    bench.bell(bell_t)
    if restarts:  # a dice box kept the throws meanwhile
        bench.save()
        bench.kill(100, boot=False)
        bench.connect()
        bench.view()
    for at, err in ((heard + 10, 0.0), (heard - 1, 0.0), (heard + 10, 50.0)):
        bench.throw(ONE, at=at, err=err)
    assert [one.t for one in rolls(bench)] == [bell_t + 1, bell_t - 41, bell_t - 30]


@pytest.mark.parametrize("boots", [False, True])
def test_what_is_made_behind_the_bell_is_behind_it_though_the_clock_of_the_bell_is_lost(
    bench: Bench, boots: bool
) -> None:
    """Trace: the bell rings between two rolls, and its news come 300 ms behind it; the head loses its power
    and what its card had since then, so that its clock begins before both rolls anew.
    """
    bench.run(10_000)
    bench.throw(ONE)
    bell_t = round(bench.now + bench.AHEAD) + 100
    bench.now += 200
    bench.throw(ONE)
    bench.now += 200
    bench.bell(bell_t)
    bench.save()
    if boots:
        bench.kill(100)
    else:
        bench.disconnect()
    rolls(bench)
    bench.head_boot, bench.session = "h2", "head2"
    bench.before, bench.since = (ClockBefore("h1", 0, 0),), bell_t - 5000
    bench.began = bench.now + bench.AHEAD - bench.since
    bench.connect()
    assert [one.t for one in rolls(bench)] == [bell_t - 5000, bell_t + 1]


def test_what_is_made_since_a_boot_behind_the_news_of_the_bell_is_behind_it(bench: Bench) -> None:
    """Trace: a table hears the bell and loses its power; it cannot measure the clock before it is asked."""
    bell_t = round(bench.now + bench.AHEAD + 10_000)
    bench.bell(bell_t)
    bench.save()
    bench.kill(100)
    bench.view()
    bench.throw(ONE)
    bench.clock_answers = False
    bench.connect()
    bench.run(8000)
    assert {(one.t, one.err) for one in rolls(bench)} == {(bell_t + 1, 0)}


def test_facts_are_judged_by_their_place_until_the_clock_of_the_bell_is_known(bench: Bench) -> None:
    """Trace: a head lost its power, and its clock went on 9 s further back; a table played on without it and
    was killed as it was back. By the clock of before its first roll was behind the bell.
    """
    bench.run(10_000)
    bench.disconnect()
    bench.throw(ONE)
    bell_t = round(bench.now + bench.AHEAD) - 9000 + 100
    bench.now += 200
    bench.throw(ONE)
    bench.save()
    bench.kill(100, boot=False)
    bench.head_boot, bench.session = "h2", "head2"
    bench.before, bench.since, bench.AHEAD = (ClockBefore("h1", 0, 0),), bell_t - 500, bench.AHEAD - 9000
    bench.clock_answers = False
    bench.connect(clock=False)
    assert bench.table is not None
    bench.table.ring(bell_t)
    bench.view("after_bell")
    assert "US 2" in bench.message
    assert any(isinstance(one.fact, SawBell) for one in bench.outbox.uncommitted())
    bench.view("after_bell")  # the table has told of the bell, and what it made before that stays before it
    assert "US 2" in bench.message
    bench.clock_answers = True
    bench.run(300)
    assert "US 1" in bench.message


def test_a_bell_is_told_of_once_over_restarts(bench: Bench) -> None:
    bench.bell(round(bench.now + bench.AHEAD))
    assert len(bench.take()) == 1
    assert bench.table is not None
    bench.table.ring(round(bench.now + bench.AHEAD))
    bench.view("after_bell")
    bench.save()
    bench.kill(100)
    bench.connect()
    bench.view("after_bell")
    assert [fact[0] for fact in bench.facts()] == ["bell_seen"]  # the same one again, not another
    bench.ack(1, stream="s1")
    bench.run(4000)
    assert bench.facts() == []


# Time.


def test_an_answer_to_what_this_start_did_not_ask_tells_no_time(bench: Bench) -> None:
    """Trace: a link was jammed for 5 s, and the table's service was killed twice. The answer to the third
    question of a start came behind the third one of the next, for which it was taken: 5.5 s off within 24 ms.
    """
    bench.kill(500)
    bench.clock_answers = False
    bench.connect()
    bench.view()
    bench.run(1000)
    asked, head = bench.now - 30.5, bench.now - 5500
    late = ClockReply(asked, "h1", head, head, bench.evening)
    bench.step(bench._received("down", "clock", late))
    bench.throw(ONE)
    assert not rolls(bench)


@pytest.mark.parametrize("link_breaks", [False, True])
def test_an_answer_to_what_was_asked_before_its_head_was_known_compares_the_clocks(
    bench: Bench, link_breaks: bool
) -> None:
    """Trace: nobody heard the table for a while, so that the news of a head came before its answers, and no
    more of them did: it rang and lost its power, and a throw behind that bell had a time of before it.
    """
    bench.kill(500)
    bench.clock_answers, bench.head_boot, bench.session = False, "h2", "head2"
    bench.step_connected()
    bench.run(200)
    asked, head = bench.now, bench.now + bench.AHEAD + 50
    bench.run(100)
    bench.head()
    bench.view()
    if link_breaks:
        bench.disconnect()
        bench.step_connected()
        bench.head()
    question = max(one.t0 for one in bench.sent if isinstance(one, ClockRequest) and one.t0 <= asked)
    bench.step(bench._received("down", "clock", ClockReply(question, "h2", head, head, bench.evening)))
    bench.run(500)
    bench.throw(ONE)
    made = bench.now + bench.AHEAD
    bench.disconnect()
    bench.before, bench.since = (ClockBefore("h2", 0, 0),), round(made) + 1000
    bench.head_boot, bench.session, bench.began = "h3", "head3", 5000.0
    bench.clock_answers = True
    bench.connect()
    bench.run(2000)
    roll = rolls(bench)[-1]
    assert roll.clock == ("h3", 5000)
    assert roll.t == pytest.approx(made, abs=150)
    assert roll.err is not None
    assert roll.err < 250


def test_the_bound_of_a_throw_holds_that_of_its_box(bench: Bench) -> None:
    bench.throw(ONE, err=40.0)
    bench.throw(ONE, err=None)
    narrow, unknown = rolls(bench)
    assert narrow.err == pytest.approx(40.0, abs=1)
    assert unknown.err is None
    assert unknown.t == bench.now + bench.AHEAD


def test_a_clock_that_is_known_is_not_forgotten_with_a_session_of_the_head(bench: Bench) -> None:
    bench.run(20_000)
    bench.clock_answers = False
    bench.session = "head2"
    bench.head()
    assert bench.births()[0].t == bench.now + bench.AHEAD
    bench.throw(ONE)
    (roll,) = rolls(bench)
    assert roll.t == bench.now + bench.AHEAD


def test_a_roll_behind_the_bell_of_a_table_without_link_keeps_its_time_over_a_restart(bench: Bench) -> None:
    """Trace: measured; the bell rings; the service is killed, its machine runs on; the link stalls;
    rolls 2.6, 3.4 and 4.2 s after the bell; the link heals.

    They were sent with `t` null, and the head took them for rolls of before the bell.
    """
    bench.run(1000)
    bench.save()
    bell = bench.now
    bench.kill(100, boot=False)
    made = []
    for after in (2600, 3400, 4200):
        bench.now = bell + after
        bench.throw(ONE)
        made.append(bench.now + bench.AHEAD)
    bench.run(5000)
    bench.connect()
    assert [one.t for one in rolls(bench)] == made


def test_a_fact_made_before_the_clock_was_ever_measured_has_its_time_when_it_is_sent(bench: Bench) -> None:
    """Trace: the table boots without a link; a roll; the link heals; the clock is told, then it is sent."""
    bench.open()
    bench.save()
    bench.kill(100)
    bench.throw(ONE)
    at = bench.now
    bench.run(2000)
    bench.clock_answers = False
    bench.connect(clock=False)
    assert rolls(bench) == []
    bench.clock_answers = True
    bench.run(250)
    (roll,) = rolls(bench)
    assert roll.t == at + bench.AHEAD
    assert roll.err is not None


def test_a_fact_of_an_earlier_boot_is_timed_by_the_clock_of_that_boot(bench: Bench) -> None:
    """Trace: measured; the link is cut; a roll; the plug is pulled; back, with a link, 5 s later."""
    bench.open()
    bench.disconnect()
    bench.throw(ONE)
    at = bench.now
    bench.save()
    bench.kill(5000)
    bench.connect()
    (roll,) = rolls(bench)
    assert roll.t == at + bench.AHEAD


def test_a_fact_of_before_the_head_lost_its_clock_is_timed_by_the_one_that_it_had(bench: Bench) -> None:
    """Trace: cut; two rolls 60 s apart; the head's machine was off meanwhile, its clock went on behind its
    log, 58 s late; the link heals: the first is of before that clock, the second by it.
    """
    bench.open()
    bench.disconnect()
    bench.throw(ONE)
    first = bench.now
    bench.now += 60_000
    bench.throw(ONE)
    second = bench.now
    bench.head_boot, bench.session = "h2", "head2"
    bench.AHEAD -= 58_000
    bench.before, bench.since = (ClockBefore("h1", 0, 0),), round(first + 5000 + 1)
    bench.connect()
    assert [one.t for one in rolls(bench)] == [first + 5000, second + bench.AHEAD]


def test_a_fact_that_goes_again_has_its_time_by_the_clocks_of_the_log_as_it_is_now(bench: Bench) -> None:
    """Trace: a roll goes to a head that loses its power, and the roll; the clock of the next begins before,
    and the bell rings. The roll went again by the clock of before, behind the bell, and was ignored.
    """
    bench.run(1000)
    bench.throw(ONE)
    (first,) = rolls(bench)
    assert first.t is not None
    bench.disconnect()
    bench.run(9000)
    bench.head_boot, bench.session = "h2", "head2"
    bench.before, bench.since, bench.began = (ClockBefore("h1", 0, 0),), first.t - 1, bench.now + bench.AHEAD
    bench.began -= first.t - 1
    bench.connect()
    assert {one.t for one in rolls(bench)} == {first.t - 1}


def test_a_fact_goes_again_once_the_head_tells_of_another_clock_than_that_by_which_it_was_timed(
    bench: Bench,
) -> None:
    bench.run(1000)
    bench.throw(ONE)
    bench.run(100)
    bench.began, bench.since = -3000.0, 1
    bench.run(250)
    first, again = rolls(bench)
    assert (first.clock, again.clock) == (("h1", 0.0), ("h1", -3000.0))
    assert first.t is not None
    assert again.t == first.t + 3000


def test_a_birth_before_the_next_measurement_has_the_clock_that_was_known(bench: Bench) -> None:
    bench.run(20_000)
    bench.clock_answers = False
    bench.session = "head2"
    bench.head()
    bench.run(1000)
    bench.disconnect()
    bench.births()
    bench.connect()
    assert bench.births()[0].t == pytest.approx(bench.now + bench.AHEAD, abs=50)


def test_a_birth_tells_of_the_bell_that_the_table_heard_end_its_round(bench: Bench) -> None:
    bench.run(1000)
    bell_t = round(bench.now + bench.AHEAD)
    told = []
    for bell in (None, bell_t):
        if bell:
            bench.bell(bell)
        bench.disconnect()
        bench.births()
        bench.connect()
        told.append(bench.births()[0].bell)
    assert told == [None, bell_t]


def test_a_beat_follows_a_birth_with_the_next_tick(bench: Bench) -> None:
    """Trace: a broker lost both births of a table, and the head began before the table's next beat."""
    bench.run(1000)
    bench.take()
    bench.session = "head2"
    bench.head()
    bench.run(50)
    assert len(bench.beats()) == 1
    bench.run(950)
    assert not bench.beats()


def test_after_connecting_there_are_four_exchanges_a_second_and_then_one(bench: Bench) -> None:
    from pi_bunco.wire.messages import ClockRequest

    bench.session = "head2"
    bench.head()
    bench.take()
    bench.run(4000)
    assert 15 <= len(bench.take(ClockRequest)) <= 17
    bench.run(10_000)
    assert 9 <= len(bench.take(ClockRequest)) <= 11


def test_an_acknowledgement_tells_of_a_head_that_is_there(bench: Bench) -> None:
    """Trace: a broker lost what a new head said of itself; the throw that rings waited 1 s for a question."""
    bench.head()
    bench.run(10_000)
    bench.head("lost")
    bench.run(3000)
    while not bench.take(ClockRequest):
        bench.run(50)
    bench.run(300)
    assert not bench.take(ClockRequest)
    bench.ack(0)
    bench.run(50)
    assert len(bench.take(ClockRequest)) == 1


# Roll-offs.


@pytest.mark.parametrize(
    ("wipe", "held_ms", "call"),
    [(2, 1000, "wipe"), (2, 400, "miss"), (1, 1000, "miss"), (None, 1000, "miss")],
)
def test_miss_held_for_a_second_is_a_wipe_where_a_face_wipes(
    bench: Bench, wipe: int | None, held_ms: int, call: str
) -> None:
    bench.connect()
    bench.open()
    by_hand = replace(bench.a_view().state, by_hand=True)
    bench.view(overrides={"scoring.wipe": wipe}, state=by_hand)
    bench.take()
    bench.press("miss", held_ms=held_ms)
    assert [one.fact.call for one in bench.take()] == [call]


def test_a_roll_off_with_one_die_each_says_what_to_do_and_who_has_won(tmp_path: Path) -> None:
    bench = Bench(tmp_path, rules="classic")
    bench.connect()
    bench.open()
    bench.bell(round(bench.now + bench.AHEAD))
    bench.press("ok")
    assert bench.message.startswith("Tie: roll one die each\nDie 1 is US, die 2 is THEM")
    assert bench.lights is not None
    assert bench.lights.rolloff
    bench.throw((4, 4, 1))
    assert bench.message.startswith("Die 1 (US) 4, die 2 (THEM) 4: again")
    bench.throw((2, 6, 1))
    assert bench.message.startswith("Die 1 (US) 2, die 2 (THEM) 6\nTHEM won the roll-off")


def test_a_void_throw_says_why_in_the_language_of_the_display(bench: Bench) -> None:
    of_a_recording = ThrowVoid("die 2 is tilted", bench.now)
    for void, why in (
        (ThrowVoid.because(Tilted(2), bench.now), "Würfel 2 liegt schief"),
        (of_a_recording, "die 2 is tilted"),
    ):
        (shown,) = (
            effect for effect in bench.controller.step(void, bench.now) if isinstance(effect, ShowLights)
        )
        assert f"Alle drei noch einmal: {why}" in shown.in_language("de").message


def test_a_roll_after_the_bell_says_so(bench: Bench) -> None:
    bench.bell(round(bench.now + bench.AHEAD - 10))
    bench.throw(BUNCO)
    assert "Does not count" in bench.message
    bench.close()
    bench.throw(MISS)
    assert "no round is open" in bench.message


def test_the_lights_tell_of_the_last_seconds_of_a_round_that_the_clock_ends(bench: Bench) -> None:
    opened = round(bench.now + bench.AHEAD)
    bench.round(opened, ends_t=opened + 30_000)
    bench.run(19_000)
    assert not _ending(bench)
    bench.run(2_000)
    assert _ending(bench)
    bench.round(opened, ends_t=opened + 90_000)
    assert not _ending(bench)
    bench.round(opened)
    bench.run(90_000)
    assert not _ending(bench)


def _ending(bench: Bench) -> bool:
    return bench.lights is not None and bench.lights.ending
