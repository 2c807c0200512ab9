"""Which evening and which copy of it a head takes that has none."""

from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.game.facts import Resume
from pi_bunco.head.copies import Copies, Copy, heard
from pi_bunco.journal.copies import checksum
from pi_bunco.journal.journal import Entry
from pi_bunco.wire.messages import HeardBell, HeldEvening

MOST = 6
LOGS = st.lists(st.integers(1, 2), max_size=MOST)
"""A copy as the times of its facts: two journals that differ, and what is a mixture of both."""


def entries(log: list[int], evening: str = "e1") -> list[Entry]:
    return [Entry(n, evening, Resume(t)) for n, t in enumerate(log, 1)]


def held(log: list[int], evening: str = "e1") -> HeldEvening:
    total = 0
    for entry in entries(log, evening):
        total = checksum(entry, total)
    return HeldEvening(evening, len(log), total)


def taken(logs: dict[int, list[int]]) -> tuple[Copy | None, list[int], Copies]:
    """The best copy, the tables that were read for it, and all copies."""
    copies, read = Copies(), []
    for table, log in logs.items():
        copies.hear(table, [held(log)])
    while copy := copies.unread():
        read.append(copy.table)
        for entry in entries(logs[copy.table]):
            copy.add(entry)
    return copies.best(), read, copies


def agreeing(log: list[int], logs: dict[int, list[int]]) -> int:
    return sum(bool(other) and log[: len(other)] == other for other in logs.values())


@given(st.dictionaries(st.integers(1, 5), LOGS))
def test_the_longest_with_which_most_agree(logs: dict[int, list[int]]) -> None:
    best, read, copies = taken(logs)
    if best is None:
        assert not any(logs.values())
        return
    found = [entry.fact.t for entry in best.entries]
    value = max((agreeing(log, logs), len(log)) for log in logs.values() if log)
    assert (agreeing(found, logs), len(found)) == value
    assert len(read) <= len({tuple(log) for log in logs.values()})
    against = {copy.table for copy in copies.against(best)}
    assert against == {table for table, log in logs.items() if log and found[: len(log)] != log}


@given(LOGS, st.lists(st.integers(0, MOST), max_size=4))
def test_copies_that_agree_are_not_read_twice(log: list[int], lengths: list[int]) -> None:
    logs = dict(enumerate([log, *(log[:length] for length in lengths)], 1))
    best, read, _ = taken(logs)
    assert len(read) == bool(log)
    assert [entry.fact.t for entry in best.entries] == log if best else not log


def latest(*orders: list[str]) -> str | None:
    copies = Copies()
    for table, order in enumerate(orders, 1):
        copies.hear(table, [held([1], evening) for evening in order])
    return copies.latest


def test_the_latest_evening_is_behind_all_others() -> None:
    assert latest() is None
    assert latest([]) is None
    assert latest(["a", "b"], ["a"]) == "b"
    assert latest(["a", "b"], ["a", "b"], ["a"], ["a"], ["a"]) == "b"
    assert latest(["a"], ["b"], ["b"]) == "b"
    assert latest(["a", "b"], ["b", "c"]) == "c"
    assert latest(["b"], ["c"], ["b", "c"]) == "c"
    assert latest(["a", "b"], ["b", "a"], ["b", "a"]) == "a"


def test_an_evening_of_which_one_table_tells_is_believed_where_no_other_one_is() -> None:
    assert latest(["a", "b"], ["a"], ["a"]) == "a"
    assert latest(["a", "b", "b"], ["a"], ["a"]) == "a"
    assert latest(["a"], ["b"], ["c"]) in ("a", "b", "c")
    assert latest(["a", "b"]) == "b"


@given(st.lists(st.integers(1, 9), max_size=5), st.integers(0, 10))
def test_a_table_alone_cannot_put_a_bell_off(times: list[int], lie: int) -> None:
    honest: list[HeardBell | None] = [HeardBell("e1", 1, t) for t in times]
    found = heard([*honest, HeardBell("e1", 1, lie)], "e1", 1)
    assert found is not None
    assert len(times) < 2 or min(times) <= found <= max(times)
    assert heard([*honest, None, None], "e1", 1) in [None, *times]
    assert heard(honest, "e1", 2) is None
    assert heard(honest, "e2", 1) is None


def test_of_a_table_that_is_gone_only_what_came_is_there() -> None:
    copies = Copies()
    copies.hear(1, [held([1, 1, 1])])
    copies.hear(2, [held([1, 1])])
    long = copies.unread()
    assert long is not None
    assert long.table == 1
    long.add(entries([1])[0])
    copies.leave(1)
    short = copies.unread()
    assert short is not None
    assert short.table == 2
    copies.hear(1, [held([1, 1, 1])])
    assert copies.unread() is long
    assert len(long.entries) == 1
    copies.hear(1, [held([1, 2, 1])])
    other = copies.unread()
    assert other is not None
    assert other is not long
    assert not other.entries
