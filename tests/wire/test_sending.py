from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pi_bunco.game.facts import SawBell
from pi_bunco.wire.messages import Envelope, Upto
from pi_bunco.wire.sending import ASK_COMMIT_AFTER_MS, MAX_AGAIN, RESEND_AFTER_MS, Sending
from thorough import times


def envelope(stream: str, seq: int, evening: str = "e1") -> Envelope:
    return Envelope(1, evening, stream, seq, 1, 1, 0, 1.0, 0, "boot", SawBell(seq))


def filled(*streams: tuple[str, int]) -> Sending:
    """So many facts in each stream, the last of which is the table's own; all since 0 ms."""
    sending = Sending()
    for stream, count in streams:
        for seq in range(1, count + 1):
            sending.add(envelope(stream, seq), 0)
    return sending


def places(envelopes: list[Envelope]) -> list[tuple[str, int]]:
    return [(one.stream, one.seq) for one in envelopes]


def own(*seqs: int) -> list[tuple[str, int]]:
    return [("s", seq) for seq in seqs]


def test_facts_go_at_once_and_once() -> None:
    sending = filled(("s", 2))
    assert places(sending.due(0)) == own(1, 2)
    assert sending.due(RESEND_AFTER_MS - 1) == []
    sending.add(envelope("s", 3), 10)
    assert places(sending.due(10)) == own(3)
    assert len(sending) == 3


def test_what_the_head_has_received_is_not_sent_again_though_it_cannot_keep_it() -> None:
    """While its disk fails 300 tables would send it all of theirs every three seconds."""
    sending = filled(("s", MAX_AGAIN + 20))
    sending.due(0)
    sending.acknowledged("s", 10, 0)
    assert sending.unreceived_ms(1000) == 1000
    sending.acknowledged("s", MAX_AGAIN + 20, 0)
    assert (sending.unreceived_ms(1000), sending.oldest_ms(1000)) == (0, 1000)
    assert sending.due(9 * RESEND_AFTER_MS) == []
    assert len(sending) == MAX_AGAIN + 20


def test_a_commit_whose_word_got_lost_is_asked_for_with_the_last_fact() -> None:
    """Acknowledgements go at quality 0."""
    sending = filled(("s", 3))
    sending.due(0)
    sending.acknowledged("s", 3, 0)
    assert sending.due(ASK_COMMIT_AFTER_MS - 1) == []
    assert places(sending.due(ASK_COMMIT_AFTER_MS)) == own(3)
    assert sending.due(ASK_COMMIT_AFTER_MS + 1) == []
    sending.acknowledged("s", 3, 3)
    assert (len(sending), sending.due(3 * ASK_COMMIT_AFTER_MS)) == (0, [])


def test_another_head_is_sent_all_that_is_not_committed_at_once() -> None:
    sending = filled(("s", 5))
    sending.due(0)
    sending.acknowledged("s", 5, 2)
    assert sending.due(RESEND_AFTER_MS) == []
    sending.head_changed()
    again = sending.due(RESEND_AFTER_MS)
    assert places(again) == own(3, 4, 5)
    assert all(one.received for one in again)
    sending.acknowledged("s", 3, 1)  # and it has lost something that was on a disk
    assert places(sending.due(RESEND_AFTER_MS + 1)) == []
    sending.acknowledged("s", 1, 1)
    assert places(sending.due(RESEND_AFTER_MS + 2)) == own(2, 3)


def test_all_that_has_gathered_goes_at_once_and_says_what_it_comes_after() -> None:
    """Trace: a table is without a link through two starts of its service; the link heals; the bell rings.

    Earlier streams went one fact a round trip: the bell came 11.4 s late.
    """
    sending = filled(("a", 200), ("b", 1), ("s", 300))
    due = sending.due(0)
    assert places(due) == places(sending.uncommitted())
    assert len(due) == 501
    after = [(one.stream, one.after) for one in due if one.after]
    assert after == [("b", Upto("a", 200)), ("s", Upto("b", 1))]


def test_a_stream_comes_after_none_of_another_evening() -> None:
    sending = Sending()
    sending.add(envelope("before", 1, "e0"), 0)
    sending.add(envelope("s", 1), 0)
    assert [one.after for one in sending.due(0)] == [None, None]


def test_without_an_answer_they_go_again_and_say_so() -> None:
    sending = filled(("s", 2))
    sending.due(0)
    assert [(one.seq, one.sent) for one in sending.due(RESEND_AFTER_MS)] == [(1, 2), (2, 2)]
    sending.acknowledged("s", 1, 1)
    assert sending.due(3 * RESEND_AFTER_MS - 1) == []
    assert [(one.seq, one.sent) for one in sending.due(3 * RESEND_AFTER_MS)] == [(2, 3)]


def test_a_fact_that_is_lost_goes_again_in_half_a_second_and_to_who_stays_silent_ever_less_often() -> None:
    sending = filled(("s", 1))
    sent = [ms for ms in range(0, 20_000, 10) if sending.due(ms)]
    assert sent == [0, 500, 1500, 3500, 7500, 11500, 15500, 19500]
    sending.reconnected()
    assert [ms for ms in range(20_000, 22_000, 10) if sending.due(ms)] == [20_000, 20_500, 21_500]


def test_after_a_reconnect_all_that_is_open_goes_again() -> None:
    sending = filled(("s", 3))
    sending.due(0)
    sending.acknowledged("s", 1, 1)
    sending.reconnected()
    assert places(sending.due(1)) == own(2, 3)


def test_what_is_not_answered_goes_again_a_few_at_a_time() -> None:
    sending = filled(("a", 100), ("s", 100))
    assert len(sending.due(0)) == 200
    assert sending.due(1) == []
    assert places(sending.due(RESEND_AFTER_MS)) == [("a", n) for n in range(1, MAX_AGAIN + 1)]
    sending.acknowledged("a", 100, 100)
    assert places(sending.due(2 * RESEND_AFTER_MS)) == own(*range(1, MAX_AGAIN + 1))


def test_a_lower_acknowledgement_sends_again_from_there() -> None:
    sending = filled(("s", 5))
    sending.due(0)
    assert sending.acknowledged("s", 5, 5)
    assert not sending.acknowledged("s", 5, 5)
    assert sending.acknowledged("s", 2, 2)
    assert len(sending) == 3
    assert places(sending.uncommitted()) == own(3, 4, 5)
    assert places(sending.due(1)) == own(3, 4, 5)


def test_an_earlier_stream_that_the_head_has_lost_goes_before_what_is_new() -> None:
    sending = filled(("a", 2), ("s", 2))
    sending.acknowledged("a", 2, 2)
    sending.due(0)
    sending.acknowledged("a", 0, 0)
    assert places(sending.due(1)) == [("a", 1), ("a", 2)]


def test_acknowledgements_of_others_change_nothing() -> None:
    sending = filled(("s", 2))
    assert not sending.acknowledged("other", 9, 9)
    assert len(sending) == 2
    sending.acknowledged("s", 99, 99)
    assert len(sending) == 0


def test_the_age_of_the_oldest() -> None:
    sending = Sending()
    assert sending.oldest_ms(5) == 0
    sending.add(envelope("s", 1), 100)
    sending.add(envelope("s", 2), 300)
    assert sending.oldest_ms(400) == 300
    sending.acknowledged("s", 1, 1)
    assert sending.oldest_ms(400) == 100
    sending.acknowledged("s", 2, 2)
    assert sending.oldest_ms(400) == 0


def test_of_an_evening_that_is_over_only_what_arrived_is_dropped() -> None:
    sending = filled(("a", 2), ("s", 3))
    sending.add(envelope("s", 4, "e2"), 0)
    sending.acknowledged("a", 2, 2)
    sending.acknowledged("s", 2, 2)
    sending.drop("e1")
    assert len(sending) == 2
    assert sending.evenings() == ["e1", "e2"]
    assert places(sending.due(0)) == own(3, 4)
    sending.acknowledged("s", 4, 4)
    sending.drop("e1")
    assert sending.evenings() == ["e2"]
    sending.acknowledged("s", 0, 0)
    assert places(sending.due(0)) == own(4)


class Head:
    """Takes each stream in order, behind the one that it comes after, and journals later."""

    def __init__(self) -> None:
        self.log: list[Envelope] = []
        self.on_disk = 0
        self.waiting: dict[tuple[str, int], Envelope] = {}
        self.upto: dict[str, int] = {}
        self.rung: set[tuple[str, int]] = set()

    def take(self, one: Envelope) -> None:
        if one.seq > self.upto.get(one.stream, 0):
            self.waiting[one.stream, one.seq] = one
        while ready := [found for found in self.waiting.values() if self.in_order(found)]:
            for found in ready:
                place = (found.stream, found.seq)
                assert found.received or place not in self.rung, "its bell would ring twice"
                self.rung.add(place)
                self.log.append(found)
                self.upto[found.stream] = found.seq
                del self.waiting[place]

    def in_order(self, one: Envelope) -> bool:
        behind = one.after is None or self.upto.get(one.after.stream, 0) >= one.after.seq
        return behind and one.seq == self.upto.get(one.stream, 0) + 1

    def ack(self, stream: str) -> tuple[str, int, int]:
        disk = (one.seq for one in self.log[: self.on_disk] if one.stream == stream)
        return stream, self.upto.get(stream, 0), max(disk, default=0)

    def restart(self, length: int) -> None:
        """It has the first `length` facts; that the others have rung it does not know, but `rung` does."""
        self.log = self.log[:length]
        self.on_disk = min(self.on_disk, length)
        self.waiting = {}
        self.upto = {}
        for one in self.log:
            self.upto[one.stream] = one.seq


class LossyLink(RuleBasedStateMachine):
    """A table and a head on a link that loses, doubles and reorders facts, both of which crash.

    A head that restarts, with all that it committed or with less, makes the table send again; what it
    acknowledged as received has rung, and the table tells so.
    """

    @initialize()
    def begin(self) -> None:
        self.now = 0.0
        self.starts = 0
        self.seq = 0
        self.head = Head()
        self.memory: list[Envelope] = []
        self.disk: list[Envelope] = []
        self.acks: dict[str, tuple[int, int]] = {}
        self.saved_acks: dict[str, tuple[int, int]] = {}
        self.up: list[Envelope] = []
        self.current = "s0"
        self.sending = Sending()

    @rule(count=st.sampled_from([1, 2, 5, 100]))
    def append(self, count: int) -> None:
        for _ in range(count):
            self.seq += 1
            one = envelope(self.current, self.seq)
            self.sending.add(one, self.now)
            self.memory.append(one)

    @rule()
    def save(self) -> None:
        self.disk += self.memory
        self.memory = []
        self.saved_acks = dict(self.acks)

    @rule(ms=st.sampled_from([0, 1, RESEND_AFTER_MS]))
    def send(self, ms: float) -> None:
        self.now += ms
        self.up += self.sending.due(self.now)

    @rule(data=st.data(), lost=st.booleans(), again=st.booleans(), silent=st.booleans())
    @precondition(lambda self: self.up)
    def deliver(self, data: Any, lost: bool, again: bool, silent: bool) -> None:
        index = data.draw(st.integers(0, len(self.up) - 1))
        one = self.up[index] if again else self.up.pop(index)
        if lost:
            return
        before = set(self.head.rung)
        self.head.take(one)
        if silent:  # the head's own note says that it has rung, not the table
            self.head.rung = before
        else:
            self.answer_all()

    def answer_all(self) -> None:
        for stream in list(self.head.upto):
            self.answer(stream)

    def answer(self, stream: str) -> None:
        _, received, committed = self.head.ack(stream)
        self.sending.acknowledged(stream, received, committed)
        ever = max(received, self.acks.get(stream, (0, 0))[0])
        self.acks[stream] = (ever, committed)

    @rule(share=st.integers(1, 3))
    @precondition(lambda self: self.up)
    def deliver_many(self, share: int) -> None:
        some, self.up = self.up[::share], []
        for one in some:
            self.head.take(one)
            self.answer_all()

    @rule()
    def commit(self) -> None:
        self.head.on_disk = len(self.head.log)
        self.answer_all()

    @rule()
    def reconnect(self) -> None:
        self.up = []
        self.sending.reconnected()

    @rule(data=st.data(), liar=st.booleans())
    def restart_head(self, data: Any, liar: bool) -> None:
        """What was under way to the old one is gone; a card that lied has even less than was committed."""
        most = self.head.on_disk
        self.head.restart(data.draw(st.integers(0, most)) if liar else most)
        self.up = []
        self.sending.head_changed()
        for stream in self.known_streams():
            self.answer(stream)

    def known_streams(self) -> list[str]:
        return list(dict.fromkeys(one.stream for one in self.disk + self.memory))

    @rule()
    def restart_table(self) -> None:
        """What was not on its disk is gone, and what it had of it received too."""
        gone = {(one.stream, one.seq) for one in self.memory}
        self.memory = []
        self.begin_stream()
        self.sending = Sending()
        for one in self.disk:
            self.sending.add(one, self.now)
        for stream, (received, committed) in self.saved_acks.items():
            self.sending.acknowledged(stream, committed, committed)
            self.sending.was_received(stream, received)
        self.head.rung -= {place for place in self.head.rung if place in gone}
        self.up = []
        for stream in self.known_streams():
            self.answer(stream)

    @rule()
    def renew(self) -> None:
        self.begin_stream()

    def begin_stream(self) -> None:
        self.starts += 1
        self.current = f"s{self.starts}"
        self.seq = 0

    @invariant()
    def everything_arrives_once_and_in_order(self) -> None:
        for stream in {one.stream for one in self.head.log}:
            seqs = [one.seq for one in self.head.log if one.stream == stream]
            assert seqs == list(range(1, len(seqs) + 1))

    @invariant()
    def streams_come_one_behind_the_other(self) -> None:
        order = [int(one.stream[1:]) for one in self.head.log]
        assert order == sorted(order)

    def teardown(self) -> None:
        """Once the link works, the head gets all that the table still has."""
        for stream in self.known_streams():
            self.answer(stream)
        for _ in range(len(self.disk) + len(self.memory) + 1):
            self.now += RESEND_AFTER_MS
            for one in self.sending.due(self.now):
                self.head.take(one)
                self.answer_all()
        self.commit()
        assert len(self.sending) == 0
        arrived = {(one.stream, one.seq) for one in self.head.log}
        assert arrived >= {(one.stream, one.seq) for one in self.disk + self.memory}
        self.everything_arrives_once_and_in_order()


def test_lossy_link() -> None:
    run_state_machine_as_test(LossyLink, settings=settings(max_examples=times(60), stateful_step_count=40))
