"""What a first visit loads."""

import re
from importlib.resources import files

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.site.assets import asset, read_static
from pi_bunco.web.site.page import Context
from web.backends import FakeBackend
from web.gallery import pages

MAKERS = pages()
FONTS = ("fonts/caprasimo-latin.woff2", "fonts/atkinson-next-latin.woff2")
LIMIT = 150_000


def size(name: str) -> int:
    return len(read_static(name))


@pytest.mark.parametrize("name", [name for name in MAKERS if not name.startswith("print")])
def test_a_first_visit_is_light(name: str) -> None:
    html = TEMPLATES.render(MAKERS[name](), Context(stream="/stream", csrf="c", base="http://192.168.4.1"))
    loaded = {*re.findall(r'/static/\w+/([\w./-]+)"', html), *FONTS}
    assert {"tokens.css", "parts.css", "live.js"} <= loaded
    assert len(html.encode()) + sum(map(size, loaded)) < LIMIT


@pytest.mark.parametrize(
    ("taken", "packed"),
    [
        ("gzip, deflate, br", True),
        ("br;q=1.0, gzip;q=0.8", True),
        ("gzip;q=0", False),
        ("x-gzip", False),
        ("", False),
    ],
)
def test_a_text_is_sent_as_gzip_to_who_takes_it(backend: FakeBackend, taken: str, packed: bool) -> None:
    answer = backend.browser().get(asset("tokens.css"), headers={"accept-encoding": taken})
    assert answer.content == read_static("tokens.css")
    assert ("content-encoding" in answer.headers) == packed
    assert answer.headers["vary"] == "accept-encoding"
    if packed:
        assert int(answer.headers["content-length"]) < size("tokens.css") / 2
    font = backend.browser().get(asset(FONTS[0]), headers={"accept-encoding": taken})
    assert "content-encoding" not in font.headers


def test_every_picture_of_the_readme_is_light() -> None:
    for picture in files("pi_bunco.web").joinpath("pictures").iterdir():
        assert len(picture.read_bytes()) < LIMIT
