"""A host without a mouse."""

import pytest
from playwright.sync_api import Browser, Page, expect

from chromium import PATIENCE
from pi_bunco.web.pages import PAGES
from pi_bunco.web.site.app import app
from web.backends import OPEN, PIN, SEATS, FakeBackend
from web.served import served

pytestmark = pytest.mark.system("chromium")
STOPS = 60
"""So many stops of the Tab key lead everywhere."""


def go(page: Page, text: str) -> None:
    """Tabs to what says this, and presses it."""
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").strip().startswith(text):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"no key {text} is reached")


def test_a_host_gives_a_command_by_keys_alone(browser: Browser, backend: FakeBackend) -> None:
    backend.take(OPEN, SEATS)
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    with served(app(backend, PAGES), backend.browsers) as port:
        page.goto(f"http://127.0.0.1:{port}/host/login")
        expect(page.locator("#pin")).to_be_focused()
        page.keyboard.type(PIN)
        page.keyboard.press("Enter")
        page.wait_for_url("**/host")
        go(page, "Tools")
        page.wait_for_url("**panel=tools*")
        expect(page.locator("#drawer-title")).to_be_focused()
        go(page, "Horn silent")
        page.wait_for_url("**panel=horn*")
        go(page, "15 min")
        expect(page.locator("#notice")).to_be_visible()
        page.close()
    assert [command.command for command in backend.commands] == ["silence"]
