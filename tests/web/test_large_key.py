"""The host's large key under a hand that presses twice."""

import pytest
from playwright.sync_api import Page, Route, expect

from pi_bunco.web.pages.host.frame import HostQuery
from pi_bunco.web.pages.host.tonight.page import HostTonight, shown_tonight
from web.backends import OPEN, SEATS, FakeBackend
from web.nights import Night, opened


def tonight(night: Night, later: int) -> HostTonight:
    return shown_tonight(night.evening_now(later), HostQuery())


@pytest.mark.parametrize(("night", "kind"), [(opened(), "end"), (Night(12).draw(), "start")])
def test_changed_key_takes_no_second_tap(night: Night, kind: str) -> None:
    key, then = tonight(night, 999).big, tonight(night, 1000).big
    assert (key.kind, then.kind) == (kind, kind)
    assert key.action is None
    assert then.action is not None


TWICE = """key => {
    key.click();
    setTimeout(() => { key.click(); console.log("twice"); }, 100);
}"""


@pytest.mark.system("chromium")
def test_a_form_that_is_pressed_twice_is_sent_once(host: Page, place: str, backend: FakeBackend) -> None:
    backend.take(OPEN, SEATS)
    sent: list[Route] = []
    host.goto(f"{place}/host?panel=horn")
    host.route("**/host/command", lambda route: sent.append(route))
    key = host.locator("button[value='15']")
    with host.expect_console_message():
        key.evaluate(TWICE)
    while not sent:
        host.wait_for_timeout(10)
    sent[0].continue_()
    expect(host.locator("#notice")).to_be_visible()
    host.unroute("**/host/command")
    host.goto(f"{place}/host?panel=horn")
    with host.expect_request("**/host/command"):  # of the page that came then, the same key works
        key.click()
    expect(host.locator("#notice")).to_be_visible()
    assert len(sent) == 1
    assert [command.command for command in backend.commands] == ["silence", "silence"]
