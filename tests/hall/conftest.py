"""A hall for each test, and one browser for the tests of a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from chromium import chromium
from hall.night import Night
from hall.screens import Screens
from ports import free_port


@pytest.fixture
def night(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Night]:
    """A hall; its parameter is how many tables are phones at most."""
    running = Night(tmp_path / "hall", free_port(), tables=getattr(request, "param", 12))
    yield running
    running.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a file."""
    with chromium() as started:
        yield started


@pytest.fixture
def screens(browser: Browser, night: Night) -> Iterator[Screens]:
    made = Screens(browser, night)
    yield made
    made.close()
