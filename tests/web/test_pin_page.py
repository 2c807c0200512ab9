"""The host's PIN in a browser: wrong ten times, then the device waits, and is let in after that."""

import pytest
from playwright.sync_api import Browser, expect

from chromium import PATIENCE
from pi_bunco.web.pages import PAGES
from pi_bunco.web.site.app import app
from pi_bunco.web.site.login import TRIES, WAIT
from web.backends import OPEN, PIN, SEATS, FakeBackend
from web.served import served

pytestmark = pytest.mark.system("chromium")


def test_a_pin_that_is_wrong_ten_times_makes_the_device_wait(browser: Browser, backend: FakeBackend) -> None:
    backend.take(OPEN, SEATS)
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)

    def typed(pin: str) -> None:
        page.fill("input[name=pin]", pin)
        page.keyboard.press("Enter")

    with served(app(backend, PAGES), backend.browsers) as port:
        page.goto(f"http://127.0.0.1:{port}/host/health")
        for left in range(TRIES - 1, 0, -1):
            typed("000000")
            expect(page.get_by_role("alert")).to_contain_text(f"{left} more tr")
        typed("000000")
        expect(page.get_by_role("alert")).to_contain_text("waits 5 minutes")
        typed(PIN)
        expect(page.get_by_role("alert")).to_contain_text("waits")
        assert page.context.cookies() == []
        backend.clock.advance(WAIT)
        typed(PIN)
        page.wait_for_url("**/host/health")
        expect(page.get_by_role("button", name="Log out")).to_be_visible()
        page.close()
