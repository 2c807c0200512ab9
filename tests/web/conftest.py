"""What tests of the pages share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from chromium import chromium
from web import backends


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[backends.FakeBackend]:
    """A page service without a network."""
    yield from backends.backend(tmp_path)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a file."""
    with chromium() as started:
        yield started
