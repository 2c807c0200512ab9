"""Numbered, acknowledged, resent: both ends over wires that lose what they like."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from devices.box_end import KEPT, RESEND_MS, BoxLink
from pi_bunco.devices.protocols import ThrowMark
from pi_bunco.devices.throws.box_link import (
    ASK_MS,
    DOWN_MS,
    BoxAck,
    BoxAsk,
    BoxMessage,
    Hello,
    HostLink,
    Numbered,
    Pulse,
    Shows,
    Tumbled,
)


class Wire:
    """A box and a host in steps of 50 ms; `lost` says for each message whether it goes astray."""

    def __init__(self, lost: Iterator[bool], resume: ThrowMark | None = None) -> None:
        self.box = BoxLink("b1", "box")
        self.host = HostLink(resume)
        self.got: list[int] = []
        self.gaps = 0
        self.now = 0
        self._lost = lost
        self.to_host([self.box.hello()])

    def to_host(self, messages: list[BoxMessage]) -> None:
        for message in messages:
            if next(self._lost, False):
                continue
            took = self.host.take(message, self.now)
            self.gaps += took == "gap"
            if took == "next" and isinstance(message, Numbered):
                self.got.append(message.seq)

    def step(self, commit: bool) -> None:
        self.now += 50
        self.to_host(self.box.tick(self.now))
        if commit and self.got:
            self.host.committed("b1", self.got[-1])
        self.host.tick(self.now)
        replies, self.host.replies = self.host.replies, []
        for reply in replies:
            if not next(self._lost, False):
                self.to_host(self.box.take(reply, self.now))


steps = st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=25)
losses = st.lists(st.booleans(), max_size=400)


@given(steps, losses)
def test_everything_arrives_once_and_in_order(plan: list[tuple[int, bool]], lost: list[bool]) -> None:
    wire = Wire(iter(lost))
    sent = 0
    for count, commit in plan:
        for _ in range(min(count, KEPT - sent)):
            sent += 1
            wire.to_host(wire.box.tumbled(1, wire.now))
        wire.step(commit)
    for _ in range(600):
        wire.step(True)
    assert wire.got == list(range(1, sent + 1))
    assert wire.box.hello().oldest == sent + 1
    assert wire.gaps == 0


@given(steps, losses)
def test_overflow_of_the_box_is_noticed(plan: list[tuple[int, bool]], lost: list[bool]) -> None:
    wire = Wire(iter(lost))
    sent = 0
    for count, commit in plan:
        for _ in range(count * 10):
            sent += 1
            wire.to_host(wire.box.settled(1, 6, wire.now))
        wire.step(commit)
    for _ in range(600):
        wire.step(True)
    assert wire.got == sorted(set(wire.got))
    assert wire.got[-KEPT:] == list(range(max(sent - KEPT, 0) + 1, sent + 1))[-len(wire.got) :]
    holes = sum(after - before > 1 for before, after in zip(wire.got, wire.got[1:], strict=False))
    assert holes <= wire.gaps


def heard(resume: ThrowMark | None = None, oldest: int = 1) -> HostLink:
    host = HostLink(resume)
    host.plugged(0)
    assert host.take(Hello(1, "b1", "box", 3, oldest), 0) == "restarted"
    host.replies.clear()
    return host


def test_box_is_acknowledged_only_after_the_commit() -> None:
    host = heard()
    assert host.take(Tumbled("b1", 1, 1, 10), 10) == "next"
    assert host.take(Tumbled("b1", 1, 1, 10), 20) is None
    assert host.replies == []
    host.committed("b1", 1)
    assert host.replies == [BoxAck("b1", 1)]
    assert host.take(Tumbled("b1", 1, 1, 10), 30) is None
    assert host.replies == [BoxAck("b1", 1)] * 2


def test_commit_of_an_unreceived_line_or_of_another_boot_is_refused() -> None:
    host = heard()
    host.committed("b1", 1)
    host.committed("b0", 0)
    assert host.replies == []


def test_line_with_a_skipped_number_is_dropped() -> None:
    host = heard()
    assert host.take(Tumbled("b1", 2, 1, 10), 10) is None
    assert host.take(Tumbled("b1", 1, 1, 10), 20) == "next"
    assert host.take(Tumbled("b1", 2, 1, 10), 30) == "next"


def test_a_host_goes_on_where_it_had_stored() -> None:
    host = heard(ThrowMark("b1", 5), oldest=3)
    assert host.take(Tumbled("b1", 5, 1, 10), 10) is None
    assert host.replies == [BoxAck("b1", 5)]
    assert host.take(Tumbled("b1", 6, 1, 10), 20) == "next"


def test_a_mark_of_another_boot_is_of_no_use() -> None:
    host = heard(ThrowMark("b0", 5), oldest=3)
    assert host.take(Tumbled("b1", 3, 1, 10), 10) == "next"


def test_a_hello_after_an_overflow_starts_at_the_oldest_held() -> None:
    host = heard()
    assert host.take(Hello(1, "b1", "box", 3, 9), 10) == "gap"
    assert host.take(Tumbled("b1", 9, 1, 10), 20) == "next"
    assert host.take(Hello(1, "b1", "box", 3, 4), 30) is None
    assert host.take(Tumbled("b1", 10, 1, 10), 40) == "next"


def test_a_new_boot_starts_afresh() -> None:
    host = heard()
    host.take(Tumbled("b1", 1, 1, 10), 10)
    assert host.take(Tumbled("b2", 1, 1, 10), ASK_MS) is None
    assert host.replies == [BoxAsk()]
    assert host.take(Hello(1, "b2", "box", 3, 1), 600) == "restarted"
    assert host.take(Tumbled("b2", 1, 1, 10), 600) == "next"


def test_silence_of_three_seconds_is_a_link_that_is_down() -> None:
    host = heard()
    host.tick(DOWN_MS - 1)
    assert [host.up] == [True]
    assert host.replies == []
    host.tick(DOWN_MS)
    assert host.replies == [BoxAsk()]
    assert [host.up] == [False]
    host.take(Pulse("b1", 4000, 0), DOWN_MS + 1)
    assert [host.up] == [True]


def test_a_host_does_not_chatter() -> None:
    host = HostLink()
    host.plugged(0)
    for now in range(1000):
        host.tick(now)
        host.take(Tumbled("b1", 7, 1, 10), now)
    assert host.replies == [BoxAsk(), BoxAsk()]


def test_a_box_resends_every_200_ms_oldest_first() -> None:
    box = BoxLink("b1", "box")
    first, second = box.tumbled(1, 1010), box.settled(1, 4, 1100)
    assert box.tick(1150) == [Pulse("b1", 1150, 2)]
    assert box.tick(1209) == []
    assert box.tick(1010 + RESEND_MS) == first + second
    assert box.tick(1220) == []
    box.take(BoxAck("b0", 2), 1300)
    box.take(BoxAck("b1", 1), 1300)
    assert box.tick(1410) == second


def test_a_box_answers_what_it_shows() -> None:
    box = BoxLink("b1", "box")
    box.settled(1, 4, 10)
    box.tumbled(2, 10)
    assert box.take(BoxAsk(), 2500) == [
        Hello(1, "b1", "box", 3, 1),
        Pulse("b1", 2500, 2),
        Shows("b1", 1, 4),
        Shows("b1", 2, 0),
        Shows("b1", 3, 0),
    ]


def test_a_box_holds_32_and_says_hello_when_it_forgets() -> None:
    box = BoxLink("b1", "box")
    for _ in range(KEPT):
        assert len(box.tumbled(1, 10)) == 1
    assert box.tumbled(1, 10)[1:] == [Hello(1, "b1", "box", 3, 2)]
    assert len(box.tick(999)) == 1 + KEPT


def test_a_pulse_marks_each_second() -> None:
    box = BoxLink("b1", "box")
    assert [box.tick(ms) for ms in (0, 500, 999, 1000, 1001, 2100)] == [
        [Pulse("b1", 0, 0)],
        [],
        [],
        [Pulse("b1", 1000, 0)],
        [],
        [Pulse("b1", 2100, 0)],
    ]
