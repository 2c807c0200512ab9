"""The style sheets and the pages know the same classes."""

import re
from functools import cache
from importlib.resources import files

import pytest

from pi_bunco.web.pages import TEMPLATES
from pi_bunco.web.site.page import Context
from web.gallery import hosts, pages

STATIC = files("pi_bunco.web.site").joinpath("static")
SHEETS = (
    "tokens.css",
    "night.css",
    "parts.css",
    "charts.css",
    "host.css",
    "phone.css",
    "tv.css",
    "paper.css",
)
WIFI = "WIFI:T:WPA;S:Thursday Bunco;P:felt-lamp-42;;"
NUMBERS = re.compile(r"[cdgnrs]\d+|hall\d")
"""Classes that are numbers: letters of a name, rows, columns, sizes, faces."""
HOOKS = {"host", "phone", "paper", "order", "then", "a-start", "cut"}
"""Kinds of pages, and states that look like any other."""
KIND = re.compile(r"[A-Z]\w+")
"""A scene or page by the name of its model."""


@cache
def written() -> dict[str, set[str]]:
    """Per style sheet the classes that pages have which load it, of the scripts too."""
    scripts = "".join(
        file.read_text()
        for file in STATIC.iterdir()
        if file.name.endswith(".js") and ".min." not in file.name
    )
    by_script = set(re.findall(r'classList\.\w+\("([\w-]+)"|className = "([\w-]+)"', scripts))
    common = {name for pair in by_script for name in pair if name}
    found: dict[str, set[str]] = {}
    for make in {**pages(), **{f"{name}-48": make for name, make in hosts(48).items()}}.values():
        for context in (Context(csrf="c", base="http://192.168.4.1", wifi=WIFI), Context(lang="de")):
            html = TEMPLATES.render(make(), context)
            classes = {name for text in re.findall(r'\sclass="([^"]*)"', html) for name in text.split()}
            for sheet in re.findall(r'/static/\w+/([\w.]+\.css)"', html):
                found.setdefault(sheet, set(common)).update(classes)
    return found


@cache
def styled(sheet: str) -> frozenset[str]:
    """The classes that a style sheet names."""
    text = re.sub(
        r"/\*.*?\*/|\{[^{}]*\}|url\([^)]*\)", " ", STATIC.joinpath(sheet).read_text(), flags=re.DOTALL
    )
    return frozenset(re.findall(r"\.([a-zA-Z][\w-]*)", text))


def test_every_style_is_of_a_class_that_a_page_has() -> None:
    dead = [
        f"{sheet}: .{name}"
        for sheet in SHEETS
        for name in sorted(styled(sheet) - written()[sheet])
        if not NUMBERS.fullmatch(name)
    ]
    assert dead == []


def test_every_class_of_a_page_has_a_style() -> None:
    known = frozenset().union(*map(styled, (*SHEETS, "sheet.css"))) | HOOKS
    bare = frozenset().union(*written().values()) - known
    assert sorted(name for name in bare if not NUMBERS.fullmatch(name) and not KIND.fullmatch(name)) == []


def test_the_night_has_colours_of_its_own_for_what_the_day_names() -> None:
    day, night = (
        set(re.findall(r"^  (--[\w-]+):", STATIC.joinpath(name).read_text(), re.MULTILINE))
        for name in ("tokens.css", "night.css")
    )
    assert night
    assert night <= day


@pytest.mark.parametrize(
    ("theme", "media"),
    [("day", []), ("night", ["screen"]), ("", ["screen and (prefers-color-scheme: dark)"])],
)
def test_a_phone_has_the_colours_that_it_wishes(theme: str, media: list[str]) -> None:
    html = TEMPLATES.render(pages()["me-none"](), Context(theme=theme))  # type: ignore[arg-type]
    assert re.findall(r'night\.css" media="([^"]*)"', html) == media
