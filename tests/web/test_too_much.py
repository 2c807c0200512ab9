"""A list that is more than the page takes stays in its field."""

import pytest
from playwright.sync_api import Browser

from pi_bunco.web.pages import PAGES
from pi_bunco.web.site.app import app
from web.backends import PIN, FakeBackend
from web.served import served

pytestmark = pytest.mark.system("chromium")


def test_a_list_that_is_too_long_to_send_stays_as_it_was_typed(
    browser: Browser, backend: FakeBackend
) -> None:
    page = browser.new_page()
    with served(app(backend, PAGES), backend.browsers) as port:
        page.goto(f"http://127.0.0.1:{port}/host/login?next=/host/prepare")
        page.fill("input[name=pin]", PIN)
        page.keyboard.press("Enter")
        page.wait_for_selector("#names")
        page.evaluate("document.getElementById('names').value = `${'Ж'.repeat(60)}\\n`.repeat(6000)")
        page.click("button[value=rules]")
        names = page.locator("#names")
        assert "more names than an evening can have" in names.evaluate("field => field.validationMessage")
        assert names.evaluate("field => field.value.length") == 61 * 6000
        names.fill("Ann")
        page.click("button[value=rules]")
        page.wait_for_url("**/host/prepare?panel=rules")
    page.close()
