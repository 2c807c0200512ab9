"""The cost of the programs while nothing happens: their start, memory, and the CPU time of an idle service.

The baseline of a start is a Python that does nothing, of a service a bare MQTT client that waits.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from . import Figure
from ._hall import AS_INSTALLED, Hall, Program, hall
from ._visitors import free_port, page

STARTS = 5
IDLE = 10.0  # s


def rows(repeats: int) -> Iterator[Figure]:
    """The programs' benchmarks."""
    with hall() as one:
        yield from starts(one, min(repeats, STARTS))
        yield from idle(one)


def starts(one: Hall, repeats: int) -> Iterator[Figure]:
    """Seconds from the start to the end of `--help`, and to the line that says that a service is ready."""
    nothing, help_, table, head, web, whole = in_turn(
        repeats,
        lambda: ended("-c", "pass"),
        lambda: ended("-m", "pi_bunco", "--help"),
        lambda: started(one.table(1)),
        head_started,
        lambda: page_started(one),
        hall_started,
    )
    baseline = "a Python that does nothing"
    yield Figure("pi-bunco --help", help_, "s", baseline, help_ / nothing, most=0.1)
    yield Figure("start of a table service", table, "s", baseline, table / nothing, most=0.25)
    yield Figure("start of the head service", head, "s", baseline, head / nothing, most=0.5)
    yield Figure("start of the page service", web, "s", baseline, web / nothing, most=1.0)
    yield Figure("start of a hall", whole, "s", baseline, whole / nothing, most=3.0)


def in_turn(repeats: int, *works: Callable[[], float]) -> list[float]:
    """The median of what each of `works` returns, done in turn."""
    runs = [[work() for work in works] for _ in range(repeats)]
    return [median(values) for values in zip(*runs, strict=True)]


def ended(*arguments: str) -> float:
    """Seconds until a Python has ended."""
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=AS_INSTALLED)
    return time.perf_counter() - began


def started(program: Program) -> float:
    """Seconds until it was ready; it is ended."""
    with program:
        return program.started


def head_started() -> float:
    """Seconds until the head of another hall was ready."""
    with hall() as another:
        return another.head.started


def page_started(one: Hall) -> float:
    """Seconds until a page service was ready."""
    with page(one) as pages:
        return pages.programs[0].started


def hall_started() -> float:
    """Seconds until all of a hall on one machine was ready."""
    with TemporaryDirectory() as folder:
        place = f"127.0.0.1:{free_port()}"
        log, data = Path(folder) / "hall.log", Path(folder) / "hall"
        options = ["--no-browser", "--silent", "--data", str(data), "--listen", place]
        return started(Program(log, "-m", "pi_bunco", "hall", *options))


def idle(one: Hall) -> Iterator[Figure]:
    """Services in an open round in which nobody rolls."""
    with ExitStack() as stack:
        table = stack.enter_context(one.table(1))
        one.cast.open(1)
        one.cast.start()
        programs = {"table": table, "head": one.head, "bare": one.receiver}
        time.sleep(1.0)
        before = {name: program.cpu for name, program in programs.items()}
        time.sleep(IDLE)
        busy = {name: 100 * (program.cpu - before[name]) / IDLE for name, program in programs.items()}
        memory = {name: program.memory for name, program in programs.items()}
    for name, most in (("table", 40.0), ("head", 60.0)):
        yield Figure(
            f"memory of a {name} service", memory[name], "MB", "a bare MQTT client",
            memory[name] / memory["bare"], most=most,
        )  # fmt: skip
    for name, at_most in (("table", 1.0), ("head", None)):
        yield Figure(f"idle CPU of a {name} service", busy[name], "% of a core", most=at_most)
