"""A list that is more than the page takes stays in its field."""

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.system("chromium")


def test_a_list_that_is_too_long_to_send_stays_as_it_was_typed(host: Page, place: str) -> None:
    host.goto(f"{place}/host/prepare")
    host.evaluate("document.getElementById('names').value = `${'Ж'.repeat(60)}\\n`.repeat(6000)")
    host.click("button[value=rules]")
    names = host.locator("#names")
    assert "more names than an evening can have" in names.evaluate("field => field.validationMessage")
    assert names.evaluate("field => field.value.length") == 61 * 6000
    names.fill("Ann")
    host.click("button[value=rules]")
    host.wait_for_url("**/host/prepare?panel=rules")
