"""Everybody's screens in one real browser: what they tap, what they show, and their network that is cut."""

import re
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, expect

from chaos._links import Link, Links
from chromium import PATIENCE
from hall.night import Night
from pi_bunco.runtime.clock import SystemClock

DEVICES = 8
AWAY = "#offline:visible, #keeps:visible"
"""The text of a page while it is cut off."""
TV, LAPTOP, PHONE = (1920, 1080), (1024, 768), (390, 844)


class Screens:
    """Everybody's pages; `wrong` is what their consoles complained of, but for a network that was cut."""

    def __init__(self, browser: Browser, night: Night) -> None:
        self._browser = browser
        self._night = night
        self._links = Links(DEVICES, night.page.removeprefix("http://"), SystemClock())
        self._free = list(self._links.of)
        self._of: dict[BrowserContext, Link] = {}
        self.wrong: list[str] = []

    def open(self, path: str, size: tuple[int, int]) -> Page:
        """A page on a device of its own."""
        width, height = size
        link = self._free.pop()
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, base_url=f"http://127.0.0.1:{link.port}"
        )
        self._of[context] = link
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("console", lambda line: self._complained(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: self._complained(str(error)))
        page.goto(path)
        return page

    def _complained(self, text: str) -> None:
        if not re.search(r"Failed to load resource: (net::ERR|.* (409|503) )", text):
            self.wrong.append(text)

    def close(self) -> None:
        """Everybody goes home."""
        for context in self._browser.contexts:
            context.close()
        self._links.close()

    def cut(self, *pages: Page, quietly: bool = False) -> None:
        """Takes the network of these away; each says so. `quietly`: without the browser being told."""
        for page in pages:
            self._of[page.context].cut()
            page.context.set_offline(not quietly)
        for page in pages:
            expect(page.locator(AWAY)).to_be_visible()

    def back(self, *pages: Page) -> None:
        """Gives it back; each goes on by itself."""
        for page in pages:
            self._of[page.context].mend()
            page.context.set_offline(False)
        for page in pages:
            expect(page.locator(AWAY)).to_have_count(0)


def login(night: Night, screens: Screens, name: str = "", size: tuple[int, int] = LAPTOP) -> Page:
    """A host, at the laptop if not said otherwise."""
    host = screens.open("/host", size)
    host.fill("input[name=pin]", night.pin)
    host.fill("input[name=name]", name)
    host.keyboard.press("Enter")
    host.wait_for_url(re.compile(r":\d+/host$"))
    return host


def type_names(host: Page, names: Iterable[str]) -> None:
    """The host types a name to a line, says of each that is doubtful that it is one, and goes on."""
    host.goto("/host/prepare?panel=people")
    host.fill("#names", "\n".join(names))
    next_page = host.locator("button[value=rules]")
    with host.expect_navigation():
        next_page.click()
    while (one := host.locator("button[name=otherwise]")).count():
        with host.expect_navigation():
            one.first.click()
    if host.locator("#names").count():
        with host.expect_navigation():
            next_page.click()


def prepare(host: Page, names: Iterable[str], rules: str = "gong") -> None:
    """The host types the names, chooses the rules and opens the evening."""
    type_names(host, names)
    with host.expect_navigation(timeout=PATIENCE * 1000):
        host.click(f"button[name=rules][value={rules}]")
    host.goto("/host/prepare?panel=money")
    host.click("button[value=open]")
    host.wait_for_url("**panel=seats")


def join(night: Night, screens: Screens, table: int) -> Page:
    """A phone that has typed the code of its table."""
    phone = screens.open(f"/table/{table}/play", PHONE)
    phone.fill("input[name=code]", night.code(night.id, table))
    phone.keyboard.press("Enter")
    expect(phone.locator("input[name=code]")).to_have_count(0)
    return phone


def tap(phone: Page, what: str) -> None:
    """A key of a phone table."""
    phone.click(f"button[name=tap][value={what}]:visible")


def press(host: Page, text: str) -> None:
    """A key of the host's page; the answer stands there then."""
    with host.expect_navigation(timeout=PATIENCE * 1000):
        host.click(f"button:has-text('{text}'):visible")
    expect(host.locator("#notice")).to_be_visible()


def asked(host: Page, text: str) -> None:
    """A key that asks once before it does what it says."""
    host.click(f"a:has-text('{text}'):visible")
    with host.expect_navigation(timeout=PATIENCE * 1000):
        host.click("#sheet button")
    expect(host.locator("#sheet")).to_have_count(0)


def paper(page: Page, path: str, out: Path) -> int:
    """Prints a page; how many sheets it takes."""
    page.goto(path)
    expect(page.locator("main").first).to_be_visible()
    pdf = page.pdf(path=out, prefer_css_page_size=True)
    return len(re.findall(rb"/Type\s*/Page\b", pdf))
