"""The weight of a first visit."""

import gzip
import re
from importlib.resources import files

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.site.assets import GZIP_LEVEL, STATIC, asset, read_static
from pi_bunco.web.site.page import Context
from web.backends import PIN, FakeBackend
from web.gallery import pages

MAKERS = pages()
FONTS = ("fonts/caprasimo-latin.woff2", "fonts/atkinson-next-latin.woff2")
AFTER_A_TAP = "awake.mp4"
PICTURE = 150_000
HOST = ("host-", "health", "prepare", "results", "evenings", "log", "codes")
LIMIT = 69_000
"""Bytes on the wire."""
HEADERS = 360
"""Bytes of the headers of a file, at most; a page has twice as many."""


def size(name: str) -> int:
    return len(read_static(name))


def sent(name: str) -> int:
    return size(name) if name.endswith(".woff2") else len(gzip.compress(read_static(name)))


@pytest.mark.parametrize("name", [name for name in MAKERS if not name.startswith("print")])
def test_a_first_visit_is_light(name: str) -> None:
    html = TEMPLATES.render(MAKERS[name](), Context(stream="/stream", csrf="c", base="http://192.168.4.1"))
    loaded = {*re.findall(r'/static/\w+/([\w./-]+)"', html), *FONTS} - {AFTER_A_TAP}
    assert {"tokens.css", "parts.css", "live.js"} <= loaded
    of_host = name.startswith(HOST)  # which is not packed
    document = html.encode() if of_host else gzip.compress(html.encode(), GZIP_LEVEL)
    assert len(document) + sum(map(sent, loaded)) + HEADERS * (len(loaded) + 2) < (
        100_000 if of_host else LIMIT
    )


@pytest.mark.parametrize("name", ["live.js", "screen.js", "taps.js", "ahead.js", "parts.css", "tv.css"])
def test_a_script_or_style_sheet_is_sent_without_comments_and_indents(name: str) -> None:
    written, read = STATIC.joinpath(name).read_text(), read_static(name).decode()
    assert len(read) < len(written)
    assert not re.search(r"(?m)^ |^//|/\*", read)
    assert not any("\n" in literal for literal in re.findall("`[^`]*`", written))  # it would lose indents


def test_the_headers_of_a_file_are_few_and_those_of_a_page_are_all(backend: FakeBackend) -> None:
    def size(path: str) -> int:
        served = 60  # the status line, the date and the server's name
        return served + sum(
            len(name) + len(value) + 4 for name, value in backend.browser().get(path).headers.raw
        )

    assert max(size(asset(name)) for name in ("parts.css", "live.js", *FONTS)) <= HEADERS
    assert size("/healthz") <= HEADERS  # as what a screen is answered every 15 s
    assert HEADERS < size("/") <= 2 * HEADERS
    assert "content-security-policy" in backend.browser().get(asset("icon.svg")).headers


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


def test_a_page_is_sent_as_gzip_but_a_hosts_page_is_not(backend: FakeBackend) -> None:
    browser = backend.browser()
    page = browser.get("/", headers={"accept-encoding": "gzip"})
    assert (page.headers["content-encoding"], page.headers["vary"]) == ("gzip", "accept-encoding")
    assert int(page.headers["content-length"]) < len(page.content) / 2
    plain = browser.get("/", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == page.content
    browser.post("/host/login", data={"pin": PIN})
    assert "content-encoding" not in browser.get("/host", headers={"accept-encoding": "gzip"}).headers


def test_every_picture_of_the_readme_is_light() -> None:
    for picture in files("pi_bunco.web").joinpath("pictures").iterdir():
        assert len(picture.read_bytes()) < PICTURE
