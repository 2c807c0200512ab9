"""Themes of the hall: folders of data that dress every page, chosen by the host."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.site import themes
from pi_bunco.web.site.assets import ASSETS_VERSION, read_static
from pi_bunco.web.site.page import Context
from pi_bunco.web.site.viewer import Viewer
from pi_bunco.words.catalogue import LANGUAGES, texts
from web.backends import PIN, FakeBackend
from web.gallery import pages
from web.test_pictures import site
from web.test_screen_list import TV, csrf

SHIPPED = {one.id: one for one in themes.shipped()}
TOKEN = re.compile(r"(--[\w-]+): ")
OWN = """
base = "night"
pack = "horn"
[name]
en = "Ours"
[words.en]
"Break" = "Tea"
"""


def test_three_themes_are_shipped_beside_day_and_night() -> None:
    assert len(SHIPPED) == 3
    for theme in SHIPPED.values():
        assert theme.name.keys() == theme.words.keys() == LANGUAGES.keys()


@pytest.mark.parametrize("id", SHIPPED)
def test_a_theme_is_data_colours_and_types_that_pages_have_and_nothing_else(id: str) -> None:
    css = read_static(f"themes/{id}/theme.css").decode()
    assert set(TOKEN.findall(css)) < set(TOKEN.findall(read_static("tokens.css").decode()))
    assert css.count("{") == 1


@pytest.mark.parametrize("id", SHIPPED)
def test_the_words_of_a_theme_stand_for_texts_that_there_are(id: str) -> None:
    known = texts("de")._catalog  # type: ignore[attr-defined]
    assert {text for words in SHIPPED[id].words.values() for text in words} <= set(known)


def test_words_that_no_page_could_be_drawn_with_are_no_theme() -> None:
    for wrong in ('"Break" = "100 %"', '"Break" = "%(name)s"'):
        with pytest.raises(ValueError, match="cannot stand for"):
            themes.read(OWN.replace('"Break" = "Tea"', wrong), "ours", "")


def test_a_theme_of_the_hosts_own_is_a_folder(tmp_path: Path) -> None:
    for name, text in (("ours", OWN), ("torn", "base ="), ("Not A Name", OWN)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "theme.toml").write_text(text)
    assert [(one.id, one.pack, one.css) for one in themes.of_host(tmp_path, "/own")] == [
        ("ours", "horn", "/own/ours/theme.css")
    ]
    assert list(themes.of_host(tmp_path / "none", "/own")) == []


def test_a_theme_dresses_a_page_whose_viewer_has_no_wish() -> None:
    dressed = Context(dressed=SHIPPED["halloween"])
    page = TEMPLATES.render(pages()["tv-break"](), dressed)
    assert "Witching hour" in page
    assert 'themes/halloween/theme.css"' in page
    by_day = Context(dressed=SHIPPED["halloween"], theme="day")
    assert "theme.css" not in TEMPLATES.render(pages()["tv-break"](), by_day)
    assert "theme.css" not in TEMPLATES.render(pages()["print-seats"](), dressed)
    assert "Witching hour" not in TEMPLATES.render(pages()["tv-break"](), Context())


def test_all_screens_are_dressed_and_sound_as_the_host_says(backend: FakeBackend) -> None:
    host = backend.browser()
    host.post("/host/login", data={"pin": PIN})
    form = {"csrf": csrf(host), "do": "sounds", "theme": "halloween", "pack": "", "loud": "100", "quiet": "0"}
    assert host.post("/host/screens", data=form).status_code == 303
    assert backend.browser().post("/screen", data=TV).json()["sounds"] == "gong 100"
    page = backend.browser().get("/").text
    assert 'themes/halloween/theme.css"' in page
    assert f'data-version="{ASSETS_VERSION}.halloween"' in page
    assert '<option value="halloween" selected>' in host.get("/host/screens").text
    host.post("/host/screens", data=form | {"theme": "no such"})
    assert "theme.css" not in backend.browser().get("/").text


def test_an_open_page_is_drawn_anew_in_another_theme(backend: FakeBackend) -> None:
    app = site(backend)
    picture = app.pictures.of(Viewer("/"))
    words = OWN.replace('"Break" = "Tea"', '"Head table" = "High table"')
    app._state.themes["ours"] = themes.read(words, "ours", "/own.css")
    backend.archive.keep("theme", "ours")
    picture.draw(app)
    assert b"High table" in picture.whole


def test_a_theme_is_in_the_package() -> None:
    for id in SHIPPED:
        folder = files("pi_bunco.web.site").joinpath("static", "themes", id)
        assert {one.name for one in folder.iterdir()} == {"theme.css", "theme.toml"}
