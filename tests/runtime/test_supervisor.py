"""The order in which child processes start, and the ends of real ones."""

import os
import select
import signal
import subprocess
import sys
import threading
from pathlib import Path
from queue import SimpleQueue

from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.runtime.supervisor import (
    MAX_ENDS,
    RESTART_AFTER_MS,
    RESTART_WITHIN_MS,
    WORKED_STEADILY_MS,
    Child,
    Children,
    ProcessEnded,
    ProcessReady,
    StartProcess,
    Supervisor,
)

GROUPS = [["one"], ["two", "three"], ["four"]]
GENEROUS_S = 100.0


def begun() -> Supervisor:
    """All is ready."""
    supervisor = Supervisor(GROUPS)
    for name in ("one", "two", "three", "four"):
        supervisor.ready(name, 0)
    return supervisor


def test_each_group_starts_once_all_of_the_one_before_are_ready() -> None:
    supervisor = Supervisor(GROUPS)
    assert supervisor.begin() == [StartProcess("one")]
    assert supervisor.ready("one", 0) == [StartProcess("two"), StartProcess("three")]
    assert supervisor.ready("three", 0) == []
    assert not supervisor.all_were_ready
    assert supervisor.ready("two", 0) == [StartProcess("four")]
    assert supervisor.ready("two", 0) == [], "it is back"
    assert supervisor.ready("four", 0) == []
    assert supervisor.all_were_ready


def test_one_that_is_added_starts_at_once_and_nobody_waits_for_it() -> None:
    supervisor = Supervisor(GROUPS)
    assert supervisor.add("five") == [StartProcess("five")]
    assert supervisor.add("five") == supervisor.add("one") == []
    assert supervisor.ready("five", 0) == []
    assert supervisor.ready("one", 0) == [StartProcess("two"), StartProcess("three")]


def test_one_that_ends_is_down_until_it_is_ready_again() -> None:
    supervisor = begun()
    assert supervisor.ended("two", 1000)
    assert supervisor.down == {"two"}
    assert supervisor.due(1000 + RESTART_AFTER_MS - 1) == []
    assert supervisor.due(1000 + RESTART_AFTER_MS) == [StartProcess("two")]
    assert supervisor.due(9000) == []
    supervisor.ready("two", 9000)
    assert supervisor.down == set()


def test_one_that_was_killed_stays_down_until_somebody_starts_it() -> None:
    supervisor = begun()
    supervisor.ended("two", 0)
    supervisor.killed("two")
    assert supervisor.due(60_000) == []
    assert supervisor.down == {"two"}


@given(st.lists(st.integers(0, int(WORKED_STEADILY_MS) // 2), min_size=1, max_size=20))
def test_one_that_worked_once_is_never_given_up_and_waits_ever_longer(lives: list[int]) -> None:
    supervisor, now = begun(), 0.0
    for n, life in enumerate(lives):
        now += life
        assert supervisor.ended("four", now)
        wait = min(RESTART_AFTER_MS * 2**n, RESTART_WITHIN_MS)
        assert supervisor.due(now + wait - 1) == []
        now += wait
        assert supervisor.due(now) == [StartProcess("four")]
        supervisor.ready("four", now)
    assert supervisor.ended("four", now + WORKED_STEADILY_MS)
    assert supervisor.due(now + WORKED_STEADILY_MS + RESTART_AFTER_MS) == [StartProcess("four")]


def test_one_that_never_starts_is_given_up() -> None:
    supervisor = Supervisor(GROUPS)
    assert [supervisor.ended("one", 0) for _ in range(MAX_ENDS)] == [True] * (MAX_ENDS - 1) + [False]


def head(folder: Path, *options: str) -> Child:
    """A head whose broker never comes, which says so and works."""
    words = ["head", "--config", os.devnull, "--broker", "127.0.0.1:1", "--data", str(folder / "head")]
    return Child([*words, *options], folder / "head.log")


def test_children_are_ready_ended_and_silent_about_what_was_wanted(tmp_path: Path) -> None:
    news: SimpleQueue[ProcessReady | ProcessEnded] = SimpleQueue()
    options = {"wrong": ["--auto-confirm", "never"]}
    children = Children(lambda name: head(tmp_path, *options.get(name, [])), news.put)
    children.start("wrong")
    ended = news.get(timeout=GENEROUS_S)
    assert isinstance(ended, ProcessEnded)
    assert (ended.name, ended.status) == ("wrong", 2)
    assert "--auto-confirm never is not allowed" in ended.why
    children.start("head")
    os.kill(children.running["head"].pid, signal.SIGKILL)
    assert news.get(timeout=GENEROUS_S) == ProcessEnded("head", -signal.SIGKILL, ended.why)
    for end in (children.kill, lambda name: children.stop([name])):
        children.start("head")
        pid = children.running["head"].pid
        end("head")
        assert not Path(f"/proc/{pid}").exists()
    for thread in threading.enumerate():
        if thread.name.startswith("watch-"):
            thread.join()
    assert children.running == {}
    assert news.empty()


PARENT = """
import sys
from pathlib import Path
from runtime.test_supervisor import head
child = head(Path(sys.argv[1]))
print(child.pid, flush=True)
child.wait()
"""


def test_a_child_ends_with_its_parent_however_that_ends(tmp_path: Path) -> None:
    here = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", PARENT, str(tmp_path)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=here)
    assert parent.stdout is not None
    child = os.pidfd_open(int(parent.stdout.readline()))
    parent.kill()
    parent.communicate()
    assert select.select([child], [], [], GENEROUS_S)[0]
    os.close(child)
