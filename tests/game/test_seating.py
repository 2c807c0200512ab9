"""RULES.md, Moving and The first seating."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.evenings import names
from pi_bunco.game.seating import SeatNames, apart, draw, ghosts_needed, move, replace
from thorough import times

US, THEM = 0, 1
MOVES = ["losers_to_last", "down_one", "stay"]


def tables(*letters: str) -> list[SeatNames]:
    return [(a, b, c, d) for a, b, c, d in map(names, letters)]


def letters(seats: list[SeatNames]) -> list[str]:
    return ["".join(name.removeprefix("Ghost ") for name in one) for one in seats]


FOUR = tables("abcd", "efgh", "ijkl", "mnop")


@pytest.mark.parametrize(
    ("how", "winners", "moved"),
    [
        # W1 stay with W2; L2 stay with W3; L3 stay with W4; L4 stay with L1
        ("losers_to_last", [US] * 4, ["aceg", "fhik", "jlmo", "npbd"]),
        ("losers_to_last", [THEM] * 4, ["bdfh", "egjl", "iknp", "moac"]),
        ("losers_to_last", [US, THEM, US, THEM], ["acfh", "egik", "jlnp", "mobd"]),
        # W1 stay with W2; L1 came down with W3; L2 with W4; L4 stay with L3
        ("down_one", [US] * 4, ["aceg", "bdik", "fhmo", "npjl"]),
        ("down_one", [THEM, US, THEM, US], ["bdeg", "acjl", "fhmo", "npik"]),
        ("stay", [US, THEM, US, THEM], ["adbc", "ehfg", "iljk", "mpno"]),
    ],
)
def test_moves_of_four_tables(how: str, winners: list[int], moved: list[str]) -> None:
    assert letters(move(FOUR, winners, how, ())) == moved


@pytest.mark.parametrize("how", ["losers_to_last", "down_one"])
def test_moves_of_two_tables(how: str) -> None:
    assert letters(move(tables("abcd", "efgh"), [THEM, US], how, ())) == ["bdeg", "fhac"]


@pytest.mark.parametrize("how", ["losers_to_last", "down_one"])
def test_at_one_table_the_winners_are_the_first_pair(how: str) -> None:
    assert letters(move(tables("abcd"), [THEM], how, ())) == ["bdac"]


def test_groups_move_within_themselves() -> None:
    groups = [[1, 2], [3, 4]]
    assert letters(move(FOUR, [US] * 4, "down_one", (), groups)) == ["aceg", "fhbd", "ikmo", "npjl"]


def test_two_ghosts_are_split_by_changing_c_and_d() -> None:
    ghosts = {"Ghost 1", "Ghost 2"}
    assert letters([apart(tables("1b2d")[0], ghosts)]) == ["1bd2"]
    assert letters([apart(tables("a1c2")[0], ghosts)]) == ["a12c"]
    assert letters([apart(tables("12cd")[0], ghosts)]) == ["12cd"]


def test_ghosts_are_split_where_a_move_brings_them_together() -> None:
    assert letters(move(tables("1bcd", "2fgh"), [US, US], "down_one", {"Ghost 1", "Ghost 2"})) == [
        "1cg2",
        "fhbd",
    ]


def test_a_new_name_takes_the_same_seat() -> None:
    assert letters(replace(FOUR, "f", "z", ())) == ["abcd", "ezgh", "ijkl", "mnop"]


def partners(seats: list[SeatNames]) -> set[frozenset[str]]:
    return {frozenset(pair) for a, b, c, d in seats for pair in ((a, c), (b, d))}


@st.composite
def halls(draw: st.DrawFn) -> tuple[list[SeatNames], list[int], set[str]]:
    count = draw(st.integers(1, 6))
    everybody = draw(st.permutations([f"p{number}" for number in range(4 * count)]))
    ghosts = set(draw(st.lists(st.sampled_from(everybody), max_size=5)))
    seats = [apart((a, b, c, d), ghosts) for a, b, c, d in zip(*[iter(everybody)] * 4, strict=True)]
    winners = draw(st.lists(st.sampled_from([US, THEM]), min_size=count, max_size=count))
    return seats, winners, ghosts


@settings(max_examples=times(200), deadline=None)
@given(halls(), st.sampled_from(MOVES))
def test_no_two_persons_stay_partners(hall: tuple[list[SeatNames], list[int], set[str]], how: str) -> None:
    """But for `stay` with two ghosts at a table: keeping those apart can leave the persons together."""
    seats, winners, ghosts = hall
    moved = move(seats, winners, how, ghosts)
    kept = {pair for pair in partners(seats) & partners(moved) if not pair & ghosts}
    if how == "stay":
        two = [set(names) for names in seats if len(ghosts.intersection(names)) >= 2]
        kept = {pair for pair in kept if not any(pair <= names for names in two)}
    assert not kept


@settings(max_examples=times(200), deadline=None)
@given(halls(), st.sampled_from(MOVES))
def test_a_move_is_a_permutation(hall: tuple[list[SeatNames], list[int], set[str]], how: str) -> None:
    seats, winners, ghosts = hall
    moved = move(seats, winners, how, ghosts)
    assert sorted(name for one in moved for name in one) == sorted(name for one in seats for name in one)
    for a, b, c, d in moved:
        if len(ghosts & {a, b, c, d}) <= 2:
            assert not {a, c} <= ghosts
            assert not {b, d} <= ghosts


@settings(max_examples=times(100), deadline=None)
@given(st.integers(4, 40), st.integers(0, 2**32))
def test_the_draw_seats_everybody_and_spreads_the_ghosts(players: int, seed: int) -> None:
    people = [f"p{number}" for number in range(players)]
    ghosts = [f"Ghost {number}" for number in range(1, ghosts_needed(players) + 1)]
    seats = draw(people, ghosts, Random(seed))
    assert len(seats) == -(-players // 4)
    assert sorted(name for one in seats for name in one) == sorted([*people, *ghosts])
    most = max(len(set(ghosts) & set(one)) for one in seats)
    assert most <= max(1, -(-len(ghosts) // len(seats)))
    for a, b, c, d in seats:
        assert not {a, c} <= set(ghosts)
        assert not {b, d} <= set(ghosts)
    assert draw(people, ghosts, Random(seed)) == seats


def test_a_draw_reaches_every_seat() -> None:
    seen = {draw(list("abcd"), [], Random(seed))[0].index("a") for seed in range(40)}
    assert seen == {0, 1, 2, 3}
