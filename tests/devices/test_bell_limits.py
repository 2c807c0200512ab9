"""The bell stays safe however it is asked for; and the end of a round can always be heard."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.devices.bell.limits import (
    BUDGET_MS,
    GAP_MS,
    LONGEST_MS,
    MINUTE_MS,
    RESERVED_ENDS,
    STROKES,
    BellNeedsRest,
    BellPolicy,
    BellStillSounds,
    RingPurpose,
    RingRefused,
    RingRequest,
    RingTooLate,
    RungAlready,
    length_ms,
    shortened,
    strokes,
)
from pi_bunco.devices.protocols import Blast, Blasts
from pi_bunco.rules.ruleset import Signal

Span = tuple[float, float]
Wish = tuple[float, RingPurpose, Signal, int]
END_TAKES_MS = 2000

signals: st.SearchStrategy[Signal] = st.sampled_from(("bell", "horn", "bell+horn"))
purposes: st.SearchStrategy[RingPurpose] = st.sampled_from(("start", "end", "test"))
wishes: st.SearchStrategy[list[Wish]] = st.lists(
    st.tuples(
        st.floats(0, 1000) | st.sampled_from((0.0, 1.0, 199.0, 200.0, 5000.0, 59_000.0)),
        purposes,
        signals,
        st.integers(0, 40),
    ),
    max_size=80,
)


class Relay:
    """A relay that follows every ring to the letter: each new one cuts the one before."""

    def __init__(self) -> None:
        self.on: list[Span] = []

    def follow(self, now: float, ring: Blasts) -> None:
        self.on = [(start, min(stop, now)) for start, stop in self.on if start < now]
        at = now + ring.wait_ms
        for blast in ring.pattern:
            self.on.append((at, at + blast.on_ms))
            at += blast.on_ms + blast.off_ms

    def within(self, start: float, stop: float) -> float:
        return sum(max(0.0, min(off, stop) - max(on, start)) for on, off in self.on)


@given(wishes)
def test_no_minute_and_no_blast_is_over_the_limit(wishes: list[Wish]) -> None:
    policy, relay, now = BellPolicy(), Relay(), 0.0
    for pause, purpose, signal, name in wishes:
        now += pause
        answer = policy.decide(now, RingRequest(str(name), purpose, signal))
        if isinstance(answer, Blasts):
            relay.follow(now, answer)
    for start, stop in relay.on:
        assert stop - start <= LONGEST_MS
        for edge in (start, stop - MINUTE_MS):
            assert relay.within(edge, edge + MINUTE_MS) <= BUDGET_MS + 1e-6
    for (_, off), (on, _) in zip(relay.on, relay.on[1:], strict=False):
        assert on - off >= 100 - 1e-6, "a relay rests between two blasts"


@given(wishes)
def test_the_end_rings_in_full_whatever_was_asked_before(wishes: list[Wish]) -> None:
    policy, now = BellPolicy(), 0.0
    ends: list[float] = []
    for number, (pause, purpose, other, _) in enumerate(wishes):
        now += pause
        ends = [at for at in ends if at > now - MINUTE_MS - GAP_MS - END_TAKES_MS]
        if purpose == "end" and len(ends) >= RESERVED_ENDS:
            continue
        request = RingRequest(str(number), purpose, other)
        answer = policy.decide(now, request)
        if purpose == "end":
            ends.append(now)
            assert isinstance(answer, Blasts)
            assert answer.pattern == strokes("end", request.signal)
            assert answer.wait_ms <= GAP_MS + 1


def test_a_ring_is_given_once() -> None:
    policy, request = BellPolicy(), RingRequest("r2-end", "end", "horn")
    assert policy.decide(0, request) == Blasts("r2-end", strokes("end", "horn"))
    assert policy.decide(99_999, request) == RingRefused(RungAlready("r2-end"))


def test_a_late_request_is_silent_and_may_not_be_held_against_the_next() -> None:
    policy = BellPolicy()
    late = RingRequest("r1", "start", "bell", not_after=1000)
    assert policy.decide(1001, late) == RingRefused(RingTooLate("r1"))
    assert policy.decide(1000, late) == Blasts("r1", strokes("start", "bell"))


def test_a_test_does_not_cut_and_an_end_does() -> None:
    policy = BellPolicy()
    assert isinstance(policy.decide(0, RingRequest("start", "start", "bell")), Blasts)
    assert policy.decide(900, RingRequest("t1", "test", "bell")) == RingRefused(BellStillSounds())
    assert policy.decide(900, RingRequest("end", "end", "bell+horn")) == Blasts(
        "end", strokes("end", "bell+horn"), wait_ms=200
    )


@pytest.mark.parametrize("purpose", STROKES)
def test_the_bell_sounds_until_its_last_stroke_has_ended(purpose: RingPurpose) -> None:
    policy, pattern = BellPolicy(), strokes(purpose, "bell")
    policy.decide(0, RingRequest("first", purpose, "bell"))
    quiet = length_ms(pattern) - pattern[-1].off_ms + GAP_MS
    early, later = (RingRequest(name, "test", "bell") for name in ("early", "later"))
    assert isinstance(policy.decide(quiet - 1, early), RingRefused)
    assert isinstance(policy.decide(quiet, later), Blasts)


def test_tests_leave_the_ends_their_part() -> None:
    policy, rung, now = BellPolicy(), 0, 0.0
    for number in range(100):
        now += 550
        rung += isinstance(policy.decide(now, RingRequest(str(number), "test", "bell")), Blasts)
    assert rung == (BUDGET_MS - RESERVED_ENDS * 1500) // 300
    assert policy.decide(now, RingRequest("again", "test", "bell")) == RingRefused(BellNeedsRest())
    assert isinstance(policy.decide(now + MINUTE_MS, RingRequest("later", "test", "bell")), Blasts)


def test_more_ends_than_any_evening_has_are_shortened_then_refused() -> None:
    policy = BellPolicy()
    assert isinstance(policy.decide(0, RingRequest("test", "test", "horn")), Blasts)
    answers = [policy.decide(n * 3000, RingRequest(str(n), "end", "horn")) for n in range(1, 10)]
    patterns = [answer.pattern for answer in answers if isinstance(answer, Blasts)]
    shortened_end = (Blast("horn", 500, 200), Blast("horn", 500, 200), Blast("horn", 200, 0))
    assert patterns == [strokes("end", "horn")] * 7 + [shortened_end]
    assert isinstance(answers[8], RingRefused)


def test_each_purpose_sounds_different_and_fits() -> None:
    patterns = {strokes(purpose, "bell") for purpose in STROKES}
    assert len(patterns) == 3
    assert all(shortened(pattern, LONGEST_MS) == pattern for pattern in patterns)


@given(
    st.lists(st.builds(Blast, signals, st.integers(-5, 9999), st.integers(-5, 9999))), st.integers(-5, 9999)
)
def test_shortened_keeps_the_beginning(pattern: list[Blast], most: int) -> None:
    kept = shortened(pattern, most)
    assert sum(blast.on_ms for blast in kept) <= max(most, 0)
    assert all(blast.on_ms > 0 and blast.off_ms >= 0 for blast in kept)
    assert [blast.on_ms for blast in kept[:-1]] == [blast.on_ms for blast in pattern[: len(kept)]][:-1]
