from hypothesis import example, given
from hypothesis import strategies as st

from pi_bunco.web.pages.shared.names import call_names

NAMES = st.builds(
    " ".join,
    st.lists(st.sampled_from(["Ann", "Anna", "Bob", "B", "Berg", "Bergmann", "O'B"]), min_size=1, max_size=3),
)


def test_a_short_name_is_the_first_word_with_what_makes_it_unique() -> None:
    found = call_names(["Ann Berg", "Ann Bauer", "Bob Lee", "Ghost 1", "Ghost 2", "Cat"])
    assert found == {
        "Ann Berg": "Ann Be.",
        "Ann Bauer": "Ann Ba.",
        "Bob Lee": "Bob",
        "Ghost 1": "Ghost 1",
        "Ghost 2": "Ghost 2",
        "Cat": "Cat",
    }


def test_names_that_capitals_alone_tell_apart_are_one_when_they_are_called_out() -> None:
    found = call_names(["anna Berg", "Anna Bauer", "АННА К", "анна Л"])
    assert list(found.values()) == ["anna Be.", "Anna Ba.", "АННА К", "анна Л"]


def test_no_short_name_ends_with_a_space() -> None:
    assert call_names(["Ann Berg", "Ann Berg 22"]) == {"Ann Berg": "Ann Berg", "Ann Berg 22": "Ann Berg 2."}


@given(st.lists(NAMES, unique=True, max_size=12))
@example(["Ann", "Ann B", "Ann Berg", "Ann Bergmann"])
def test_nobody_is_called_as_somebody_else_is(names: list[str]) -> None:
    found = call_names(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert all(name.startswith(short.removesuffix(".")) for name, short in found.items())
