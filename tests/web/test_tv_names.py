"""Full names on the TV: none lies over another, none is cut off without an ellipsis."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from pi_bunco.web.pages.board.name_list import READABLE_REM, fitted, halves
from pi_bunco.web.pages.board.page import WON_MS, Wish, shown_scoreboard
from pi_bunco.web.site.page import Context, PageModel
from web.gallery import stages
from web.look import SIZES, serve
from web.names import guests
from web.nights import Night

TEXTS = Path(__file__).with_name("texts.js").read_text()
BROKEN = """() => [...document.querySelectorAll(".plate bdi")]
    .filter((name) => name.getClientRects().length !== 1).map((name) => name.textContent)"""
"""The names on plates that take more than one line."""
PAGE_MS = 10_000
"""Milliseconds for which a page of a list stands."""


def scenes(count: int) -> dict[str, PageModel]:
    """Every scene of an evening of `count` guests."""
    names = guests(count)

    def night(rules: str = "classic", **fields: Any) -> Night:
        return Night(count, rules, names=names, **fields)

    def board(played: Night, later: int = 1000, **fields: Any) -> PageModel:
        return shown_scoreboard(played.evening_now(later, **fields))

    late = tuple((name, "19:00") for name in names[:4])
    seated, many = night().draw(), 2 * -(-count // 4)
    rounds = 12 if count < 100 else 2
    rung = night().draw().begin().throws(many).ring()
    level = night("gong").draw().begin().throws(many).ring("host")
    found = {
        "unseated": board(night()),
        "round": board(night().draw().begin().throws(many)),
        "round-player": board(night("gong").draw().begin().throws(many)),
        "bunco": board(rung, 900),
        "bell": board(rung, 9000),
        "bell-all": board(level, 9000),
        "break": board(night("mybunco").draw().rounds(12), 140_000),
        "finale": board(night("gong", pot="60.00").draw().rounds(rounds)),
        "finale-told": board(night("gong").draw().rounds(12), revealed=3),
        "finale-roll": board(night("gong", prize_tie="one_die").draw().rounds(12)),
    }
    between, timed = night().draw().rounds(2), night().draw().by_clock().begin().throws(many)
    found |= {"won": board(between), "clock-round": board(timed)}
    found["clock-between"] = board(timed.ring("host").finish(), WON_MS + 1000)
    for page in range(5):
        found[f"before-{page}"] = board(seated, 1000 + page * PAGE_MS, late=late)
        found[f"between-{page}"] = board(between, WON_MS + 1000 + page * PAGE_MS)
        found[f"names-{page}"] = shown_scoreboard(between.evening_now(1000 + page * PAGE_MS), Wish("A-M"))
    return found


@pytest.mark.system("chromium")
@pytest.mark.parametrize("count", [12, 13, 48, 200])
def test_no_name_lies_over_another(browser: Browser, count: int) -> None:
    models = scenes(count)
    if count == 12:
        models |= {
            f"stage-{name}": shown_scoreboard(play.evening_now()) for name, play in stages(True).items()
        }
    wrong = []
    for wifi in ("", "WIFI:T:WPA;S:Thursday Bunco;P:felt-lamp-42;;"):
        page = browser.new_page(reduced_motion="reduce")
        shown = models if not wifi else {name: models[name] for name in ("unseated", "before-0")}
        serve(page, shown, Context(theme="night", base="http://192.168.4.1", wifi=wifi))
        for name in shown:
            page.goto(f"http://bunco.test/{name}")
            page.evaluate("document.fonts.ready")
            for size in ("tv", "old"):
                page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
                seen = page.evaluate(TEXTS)
                assert seen["count"], name
                wrong += [f"{name} on {size}: {words}" for words in seen["over"]]
                wrong += [f"{name} on {size}: {words} is cut off" for words in seen["cut"]]
        page.close()
    assert wrong == []


@pytest.mark.system("chromium")
def test_a_short_name_of_any_script_stands_on_one_line_of_its_plate(browser: Browser) -> None:
    names = ["Владимир", "Wilhelm", "МИХАИЛ", "Θεοδώρα", "Emmanuel", "Жужанна", "さくらこひめ", "Александр"]
    page = browser.new_page(reduced_motion="reduce")
    night = Night(0, "gong", names=[*names, "Ann", "Bob", "Cat", "Dee"]).draw().begin()
    serve(page, {"round": shown_scoreboard(night.evening_now(1000))}, Context(theme="night"))
    for size in ("tv", "old"):
        page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
        page.goto("http://bunco.test/round")
        page.evaluate("document.fonts.ready")
        broken = page.evaluate(BROKEN)
        assert broken == [], size
    page.close()


@pytest.mark.parametrize("count", [1, 5, 12, 13, 48, 75, 160])
def test_names_are_as_large_as_is_read_across_a_room(count: int) -> None:
    listed = fitted(tuple(guests(count)), 113.2, 13.2)
    assert listed.tenths >= 10 * READABLE_REM
    assert listed.columns * listed.rows * listed.pages >= count
    assert listed.pages <= -(-count // 14)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Ann", ("Ann",)),
        ("Katharina Wintersberger", ("Katharina", "Wintersberger")),
        ("José Luis Peñarrubia", ("José Luis", "Peñarrubia")),
        ("Marie-Louise d’Arvieux", ("Marie-Louise", "d’Arvieux")),
        ("Bartholomäusmeier", ("Bartholo-", "mäusmeier")),
        ("Al-Ma", ("Al-", "Ma")),
    ],
)  # fmt: skip
def test_a_name_stands_on_two_lines_where_it_can_be_broken(name: str, lines: tuple[str, ...]) -> None:
    assert halves(name) == lines
