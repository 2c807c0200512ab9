"""The first turn at a table, and the turns of a ghost."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.evenings import Play
from pi_bunco.game.rounds import drawn_first
from pi_bunco.game.seating import turn_order
from pi_bunco.game.snapshot import restored, snapshot
from pi_bunco.game.table import Table


def play(*seats: str, **changed: Any) -> Play:
    return Play("bonko", seats, **changed).open()


def begins(game: Play, seat: str, table: int = 1) -> str | None:
    return game.say("begins", table=table, seat=seat)


def rolled(game: Play, letters: str) -> str:
    """The seats whose turns the rolls at table 1 were."""
    found = ""
    for letter in letters:
        found += "ABCD"[game.table(1).seat]
        assert game.roll(1, letter) is None
    return found


@given(st.integers(0, 3), st.tuples(*[st.booleans()] * 4), st.booleans())
def test_every_seat_has_a_turn_and_a_ghost_follows_its_partner(
    first: int, ghosts: tuple[bool, ...], twice: bool
) -> None:
    order = turn_order(first, ghosts, twice)
    assert sorted(order) == [0, 1, 2, 3]
    assert order[0] == first or (twice and ghosts[first] and not ghosts[first ^ 2])
    for seat in range(4) if twice else ():
        if ghosts[seat] and not ghosts[seat ^ 2]:
            assert order.index(seat) == order.index(seat ^ 2) + 1


@pytest.mark.parametrize(
    ("first", "ghosts", "order"),
    [(0, "..G.", "ACBD"), (0, "G...", "BCAD"), (1, "...G", "BDCA"), (0, "G.G.", "ABCD")],
)
def test_orders_that_were_worked_out_by_hand(first: int, ghosts: str, order: str) -> None:
    found = turn_order(first, tuple(ghost == "G" for ghost in ghosts), True)
    assert "".join("ABCD"[seat] for seat in found) == order


def test_a_ghosts_partner_rolls_twice_and_the_lap_ends_with_the_last_turn() -> None:
    game = play("ab1d", "efgh", ghost_turn="partner_twice", after_bell="finish_lap", end__points="none")
    game.say("round_close")
    assert rolled(game, "1...") == "AACB"
    assert not game.table(1).done
    assert rolled(game, ".") == "D"
    assert game.table(1).done
    assert game.table(1).points == [1, 0]


def test_whoever_is_said_to_begin_begins_the_round_and_its_roll_off() -> None:
    game = play("abcd", begins="rolled", after_bell="first_lap")
    assert begins(game, "B") is None
    assert begins(game, "C") is None
    assert rolled(game, "..") == "CD"
    game.say("round_close")
    assert rolled(game, "..") == "AB"
    assert game.table(1).done
    assert game.say("confirm", table=1) is None
    assert rolled(game, "....") == "CDAB"
    assert game.table(1).rolloffs == 2


def test_nobody_begins_late_or_without_the_rule_and_no_ghost_does() -> None:
    game = play("abc1", "efgh", begins="rolled")
    assert begins(game, "D") == "whoever begins must be a person"
    game.roll(1, "1")
    assert begins(game, "B") == "table 1 has begun already"
    game.say("undo", table=1)
    assert game.say("turn", table=1, seat="C", rolls=0) is None
    assert begins(game, "B") is None
    assert game.table(1).seat == 1
    game.decide("US")
    assert begins(game, "C") == "table 1 has begun already"
    assert begins(play("abcd"), "B") == "under these rules seat A begins"


def test_who_begins_is_drawn_from_the_seed() -> None:
    game = play("abcd", "efg1", begins="drawn")
    found = drawn_first(game.evening, 5)
    assert [first.table for first in found] == [1, 2]
    assert found[1].seat in "ABC"
    assert drawn_first(game.evening, 5) == found
    assert drawn_first(play("abcd").evening, 5) == []


def test_a_table_that_is_made_again_keeps_its_order() -> None:
    game = play("abcd", begins="rolled", end__points="none", end__bunco=False)
    begins(game, "D")
    game.roll(1, "1" * 200 + ".")
    ours = game.table(1)
    twin = restored(snapshot(ours), Table(1, ours.seats, ours.ghosts, ours.rules, 1))
    assert (
        (twin.order, twin.seat, twin.points)
        == (ours.order, ours.seat, ours.points)
        == ((3, 0, 1, 2), 0, [0, 200])
    )


def test_with_no_chance_those_without_a_turn_roll_in_the_order_of_the_table() -> None:
    game = play("abcd", begins="rolled", tie__method="no_chance")
    begins(game, "C")
    rolled(game, "..")
    game.say("round_close")
    game.say("confirm", table=1)
    assert rolled(game, "..") == "AB"
    assert rolled(game, "....") == "CDAB"
