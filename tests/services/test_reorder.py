"""What waits behind gaps is bounded, whatever a table sends."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.game.facts import UndoPressed
from pi_bunco.head.intake import MAX_BEHIND_GAP, Reorder
from pi_bunco.wire.messages import Envelope


def envelope(stream: str, seq: int) -> Envelope:
    return Envelope(1, "e1", stream, seq, 1, 1, None, None, 0, "b", UndoPressed())


def taken(reorder: Reorder, table: int, sent: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    ready = [one for place in sent for one in reorder.take(table, envelope(*place))]
    return [(one.stream, one.seq) for one in ready]


def waiting(reorder: Reorder) -> int:
    return sum(len(one) for one in reorder._behind.values())


def test_a_table_that_draws_stream_after_stream_fills_no_memory() -> None:
    reorder = Reorder()
    assert taken(reorder, 7, ((f"s{n}", 5) for n in range(3 * MAX_BEHIND_GAP))) == []
    assert waiting(reorder) == MAX_BEHIND_GAP
    assert taken(reorder, 7, [("s0", n) for n in (1, 2, 3, 4)]) == [("s0", n) for n in (1, 2, 3, 4, 5)]
    assert taken(reorder, 2, [("t", 2), ("t", 1)]) == [("t", 1), ("t", 2)]
    assert waiting(reorder) == 0 or all(key[0] == 7 for key in reorder._behind)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9)), max_size=60))
def test_every_fact_comes_once_and_in_order(sent: list[tuple[str, int]]) -> None:
    found = taken(Reorder(), 1, sent)
    for stream in "ab":
        places = [seq for name, seq in found if name == stream]
        assert places == list(range(1, len(places) + 1))
