import signal
from collections.abc import Iterator

import pytest

from pi_bunco.cli.parser import ENDS
from ports import free_port


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """A command that is run in this process leaves the test's own signal handlers alone."""
    before = [(number, signal.getsignal(number)) for number in ENDS]
    yield
    for number, handler in before:
        signal.signal(number, handler)


@pytest.fixture
def nowhere() -> str:
    """An address on loopback where nobody listens."""
    return f"127.0.0.1:{free_port()}"
