"""The log in whatever order it comes gives the evening that it is."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from game.drawn import logs
from game.evenings import fact, state
from pi_bunco.errors import FactError
from pi_bunco.game import codec
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.game.facts import Fact, Roll
from pi_bunco.game.reasons import NobodySeated
from pi_bunco.web.site.follow import AGAIN, Follower, LogPlace

OPEN = fact("evening", id="e1", rules="gong", players=["Ann", "Bob", "Cat", "Dee"])
SEATS = fact("seating", tables=[["Ann", "Bob", "Cat", "Dee"]])
START = fact("round_open", 1000)


def folded(log: Sequence[Fact]) -> Evening:
    evening = Evening()
    for one in log:
        try:
            apply(evening, one)
        except FactError:
            continue
    return evening


def following(*log: Fact) -> Follower:
    follower = Follower()
    follower.begin("e1")
    for n, one in enumerate(log, 1):
        follower.take(n, one, f"m{n}")
    return follower


@given(logs(), st.randoms(use_true_random=False))
def test_entries_in_any_order_and_repeated_fold_to_the_same_evening(log, random) -> None:  # type: ignore[no-untyped-def]
    entries = [*enumerate(log, 1), *random.sample(list(enumerate(log, 1)), len(log) // 2)]
    random.shuffle(entries)
    follower = Follower()
    follower.begin("e1")
    for n, one in entries:
        follower.take(n, one, f"m{n}")
    assert follower.log == list(log)
    assert follower.lag == 0
    assert state(follower.evening) == state(folded(log))


def test_a_gap_is_asked_for_from_the_entry_before_it_and_not_over_and_over() -> None:
    follower = following(OPEN)
    assert follower.take(3, START, "m3") == 0
    assert (follower.lag, follower.wanted(0)) == (2, 1)
    assert follower.wanted(AGAIN - 1) is None
    assert follower.wanted(AGAIN) == 1
    assert follower.take(2, SEATS, "m2") == 2
    assert follower.wanted(5 * AGAIN) is None
    assert follower.evening.state == "round_open"


def test_another_head_is_asked_for_the_last_entry_to_compare() -> None:
    follower = following(OPEN, SEATS)
    follower.compare()
    assert follower.wanted(0) == 2
    assert follower.wanted(AGAIN) == 2  # the head had not the end of its log yet, and said nothing
    assert follower.take(2, SEATS, "m2") == 0
    assert follower.wanted(2 * AGAIN) is None


def test_an_entry_that_differs_has_all_asked_for_again() -> None:
    follower = following(OPEN, SEATS, START)
    assert follower.take(3, fact("pause", 500, minutes=5), "other") == -1
    assert (follower.place.n, follower.wanted(0)) == (0, 1)
    for n, one, mac in ((1, OPEN, "m1"), (2, SEATS, "m2"), (3, fact("pause", 500, minutes=5), "other")):
        follower.take(n, one, mac)
    assert follower.evening.state == "break"


def test_an_entry_behind_another_one_than_the_last_has_all_asked_for_again() -> None:
    follower = following(OPEN, SEATS)
    assert follower.take(3, START, "m3", "other") == -1
    assert follower.wanted(0) == 1
    for n, one in enumerate((OPEN, fact("pause", 500, minutes=5)), 1):
        follower.take(n, one, f"o{n}")
    assert follower.take(3, SEATS, "o3", "o2") == 1
    assert follower.log[1:] == [fact("pause", 500, minutes=5), SEATS]


def test_a_log_that_the_host_has_chosen_may_be_shorter() -> None:
    follower = following(OPEN, SEATS, START)
    follower.head_has(2)
    follower.take(2, START, "o2")
    for n, one in enumerate((OPEN, START), 1):
        follower.take(n, one, f"o{n}")
    assert follower.lag == 0


def test_what_does_not_count_is_told_by_its_place() -> None:
    follower = following(OPEN, START, SEATS)
    assert follower.ignored == {2: NobodySeated()}


def test_a_place_reads_back_and_nothing_else_does() -> None:
    place = LogPlace("5f21c09e", 2, 812)
    assert LogPlace.parse(str(place)) == place
    for text in ("", "5f", "5f.1", "5f.1.x", ".0.1", "5f.-1.3", "5f.0.1.2"):
        assert LogPlace.parse(text) is None


def test_rolls_share_what_they_have_in_common() -> None:
    rolls = [codec.decode(codec.encode(fact("roll", t, table=1, dice=[1, 2, 4]))) for t in (300, 400)]
    *_, one, other = following(OPEN, SEATS, START, *rolls).log
    assert isinstance(one, Roll)
    assert isinstance(other, Roll)
    assert [one, other] == rolls
    assert one.dice is other.dice
