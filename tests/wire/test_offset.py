from dataclasses import dataclass
from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pi_bunco.wire.messages import BootOffset, ClockBefore, ClockReply
from pi_bunco.wire.offset import MAX_EXCHANGES, Clocks, Offset, agreed, next_exchange

waits = st.floats(0, 500)


@dataclass
class Halls:
    """Two clocks: the head's is ahead by `ahead` and drifts by `drift` ms per ms of the table's."""

    ahead: float
    drift: float

    def offset(self, here: float) -> float:
        return self.ahead + self.drift * here

    def there(self, here: float) -> float:
        return here + self.offset(here)


halls = st.builds(Halls, st.floats(-1e7, 1e7), st.floats(-50e-6, 50e-6))
exchanges = st.lists(st.tuples(waits, waits, waits, st.floats(0, 2000)), min_size=1, max_size=60)


@given(halls, exchanges, st.floats(0, 600_000))
def test_the_bound_always_holds(
    halls: Halls, exchanges: list[tuple[float, float, float, float]], idle: float
) -> None:
    offset, now = Offset(), 1000.0
    for there, work, back, pause in exchanges:
        sent, heard, answered = now, now + there, now + there + work
        now = answered + back
        assert offset.add(sent, halls.there(heard), halls.there(answered), now)
        assert_holds(offset, halls, now)
        now += pause
    assert_holds(offset, halls, now + idle)


def assert_holds(offset: Offset, halls: Halls, now: float) -> None:
    estimate, err = measured(offset, now)
    assert abs(estimate - halls.offset(now)) <= err + 1e-6  # which floats of this size leave over


def measured(offset: Offset, now: float) -> tuple[float, float]:
    estimate = offset.estimate(now)
    assert estimate is not None
    return estimate


@given(halls, st.lists(st.tuples(waits, waits), min_size=17, max_size=40))
def test_the_quickest_of_the_last_sixteen_counts(halls: Halls, trips: list[tuple[float, float]]) -> None:
    steady = Halls(halls.ahead, 0.0)
    offset, now = Offset(), 0.0
    for there, back in trips:
        offset.add(now, steady.there(now + there), steady.there(now + there), now + there + back)
        now += 1000
    quickest = min(there + back for there, back in trips[-16:])
    assert -1e-6 <= measured(offset, now)[1] - quickest / 2 <= 16_000 * 50e-6 + 1e-6


def test_one_quick_exchange_beats_many_slow_ones() -> None:
    offset = Offset()
    offset.add(0, 1000 + 40, 1000 + 40, 41)  # 40 ms there, 1 ms back
    offset.add(100, 1100 + 1, 1100 + 1, 102)
    offset.add(200, 1200 + 1, 1200 + 1, 260)
    assert measured(offset, 102) == pytest.approx((1000, 1 + 2 * 50e-6))


def test_the_bound_grows_with_age() -> None:
    offset = Offset()
    offset.add(0, 500, 500, 2)
    assert measured(offset, 2) == pytest.approx((499, 1 + 0.0001))
    assert measured(offset, 20_000) == pytest.approx((499, 1 + 1.0))


def test_offset_is_unknown_before_the_first_exchange() -> None:
    assert Offset().estimate(5.0) is None


def test_a_new_boot_or_session_starts_afresh() -> None:
    offset = Offset()
    assert offset.begin("head-1", 0)
    offset.add(0, 500, 500, 2)
    assert not offset.begin("head-1", 10)
    assert offset.estimate(10) is not None
    assert offset.begin("head-2", 20)
    assert offset.estimate(20) is None


def test_an_answer_to_a_question_of_the_old_session_is_not_taken() -> None:
    offset = Offset()
    offset.begin("head-1", 0)
    offset.begin("head-2", 20)
    assert not offset.add(19, 500, 500, 25)
    assert offset.estimate(30) is None
    assert offset.add(20, 500, 500, 25)


@pytest.mark.parametrize(
    "times",
    [(10, 500, 500, 9), (0, 500, 499, 2), (0, 500, 504, 2)],
    ids=["local clock ran back", "head's clock ran back", "answered longer than it was away"],
)
def test_impossible_times_are_not_taken(times: tuple[float, float, float, float]) -> None:
    offset = Offset()
    assert not offset.add(*times)
    assert offset.estimate(100) is None


@given(st.floats(0, 1e9), st.floats(0, 5000))
def test_schedule_over_a_minute(connected: float, late: float) -> None:
    """Played with a loop that comes round `late`: never two at once, never more than a minute's worth."""
    due, sent = connected, list[float]()
    while due < connected + 60_000:
        sent.append(due + late)
        due = next_exchange(sent[-1], connected + 4000)
    assert all(b - a >= 250 - 1e-3 for a, b in pairwise(sent))
    assert len(sent) <= 16 + 56 + 1  # one more where rounding lets the last one in


def test_four_a_second_for_four_seconds_then_one() -> None:
    sent = [1000.0]
    while len(sent) < 20:
        sent.append(next_exchange(sent[-1], 5000.0))
    gaps = [b - a for a, b in pairwise(sent)]
    assert gaps == [250.0] * 16 + [1000.0] * 3


def test_a_new_link_is_measured_at_once() -> None:
    assert next_exchange(None, inf) < 0


def clocks_of(*heads: tuple[str, float, int]) -> Clocks:
    """A table that has compared its clock with each head (boot, `began`, `since`), 1000 ms behind it."""
    clocks = Clocks("table-1", None)
    for now, (head, began, since) in enumerate(heads, 10_000):
        before = tuple(ClockBefore(*clock) for clock in heads[: now - 10_000])
        clocks.answered(ClockReply(now, head, now + 1000, now + 1000, "e1", began, since, before), now)
    return clocks


def test_the_present_time_is_by_the_last_clock_alone() -> None:
    """A clock may have gone further back than the one before it: that one does not tell what it shows."""
    clocks = clocks_of(("head-1", 500, 0), ("head-2", 700, 5000))
    assert clocks.present_t("e1", 20_000) == 20_300
    kept = clocks.plain
    kept["offsets"] = kept["offsets"][:1]  # of the head before
    assert Clocks("table-1", kept).present_t("e1", 20_000) is None


def test_what_was_before_a_clock_that_alone_was_measured_is_no_sure_time_of_it() -> None:
    """Trace: a head that lost its power goes on at 5497; a throw of the time without a head, at a table of
    which the head before never answered, counted as 5362, when the evening had been closed for 0.2 s.
    The clock before stood still without power: it was between what the new one would have been, and 5497.
    """
    clocks = clocks_of(("head-2", 500, 5497))
    assert clocks.t("e1", "table-1", 4_997) == (5497, 0.25)
    assert clocks.t("e1", "table-1", 4_862) == (5497, 135.26)


def test_what_was_before_a_clock_is_by_the_one_before_and_at_the_latest_when_the_next_began() -> None:
    clocks = clocks_of(("head-1", 500, 0), ("head-2", -2_000, 5497))
    assert clocks.t("e1", "table-1", 2_496) == (2_996, 0.38)
    assert clocks.t("e1", "table-1", 0) == (500, 0.5)


def test_what_comes_after_a_clock_is_not_before_the_next_began_that_was_never_measured() -> None:
    """Trace: a head lost its power after the bell; a table played on, and lost its own before the head was
    back. Those throws had no bound and counted as made by the bell, though the clock before denies it.
    """
    before = clocks_of(("head-1", 500, 0))
    clocks = Clocks("table-2", before.plain)
    clocks.answered(
        ClockReply(100, "head-2", 9100, 9100, "e1", -4_000, 5_497, (ClockBefore("head-1", 500, 0),)),
        100,
    )
    t, earlier = timed(clocks, "table-1", 7_000)
    assert t == 7_500
    assert t - earlier == pytest.approx(5_497, abs=5)
    assert clocks.t("e1", "table-1", 4_000) == (4_500, 0.3)


@pytest.mark.parametrize(("ahead", "t"), [(1_000, 5_497), (3_000, 7_000), (4_000, 7_500)])
def test_what_an_earlier_boot_made_was_made_before_this_one_began(ahead: int, t: int) -> None:
    """Trace: the head's Pi lost its power, and its clock went on further back for want of a table; throws of
    the table on it from before were timed by the clock before, behind the bell that rang then.
    """
    clocks = Clocks("table-2", clocks_of(("head-1", 500, 0)).plain)
    asked, before = 10.0, (ClockBefore("head-1", 500, 0),)
    reply = ClockReply(asked, "head-2", asked + ahead, asked + ahead, "e1", -4_000, 5_497, before)
    clocks.answered(reply, asked)
    latest, earlier = timed(clocks, "table-1", 7_000)
    assert latest == t
    assert latest - earlier == pytest.approx(5_497, abs=1)


def test_what_surely_was_made_behind_the_start_of_a_clock_by_the_one_before_is_no_earlier() -> None:
    """Trace: a head lost its power behind the close of the evening, and the next clock began 1 ms later:
    by a bound of 2 ms a throw of 5 s later may have been of before.
    """
    clocks = clocks_of(("head-1", 500, 0), ("head-2", 9_000, 5_497))
    assert clocks.t("e1", "table-1", 8_000) == (5_497, 0.0)
    assert clocks.t("e1", "table-1", 8_000, late=2_000) == (5_497, 0.0)
    assert clocks.t("e1", "table-1", 8_000, late=4_000) == (5_497, 4_000.1)
    assert clocks.t("e1", "table-1", 4_997) == (5_497, 0.25)


@pytest.mark.parametrize("fraction", [0.0, 0.3, 0.6, 0.9])
def test_the_bound_of_a_time_in_whole_ms_reaches_back_as_far_as_it_may_have_been(fraction: float) -> None:
    """Trace: a bell rang as a clock began, and a throw that may be as early lay 0.3 ms behind it."""
    clocks = Clocks("table-2", clocks_of(("head-1", 500, 0)).plain)
    asked, before = 10.0, (ClockBefore("head-1", 500, 0),)
    ahead = asked + 3000 + fraction
    clocks.answered(ClockReply(asked, "head-2", ahead, ahead, "e1", -4_000, 5_497, before), asked)
    latest, earlier = timed(clocks, "table-1", 7_000)
    assert 5_496.98 <= latest - earlier <= 5_497


def test_what_comes_after_a_clock_is_before_the_next_one_though_the_table_never_met_its_head() -> None:
    """Trace: a head lost its power; a table played on, lost its own, and heard of the next head's clock only
    from the one after that. Its throws were timed by the first clock beyond its end, into a time in which
    the evening was closed, and set aside.
    """
    clocks = Clocks("table-2", clocks_of(("head-1", 500, 0)).plain)
    before = (ClockBefore("head-1", 500, 0), ClockBefore("head-2", -4_000, 5_497))
    reply = ClockReply(100, "head-3", 1100, 1100, "e1", -12_000, 14_000, before)
    clocks.answered(reply, 100)
    t, earlier = timed(clocks, "table-1", 8_000)
    assert t - earlier == pytest.approx(5_497, abs=5)
    assert clocks.t("e1", "table-2", 14_000) == (27_000, 0.7)
    assert not clocks.answered(reply, 200)


def test_two_heads_that_another_table_met_are_compared_by_its_word() -> None:
    """Trace: throws of a boot that met the head before alone were timed no later than the next head's clock
    began, so that they counted though they were made after the bell.
    """
    clocks = Clocks("table-2", clocks_of(("head-1", 500, 0)).plain)
    other = clocks_of(("head-1", 500, 0), ("head-2", -4_000, 5_497)).links
    clocks.answered(
        ClockReply(100, "head-2", 1100, 1100, "e1", -4_000, 5_497, (ClockBefore("head-1", 500, 0),), other),
        100,
    )
    t, earlier = timed(clocks, "table-1", 7_000)
    assert t == 12_000
    assert earlier < 2


@pytest.mark.parametrize("pair", [("head-1", "head-2"), ("head-2", "head-1")])
def test_no_others_word_goes_before_what_a_table_compared_itself(pair: tuple[str, str]) -> None:
    """Trace: somebody with one table's account told that two heads' clocks were a minute apart, surely, and
    the head told all: throws that another table had made by the first one's clock were a minute earlier.
    """
    clocks = clocks_of(("head-1", 500, 0), ("head-2", -4_000, 30_000))
    honest, links = timed(clocks, "table-1", 12_000), clocks.links
    lie = BootOffset(*pair, 60_000, 0, 13_000)
    before = (ClockBefore("head-1", 500, 0),)
    clocks.answered(
        ClockReply(20_000, "head-2", 21_000, 21_000, "e1", -4_000, 30_000, before, (lie,)), 20_000
    )
    assert timed(clocks, "table-1", 12_000) == honest
    assert set(links) <= set(clocks.links)


def test_of_what_others_compared_that_counts_which_two_tell_alike_as_sure_as_the_less_sure_one() -> None:
    one, other = BootOffset("a", "b", 1_000, 1, 0), BootOffset("b", "a", -1_002, 2, 1_002)
    lie = BootOffset("a", "b", 60_000, 0, 0)
    assert agreed([(one,), (lie,)]) == ()
    assert agreed([(one, one, lie, lie)]) == ()
    assert agreed([(one,), (lie,), (other,)]) == (BootOffset("a", "b", 1_000, 2, 0),)
    assert agreed([(one,), (replace(lie, err=1e9),)]) == (replace(one, err=1e9),)


def test_a_clock_that_was_never_met_is_between_those_before_and_behind() -> None:
    """Trace: a table was cut off while a head came, rang and went; what it threw then was timed as made when
    that head's clock began, before the bell, although the clocks around it tell the time to 20 ms.
    """
    clocks = clocks_of(("head-1", 500, 0))
    before = (ClockBefore("head-1", 500, 0), ClockBefore("head-2", -4_000, 5_497))
    clocks.answered(ClockReply(30_000, "head-3", 90, 90, "e1", -30_400, 14_000, before), 30_000)
    t, earlier = timed(clocks, "table-1", 9_000)
    assert t == 9_500
    assert earlier == pytest.approx(10, abs=3)


def test_comparisons_lead_on_over_boots_and_tables_that_nobody_met_together() -> None:
    one, two, three = ("head-1", 500, 0), ("head-2", -4_000, 5_497), ("head-3", -9_000, 20_000)
    clocks = Clocks("table-2", clocks_of(one).plain)
    before = tuple(ClockBefore(boot, began, since) for boot, began, since in (one, two))
    links = clocks_of(one, two).links + clocks_of(two, three).links
    clocks.answered(ClockReply(100, "head-3", 1100, 1100, "e1", -9_000, 20_000, before, links), 100)
    assert timed(clocks, "table-1", 7_000)[0] == 12_000
    assert timed(clocks, "table-1", 13_000)[0] == 23_000
    assert set(clocks.links) == set(links)


def test_a_clock_that_the_log_does_not_hold_any_more_tells_no_time() -> None:
    """Trace: a head's card lost the clock of a boot, and the next head went on along another fork; a table
    that had learnt the lost one timed its throws by that into a time in which the evening was closed.
    """
    clocks = clocks_of(("head-1", 500, 0), ("head-2", -4_000, 5_497))
    assert timed(clocks, "table-1", 6_000)[0] == 11_000
    kept = (ClockBefore("head-1", 500, 0),)
    clocks.answered(ClockReply(30_000, "head-3", 90, 90, "e1", -30_400, 31_000, kept), 30_000)
    assert timed(clocks, "table-1", 6_000)[0] == 6_500


def test_a_start_that_is_answered_slowly_keeps_what_an_earlier_one_compared() -> None:
    """Trace: a table knew its head to 2 ms and was killed; the link got slow, and the first answer to its
    next start was 1.6 s under way. What that told, 800 ms off, took the place of what was known; the head
    lost its power, and a throw made 0.1 s after the bell counted.
    """
    kept = clocks_of(("head-1", 500, 0)).plain
    again = Clocks("table-1", kept)
    slow = ClockReply(20_000, "head-1", 21_000, 21_000, "e1", 500, 0)
    assert not again.answered(slow, 21_600)
    assert timed(again, "table-1", 20_000) == (20_500, 0.5)
    assert again.plain == kept


def test_a_clock_that_went_otherwise_than_thought_is_as_compared_last() -> None:
    kept = clocks_of(("head-1", 500, 0)).plain
    again = Clocks("table-1", kept)
    assert again.answered(ClockReply(20_000, "head-1", 21_100, 21_100, "e1", 500, 0), 20_004)
    assert timed(again, "table-1", 20_000) == (20_598, 2.0)


def test_a_comparison_of_long_ago_is_stored_anew_for_the_drift_since() -> None:
    """Trace: three hours into the evening the head loses its power; what was thrown just before was timed by
    what had been stored at the start, 540 ms off at worst, and counted as made by the bell.
    """
    clocks = clocks_of(("head-1", 500, 0))
    late = 3 * 3_600_000
    for now in (20_000, *range(late, late + MAX_EXCHANGES)):
        clocks.answered(ClockReply(now, "head-1", now + 1000, now + 1000, "e1", 500, 0), now)
    again = Clocks("table-2", clocks.plain)
    assert timed(again, "table-1", late - 5_000) == (late - 4_500, 0.25)


def timed(clocks: Clocks, boot: str, up: float) -> tuple[int, float]:
    found = clocks.t("e1", boot, up)
    assert found is not None
    return found
