from typing import Any

import pytest
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

from pi_bunco.wire.messages import Envelope
from pi_bunco.wire.sending import PATIENCE, WINDOW, Sending


def envelope(stream: str, seq: int, evening: str = "e1") -> Envelope:
    return Envelope(1, evening, stream, seq, 1, 1, 0, 1.0, 0, "boot", {"kind": "bell_seen", "seq": seq})


def filled(*streams: tuple[str, int]) -> Sending:
    """So many facts in each stream, the last of which is the table's own; all since 0 ms."""
    sending = Sending(streams[-1][0])
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
    assert sending.due(PATIENCE - 1) == []
    sending.add(envelope("s", 3), 10)
    assert places(sending.due(10)) == own(3)
    assert len(sending) == 3


def test_what_the_head_has_heard_of_is_not_in_flight_although_it_cannot_keep_it() -> None:
    sending = filled(("s", WINDOW + 20))
    sending.due(0)
    sending.heard("e1", "s", 10)
    assert places(sending.due(1)) == own(*range(WINDOW + 1, WINDOW + 11))
    sending.heard("e1", "s", WINDOW + 10)
    assert places(sending.due(2)) == own(*range(WINDOW + 11, WINDOW + 21))
    assert sending.unheard_ms(1000) == 1000
    sending.heard("e1", "s", WINDOW + 20)
    assert (sending.unheard_ms(1000), sending.oldest_ms(1000)) == (0, 1000)
    assert places(sending.due(PATIENCE)) == own(*range(1, WINDOW + 1))
    sending.heard("e1", "s", 5)  # another head, which has lost what it had not kept
    assert places(sending.due(PATIENCE + 1)) == own(*range(WINDOW + 1, WINDOW + 6))
    sending.reconnected()
    assert places(sending.due(PATIENCE + 2)) == own(*range(1, WINDOW + 1))


def test_a_later_stream_waits_until_the_head_has_heard_of_the_earlier_one() -> None:
    """A head that takes a later stream gives up what it has not heard of an earlier one."""
    sending = filled(("before", 2), ("s", 2))
    assert places(sending.due(0)) == [("before", 1)]
    sending.heard("e1", "before", 1)
    assert places(sending.due(1)) == [("before", 2)]
    sending.heard("e1", "before", 2)
    assert places(sending.due(2)) == own(1, 2)
    assert sending.unheard_ms(5) == 5
    sending.heard("e1", "s", 2)
    assert sending.unheard_ms(5) == 0
    assert places(sending.due(PATIENCE + 2)) == [("before", 1), *own(1, 2)]
    sending.heard("e1", "", 0)  # another head, which has lost what it had not kept
    assert places(sending.due(2 * PATIENCE + 2)) == [("before", 1)]
    sending.heard("e1", "s", 1)  # it has the earlier one, then
    sending.unheard()
    assert places(sending.due(3 * PATIENCE + 2)) == [("before", 1)]


def test_facts_of_another_evening_keep_none_of_this_one_back() -> None:
    """A head whose card fails acknowledges none of them."""
    sending = Sending("s")
    sending.add(envelope("before", 1, "e0"), 0)
    sending.add(envelope("before", 2, "e0"), 0)
    sending.add(envelope("s", 1), 0)
    sending.heard("e1", "", 0)
    assert places(sending.due(0)) == [("before", 1), ("s", 1)]
    sending.heard("e1", "s", 1)
    assert sending.unheard_ms(1000) == 0
    sending.acked("before", 1)
    assert places(sending.due(1)) == [("before", 2)]


def test_without_an_answer_they_go_again_and_say_so() -> None:
    sending = filled(("s", 2))
    sending.due(0)
    assert [(one.seq, one.sent) for one in sending.due(PATIENCE)] == [(1, 2), (2, 2)]
    sending.acked("s", 1)
    assert [(one.seq, one.sent) for one in sending.due(2 * PATIENCE)] == [(2, 3)]


def test_after_a_reconnect_all_that_is_open_goes_again() -> None:
    sending = filled(("s", 3))
    sending.due(0)
    sending.acked("s", 1)
    sending.reconnected()
    assert places(sending.due(1)) == own(2, 3)


def test_no_more_than_the_window_is_in_flight() -> None:
    sending = filled(("s", 200))
    assert places(sending.due(0)) == own(*range(1, WINDOW + 1))
    assert sending.due(1) == []
    sending.acked("s", 10)
    assert places(sending.due(2)) == own(*range(WINDOW + 1, WINDOW + 11))


def test_earlier_streams_go_first_one_fact_at_a_time() -> None:
    sending = filled(("a", 2), ("b", 1), ("s", 2))
    gone = []
    for _ in range(4):
        due = sending.due(0)
        gone.append(places(due))
        for one in due:
            sending.acked(one.stream, one.seq)
    assert gone == [[("a", 1)], [("a", 2)], [("b", 1)], own(1, 2)]
    assert len(sending) == 0


def test_a_lower_acknowledgement_sends_again_from_there() -> None:
    sending = filled(("s", 5))
    sending.due(0)
    assert sending.acked("s", 5)
    assert not sending.acked("s", 5)
    assert sending.acked("s", 2)
    assert len(sending) == 3
    assert places(sending.held()) == own(3, 4, 5)
    assert places(sending.due(1)) == own(3, 4, 5)


def test_an_earlier_stream_that_the_head_has_lost_goes_before_what_is_new() -> None:
    sending = filled(("a", 2), ("s", 2))
    sending.acked("a", 2)
    sending.due(0)
    sending.acked("a", 0)
    assert places(sending.due(1)) == [("a", 1)]


def test_acknowledgements_of_others_change_nothing() -> None:
    sending = filled(("s", 2))
    assert not sending.acked("other", 9)
    assert len(sending) == 2
    sending.acked("s", 99)
    assert len(sending) == 0


def test_the_age_of_the_oldest() -> None:
    sending = Sending("s")
    assert sending.oldest_ms(5) == 0
    sending.add(envelope("s", 1), 100)
    sending.add(envelope("s", 2), 300)
    assert sending.oldest_ms(400) == 300
    sending.acked("s", 1)
    assert sending.oldest_ms(400) == 100
    sending.acked("s", 2)
    assert sending.oldest_ms(400) == 0


def test_of_an_evening_that_is_over_only_what_arrived_is_dropped() -> None:
    sending = filled(("a", 2), ("s", 3))
    sending.add(envelope("s", 4, "e2"), 0)
    sending.acked("a", 2)
    sending.acked("s", 2)
    sending.drop("e1")
    assert len(sending) == 2
    assert sending.evenings() == ["e1", "e2"]
    assert places(sending.due(0)) == own(3, 4)
    sending.acked("s", 4)
    sending.drop("e1")
    assert sending.evenings() == ["e2"]
    sending.acked("s", 0)
    assert places(sending.due(0)) == own(4)


class Head:
    """Takes each stream in order; `gives_up`: closes the gaps of streams that the table has left."""

    def __init__(self, gives_up: bool) -> None:
        self.gives_up = gives_up
        self.log: list[Envelope] = []
        self.held: dict[tuple[str, int], Envelope] = {}
        self.upto: dict[str, int] = {}

    def take(self, one: Envelope, current: str) -> tuple[str, int]:
        if one.seq > self.upto.get(one.stream, 0):
            self.held[one.stream, one.seq] = one
        if self.gives_up and one.stream != current and (one.stream, one.seq) in self.held:
            self.upto[one.stream] = one.seq - 1
        while self.held and (found := self.held.pop(self.following(one.stream), None)):
            self.log.append(found)
            self.upto[one.stream] = found.seq
        return one.stream, self.upto.get(one.stream, 0)

    def following(self, stream: str) -> tuple[str, int]:
        return stream, self.upto.get(stream, 0) + 1

    def restart(self, length: int) -> None:
        self.log = self.log[:length]
        self.held = {}
        self.upto = {one.stream: one.seq for one in self.log}


class LossyLink(RuleBasedStateMachine):
    """A table and a head on a link that loses, doubles and reorders, both of which crash."""

    gives_up = False

    @initialize()
    def begin(self) -> None:
        self.now = 0.0
        self.starts = 0
        self.seq = 0
        self.head = Head(self.gives_up)
        self.memory: list[Envelope] = []
        self.disk: list[Envelope] = []
        self.acks: dict[str, int] = {}
        self.saved_acks: dict[str, int] = {}
        self.up: list[Envelope] = []
        self.down: list[tuple[str, int]] = []
        self.sending = Sending("s0")

    @rule(count=st.sampled_from([1, 2, 5, 100]))
    def append(self, count: int) -> None:
        for _ in range(count):
            self.seq += 1
            one = envelope(self.sending.stream, self.seq)
            self.sending.add(one, self.now)
            self.memory.append(one)

    @rule()
    def save(self) -> None:
        self.disk += self.memory
        self.memory = []
        self.saved_acks = dict(self.acks)

    @rule(ms=st.sampled_from([0, 1, PATIENCE]))
    def send(self, ms: float) -> None:
        self.now += ms
        due = self.sending.due(self.now)
        assert len(due) <= 2 * (WINDOW + self.starts)
        self.up += due

    @rule(data=st.data(), lost=st.booleans(), again=st.booleans())
    @precondition(lambda self: self.up)
    def deliver(self, data: Any, lost: bool, again: bool) -> None:
        index = data.draw(st.integers(0, len(self.up) - 1))
        one = self.up[index] if again else self.up.pop(index)
        if not lost:
            self.down.append(self.head.take(one, self.sending.stream))

    @rule(share=st.integers(1, 3))
    @precondition(lambda self: self.up)
    def deliver_many(self, share: int) -> None:
        some, self.up = self.up[::share], []
        self.down += [self.head.take(one, self.sending.stream) for one in some]

    @rule(data=st.data(), lost=st.booleans())
    @precondition(lambda self: self.down)
    def acknowledge(self, data: Any, lost: bool) -> None:
        stream, seq = self.down.pop(data.draw(st.integers(0, len(self.down) - 1)))
        if not lost:
            self.sending.acked(stream, seq)
            self.acks[stream] = seq

    @rule()
    def view(self) -> None:
        """The head tells up to where it knows the table's facts, whether it can keep them or not."""
        last = self.head.log[-1] if self.head.log else envelope("", 0)
        self.sending.heard(last.evening, last.stream, last.seq)

    @rule()
    def reconnect(self) -> None:
        self.sending.reconnected()

    @rule(data=st.data())
    def restart_head(self, data: Any) -> None:
        """A head that gives up gaps is one that keeps its journal; the strict one may come back with less."""
        length = len(self.head.log)
        self.head.restart(length if self.gives_up else data.draw(st.integers(0, length)))
        self.sending.unheard()  # by its will

    @rule()
    def restart_table(self) -> None:
        self.memory = []
        self.begin_stream()
        self.sending = Sending(f"s{self.starts}")
        for one in self.disk:
            self.sending.add(one, self.now)
        for stream, seq in self.saved_acks.items():
            self.sending.acked(stream, seq)
        self.acks = dict(self.saved_acks)
        if self.gives_up:
            self.up = []

    @rule()
    @precondition(lambda self: not self.gives_up)
    def renew(self) -> None:
        self.begin_stream()
        self.sending.stream = f"s{self.starts}"

    def begin_stream(self) -> None:
        self.starts += 1
        self.seq = 0

    @invariant()
    def everything_arrives_once_and_in_order(self) -> None:
        for stream in {one.stream for one in self.head.log}:
            seqs = [one.seq for one in self.head.log if one.stream == stream]
            assert seqs == sorted(set(seqs))
            assert self.gives_up or seqs == list(range(1, len(seqs) + 1))

    def teardown(self) -> None:
        """Once the link works and the head has said what it has, it gets all that the table still has."""
        for stream in {one.stream for one in self.disk + self.memory}:
            self.sending.acked(stream, self.head.upto.get(stream, 0))
        for _ in range(len(self.disk) + len(self.memory) + 1):
            self.now += PATIENCE
            for one in self.sending.due(self.now):
                self.sending.acked(*self.head.take(one, self.sending.stream))
        assert len(self.sending) == 0
        arrived = {(one.stream, one.seq) for one in self.head.log}
        assert arrived >= {(one.stream, one.seq) for one in self.disk + self.memory}
        self.everything_arrives_once_and_in_order()


class LossyLinkGivingUp(LossyLink):
    """The same with a head that gives up the gaps of streams that the table has left."""

    gives_up = True


@pytest.mark.parametrize("machine", [LossyLink, LossyLinkGivingUp])
def test_lossy_link(machine: type[LossyLink]) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=60, stateful_step_count=40))
