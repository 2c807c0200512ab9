"""A page is drawn once for all who see the same, and for nobody else."""

from starlette.testclient import TestClient

from pi_bunco.web.pages import PAGES, TEMPLATES
from pi_bunco.web.site.app import App
from pi_bunco.web.site.drawing import Fragments
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.viewer import Viewer
from web.backends import OPEN, SEATS, FakeBackend


def fragments(backend: FakeBackend) -> Fragments:
    backend.take(OPEN, SEATS)
    return Fragments(App(PageState(backend), PAGES))


def test_a_phone_without_the_code_is_not_shown_the_table_of_one_that_gave_it(backend: FakeBackend) -> None:
    drawn = fragments(backend)
    inside = drawn.body(Viewer("/table/1/play", admitted="e1"))
    assert 'name="code"' not in inside
    assert 'name="code"' in drawn.body(Viewer("/table/1/play"))
    assert drawn.body(Viewer("/table/1/play", admitted="e1")) == inside


def test_everybody_sees_a_page_of_their_own(backend: FakeBackend) -> None:
    drawn = fragments(backend)
    shown = {name: drawn.body(Viewer("/me", me=name)) for name in ("Ann", "Bob", "Cat")}
    for name, body in shown.items():
        assert f'<bdi dir="auto">{name}</bdi></h1>' in body
        assert drawn.body(Viewer("/me", me=name)) == body


def test_all_who_see_the_same_share_a_drawing(backend: FakeBackend) -> None:
    drawn = fragments(backend)
    for name in ("Ann", "Bob", "Cat"):
        drawn.body(Viewer("/", me=name, mode="dice" if name == "Bob" else "points"))
    assert len(drawn) == 1


def test_a_language_that_is_not_spoken_costs_nothing(backend: FakeBackend) -> None:
    backend.take(OPEN, SEATS)
    browser: TestClient = backend.browser()
    TEMPLATES._environments.clear()
    for n in range(20):
        browser.cookies.set("bunco_lang", f"x{n}")
        assert 'lang="en"' in browser.get("/", headers={"accept-language": f"y{n}"}).text
    browser.cookies.clear()
    assert 'lang="de"' in browser.get("/", headers={"accept-language": "fr-CH, de;q=0.8"}).text
    assert TEMPLATES._environments.keys() == {"en", "de"}
