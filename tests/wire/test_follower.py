"""A log in whatever order it comes is followed to its end, and another one is never mixed with it."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from game.drawn import logs
from logs import KEY, chain
from pi_bunco.game import facts
from pi_bunco.log.chain import Chain, LogKey
from pi_bunco.log.entry import Entry
from pi_bunco.wire.log_exchange import ASK_EVERY_MS, Follower

OPEN = facts.EveningOpen(0, "gong", ("Ann", "Bob", "Cat", "Dee"), id="e1")


def log(*minutes: int) -> list[Entry]:
    """An evening of breaks of these lengths."""
    return chain("e1", [(OPEN, None), *((facts.Pause(n, each), None) for n, each in enumerate(minutes))])


def alone(entries: Sequence[Entry], n: int) -> Entry:
    """Entry `n` as it goes out alone."""
    return replace(entries[n - 1], before=entries[n - 2].mac)


def following(entries: Sequence[Entry]) -> Follower:
    follower = Follower()
    follower.begin(Chain("e1"))
    for entry in entries:
        follower.take(entry)
    return follower


def has(follower: Follower, entries: Sequence[Entry]) -> bool:
    return len(follower.chain) == len(entries) and all(follower.chain.has(one.n, one.mac) for one in entries)


@given(logs(), st.randoms(use_true_random=False))
def test_entries_in_any_order_and_repeated_follow_each_other(log, random) -> None:  # type: ignore[no-untyped-def]
    made = chain("e1", [(fact, None) for fact in log])
    entries = [*made[:1], *(alone(made, one.n) for one in made[1:])]
    came = [*entries, *random.sample(entries, len(entries) // 2)]
    random.shuffle(came)
    follower = following([])
    assert [one for entry in came for one in follower.take(entry)[1]] == entries
    assert follower.lag == 0


@pytest.mark.parametrize(
    ("n", "entries", "judged"),
    [
        (4, log(1, 2, 3), "continues"),
        (3, log(1, 2, 3), "repeats"),
        (5, log(1, 2, 3, 4), "gap"),
        (3, log(1, 20, 3), "fork"),
        (4, log(1, 20, 3), "fork"),
    ],
)
def test_an_entry_that_goes_out_alone_is_judged_by_its_place_and_the_one_before(
    n: int, entries: list[Entry], judged: str
) -> None:
    assert following(log(1, 2)).take(alone(entries, n))[0] == judged


def test_with_a_key_only_what_its_head_wrote_continues() -> None:
    known = Chain("e1")
    for entry in log(1):
        known.add(entry)
    assert known.judge(log(1, 2)[2], KEY) == "continues"
    assert known.judge(log(1, 2)[2], LogKey(b"o" * 32)) == "fork"
    assert known.judge(replace(log(1, 2)[2], n=4), KEY) == "gap"


def test_a_gap_is_asked_for_from_the_entry_before_it_and_not_over_and_over() -> None:
    entries = log(1, 2)
    follower = following(entries[:1])
    assert follower.take(alone(entries, 3)) == ("gap", [])
    assert (follower.lag, follower.wanted(0)) == (2, 1)
    assert follower.wanted(ASK_EVERY_MS - 1) is None
    assert follower.wanted(ASK_EVERY_MS) == 1
    assert follower.take(entries[1]) == ("continues", [entries[1], alone(entries, 3)])
    assert follower.wanted(5 * ASK_EVERY_MS) is None


def test_another_writer_is_asked_for_the_last_entry_to_compare() -> None:
    entries = log(1)
    follower = following(entries)
    follower.writer_changed()
    assert follower.wanted(0) == 2
    assert follower.wanted(ASK_EVERY_MS) == 2  # it had not the end of its log yet, and said nothing
    assert follower.take(entries[1])[0] == "repeats"
    assert follower.wanted(2 * ASK_EVERY_MS) is None


def test_behind_a_fork_all_is_asked_for_again() -> None:
    entries = log(1, 20)
    follower = following(log(1, 2))
    assert follower.take(entries[2]) == ("fork", [])
    follower.begin_again(Chain("e1"))
    assert follower.wanted(0) == 1
    for entry in entries:
        follower.take(entry)
    assert has(follower, entries)


def test_an_early_entry_of_another_log_is_not_taken_in_its_turn() -> None:
    entries = log(1, 2, 3)
    follower = following(entries[:2])
    follower.take(alone(log(1, 20, 3), 4))
    assert follower.take(alone(entries, 3)) == ("continues", [alone(entries, 3)])
    assert has(follower, entries[:3])
    assert follower.wanted(0) == 3


def test_a_log_that_the_host_has_chosen_may_be_shorter() -> None:
    follower = following(log(1, 2, 3))
    follower.writer_changed()
    follower.writer_has(2)
    assert follower.wanted(0) == 2
    assert follower.take(log(10)[1])[0] == "fork"
    assert follower.lag == 0
