"""What a hall on one machine starts, and starts again."""

from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.cli.web import phone_tables
from pi_bunco.config import load
from pi_bunco.hall.hall import as_needed
from pi_bunco.hall.plan import (
    BROKER,
    GIVE_UP,
    HEAD,
    LONGEST_MS,
    NAMES,
    STEADY_MS,
    WEB,
    Announce,
    GiveUp,
    HallPlan,
    ProcessEnded,
    ProcessReady,
    StartProcess,
    TellLaptop,
)
from pi_bunco.runtime.loop import Tick


def begun() -> HallPlan:
    """A hall in which all is ready."""
    plan = HallPlan()
    plan.begin()
    for name in NAMES:
        list(plan.step(ProcessReady(name), 0))
    return plan


def test_each_process_starts_when_the_one_before_is_ready_and_then_all_is_announced() -> None:
    plan = HallPlan()
    assert plan.begin() == [StartProcess(BROKER)]
    assert list(plan.step(ProcessReady(BROKER), 0)) == [StartProcess(HEAD)]
    assert list(plan.step(ProcessReady(HEAD), 0)) == [StartProcess(WEB)]
    assert list(plan.step(ProcessReady(WEB), 0)) == [Announce()]


def test_what_ends_starts_again_and_is_announced_only_once() -> None:
    plan = begun()
    assert [type(one) for one in plan.step(ProcessEnded(HEAD, "killed"), 1000)] == [TellLaptop]
    assert list(plan.step(Tick(), 1400)) == []
    assert list(plan.step(Tick(), 1500)) == [StartProcess(HEAD)]
    assert list(plan.step(Tick(), 1600)) == []
    assert [type(one) for one in plan.step(ProcessReady(HEAD), 1700)] == [TellLaptop]
    list(plan.step(ProcessEnded(WEB, "killed"), 2000))
    assert Announce() not in list(plan.step(ProcessReady(WEB), 3000))


@given(st.lists(st.floats(0, STEADY_MS / 2), min_size=1, max_size=20))
def test_what_worked_once_is_never_given_up_and_waits_ever_longer(lives: list[float]) -> None:
    plan, now = begun(), 0.0
    for life in lives:
        now += life
        said = list(plan.step(ProcessEnded(WEB, "it says nothing"), now))
        assert not any(isinstance(one, GiveUp) for one in said)
        now += LONGEST_MS
        assert list(plan.step(Tick(), now)) == [StartProcess(WEB)]
        list(plan.step(ProcessReady(WEB), now))


def test_what_never_starts_is_given_up_with_its_reason() -> None:
    plan, now = HallPlan(), 0.0
    plan.begin()
    for _ in range(GIVE_UP - 1):
        ended = ProcessEnded(BROKER, "There is no MQTT broker here")
        assert [type(one) for one in plan.step(ended, now)] == [TellLaptop]
        now += LONGEST_MS
        assert list(plan.step(Tick(), now)) == [StartProcess(BROKER)]
    assert list(plan.step(ProcessEnded(BROKER, "There is no MQTT broker here"), now)) == [
        GiveUp("The broker does not start: There is no MQTT broker here")
    ]


@given(st.sets(st.integers(1, 300), min_size=1))
def test_the_page_is_told_which_tables_are_phones(tables: set[int]) -> None:
    told = load({"phones": as_needed(tables)}).phones
    assert phone_tables(told) == (sorted(tables), True)


def test_phones_that_are_named_one_by_one_are_there_whoever_plays() -> None:
    assert phone_tables("5,4") == ([4, 5], False)
    assert phone_tables("") == ([], False)
