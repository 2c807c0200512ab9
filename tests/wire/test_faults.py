from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.wire.gate import MAX_REASONS, REASON_MAX_CHARS, decode, encode, fitting
from pi_bunco.wire.messages import Beat, HeadStatus

faults = st.lists(st.one_of(st.text(max_size=30), st.text(min_size=300, max_size=1000)), max_size=60)


@given(faults.map(tuple))
def test_whatever_is_wrong_has_room_in_a_message(told: tuple[str, ...]) -> None:
    cut = fitting(told)
    beat = Beat(0, 0, 1.5, ("unheard", "unheard", "unheard"), cut)
    assert decode("bunco/v1/home/table1/up/beat", encode(beat), False) == beat
    head = HeadStatus("online", "s" * 64, "h" * 80, "v" * 32, "e" * 64, 10**9, cut)
    assert decode("bunco/v1/home/all/head", encode(head), False) == head
    assert len(cut) <= MAX_REASONS
    assert all(line and len(line) <= REASON_MAX_CHARS and "\n" not in line for line in cut)
    assert fitting(cut) == cut


def test_few_short_sentences_are_told_as_they_are() -> None:
    assert fitting(("calls for the host.", "", "The card is full.")) == (
        "calls for the host.",
        "The card is full.",
    )
    assert fitting(("twice", "twice")) == ("twice",)


def test_of_too_many_the_last_says_how_many_are_left_out() -> None:
    told = fitting(tuple(f"{n} is wrong." for n in range(40)))
    assert told == (*(f"{n} is wrong." for n in range(31)), "And 9 more.")
    assert fitting(tuple(f"{n} is wrong." for n in range(32)))[-1] == "31 is wrong."
    many = fitting(tuple(f"{n}{'é' * 390}" for n in range(30)))
    assert many[-1] == f"And {30 - (len(many) - 1)} more."


def test_a_long_sentence_is_cut_where_that_can_be_seen() -> None:
    (line,) = fitting(("x" * 401,))
    assert line == "x" * 399 + "…"
