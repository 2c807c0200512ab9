"""A hall on one machine tells of its processes, and its page knows which tables are phones."""

from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.cli.table import phone_tables
from pi_bunco.config import load
from pi_bunco.hall.hall import Finish, Say, TellPages, as_needed
from pi_bunco.hall.host_laptop import HallPlan
from pi_bunco.runtime.loop import Tick
from pi_bunco.runtime.supervisor import MAX_ENDS, RESTART_AFTER_MS, ProcessEnded, ProcessReady, StartProcess

GROUPS = [["broker"], ["head"], ["web"]]


def begun() -> HallPlan:
    """A hall in which all is ready."""
    plan = HallPlan(GROUPS)
    for (name,) in GROUPS:
        list(plan.step(ProcessReady(name), 0))
    return plan


def test_each_process_starts_when_the_one_before_is_ready_and_then_all_is_announced() -> None:
    plan = HallPlan(GROUPS)
    assert plan.begin() == [StartProcess("broker")]
    assert list(plan.step(ProcessReady("broker"), 0)) == [StartProcess("head")]
    assert list(plan.step(ProcessReady("head"), 0)) == [StartProcess("web")]
    assert list(plan.step(ProcessReady("web"), 0)) == [TellPages()]


def test_ended_process_is_reported_restarted_and_announced_once() -> None:
    plan = begun()
    assert list(plan.step(ProcessEnded("head", -9, "killed"), 1000)) == [
        Say("The head ended (killed); it starts again, and nothing is lost.")
    ]
    assert list(plan.step(Tick(), 1000 + RESTART_AFTER_MS)) == [StartProcess("head")]
    assert list(plan.step(ProcessReady("head"), 1700)) == [Say("The head works again.")]
    list(plan.step(ProcessEnded("web", -9, "killed"), 2000))
    assert list(plan.step(ProcessReady("web"), 3000)) == [Say("The web works again.")]


def test_process_that_never_starts_is_given_up_with_its_reason() -> None:
    plan, ended = HallPlan(GROUPS), ProcessEnded("broker", 1, "no room")
    for _ in range(MAX_ENDS - 1):
        assert list(plan.step(ended, 0)) == [
            Say("The broker does not start yet (no room); it is tried again.")
        ]
    assert list(plan.step(ended, 0)) == [Finish("The broker does not start: no room")]


@given(st.sets(st.integers(1, 300), min_size=1))
def test_the_page_is_told_which_tables_are_phones(tables: set[int]) -> None:
    told = load({"phones": as_needed(tables)}).phones
    assert phone_tables(told) == (sorted(tables), True)


def test_phones_that_are_named_one_by_one_are_there_whoever_plays() -> None:
    assert phone_tables("5,4") == ([4, 5], False)
    assert phone_tables("") == ([], False)
