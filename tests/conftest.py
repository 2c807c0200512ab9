"""Shared by all tests: the `system` marker, a hypothesis profile without a stopwatch, and real brokers."""

import gc
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis
import pytest

from memory import MEMORY
from pi_bunco.wire import broker as embedded
from thorough import CI, times

# The same examples on every machine, however slow; `--hypothesis-profile=search` looks for new ones.
patient = hypothesis.settings(
    max_examples=times(100), deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile("pi-bunco", patient, derandomize=True)
hypothesis.settings.register_profile("search", patient)
hypothesis.settings.load_profile("pi-bunco")

for variable in (
    "LANGUAGE",
    "LC_ALL",
    "LC_MESSAGES",
    "LANG",
):  # what a command says is English, wherever it runs
    os.environ.pop(variable, None)
os.environ["LANG"] = "C.UTF-8"
PROCESS_MODULES = (
    "cli.processes",
    "multiprocessing",
    "pi_bunco.hall.demo",
    "pi_bunco.wire.broker",
)
"""A module that imports from these starts processes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what talks to a broker and what starts processes: a test says so by what it takes and imports."""
    for item in items:
        if not isinstance(item, pytest.Function):
            continue
        if {"broker", "machine", "browser", "page"} & set(item.fixturenames):
            item.add_marker("broker")
        if any(_starts_processes(value) for value in vars(item.module).values()):
            item.add_marker("process")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """All that was imported and collected stays to the end: no garbage collection looks through it again."""
    gc.collect()
    gc.freeze()


def _starts_processes(value: object) -> bool:
    return value is subprocess or getattr(value, "__module__", None) in PROCESS_MODULES


def missing_programs(item: pytest.Item) -> list[str]:
    """The programs that the test's `system` markers name and this machine has not."""
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
    needs = [str(need) for marker in item.iter_markers("system") for need in marker.args]
    return [need for need in needs if not shutil.which(need, path=path)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("long") and not CI:
        pytest.skip("takes long: CI runs it, and `CI=true pytest`")
    if not (missing := missing_programs(item)):
        return
    why = f"needs {', '.join(missing)}, which apt installs"
    if CI:
        pytest.fail(f"{why}; nothing is skipped in CI", pytrace=False)
    pytest.skip(why)


@pytest.fixture
def tmp_path(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder of the test's own, in memory where no other program has to do with it."""
    if MEMORY is None or any(map(request.node.get_closest_marker, ("broker", "process", "system"))):
        yield tmp_path
        return
    with TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@pytest.fixture(params=[pytest.param("mosquitto", marks=pytest.mark.system("mosquitto")), "nats"])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[embedded.Broker]:
    """A broker of its own for the test, once of each kind."""
    with embedded.start(tmp_path / "broker", request.param) as running:
        yield running
