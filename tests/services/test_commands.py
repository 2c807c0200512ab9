"""Whatever a host's command carries, the head answers it and goes on."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_bunco.head.commands import FACTS
from services.hall import Hall

COMMANDS = sorted({*FACTS, "evening_open", "seats_draw", "round_start", "silence", "bell_test", "nonsense"})
KEYS = (
    "rules", "overrides", "players", "sets", "seed", "tables", "bypass", "minutes", "table", "winner", "seq",
    "seat", "rolls", "out", "in", "player", "allowed", "kind", "t", "by", "epoch",
)  # fmt: skip
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 9) | st.floats(allow_nan=False) | st.text(max_size=90),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Hall:
    return Hall(tmp_path_factory.mktemp("hall"), 2)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(command=st.sampled_from(COMMANDS), args=st.dictionaries(st.sampled_from(KEYS), plain, max_size=4))
def test_any_arguments_get_an_answer(hall: Hall, command: str, args: dict[str, Any]) -> None:
    if hall.head.referee.log.evening.closed or not hall.head.referee.log.evening.id:
        hall.open(8, "bonko")
    answer = hall.ask(command, **args)
    assert answer.done or answer.why


@pytest.mark.parametrize("bypass", [5, "2", [[1]], [None], {"2": 1}])
def test_a_bypass_that_is_no_list_of_tables_is_refused(hall: Hall, bypass: object) -> None:
    assert hall.ask("round_start", bypass=bypass).why == ("Bypass must be a list of table numbers.",)


@pytest.mark.parametrize("overrides", [[1], "x", 3])
def test_overrides_that_are_no_object_are_refused(hall: Hall, overrides: object) -> None:
    answer = hall.ask("evening_open", players=["a", "b", "c", "d"], overrides=overrides)
    assert answer.why == ("Overrides must be an object of dimensions and their values.",)


def test_a_seed_repeats_the_seats_and_not_the_evening(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    ids, seats = set(), set()
    for _ in range(4):
        hall.open(8, "bonko", seed=7)
        evening = hall.head.referee.log.evening
        ids.add(evening.id)
        seats.add(tuple(evening.seating or ()))
    assert (len(ids), len(seats)) == (4, 1)
