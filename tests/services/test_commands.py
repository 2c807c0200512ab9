"""The head answers every command of a host, whatever it carries, and goes on."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pi_bunco.head.commands.registry import EFFECTS
from pi_bunco.wire.commands import COMMANDS
from services.hall import Hall
from thorough import times

NAMES = sorted({*COMMANDS, "nonsense"})
KEYS = (
    "rules", "overrides", "players", "sets", "seed", "tables", "bypass", "minutes", "table", "winner", "n",
    "seat", "rolls", "out", "in", "player", "allowed", "kind", "t", "by", "epoch", "replace",
    "unfinished", "for", "to", "cards",
)  # fmt: skip
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 9) | st.floats(allow_nan=False) | st.text(max_size=90),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Hall:
    return Hall(tmp_path_factory.mktemp("hall"), 2)


@settings(max_examples=times(300), suppress_health_check=[HealthCheck.too_slow])
@given(command=st.sampled_from(NAMES), args=st.dictionaries(st.sampled_from(KEYS), plain, max_size=4))
def test_any_arguments_get_an_answer(hall: Hall, command: str, args: dict[str, Any]) -> None:
    if hall.evening.closed or not hall.evening.id:
        hall.open(8, "bonko")
    answer = hall.ask(command, **args)
    assert answer.done or answer.why


def test_every_command_has_its_effect() -> None:
    assert set(EFFECTS) == set(COMMANDS.values())


def test_a_seed_repeats_the_seats_and_not_the_evening(tmp_path: Path) -> None:
    hall = Hall(tmp_path, 2)
    ids, seats = set(), set()
    for _ in range(4):
        hall.open(8, "bonko", seed=7)
        evening = hall.evening
        ids.add(evening.id)
        seats.add(tuple(evening.seating or ()))
    assert (len(ids), len(seats)) == (4, 1)
