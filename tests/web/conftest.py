"""Fixtures that tests of the pages share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from chromium import PATIENCE, chromium
from pi_bunco.web.pages import PAGES
from pi_bunco.web.site.app import app
from web import backends
from web.backends import PIN, FakeBackend
from web.served import served


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[FakeBackend]:
    """A page service without a network."""
    yield from backends.backend(tmp_path)


@pytest.fixture
def port(backend: FakeBackend) -> Iterator[int]:
    """Its pages are served here."""
    with served(app(backend, PAGES), backend.browsers) as port:
        yield port


@pytest.fixture
def place(port: int) -> str:
    """The address of its pages."""
    return f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a file."""
    with chromium() as started:
        yield started


@pytest.fixture
def phone(browser: Browser) -> Iterator[BrowserContext]:
    """A phone."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.set_default_timeout(PATIENCE * 1000)
    yield context
    context.close()


@pytest.fixture
def host(phone: BrowserContext, place: str) -> Page:
    """The phone of a host who has typed the PIN."""
    page = phone.new_page()
    page.goto(f"{place}/host/login")
    page.fill("input[name=pin]", PIN)
    page.keyboard.press("Enter")
    page.wait_for_url("**/host")
    return page
