"""Every control is within reach of a finger: nothing lies over it, and it can be scrolled to."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from pi_bunco.web.site.page import Context
from web.gallery import Maker, hosts, phones, players
from web.look import serve

pytestmark = pytest.mark.system("chromium")
REACH = Path(__file__).with_name("reach.js").read_text()
SIZES = ((360, 640), (390, 664), (390, 844), (768, 1024), (1280, 800))
LOW = (640, 400)
"""A laptop at 200 %: too low for anything to stay."""

ZOOMED = ((320, 568), (195, 332))
"""The size that WCAG 1.4.10 asks for, and the smaller phone at 200 %."""

GROWING = ("codes", "health", "host", "prepare-people", "prepare-seats", "results")
"""The pages that have more on them where there are more tables."""


def out_of_reach(
    browser: Browser, makers: dict[str, Maker], sizes: tuple[tuple[int, int], ...], lang: str = "en"
) -> list[str]:
    """Controls that cannot be pressed on any of these pages, at any of these sizes."""
    page = browser.new_page(reduced_motion="reduce")
    models = {name: make() for name, make in makers.items() if not name.startswith("print")}
    serve(page, models, Context(theme="night", lang=lang, csrf="c", base="http://192.168.4.1"))
    found = []
    for name in models:
        page.goto(f"http://bunco.test/{name}")
        page.evaluate("document.fonts.ready")
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            seen = page.evaluate(REACH)
            place = f"{name} at {width}x{height}"
            assert seen["total"], place
            found += [f"{place}: {words}" for words in seen["hidden"]]
            found += [f"{place}: {words} is too small" for words in seen["small"]]
            found += [f"{place} is {seen['wide']} px too wide"] if seen["wide"] > 0 else []
    page.close()
    return found


@pytest.mark.parametrize("tables", [3, 12, 60])
def test_a_host_reaches_every_key(browser: Browser, tables: int) -> None:
    makers = hosts(tables * 4)
    if tables > 3:
        makers = {name: make for name, make in makers.items() if name.startswith(GROWING)}
    assert out_of_reach(browser, makers, (*SIZES, LOW)) == []


def test_a_host_reaches_every_key_of_longer_words(browser: Browser) -> None:
    assert out_of_reach(browser, hosts(), (SIZES[0], SIZES[3], LOW), "de") == []


@pytest.mark.parametrize("lang", ["en", "de"])
def test_a_phone_table_reaches_every_key(browser: Browser, lang: str) -> None:
    assert out_of_reach(browser, phones(), (*SIZES[:3], LOW), lang) == []


@pytest.mark.parametrize("lang", ["en", "de"])
def test_everybody_reaches_every_key_on_a_phone_at_200_percent(browser: Browser, lang: str) -> None:
    on_phones = {name: make for name, make in players().items() if not name.startswith("table")}
    assert out_of_reach(browser, hosts() | phones() | on_phones, ZOOMED, lang) == []


def test_a_key_under_another_is_found(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 640})
    page.set_content(
        "<style>body{margin:0} div{height:100vh; overflow:hidden} p{height:120vh}"
        " b{position:fixed; inset:auto 0 0; height:3rem; background:red}</style>"
        "<a href='/1'>seen</a><div><p></p><a href='/2'>cut off</a></div><a href='/3'>covered</a><b></b>"
    )
    assert page.evaluate(REACH)["hidden"] == ["cut off", "covered"]
    page.close()
