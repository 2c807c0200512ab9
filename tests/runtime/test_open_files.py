"""A process asks for as many open files as it needs, and lowers nothing."""

import subprocess
import sys

import pytest

ASKS = """
import resource
from pi_bunco.runtime.open_files import allow_many
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
allow_many(700)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(("soft", "hard", "then"), [(256, 900, 700), (256, 500, 500), (800, 900, 800)])
def test_the_limit_is_raised_as_far_as_it_goes(soft: int, hard: int, then: int) -> None:
    script = ASKS.format(soft=soft, hard=hard)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) == then
