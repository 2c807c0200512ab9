"""Somebody sets the wall clock back an hour: the services know no wall clock."""

import ast
from pathlib import Path

import pytest

WALL = {"time", "time_ns", "localtime", "gmtime", "ctime", "now", "today", "utcnow", "CLOCK_REALTIME"}
CLOCK = Path("pi_bunco/runtime/clock.py")
SERVICES = [
    path
    for name in ("head", "table", "wire", "devices", "log")
    for path in Path("pi_bunco", name).rglob("*.py")
    if path != Path("pi_bunco/log/backup.py")  # a command, whose copies have a date
]


def test_there_are_services_to_look_at() -> None:
    assert len(SERVICES) > 20


@pytest.mark.parametrize("path", [*SERVICES, Path("pi_bunco/runtime/loop.py"), CLOCK], ids=str)
def test_no_service_reads_the_wall_clock(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    if path == CLOCK:  # what is for people alone has a name of its own, which no service calls
        tree.body = [
            node
            for node in tree.body
            if not (isinstance(node, ast.FunctionDef) and node.name == "wall_seconds")
        ]
    read = [
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("time", "datetime", "date")
        and node.attr in WALL
    ]
    assert not read
    shell = path == CLOCK or path.name == "service.py"  # a date that goes with an evening, for people
    assert shell or "wall_seconds" not in path.read_text("utf-8")
