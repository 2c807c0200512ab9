from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.play.chaos import Chaos
from pi_bunco.runtime.supervisor import KillProcess, StartProcess

TABLES = 3
NAMES = {"broker", "head", "table1", "table2", "table3"}


def night(
    seed: int, steps: list[tuple[float, int]]
) -> tuple[Chaos, list[tuple[float, KillProcess | StartProcess]]]:
    """The kills and starts while time passes and facts are journaled, and those at the end."""
    chaos, now, happened = Chaos(Random(seed), TABLES, 10, 2000), 0.0, []
    for wait, facts in steps:
        now += wait
        for _ in range(facts):
            chaos.journaled(now)
        happened += [(now, step) for step in chaos.due(now)]
    return chaos, happened + [(now, step) for step in chaos.end()]


STEPS = st.lists(st.tuples(st.floats(0, 5000), st.integers(0, 30)), max_size=60)


@given(st.integers(), STEPS)
def test_killed_process_was_on_and_gets_its_power_back(seed: int, steps: list[tuple[float, int]]) -> None:
    dark: set[str] = set()
    for _, step in night(seed, steps)[1]:
        assert step.name in NAMES
        if isinstance(step, KillProcess):
            assert step.name not in dark
            dark.add(step.name)
        else:
            dark.remove(step.name)
    assert not dark


@given(st.integers(), STEPS)
def test_the_seed_says_all(seed: int, steps: list[tuple[float, int]]) -> None:
    assert night(seed, steps)[1] == night(seed, steps)[1]


def test_nobody_trips_while_nothing_is_journaled() -> None:
    assert night(1, [(1000.0, 0)] * 500)[1] == []


@given(st.integers())
def test_every_kind_of_machine_is_killed_in_the_course_of_an_evening(seed: int) -> None:
    chaos, happened = night(seed, [(1000.0, 30)] * 30)
    killed = [step.name for _, step in happened if isinstance(step, KillProcess)]
    assert sum(chaos.kills.values()) == len(killed)
    assert set(chaos.kills) == {"broker", "head", "table"}
    assert min(chaos.kills.values()) >= 2
