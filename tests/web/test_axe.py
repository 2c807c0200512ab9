"""Every page in a real browser: axe finds nothing serious, nothing is too wide, no script fails."""

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from msgspec.structs import replace
from playwright.sync_api import Browser, Page

from pi_bunco.web.site.page import Context
from pi_bunco.web.site.themes import shipped
from web.gallery import hosts, pages
from web.look import SIZES, dressed, serve

pytestmark = pytest.mark.system("chromium")
MAKERS = pages()
NAMES = [name for name in MAKERS if not name.endswith(("-2", "-4", "-6", "-13", "-13g", "-75", "-300"))]
WORST = {"serious", "critical"}


THEMES = [one.id for one in shipped()]


@pytest.fixture(scope="module")
def rooms(browser: Browser) -> dict[str, Page]:
    """A page by night, one by day, and one in every theme of the hall."""
    models = {name: MAKERS[name]() for name in NAMES}
    found = {}
    for theme in ("night", "day", *THEMES):
        found[theme] = browser.new_page(reduced_motion="reduce")
        serve(found[theme], models, replace(dressed(theme), csrf="c", base="http://192.168.4.1"))
    return found


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("theme", THEMES)
def test_a_page_can_be_read_in_every_theme_of_the_hall(rooms: dict[str, Page], name: str, theme: str) -> None:
    page = rooms[theme]
    size = "tv" if name.startswith(("tv", "table")) else "phone"
    page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
    page.goto(f"http://bunco.test/{name}")
    rule = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
    found = Axe().run(page, options=rule).response["violations"]
    assert [(node["html"], node["any"][0]["message"]) for one in found for node in one["nodes"]] == []
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0 or name.startswith("print")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("room", ["night", "day"])
def test_a_page_can_be_used_by_everybody(rooms: dict[str, Page], name: str, room: str) -> None:
    page = rooms[room]
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    size = "tv" if name.startswith(("tv", "table")) else "phone"
    page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
    page.goto(f"http://bunco.test/{name}")
    found = Axe().run(page).response["violations"]
    serious = [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in WORST]
    assert serious == []
    assert errors == []
    if not name.startswith("print"):
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0


def test_a_key_of_the_host_is_called_what_stands_on_it(browser: Browser) -> None:
    """Somebody who speaks to the page says the words that they see."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    models = {name: make() for name, make in hosts().items()}
    serve(page, models, Context(csrf="c", base="http://192.168.4.1"))
    found: dict[str, list[str]] = {}
    for name in models:
        page.goto(f"http://bunco.test/{name}")
        rule = {"runOnly": {"type": "rule", "values": ["label-content-name-mismatch"]}}
        wrong = Axe().run(page, options=rule).response["violations"]
        found |= {name: [node["html"] for one in wrong for node in one["nodes"]]} if wrong else {}
    page.close()
    assert found == {}
