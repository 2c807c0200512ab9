"""Each for themselves, and tables that are teams, on real pages: from Prepare to the result sheet."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hall.night import Host, Night
from hall.screens import TV, Screens, asked, join, login, paper, press, tap, type_names
from hall.test_hall_evening import start

PEOPLE = ("Ann", "Bob", "Cat", "Dee", "Eve", "Flo", "Gus", "Hal")
pytestmark = pytest.mark.system("chromium", "mosquitto")


def published(host: Page, people: Sequence[str], name: str) -> None:
    """The host takes house rules of others, and opens the evening."""
    type_names(host, people)
    host.click("summary:has-text('House rules of other groups')")
    host.click(f"button[name=rules][value='house:{name}']")
    host.goto("/host/prepare?panel=money")
    host.click("button[value=open]")
    host.wait_for_url("**panel=seats")


def ring(phone: Page) -> None:
    """A Bunco at the head table, which the phone asks about."""
    tap(phone, "bunco")
    phone.click("dialog[open] [data-yes]")


def closed(host: Page) -> None:
    """The host closes the evening and looks at its results."""
    host.goto("/host?panel=tools")
    asked(host, "Close the evening")
    host.goto("/host/results")


def test_tables_that_are_teams_with_names(night: Night, screens: Screens, tmp_path: Path) -> None:
    host, tv = login(night, screens), screens.open("/", TV)
    published(host, PEOPLE, "Teams of four")
    host.fill("[name='arg.teams.0']", "Aces")
    host.fill("[name='arg.teams.1']", "Owls")
    press(host, "Name the teams")
    one, two = join(night, screens, 1), join(night, screens, 2)
    expect(one.locator("#page")).to_contain_text("You four are a team")
    start(night, Host(night))
    expect(tv.locator("#t2")).to_contain_text("Owls")
    tap(two, "two")
    expect(two.locator(".chip")).to_have_text("2")
    ring(one)
    for phone in (one, two):
        expect(phone.locator("#page")).to_contain_text("when all tables have pressed OK")
        tap(phone, "ok")
    expect(tv.locator("main.RoundWon, main.Between")).to_contain_text("Aces")
    closed(host)
    expect(host.locator("#page")).to_contain_text("Owls")
    assert paper(host, "/host/print/results", tmp_path / "results.pdf") == 1
    expect(host.locator("main")).to_contain_text("1. Aces: wins 4, Buncos 1, points 21")
    assert screens.wrong == []


def test_each_for_themselves(night: Night, screens: Screens, tmp_path: Path) -> None:
    host, tv = login(night, screens), screens.open("/", TV)
    published(host, PEOPLE[:7], "First to 21 anywhere")
    one, two = join(night, screens, 1), join(night, screens, 2)
    expect(one.locator("#page")).to_contain_text("Each plays alone")
    start(night, Host(night))
    tap(two, "one")
    tap(two, "miss")
    expect(two.locator(".each")).to_contain_text("1")
    ring(one)
    expect(one.locator("#page")).to_contain_text("wins")
    for phone in (one, two):
        tap(phone, "ok")
    expect(tv.locator("main.RoundWon, main.Between")).to_contain_text("21")
    evening = night.until(lambda evening: len(evening["rounds"]) == 1)
    assert [len(table["points"]) for table in evening["rounds"][0]["tables"]] == [4, 4]
    assert sorted(card["wins"] for card in evening["standings"].values()) == [0, 0, 0, 0, 0, 1, 1]
    closed(host)
    assert paper(host, "/host/print/cards", tmp_path / "cards.pdf") == 2
    assert screens.wrong == []
