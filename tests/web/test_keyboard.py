"""A host without a mouse."""

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from web.backends import OPEN, PIN, SEATS, START, FakeBackend

pytestmark = pytest.mark.system("chromium")
STOPS = 60
"""The most stops of the Tab key that lead everywhere."""


def go(page: Page, text: str) -> None:
    """Tabs to what says this, and presses it."""
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").strip().startswith(text):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"no key {text} is reached")


def test_a_host_gives_a_command_by_keys_alone(
    phone: BrowserContext, place: str, backend: FakeBackend
) -> None:
    backend.take(OPEN, SEATS)
    page = phone.new_page()
    page.goto(f"{place}/host/login")
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
    assert [command.command for command in backend.commands] == ["silence"]


def test_a_question_has_its_focus_on_the_key_that_changes_nothing(
    host: Page, place: str, backend: FakeBackend
) -> None:
    backend.take(OPEN, SEATS, START)
    host.goto(f"{place}/host?panel=tools")
    host.get_by_role("link", name="Cancel this round").click()
    host.wait_for_url("**ask=round_cancel*")
    expect(host.get_by_role("link", name="No, go back")).to_be_focused()
    assert host.locator(".app").evaluate("app => app.inert") is True
    host.keyboard.press("Escape")
    host.wait_for_url("**/host")
    assert backend.commands == []
