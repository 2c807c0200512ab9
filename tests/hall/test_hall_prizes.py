"""A night for money in a browser: from nothing to the last printed sheet, and the next one after it."""

import csv
import re
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.sync_api import Download, Page, expect

from hall.night import Host, Night, Phone
from hall.screens import LAPTOP, PHONE, TV, Screens, join, login, paper, press, type_names
from hall.test_hall_evening import play

NAMES = [
    "Ann",
    "Bartholomew-Christopher Smithe",
    "<script>alert(1)</script>",
    "\u2067מרים כהן\u2069",
    "Zoë 🎲🎉👩‍👩‍👧‍👦",
    "Wolfeschlegelsteinhausenberger",
    "Łukasz Żółć",
    'O\'Neil & "Sons"',
]
EACH, ROUNDS = "5.00", 6
HOSTS = [
    *("/host", "/host?table=1", "/host?panel=people", "/host?panel=break", "/host/codes", "/host/evenings"),
    *("/host/health", "/host/results", "/host/log", "/host/prepare", "/host/prepare?panel=rules"),
    *("/host/prepare?panel=money", "/host/prepare?panel=seats"),
]
GUESTS = ["/", "/me", "/me?tab=tables", "/me?tab=standings", "/table/1", "/table/1/play"]
WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll("#page *")].filter(one => one.getBoundingClientRect().right > innerWidth)
        .map(one => one.outerHTML.slice(0, 200))"""
"""The elements that make a page wider than the screen."""
pytestmark = pytest.mark.system("chromium", "mosquitto")


def prepared(host: Page) -> None:
    """The host types names and money, and changes two of the rules."""
    type_names(host, NAMES)
    host.click("button[name=rules][value=gong]")
    host.click("details summary:has-text('single rules')")
    host.select_option("[name='set.evening.sets']", "1")
    host.select_option("[name='set.prize_tie']", "ask")
    host.click("button:has-text('Keep these rules')")
    host.click("a:has-text('Next: money')")
    host.fill("#each", EACH)
    host.keyboard.press("Enter")
    expect(host.locator("main")).to_contain_text("40.00")
    host.click("button[value=open]")
    host.wait_for_url("**panel=seats")


def fits(page: Page, paths: list[str]) -> None:
    """Every page is as wide as the screen, whatever the names are."""
    for path in paths:
        page.goto(path)
        assert page.evaluate(WIDE) == [], path


def settled(host: Page) -> None:
    """The host splits every prize that is tied."""
    host.goto("/host/results")
    ties = host.locator("section.tie")
    for count in range(ties.count(), 0, -1):
        expect(ties).to_have_count(count)
        with host.expect_navigation():
            host.click("section.tie button:has-text('Split it') >> nth=0")
        expect(host.locator("#notice")).to_contain_text("Done")


def told(host: Page, tv: Page) -> None:
    """The TV tells who won, at the host's pace."""
    expect(tv.locator("main.Finale")).to_be_visible()
    following = host.get_by_role("button", name="Next: ")
    while following.count():
        with host.expect_navigation():
            following.click()
    expect(host.locator("#telling")).to_contain_text("All of it is told")
    expect(tv.locator("main.Finale")).to_contain_text("40.00")


def saved(host: Page, link: str, folder: Path) -> str:
    """The file that the browser saves behind a link."""
    with host.expect_download() as begun:
        host.click(f"a:has-text('{link}')")
    download: Download = begun.value
    download.save_as(folder / "saved")
    return (folder / "saved").read_text("utf-8-sig")


def test_a_night_for_money_is_played_printed_and_followed_by_another(
    night: Night, screens: Screens, tmp_path: Path
) -> None:
    host, tv = login(night, screens), screens.open("/", TV)
    prepared(host)
    boss, phones = Host(night), [Phone(night, table) for table in (1, 2)]
    for phone in phones:
        phone.join(night.id)
    me, one = screens.open("/me", PHONE), join(night, screens, 1)
    me.click("button[name=name][value=Ann]")
    for _ in range(ROUNDS):
        play(night, boss, phones)
    settled(host)
    told(host, tv)
    fits(host, HOSTS)
    fits(me, GUESTS)
    host.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    fits(host, HOSTS)
    host.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})
    host.goto("/host/results")
    press(host, "Close the evening")
    rows = list(csv.reader(saved(host, "Table as CSV", tmp_path).splitlines()))
    assert {cell for row in rows for cell in row} >= {*NAMES[:2], *NAMES[3:], "מרים כהן"} - {NAMES[3]}, rows
    assert saved(host, "The log as a file", tmp_path).count("\n") == len(night.log())
    host.goto("/host/results")
    amounts = host.locator("ol.prz .amt").all_inner_texts()
    assert sum(Decimal(found[0]) for text in amounts if (found := re.findall(r"[\d.]+", text))) > 0
    for what, sheets in (("results", (1, 2)), ("cards", (3,))):
        assert paper(host, f"/host/print/{what}", tmp_path / f"{what}.pdf") in sheets
    the_next_one(night, screens, (host, tv, me, one))
    assert screens.wrong == []


def the_next_one(night: Night, screens: Screens, pages: tuple[Page, Page, Page, Page]) -> None:
    """Everybody's pages stayed open over night; the same people come again, and one more."""
    host, tv, me, one = pages
    me.goto("/me")
    first = night.id
    type_names(host, [*NAMES[:7], "Nell"])
    host.goto("/host/prepare?panel=money")
    host.click("button[value=open]")
    host.wait_for_url("**panel=seats")
    expect(tv.locator("main.BeforeFirst")).to_contain_text("Nell")
    expect(me.locator("#mine")).to_contain_text("Ann")
    expect(me.locator("#page")).to_contain_text("Table")
    expect(one.locator("input[name=code]")).to_be_visible()
    assert night.id != first
    host.goto("/host/evenings")
    host.click("a[href*='results?evening=']")
    expect(host.locator("h1")).to_contain_text("the night")
    assert screens.wrong == []
