"""A box and its host without a port: every byte passes through the test's hands."""

import random
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from devices.simulated_box import SimulatedBox
from pi_bunco.devices.protocols import (
    AllReported,
    DiceEvent,
    DiceState,
    ThreeFaces,
    Throw,
    ThrowMark,
    ThrowVoid,
)
from pi_bunco.devices.throws.box_link import encode
from pi_bunco.devices.throws.dicebox import DRIFT_PER_MS, MEASURE_MS, BoxTime, DiceBox
from pi_bunco.devices.throws.reasons import BoxRestarted, NotSettled
from pi_bunco.devices.throws.throw_rule import LIMIT_MS
from thorough import times

FRESH = [DiceState(die, "ok") for die in (1, 2, 3)]


def whole(data: bytes) -> bytes:
    return data


def nothing(data: bytes) -> bytes:
    return b""


def without(kind: bytes) -> Callable[[bytes], bytes]:
    return lambda data: b"".join(line for line in data.splitlines(True) if not line.startswith(kind))


class Bench:
    """A simulated box that booted at 5000 ms, its host, and what the host reported; a step is 50 ms."""

    def __init__(self, run_ms: float = 0, taken: bool = False, commit: bool = True) -> None:
        self.now = 5000.0
        self.box = SimulatedBox(random.Random(1), self.now)
        self.damage: Callable[[bytes], bytes] = whole
        self.events: list[DiceEvent] = []
        self.commit = commit
        self.host_restarts(None)
        self.run(run_ms)
        if taken:
            self.take()

    def host_restarts(self, resume: ThrowMark | None) -> None:
        self.host = DiceBox(resume)
        self.host.plugged(self.now)

    def run(self, ms: float) -> None:
        for _ in range(int(ms / 50)):
            self.now += 50
            found = self.host.hear(self.damage(self.box.outgoing(self.now)), self.now)
            found += self.host.tick(self.now)
            for event in found:
                if self.commit and isinstance(event, Throw) and event.mark:
                    self.host.committed(event.mark)
            self.events += found
            self.box.hear(self.damage(self.host.outgoing()), self.now)

    def roll(self, faces: ThreeFaces, run_ms: float = 0) -> None:
        self.box.roll(faces, self.now)
        self.run(run_ms)

    def tumble(self) -> None:
        for die in (1, 2, 3):
            self.box.tumble(die, self.now)

    def take(self) -> list[DiceEvent]:
        events, self.events = self.events, []
        return events

    def throws(self) -> list[ThreeFaces]:
        return [event.faces for event in self.take() if isinstance(event, Throw)]

    def throw(self) -> Throw:
        """The only one that was reported."""
        (throw,) = [event for event in self.take() if isinstance(event, Throw)]
        return throw

    def outcomes(self, patience_ms: float) -> list[Throw | ThrowVoid]:
        """The outcomes of the throw in progress."""
        end = self.now + patience_ms
        found: list[Throw | ThrowVoid] = []
        while not found and self.now < end:
            self.run(50)
            found = [event for event in self.take() if isinstance(event, Throw | ThrowVoid)]
        return found

    def held(self) -> bool:
        """True if the box still holds something that it would send again."""
        self.box.outgoing(self.now)
        again = self.box.outgoing(self.now + 201)
        return b"$B" in again or b"$R" in again or b"$X" in again


def test_dice_are_heard_and_thrown() -> None:
    bench = Bench(run_ms=1000)
    assert bench.take() == FRESH
    bench.roll((1, 4, 6), run_ms=100)
    throw = bench.throw()
    assert (throw.faces, throw.began, throw.settled) == ((1, 4, 6), 6000, 6000)
    assert throw.mark
    assert throw.mark.seq == 6
    assert not bench.held()


def test_a_throw_that_is_not_committed_stays_with_the_box() -> None:
    bench = Bench(run_ms=500, commit=False)
    bench.roll((1, 4, 6), run_ms=1000)
    assert bench.throws() == [(1, 4, 6)]
    assert bench.held()


def test_a_box_that_restarts_in_a_throw_voids_it() -> None:
    bench = Bench(run_ms=500)
    bench.tumble()
    bench.box.settle(1, 4, bench.now)
    bench.run(100)
    bench.take()
    bench.box.reboot(bench.now)
    bench.run(100)
    assert bench.take() == [ThrowVoid.because(BoxRestarted(), 5650)]
    bench.box.settle(2, 5, bench.now)
    bench.roll((2, 2, 2), run_ms=100)
    assert bench.throws() == [(2, 2, 2)]


def test_a_host_that_restarts_in_a_throw_hears_all_of_it_once() -> None:
    bench = Bench(run_ms=1000)
    bench.roll((1, 1, 1), run_ms=500)
    first = bench.throw()
    bench.tumble()
    bench.box.settle(1, 4, bench.now)
    bench.run(500)
    bench.host_restarts(first.mark)
    bench.run(500)
    bench.box.settle(2, 5, bench.now)
    bench.box.settle(3, 6, bench.now)
    bench.run(500)
    throw = bench.throw()
    assert throw.faces == (4, 5, 6)
    assert throw.mark
    assert throw.mark.seq == 12


def test_a_stored_throw_is_not_heard_again_though_its_acknowledgement_was_lost() -> None:
    bench = Bench(run_ms=500, commit=False)
    bench.roll((1, 1, 1), run_ms=500)
    first = bench.throw()
    assert bench.held()
    bench.host_restarts(first.mark)
    bench.run(500)
    assert bench.throws() == []


def test_a_throw_made_while_the_host_was_down_comes_later_and_whole() -> None:
    bench = Bench(run_ms=1000)
    bench.damage = nothing
    bench.roll((3, 4, 5), run_ms=30_000)
    bench.host_restarts(None)
    bench.damage = whole
    bench.take()
    bench.run(1000)
    throw = bench.throw()
    assert throw.faces == (3, 4, 5)
    assert throw.err is not None
    assert 0 <= throw.settled - 6000 <= throw.err <= 110, "the answer to the question tells when it was"


def test_a_message_that_was_held_up_has_the_time_when_it_happened() -> None:
    bench = Bench(run_ms=3000)
    bench.damage = nothing
    bench.roll((3, 4, 5), run_ms=1500)
    bench.damage = whole
    bench.run(500)
    throw = bench.throw()
    assert throw.settled == 8000


def test_a_hello_that_comes_late_does_not_make_throws_young() -> None:
    bench = Bench()
    bench.damage = without(b"$H")
    bench.run(1000)
    bench.roll((3, 4, 5), run_ms=5000)
    assert bench.throws() == []
    bench.damage = whole
    bench.run(1000)
    throw = bench.throw()
    assert throw.settled == 6000


def test_times_of_a_new_boot_are_counted_afresh() -> None:
    bench = Bench(run_ms=2000)
    bench.box.reboot(bench.now)
    bench.run(2000)
    bench.take()
    bench.roll((3, 4, 5), run_ms=100)
    throw = bench.throw()
    assert throw.settled == 9000


def test_a_time_that_nothing_bounds_yet_says_so() -> None:
    """A pulse that was sent before the question bounds nothing: it may have waited in the port."""
    host = DiceBox()
    host.plugged(9000)
    lines = [
        "H,1,b1,box,3,1", "B,b1,1,1,100", "B,b1,2,2,100", "B,b1,3,3,100",
        "R,b1,4,1,1,200", "R,b1,5,2,2,200", "R,b1,6,3,3,200",
    ]  # fmt: skip
    (throw,) = [one for line in lines for one in host.hear(encode(line), 9100) if isinstance(one, Throw)]
    assert throw.err is None


def test_the_time_of_a_throw_stays_bounded_though_the_clocks_drift() -> None:
    bench = Bench(run_ms=4 * MEASURE_MS, taken=True)
    bench.roll((3, 4, 5), run_ms=100)
    err = bench.throw().err
    assert err is not None
    assert err <= 50 + DRIFT_PER_MS * (MEASURE_MS + 1000)


def all_reported(events: list[DiceEvent]) -> list[Throw | AllReported]:
    return [event for event in events if isinstance(event, Throw | AllReported)]


def test_all_that_was_made_before_a_moment_is_reported_before_that_is_said() -> None:
    bench = Bench(run_ms=1000)
    bench.roll((3, 4, 5))
    bench.damage = without(b"$R")
    bench.run(100)
    at = bench.now
    bench.host.report_until(at, bench.now)
    bench.run(150)
    assert all_reported(bench.take()) == []  # the pulse has come, which tells of lines that are missing
    bench.damage = whole
    bench.run(300)
    throw, said = all_reported(bench.take())
    assert isinstance(throw, Throw)
    assert said == AllReported(at)


def test_with_nothing_under_way_it_takes_one_answer() -> None:
    bench = Bench(run_ms=1000, taken=True)
    bench.host.report_until(bench.now, bench.now)
    bench.box.hear(bench.host.outgoing(), bench.now)
    bench.run(50)
    assert all_reported(bench.take()) == [AllReported(6000)]
    bench.host.report_until(bench.now, bench.now)  # as soon after the last question
    bench.box.hear(bench.host.outgoing(), bench.now)
    bench.run(50)
    assert all_reported(bench.take()) == [AllReported(6050)]


def test_a_table_that_has_just_started_waits_for_the_box_before_it_says_so() -> None:
    bench = Bench(run_ms=500)
    bench.damage = nothing
    bench.roll((3, 4, 5), run_ms=1000)
    bench.host_restarts(None)
    bench.take()
    bench.host.report_until(bench.now, bench.now)
    bench.run(1000)
    assert all_reported(bench.take()) == []
    bench.damage = whole
    bench.run(1000)
    assert [type(event) for event in all_reported(bench.take())] == [Throw, AllReported]


def test_link_that_is_down_is_not_waited_for() -> None:
    bench = Bench(run_ms=1000)
    bench.damage = nothing
    bench.run(500)
    bench.take()
    bench.host.report_until(bench.now, bench.now)
    bench.run(2000)
    assert all_reported(bench.take()) == []
    bench.run(1000)
    assert all_reported(bench.take()) == [AllReported(6500)]


def test_a_box_that_restarts_has_nothing_more_of_before() -> None:
    bench = Bench(run_ms=1000)
    bench.host.report_until(bench.now + 10_000, bench.now)
    bench.run(500)
    bench.take()
    bench.box.reboot(bench.now)
    bench.run(100)
    assert all_reported(bench.take()) == [AllReported(16_000)]


def test_a_die_on_the_floor_voids_the_throw_and_leaves_nothing_behind() -> None:
    bench = Bench(run_ms=500)
    bench.box.drop(2, bench.now)
    bench.run(11_000)
    assert [event for event in bench.take() if isinstance(event, ThrowVoid)] == [
        ThrowVoid.because(NotSettled(2), 15_500)
    ]
    assert not bench.held()
    bench.roll((6, 6, 6), run_ms=100)
    assert bench.throws() == [(6, 6, 6)]


def test_a_throw_is_not_voided_while_its_end_is_still_on_the_way() -> None:
    bench = Bench(run_ms=2000)
    bench.tumble()
    bench.run(9850)
    bench.box.settle(1, 3, bench.now)
    bench.run(50)
    bench.damage = nothing
    bench.box.settle(2, 3, bench.now)
    bench.box.settle(3, 3, bench.now)
    bench.run(200)
    bench.damage = whole
    bench.run(250)
    assert bench.now > 7000 + LIMIT_MS
    assert [type(event) for event in bench.take()] == [DiceState] * 3 + [Throw]


def test_more_than_the_box_can_hold_costs_old_throws_only() -> None:
    bench = Bench(run_ms=500)
    bench.damage = nothing
    for face in (1, 2, 3, 4, 5, 6):
        bench.roll((face, face, face), run_ms=50)
    bench.damage = whole
    bench.run(2000)
    assert bench.throws() == [(face, face, face) for face in (2, 3, 4, 5, 6)]
    assert not bench.held()


def test_a_throw_with_a_hole_in_it_is_void() -> None:
    bench = Bench(run_ms=500)
    bench.box.tumble(1, bench.now)
    bench.run(100)
    bench.take()
    bench.damage = nothing
    for _ in range(33):
        bench.box.tumble(2, bench.now)
    bench.run(100)
    bench.damage = whole
    bench.run(1000)
    assert isinstance(bench.take()[0], ThrowVoid)


def test_a_throw_of_an_earlier_boot_does_not_keep_the_box_waiting() -> None:
    bench = Bench(run_ms=500, commit=False)
    bench.roll((1, 1, 1), run_ms=100)
    bench.box.reboot(bench.now)
    bench.run(500)
    bench.box.settle(1, 5, bench.now)
    bench.run(500)
    assert not bench.held()


def test_faces_that_were_not_understood_are_asked_for_again() -> None:
    bench = Bench()
    bench.damage = without(b"$F")
    bench.run(1000)
    assert bench.take() == []
    bench.damage = whole
    bench.run(1000)
    assert bench.take() == FRESH


def test_states_of_dice() -> None:
    bench = Bench(run_ms=500, taken=True)
    bench.box.unsure(1, "weak", bench.now)
    bench.box.unsure(2, "cocked", bench.now)
    bench.box.unsure(3, "on fire", bench.now)
    bench.run(100)
    assert bench.take() == [DiceState(1, "weak"), DiceState(2, "cocked"), DiceState(3, "fault")]
    bench.box.settle(1, 7, bench.now)
    bench.box.settle(2, 3, bench.now)
    bench.run(100)
    assert bench.take() == [DiceState(1, "fault"), DiceState(2, "ok")]
    assert not bench.held()


def test_silence_is_noticed_and_its_end_too() -> None:
    bench = Bench(run_ms=1000, taken=True)
    bench.damage = nothing
    bench.run(2900)
    assert bench.take() == []
    bench.run(200)
    assert bench.take() == [DiceState(die, "unheard") for die in (1, 2, 3)]
    bench.damage = whole
    bench.run(1600)
    assert bench.take() == FRESH


def test_dice_that_were_never_there_are_named() -> None:
    host = DiceBox()
    host.plugged(0)
    assert host.tick(1) == []
    assert host.tick(3000) == []
    assert host.tick(3001) == [DiceState(die, "unheard") for die in (1, 2, 3)]
    assert host.tick(6000) == []


def test_a_die_that_the_box_does_not_mention_is_unheard() -> None:
    host = DiceBox()
    host.plugged(0)
    host.tick(0)
    for now in range(0, 3001, 500):
        events = host.hear(encode("H,1,b1,box,2,1") + encode("F,b1,1,0") + encode("F,b1,2,5"), now)
        events += host.tick(now)
    assert events == [DiceState(3, "unheard")]


def test_lines_without_sense_report_nothing_and_are_skipped() -> None:
    host = DiceBox()
    lines = encode("H,1,b1,box,3,1") + encode("Z,1") + encode("R,b1,1,9,4,10") + b"OK\r\n"
    assert host.hear(lines, 0) == []
    assert host.skipped == 4


rolls = st.lists(st.tuples(*[st.integers(1, 6)] * 3), min_size=1, max_size=12)


@settings(max_examples=times(40))
@given(rolls, st.integers(), st.sampled_from((0.0, 0.01, 0.02)))
def test_through_a_bad_wire_every_roll_is_its_own_throw_or_openly_void(
    results: list[ThreeFaces], seed: int, rate: float
) -> None:
    bench, draw = Bench(), random.Random(seed)

    def damage(data: bytes) -> bytes:
        return bytes(draw.randrange(256) if draw.random() < rate else byte for byte in data)

    bench.damage = damage
    for faces in results:
        rolled = bench.now
        bench.box.roll(faces, rolled)
        outcomes = bench.outcomes(patience_ms=120_000)
        assert len(outcomes) == 1
        match outcomes[0]:
            case Throw(faces=seen):
                assert seen == faces
            case ThrowVoid():
                assert rate > 0
                assert bench.now >= rolled + LIMIT_MS
    bench.damage = whole
    bench.run(3000)
    assert bench.throws() == []
    assert not bench.held()


def test_a_throw_is_kept_that_ended_while_the_cable_was_out() -> None:
    bench = Bench(run_ms=1000)
    bench.tumble()
    bench.run(200)
    bench.take()
    bench.damage = nothing
    for die in (1, 2, 3):
        bench.box.settle(die, die, bench.now)
    bench.run(1000)
    bench.roll((4, 5, 6), run_ms=30_000)
    assert bench.throws() == []
    bench.damage = whole
    bench.run(2000)
    assert bench.throws() == [(1, 2, 3), (4, 5, 6)]


def test_a_time_that_was_moved_up_so_as_not_to_fall_is_within_its_bound() -> None:
    """Two pulses came late, a throw was timed by them; then the link was quick again."""
    clock = BoxTime()
    clock.arrived("boot", 0, 2000)
    clock.answered(0, 400)
    assert clock.at(2000) == 4000
    clock.arrived("boot", 2300, 2400)
    clock.answered(2300, 2390)
    truth = 2400
    given, err = clock.at(2300), clock.err(2400)
    assert (given, clock.estimate(2300)) == (4000, 2400)
    assert err is not None
    assert given - err <= truth <= given
