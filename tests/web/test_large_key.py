"""The host's large key under a hand that presses twice."""

import pytest
from playwright.sync_api import Browser, Route, expect

from chromium import PATIENCE
from pi_bunco.web.pages import PAGES
from pi_bunco.web.pages.host.model import HostQuery, HostTonight
from pi_bunco.web.pages.host.tonight.page import shown_tonight
from pi_bunco.web.site.app import app
from web.backends import OPEN, PIN, SEATS, FakeBackend
from web.nights import Night, opened
from web.served import served


def tonight(night: Night, later: int) -> HostTonight:
    return shown_tonight(night.evening_now(later), HostQuery())


@pytest.mark.parametrize(("night", "kind"), [(opened(), "end"), (Night(12).draw(), "start")])
def test_what_has_come_under_the_finger_takes_no_second_tap(night: Night, kind: str) -> None:
    key, then = tonight(night, 999).big, tonight(night, 1000).big
    assert (key.kind, then.kind) == (kind, kind)
    assert key.action is None
    assert then.action is not None


TWICE = """key => {
    key.click();
    setTimeout(() => { key.click(); console.log("twice"); }, 100);
}"""


@pytest.mark.system("chromium")
def test_a_form_that_is_pressed_twice_is_sent_once(browser: Browser, backend: FakeBackend) -> None:
    backend.take(OPEN, SEATS)
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    sent: list[Route] = []
    with served(app(backend, PAGES), backend.browsers) as port:
        page.goto(f"http://127.0.0.1:{port}/host/login")
        page.fill("input[name=pin]", PIN)
        page.keyboard.press("Enter")
        page.wait_for_url("**/host")
        page.goto(f"http://127.0.0.1:{port}/host?panel=horn")
        page.route("**/host/command", lambda route: sent.append(route))
        key = page.locator("button[value='15']")
        with page.expect_console_message():
            key.evaluate(TWICE)
        while not sent:
            page.wait_for_timeout(10)
        sent[0].continue_()
        expect(page.locator("#notice")).to_be_visible()
        page.unroute("**/host/command")
        page.goto(f"http://127.0.0.1:{port}/host?panel=horn")
        with page.expect_request("**/host/command"):  # of the page that came then, the same key works
            key.click()
        expect(page.locator("#notice")).to_be_visible()
        page.close()
    assert len(sent) == 1
    assert [command.command for command in backend.commands] == ["silence", "silence"]
