import signal
from collections.abc import Iterator

import pytest

from pi_bunco.cli.parser import ENDS


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """A command that is run in this process leaves the test's own signal handlers alone."""
    before = [(number, signal.getsignal(number)) for number in ENDS]
    yield
    for number, handler in before:
        signal.signal(number, handler)
