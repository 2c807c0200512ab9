"""What waits behind gaps is bounded, whatever a table sends."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.head.streams import HELD, Streams
from pi_bunco.wire.messages import Envelope


def envelope(stream: str, seq: int) -> Envelope:
    return Envelope(1, "e1", stream, seq, 1, 1, None, None, 0, "b", {})


def taken(streams: Streams, table: int, sent: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    ready = [one for place in sent for one in streams.take(table, envelope(*place))]
    return [(one.stream, one.seq) for one in ready]


def waiting(streams: Streams) -> int:
    return sum(len(held) for held in streams._held.values())


def test_a_table_that_draws_stream_after_stream_fills_no_memory() -> None:
    streams = Streams()
    assert taken(streams, 7, ((f"s{n}", 5) for n in range(3 * HELD))) == []
    assert waiting(streams) == HELD
    assert taken(streams, 7, [("s0", n) for n in (1, 2, 3, 4)]) == [("s0", n) for n in (1, 2, 3, 4, 5)]
    assert taken(streams, 2, [("t", 2), ("t", 1)]) == [("t", 1), ("t", 2)]
    assert waiting(streams) == 0 or all(key[0] == 7 for key in streams._held)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 9)), max_size=60))
def test_every_fact_comes_once_and_in_order(sent: list[tuple[str, int]]) -> None:
    found = taken(Streams(), 1, sent)
    for stream in "ab":
        places = [seq for name, seq in found if name == stream]
        assert places == list(range(1, len(places) + 1))
