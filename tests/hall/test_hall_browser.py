"""An evening in real browsers: the host's laptop, two phones as tables, a TV, from nothing to the results."""

import re
import socket
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from hall.night import PATIENCE, Night

NAMES = [
    "Ann",
    "Bob",
    "Cat",
    "Dee",
    "Eve 🎲",
    "מרים",
    "Bartholomew-Christopher Smith",
    "<script>alert(1)</script>",
]
pytestmark = pytest.mark.system("chromium", "mosquitto")


@pytest.fixture
def night(tmp_path: Path) -> Iterator[Night]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    running = Night(tmp_path / "hall", port)
    yield running
    running.close()


@pytest.fixture
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-dev-shm-usage"]
        started = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=options)
        yield started
        started.close()


class Screens:
    """Everybody's pages; `wrong` is what their consoles complained of."""

    def __init__(self, browser: Browser, night: Night) -> None:
        self._browser = browser
        self._night = night
        self.wrong: list[str] = []

    def open(self, path: str, width: int, height: int) -> Page:
        """A page on a device of its own."""
        page = self._browser.new_context(viewport={"width": width, "height": height}).new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.goto(self._night.page + path)
        return page


def prepared(night: Night, screens: Screens) -> Page:
    """The host has typed the names, chosen gong, and opened the evening."""
    host = screens.open("/host", 1024, 768)
    host.fill("input[name=pin]", night.pin)
    host.keyboard.press("Enter")
    host.wait_for_url(f"{night.page}/host")
    host.goto(f"{night.page}/host/prepare")
    host.fill("#names", "\n".join(NAMES))
    host.click("button[value=rules]")
    host.click("button[name=rules][value=gong]")
    host.goto(f"{night.page}/host/prepare?panel=money")
    host.click("button[value=open]")
    host.wait_for_url("**panel=seats")
    return host


def joined(night: Night, host: Page, screens: Screens) -> list[Page]:
    """Two phones that have typed the codes of the host's page."""
    host.goto(f"{night.page}/host/codes")
    codes = re.findall(r"Code (\d{6})", host.inner_text("#page"))
    phones = []
    for table, code in enumerate(codes, 1):
        phone = screens.open(f"/table/{table}/play", 390, 844)
        phone.fill("input[name=code]", code)
        phone.keyboard.press("Enter")
        phones.append(phone)
    return phones


def tap(phone: Page, what: str) -> None:
    """A key of a phone table."""
    phone.click(f"button[name=tap][value={what}]:visible")


def start(night: Night, host: Page) -> None:
    """The host presses the large key."""
    host.goto(f"{night.page}/host")
    host.click("button:has-text('Start round')")


def play(night: Night, host: Page, one: Page, two: Page) -> None:
    """A round that a Bunco at the first table ends, after its phone has asked whether it is one."""
    rounds = len(night.evening()["rounds"])
    start(night, host)
    tap(two, "two")
    tap(one, "two")
    tap(one, "bunco")
    one.click("dialog[open] [data-yes]")
    night.until(lambda evening: evening["state"] == "after_bell")
    for phone in (one, two):
        tap(phone, "ok")
    night.until(lambda evening: len(evening["rounds"]) == rounds + 1)


def test_an_evening_is_played_on_real_pages(night: Night, browser: Browser) -> None:
    screens = Screens(browser, night)
    tv = screens.open("/", 1920, 1080)
    host = prepared(night, screens)
    expect(tv.locator("#page")).to_contain_text("Bartholomew")
    expect(tv.locator("#page")).to_contain_text("<script>alert(1)</script>")
    one, two = joined(night, host, screens)
    play(night, host, one, two)
    assert night.evening()["rounds"][0]["bell"]["by"] == "bunco"
    start(night, host)
    one.context.set_offline(True)
    tap(one, "one")
    expect(one.locator("#keeps")).to_be_visible()
    one.context.set_offline(False)
    expect(one.locator("#keeps")).to_be_hidden()
    assert next(fact for _, fact in night.facts() if fact.get("epoch") == 2)["call"] == "one"
    host.click("button:has-text('End round')")
    night.until(lambda evening: evening["state"] == "after_bell")
    assert [text for text in screens.wrong if "ERR_INTERNET_DISCONNECTED" not in text] == []


def test_two_phones_at_one_table_see_the_same(night: Night, browser: Browser) -> None:
    screens = Screens(browser, night)
    host = prepared(night, screens)
    one, _ = joined(night, host, screens)
    (other, _) = joined(night, host, screens)
    start(night, host)
    tap(one, "two")
    expect(other.locator("#page")).to_contain_text("Undo")
    tap(other, "undo")
    expect(one.locator("button[name=tap][value=undo]")).to_have_count(0)
    kinds = [fact["kind"] for _, fact in islice(night.facts(), 5)]
    assert kinds == ["evening", "seating", "round_open", "roll", "undo"]
    assert screens.wrong == []
