"""What tests of the pages share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from web import backends


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[backends.FakeBackend]:
    """A page service without a network."""
    yield from backends.backend(tmp_path)
