"""The page service as a process under the limits of its unit."""

import contextlib
import re
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest

from cli.processes import Service
from pi_bunco.web.site.server import Endpoint, bound

pytestmark = pytest.mark.process
UNIT = Path(__file__).parents[2] / "systemd" / "pi-bunco-web.service"
TABLES = 12
LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_DATA, 2 * (int(sys.argv.pop(1)),))
resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))
runpy.run_module("pi_bunco", run_name="__main__", alter_sys=True)
"""


def unit(key: str) -> str:
    found = re.search(rf"(?m)^{key}=(.*)$", UNIT.read_text())
    assert found
    return found[1]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_twelve_phone_tables_work_within_the_limits_of_the_unit(tmp_path: Path) -> None:
    with contextlib.closing(bound(Endpoint("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    data = int(unit("LimitDATA").removesuffix("M")) << 20
    options = ("--broker", "127.0.0.1:1", "--data", tmp_path, "--listen", f"127.0.0.1:{port}")
    phones = ",".join(map(str, range(1, TABLES + 1)))
    program = [sys.executable, "-c", LIMITED, str(data)]
    with Service("web", *options, "--phones", phones, program=program) as service:
        for number in range(1, TABLES + 1):
            assert 'name="code"' in shown(port, number)
        status = Path(f"/proc/{service.process.pid}/status").read_text()
        threads = re.search(r"Threads:\s+(\d+)", status)
        assert threads
        assert 3 * TABLES < int(threads[1]) < int(unit("TasksMax"))


def shown(port: int, number: int) -> str:
    """The page of a phone table, once it is served; the test's bound ends it."""
    while True:
        link = HTTPConnection("127.0.0.1", port, timeout=60)
        with contextlib.closing(link), contextlib.suppress(ConnectionRefusedError):
            link.request("GET", f"/table/{number}/play")
            return link.getresponse().read().decode()
