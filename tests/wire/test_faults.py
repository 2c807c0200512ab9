from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.reason import AndMore, InEnglish, Reason
from pi_bunco.wire.gate import MAX_PROBLEMS, REASON_MAX_CHARS, decode, encode, fitting
from pi_bunco.wire.messages import Beat, HeadStatus

faults = st.lists(st.one_of(st.text(max_size=30), st.text(min_size=300, max_size=1000)), max_size=60)


class TestLeans(Reason, frozen=True):
    __test__ = False
    text = "die %(die)s leans at %(table)s"
    die: int
    table: str


def fitted(*told: str) -> tuple[str, ...]:
    return fitting(tuple(map(InEnglish, told)))[0]


@given(faults.map(tuple))
def test_faults_are_cut_until_they_fit_into_a_beat_and_the_status(told: tuple[str, ...]) -> None:
    reasons: tuple[Reason, ...] = tuple(
        TestLeans(n, text) if n % 2 else InEnglish(text) for n, text in enumerate(told)
    )
    cut, coded = fitting(reasons)
    beat = Beat(0, 0, 1.5, ("unheard", "unheard", "unheard"), cut, reasons=coded)
    assert decode("bunco/v1/home/table1/up/beat", encode(beat), False) == beat
    head = HeadStatus("online", "s" * 64, "h" * 80, "v" * 32, "e" * 64, 10**9, cut, coded)
    assert decode("bunco/v1/home/all/head", encode(head), False) == head
    assert len(cut) == len(coded) <= MAX_PROBLEMS
    assert all(line and len(line) <= REASON_MAX_CHARS and "\n" not in line for line in cut)
    assert fitted(*cut) == cut


def test_few_short_sentences_are_told_as_they_are() -> None:
    assert fitted("calls for the host.", "", "The card is full.") == (
        "calls for the host.",
        "The card is full.",
    )
    assert fitted("twice", "twice") == ("twice",)


def test_of_too_many_the_last_says_how_many_are_left_out() -> None:
    told, coded = fitting(tuple(InEnglish(f"{n} is wrong.") for n in range(40)))
    assert told == (*(f"{n} is wrong." for n in range(31)), "And 9 more.")
    assert coded[-1].reason() == AndMore(9)
    assert fitted(*(f"{n} is wrong." for n in range(32)))[-1] == "31 is wrong."
    many = fitted(*(f"{n}{'é' * 390}" for n in range(30)))
    assert many[-1] == f"And {30 - (len(many) - 1)} more."


def test_a_long_sentence_is_cut_where_that_can_be_seen() -> None:
    assert fitted("x" * 401) == ("x" * 399 + "…",)


def test_a_fault_goes_with_its_code_beside_its_sentence() -> None:
    told, coded = fitting((TestLeans(2, "Ann"), InEnglish("The card is full.")), str.upper)
    assert told == ("DIE 2 LEANS AT ANN", "THE CARD IS FULL.")
    assert [one.reason() for one in coded] == [TestLeans(2, "Ann"), None]
