"""Lists of names as people paste them."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pi_bunco.web.pages.host.prepare.draft import Draft, changed, doubtful_name, lines, problems
from pi_bunco.web.pages.host.prepare.pasted import read

LETTERS = "abcdefghijklmnopqrstuvwxyzäöüéñçšžåø"
WORD = st.text(LETTERS, min_size=2, max_size=9).filter(lambda word: "bunco" not in word).map(str.capitalize)
NAME = st.lists(WORD, min_size=1, max_size=3).map(" ".join) | st.sampled_from(
    (
        "Anna-Lena",
        "O'Neill",
        "D. Reyes",
        "J.R. Ewing",
        "李小龙",
        "مريم",
        "Zoë 👩\u200d👧",
        "Ann (B.)",
        "Player 7",
    )
)
NAMES = st.lists(NAME, min_size=3, max_size=12, unique_by=str.casefold)
MARKS = st.sampled_from(
    ("{n}. ", "{n}) ", "({n}) ", "{n}: ", "- ", "* ", "• ", "– ", "[ ] ", "[x] ", "{n}\ufe0f\u20e3 ", "")
)


def test_the_lists_that_hosts_paste_are_read_as_they_are_meant() -> None:
    pasted = [
        "Bunco on Thursday",
        "1. Ann",
        "- Dieter",
        "• Eve, Flo, Gus",
        "Kate;Lou",
        "3) Carla (brings dip)",
    ]
    found = read(pasted)
    assert found.names == ("Ann", "Dieter", "Eve", "Flo", "Gus", "Kate", "Lou", "Carla")
    assert [one.kind for one in found.doubts] == ["marks", "title", "split", "split", "note"]


@pytest.mark.parametrize(
    ("pasted", "names"),
    [
        ("Who comes:\nAnn\nBob\nCat", "Ann Bob Cat"),
        ("Thursday 22 May\nAnn\nBob\nCat", "Ann Bob Cat"),
        ("Our evening\n\nAnn\nBob\nCat", "Ann Bob Cat"),
        ("Our evening\n1. Ann\n2. Bob", "Ann Bob"),
        ("Ann\n2. Bob\n3. Cat", "Ann Bob Cat"),
        ("Ann\n\nBob\n\nCat", "Ann Bob Cat"),
        ("1 Ann\n2 Bob\n3 Cat", "Ann Bob Cat"),
        ("Ann ✅\nBob ✔️\n*Cat*", "Ann Bob Cat"),
        ("Ann & Bob\nCat / Dan", "Ann Bob Cat Dan"),
        ("a) Ann\nb) Bob", "Ann Bob"),
        ("Ann;Bob;;\n;\n-\n", "Ann Bob"),
    ],
)
def test_a_list_with_a_heading_or_marks_has_its_people_alone(pasted: str, names: str) -> None:
    assert read(pasted.splitlines()).names == tuple(names.split())


@pytest.mark.parametrize(
    "line", ["Gus 19:00", "Gus, 19.00", "7. Gus @ 19:00", "Gus (19:00)", "Gus (late, 19:00)"]
)
def test_a_time_behind_a_name_says_when_somebody_comes(line: str) -> None:
    found = read(["Ann", line])
    assert (found.names, found.late) == (("Ann", "Gus"), (("Gus", "19:00"),))


def test_a_time_that_is_none_belongs_to_the_name() -> None:
    assert read(["Ann 29:77"]).late == ()


@given(NAMES, MARKS)
def test_a_marked_list_has_the_names_without_the_marks(names: list[str], mark: str) -> None:
    assume(mark or "Player 7" not in names)  # a first line alone with a number may be a heading
    assert read([mark.format(n=n) + name for n, name in enumerate(names, 1)]).names == tuple(names)


@given(NAMES, st.sampled_from((", ", ",", ";", "; ", " | ")))
def test_names_in_one_line_are_the_same_people(names: list[str], between: str) -> None:
    assert read([between.join(names)]).names == tuple(names)


@given(st.lists(st.text(max_size=30), max_size=8))
def test_a_list_that_was_read_is_read_again_without_a_doubt(typed: list[str]) -> None:
    once = changed(Draft(), {"names": "\n".join(typed)})
    again = changed(once, {"names": "\n".join(lines(once))})
    assert (again.names, again.late, again.doubts) == (once.names, once.late, ())


@given(st.lists(st.text("ab ,;:()[]-.1\u2022", max_size=20), max_size=6))
def test_no_word_of_a_list_vanishes_unsaid(typed: list[str]) -> None:
    found = read(typed)
    shown = " ".join((*found.names, *(one.line for one in found.doubts), *(at for _, at in found.late)))
    for word in (part for line in typed for part in line.replace(",", " ").split()):
        letters = word.strip(" ,;:()[]-.1\u2022")
        assert letters in shown


def _draft(pasted: str) -> Draft:
    return changed(Draft(), {"names": pasted})


def test_a_doubt_is_answered_by_one_key_and_the_others_stay() -> None:
    draft = _draft("Our evening\n\nMüller, Anna\nBob\nCat")
    assert draft.names == ("Müller", "Anna", "Bob", "Cat")
    form = {"names": "\n".join(lines(draft)), "before": "\n".join(lines(draft))}
    person = changed(draft, form | {"otherwise": "1"})
    assert person.names == ("Anna Müller", "Bob", "Cat")
    form = {"names": "\n".join(lines(person)), "before": "\n".join(lines(person))}
    assert changed(person, form | {"otherwise": "0"}).names == ("Our evening", "Anna Müller", "Bob", "Cat")


@pytest.mark.parametrize(("key", "names"), [("one", ("Ann", "Bob")), ("two", ("Ann", "Bob", "ann 2"))])
def test_names_that_differ_in_case_alone_are_asked_about(key: str, names: tuple[str, ...]) -> None:
    draft = _draft("Ann\nBob\nann")
    assert "ann" in [doubtful_name(problem) for problem in problems(draft)]
    form = {"names": "\n".join(lines(draft)), "before": "\n".join(lines(draft))}
    assert changed(draft, form | {key: "ann"}).names == names


def test_last_times_people_come_once_however_they_are_spelt() -> None:
    draft = changed(_draft("ann\nBob 20:45"), {}, ("Ann", "Bob", "Cat"))
    assert (draft.names, draft.late) == (("ann", "Bob", "Cat"), (("Bob", "20:45"),))
