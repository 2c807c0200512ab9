"""The host's PIN in a browser: wrong ten times, then the device waits, and is let in after that."""

import pytest
from playwright.sync_api import BrowserContext, expect

from pi_bunco.web.site.login import MAX_TRIES, WAIT_MS
from web.backends import OPEN, PIN, SEATS, FakeBackend

pytestmark = pytest.mark.system("chromium")


def test_a_pin_that_is_wrong_ten_times_makes_the_device_wait(
    phone: BrowserContext, place: str, backend: FakeBackend
) -> None:
    backend.take(OPEN, SEATS)
    page = phone.new_page()

    def typed(pin: str) -> None:
        page.fill("input[name=pin]", pin)
        page.keyboard.press("Enter")

    page.goto(f"{place}/host/health")
    for left in range(MAX_TRIES - 1, 0, -1):
        typed("000000")
        expect(page.get_by_role("alert")).to_contain_text(f"{left} more tr")
    typed("000000")
    expect(page.get_by_role("alert")).to_contain_text("waits 5 minutes")
    typed(PIN)
    expect(page.get_by_role("alert")).to_contain_text("waits")
    assert page.context.cookies() == []
    backend.clock.advance(WAIT_MS)
    typed(PIN)
    page.wait_for_url("**/host/health")
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
