"""What a first visit loads."""

import re
from importlib.resources import files

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.site.assets import read_static
from pi_bunco.web.site.page import Context
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


def test_every_picture_of_the_readme_is_light() -> None:
    for picture in files("pi_bunco.web").joinpath("pictures").iterdir():
        assert len(picture.read_bytes()) < LIMIT
